"""A translator in one file: what is saved translates as before, and nothing else is let in."""

import dataclasses
import json
import math

import pytest
import safetensors.torch
import torch
from safetensors import safe_open

import attnsteps.translator.trained
from attnsteps.model.config import TransformerConfig
from attnsteps.model.transformer import Transformer
from attnsteps.storage.tensor_file import read_tensors, write_tensors
from attnsteps.storage.translator_file import FORMAT, FORMAT_VERSION
from attnsteps.text.reading import Reading
from attnsteps.text.tokenizer import BytePairs, Characters, Subwords, Words
from attnsteps.text.vocab import Vocab
from attnsteps.translator.search import find
from attnsteps.translator.trained import Trained, pretrained
from tests.training import make_config, make_model, trained

CHINESE = ("动物", "没有", "过", "马路", "太", "累", "宽", "了")  # 5 … 12
ENGLISH = ("the", "animal", "did", "not", "cross", "it", "was", "tired")
SRC, TGT = Vocab(CHINESE), Vocab(ENGLISH)
PAIRS = [([5, 6, 7, 8], [5, 6, 7, 8, 9]), ([9, 10, 12], [10, 11, 12]), ([8], [5])]


def bundle(model=None, **changes):
    parts = {"src_tokenizer": Words(CHINESE), "tgt_tokenizer": Words(ENGLISH), **changes}
    return Trained(model or make_model(), SRC, TGT, **parts)


@pytest.fixture(scope="module", params=[False, True], ids=["autoregressive", "parallel"])
def learned(request):
    """A translator that knows three sentences by heart."""
    from attnsteps.training.loss import autoregressive_loss  # noqa: PLC0415
    from attnsteps.training.non_autoregressive import one_shot_loss  # noqa: PLC0415

    model = make_model(parallel=request.param, d_model=16, d_ff=32, dropout=0.0)
    config = make_config(steps=150, peak=0.02, label_smoothing=0.0)
    loss_fn = one_shot_loss if request.param else autoregressive_loss
    trained(model, PAIRS, config=config, loss_fn=loss_fn)
    return bundle(model)


def damage(path, change):
    """Change a file's config or tensors, and write it with a checksum that fits."""
    text, tensors = read_tensors(path, kind=FORMAT, version=FORMAT_VERSION)
    config = json.loads(text)
    change(config, tensors)
    config = json.dumps(config)
    write_tensors(path, tensors, kind=FORMAT, version=FORMAT_VERSION, config=config)


TEXTS = ["动物没有过马路", "太累了", "马路"]
TRANSLATIONS = ["the animal did not cross", "it was tired", "the"]


def test_texts_are_translated_in_the_order_in_which_they_came(learned):
    for texts, needed in ((TEXTS, TRANSLATIONS), (TEXTS[::-1], TRANSLATIONS[::-1])):
        for batch_size in (1, 2, 64):
            found = learned.translate(texts, batch_size=batch_size)
            assert [translation.text for translation in found] == needed
    first = learned.translate(TEXTS)[0]
    assert first.tokens == TRANSLATIONS[0].split()
    assert first.src_tokens == ["动物", "没有", "过", "马路"]
    assert first.unknown == []
    assert first.is_whole
    assert first.weights is None
    assert learned.translate([]) == []


def test_every_search_goes_by_its_name(learned):
    if learned.model.config.causal:
        searches = {"greedy": {}, "beam": {"beam_width": 2}, "sample": {"top_k": 1}}
    else:
        searches = {"all_at_once": {}, "mask_predict": {"num_lengths": 1, "iterations": 1}}
    for search, options in searches.items():
        found = learned.translate(TEXTS, search=search, **options)
        assert [translation.text for translation in found] == TRANSLATIONS


def test_the_weights_have_a_row_for_every_token_and_the_end(learned):
    for translation in learned.translate(TEXTS, need_weights=True):
        rows, columns = len(translation.tokens) + 1, len(translation.src_tokens)
        for kind, size in (
            (translation.weights.encoder, (1, 2, columns, columns)),
            (translation.weights.decoder, (1, 2, rows, rows)),
            (translation.weights.cross, (1, 2, rows, columns)),
        ):
            assert [tuple(layer.shape) for layer in kind] == [size]
            torch.testing.assert_close(kind[0].sum(dim=-1), torch.ones(size[:-1]))


def test_unknown_words_are_named_and_read_as_unknown(learned):
    translation = learned.translate(["猫没有过狗"])[0]
    assert translation.unknown == ["猫", "狗"]
    assert translation.src_tokens == ["猫", "没有", "过", "狗"]


def test_a_translation_that_was_cut_says_so():
    cut = bundle().translate(["动物"], max_len=2)[0]
    assert not cut.is_whole
    assert len(cut.tokens) == 2


def test_where_learned_positions_end_a_translation_ends():
    short = bundle(make_model(positions="learned", max_len=6))
    for found in short.translate(["动物没有过", "动物没有过马路太"]):
        assert len(found.tokens) + found.is_whole <= 6


def test_a_model_that_has_diverged_says_so():
    broken = bundle()
    with torch.no_grad():
        broken.model.projection.weight.fill_(math.nan)
    with pytest.raises(FloatingPointError, match="must be numbers; got NaN"):
        broken.translate(["动物"])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_what_is_saved_comes_back(tmp_path, learned, dtype):
    path = tmp_path / "zh_en.safetensors"
    learned.save(path, dtype=dtype)
    loaded = Trained.load(path)
    assert not loaded.model.training
    assert loaded.model.config == learned.model.config
    assert (loaded.src_vocab, loaded.tgt_vocab) == (SRC, TGT)
    assert loaded.src_tokenizer == learned.src_tokenizer
    for ours, theirs in zip(loaded.model.parameters(), learned.model.parameters(), strict=True):
        assert ours.dtype == torch.float32
        assert torch.equal(ours, theirs.to(dtype).float())
    assert loaded.translate(TEXTS) == learned.translate(TEXTS)
    with safe_open(path, framework="pt") as file:
        names = file.keys()
        assert {file.get_tensor(name).dtype for name in names} == {dtype}


def test_eight_bits_come_back_within_half_a_step_and_are_a_quarter_of_the_size(tmp_path, learned):
    for dtype in (torch.int8, torch.float32):
        learned.save(tmp_path / f"{dtype}.safetensors", dtype=dtype)
    path = tmp_path / "torch.int8.safetensors"
    loaded, is_matrix = Trained.load(path), lambda weights: weights.dim() == 2
    for ours, theirs in zip(loaded.model.parameters(), learned.model.parameters(), strict=True):
        assert ours.dtype == torch.float32
        largest = theirs.detach().abs().amax(dim=-1, keepdim=True)
        allowed = largest / 254 * 1.001 if is_matrix(theirs) else theirs.abs() * 2**-11 + 2**-25
        assert ((ours - theirs).abs() <= allowed).all()
    assert loaded.translate(TEXTS)[0].text == TRANSLATIONS[0]
    with safe_open(path, framework="pt") as file:
        stored = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (it is no dict)
    for name, parameter in learned.model.named_parameters():
        assert stored[name].dtype == (torch.int8 if is_matrix(parameter) else torch.float16)
        assert stored[name].shape == parameter.shape
        if is_matrix(parameter):
            assert stored[f"{name}.scale"].shape == parameter.shape[:1]
            assert stored[f"{name}.scale"].dtype == torch.float32


def test_scales_without_their_matrix_are_refused(tmp_path, learned, refuses):
    path = tmp_path / "model.safetensors"
    learned.save(path, dtype=torch.int8)
    name = next(name for name, weights in learned.model.named_parameters() if weights.dim() == 2)
    damage(path, lambda _, tensors: tensors.update({name: tensors[name].float()}))
    refuses(
        lambda: Trained.load(path),
        f"{path} must hold only what the model has; got {name}.scale as well",
    )


def test_what_both_languages_share_is_written_once(tmp_path):
    tokenizer, path = Subwords.learn(["low lower"], num_merges=3), tmp_path / "model.safetensors"
    vocab = Vocab(tokenizer.vocabulary())
    model = Transformer(TransformerConfig.tiny(len(vocab), len(vocab)))
    ours = Trained(model, vocab, vocab, tokenizer, tokenizer)
    ours.save(path)
    with safe_open(path, framework="pt") as file:
        assert file.metadata()["config"].count("merges") == 1
    theirs = Trained.load(path)
    assert (theirs.src_vocab, theirs.tgt_vocab) == (vocab, vocab)
    assert theirs.src_tokenizer == theirs.tgt_tokenizer == tokenizer
    assert theirs.translate(["slow"]) == ours.translate(["slow"])


def reader(**changes):
    """A model with a reading, which knows eight words."""
    return bundle(reading=Reading.learn([*CHINESE, *ENGLISH, " .,"]), **changes)


def test_a_reading_brings_a_text_into_the_form_that_the_model_knows():
    found = reader().translate(["動物 沒有過 馬路", "动物没有过马路"])
    assert found[0] == found[1]
    assert found[0].src_tokens == ["动物", "没有", "过", "马路"]
    assert reader().sentences("动物累了。马路宽！") == ["动物累了.", "马路宽!"]
    assert bundle().sentences("动物累了。马路宽！") == ["动物累了。马路宽！"]


def test_what_no_training_has_seen_is_left_out_and_named():
    found, nothing, plain = reader().translate(["动物😀太累", "😀ß", "动物太累"])
    assert found.unknown == ["😀"]
    assert found._replace(unknown=[]) == plain
    assert nothing.text == "😀ß"  # a copy: there is nothing to translate
    assert nothing.unknown == ["😀", "ß"]
    assert nothing.is_whole


def test_only_a_text_of_nothing_is_refused_by_a_reading(refuses):
    for text in ("", " \u200b", "\n"):
        refuses(
            lambda text=text: reader().translate([text]),
            "texts[0] must have from 1 to 16 tokens; got 0",
        )


def test_a_reading_is_kept_in_the_file(tmp_path, refuses):
    ours, path = reader(), tmp_path / "model.safetensors"
    ours.save(path)
    assert Trained.load(path).reading == ours.reading
    bundle().save(path)
    assert Trained.load(path).reading is None
    for wrong in ({"simplified": ["a", ""], "characters": ""}, {"characters": "a"}, [], None):
        ours.save(path)
        damage(path, lambda config, _, wrong=wrong: config.update({"reading": wrong}))
        with pytest.raises(ValueError, match=f"^{path} must hold a trained model; got: "):
            Trained.load(path)


TOKENIZERS = [
    Words(),
    Characters(),
    BytePairs.learn(["low lower lowest"], num_merges=4),
    Subwords.learn(["low lower lowest"], num_merges=4),
]


@pytest.mark.parametrize("tokenizer", TOKENIZERS, ids=lambda tokenizer: type(tokenizer).__name__)
def test_every_tokenizer_comes_back(tmp_path, tokenizer):
    path = tmp_path / "model.safetensors"
    bundle(src_tokenizer=tokenizer).save(path)
    assert Trained.load(path).src_tokenizer == tokenizer


def test_loading_leaves_chance_as_it_was(tmp_path):
    bundle().save(tmp_path / "a")
    torch.manual_seed(3)
    needed = torch.rand(3)
    torch.manual_seed(3)
    Trained.load(tmp_path / "a")
    assert torch.equal(torch.rand(3), needed)


def test_texts_that_cannot_be_translated_are_refused(refuses):
    ours = bundle()
    refuses(lambda: ours.translate("动物"), "texts must be a list of texts; got a single one")
    refuses(lambda: ours.translate(["动物", " "]), "texts[1] must have from 1 to 16 tokens; got 0")
    refuses(
        lambda: ours.translate(["动" * 10_000]),
        "texts[0] must have from 1 to 16 tokens; got 10000",
    )
    refuses(
        lambda: ours.translate(["动物"], search="mask_predict"),
        "search must be 'greedy' or 'beam' or 'sample'; got 'mask_predict'",
    )
    refuses(
        lambda: ours.translate(["动物"], beam_width=4),
        "an option of search = 'greedy' must be 'max_len' or 'use_cache'; got 'beam_width'",
    )
    refuses(
        lambda: ours.translate(["动物"], batch_size=0),
        "batch_size must be a positive integer; got 0",
    )


def test_a_vocabulary_of_another_size_is_refused(refuses):
    refuses(
        lambda: Trained(make_model(), SRC, Vocab("ab"), Words(), Words()),
        "tgt_vocab must have the model's 13 tokens; got 7",
    )


def test_other_files_are_refused(tmp_path, refuses):
    path = tmp_path / "zh_en.safetensors"
    with pytest.raises(FileNotFoundError):
        Trained.load(path)
    bundle().save(path)
    with safe_open(path, framework="pt") as file:
        metadata = file.metadata()
    tensors = safetensors.torch.load_file(path)
    safetensors.torch.save_file(tensors, path, {**metadata, "format_version": "0"})
    refuses(lambda: Trained.load(path), f"{path} must have the format version 1; got '0'")
    safetensors.torch.save_file(
        tensors, path, {**metadata, "config": metadata["config"].replace("animal", "street")}
    )
    refuses(
        lambda: Trained.load(path),
        f"{path} must hold what was written into it; got other bytes, so it is damaged",
    )
    path.write_bytes(b"no such thing")
    with pytest.raises(ValueError, match="must be a whole safetensors file"):
        Trained.load(path)


def test_a_disk_that_is_full_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "model.safetensors"
    bundle().save(path)
    old = path.read_bytes()

    def full(_tensors, filename, _metadata):
        filename.write_bytes(b"half of it")
        raise OSError("No space left on device")

    monkeypatch.setattr(safetensors.torch, "save_file", full)
    with pytest.raises(OSError, match="No space"):
        bundle(make_model(seed=1)).save(path)
    assert path.read_bytes() == old
    assert list(tmp_path.iterdir()) == [path]


def test_what_comes_with_the_package_is_loaded_by_its_name(tmp_path, monkeypatch, refuses):
    monkeypatch.setattr(attnsteps.translator.trained, "ASSETS", tmp_path)
    ours = bundle()
    ours.save(tmp_path / "zh_en.safetensors", dtype=torch.float32)
    assert pretrained().translate(TEXTS) == ours.translate(TEXTS)
    refuses(lambda: pretrained("de_en"), "name must be 'zh_en'; got 'de_en'")


def test_a_bundle_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        bundle().model = None


def random_bundle(**changes):
    """A translator that knows nothing, and therefore hardly ever stops of itself."""
    torch.manual_seed(4)
    return bundle(make_model(**changes))


def test_weights_are_those_of_evaluation_and_ordinary_tensors():
    translator = random_bundle(dropout=0.5)
    needed = translator.translate(TEXTS, need_weights=True, max_len=5)
    translator.model.train()
    translator.model.encoder.layers[0].eval()
    modes = [module.training for module in translator.model.modules()]
    found = translator.translate(TEXTS, need_weights=True, max_len=5)
    assert [module.training for module in translator.model.modules()] == modes
    for ours, theirs in zip(found, needed, strict=True):
        torch.testing.assert_close(ours.weights.cross, theirs.weights.cross, rtol=0, atol=0)
        assert not ours.weights.cross[0].is_inference()


class Subclass(Transformer):
    """A model that a reader may have derived."""


def test_a_subclass_can_do_what_its_class_can(refuses, tmp_path):
    translator = random_bundle()
    needed = translator.translate(TEXTS)
    translator.model.__class__ = Subclass
    assert translator.translate(TEXTS) == needed
    refuses(
        lambda: translator.save(tmp_path / "model.safetensors"),
        "the model's class must be 'Transformer' or 'NonAutoregressive'; got 'Subclass'",
    )


def test_what_is_no_translator_is_refused(refuses):
    refuses(
        lambda: find(torch.nn.Linear(2, 2), torch.tensor([[5]])),
        "model must be a Transformer or a NonAutoregressive; got a Linear",
    )


@pytest.mark.parametrize("search", ["greedy", "beam", "sample"])
def test_a_sentence_has_the_same_room_alone_and_beside_a_longer_one(search):
    translator = random_bundle()
    translator.model.tgt_embedding.weight.data[SRC.eos_id] *= -50.0  # it never ends
    short, long = "马路", "动物没有过马路太累了"
    options = {"top_k": 1} if search == "sample" else {}
    alone = translator.translate([short], search=search, **options)[0]
    beside = translator.translate([short, long], search=search, **options)
    assert len(alone.tokens) == len(beside[0].tokens) == 2 * 1 + 10
    assert len(beside[1].tokens) == 2 * len(beside[1].src_tokens) + 10
    assert alone.text == beside[0].text


def test_every_sentence_is_drawn_with_its_own_generator(refuses):
    translator = random_bundle()
    texts = ["动物没有过马路太累了", "马路", "太累了", "动物"]

    def chance(i):
        return torch.Generator().manual_seed(i)

    alone = [
        translator.translate([text], search="sample", generator=[chance(i)])[0].text
        for i, text in enumerate(texts)
    ]
    for batch_size in (64, 3, 1):
        generators = [chance(i) for i in range(4)]
        found = translator.translate(
            texts, search="sample", batch_size=batch_size, generator=generators
        )
        assert [one.text for one in found] == alone
    refuses(
        lambda: translator.translate(texts, search="sample", generator=[chance(0)] * 3),
        "generator must be one, or one for each of the 4 texts; got 3",
    )


@pytest.mark.parametrize("changes", [{"pad_id": 5, "bos_id": 0}, {"eos_id": 7}, {"bos_id": 9}])
def test_other_special_ids_than_the_vocabularys_are_refused(changes):
    with pytest.raises(ValueError, match=r"^model.config.(pad|bos|eos)_id must be [012], as in"):
        bundle(make_model(**changes))
    with pytest.raises(ValueError, match=r"^model.config.mask_id must be 4, as in"):
        bundle(make_model(parallel=True, mask_id=7))


def test_the_weights_are_those_of_the_pass_that_found_each_token():
    translator = bundle(make_model(parallel=True, d_model=16))
    with torch.no_grad():
        translator.model.transformer.tgt_embedding.weight.mul_(
            3
        )  # what it reads makes a difference
        translator.model.length_predictor.projection.bias.fill_(2.5)
    passes, decode = [], translator.model.transformer.decode

    def watched(tgt_ids, memory, src_ids, **options):
        logits, weights = decode(tgt_ids, memory, src_ids, need_weights=True)
        passes.append((tgt_ids, weights))
        return (logits, weights) if options.get("need_weights") else logits

    translator.model.transformer.decode = watched
    mask_id, last_read = translator.model.config.mask_id, set()
    for text in TEXTS:
        passes.clear()
        options = {"search": "mask_predict", "iterations": 4, "need_weights": True}
        (found,) = translator.translate([text], **options)
        tgt_len = found.weights.cross[0].shape[2]
        for t in range(tgt_len):
            tries = [i for i, (ids, _) in enumerate(passes) if ids[0, t] == mask_id]
            needed = passes[tries[-1]][1]
            last_read.add(tries[-1])
            torch.testing.assert_close(found.weights.cross[0][0, :, t], needed.cross[0][0, :, t])
            torch.testing.assert_close(
                found.weights.decoder[0][0, :, t], needed.decoder[0][0, :, t]
            )
    assert len(last_read) > 1  # not only that of the blanks


def test_a_parallel_model_takes_no_longest_length(refuses):
    for max_len in (5, -7):
        refuses(
            lambda max_len=max_len: bundle(make_model(parallel=True)).translate(
                ["动物"], max_len=max_len
            ),
            f"max_len must be None for a NonAutoregressive, which predicts it; got {max_len}",
        )


def test_weights_beyond_the_files_numbers_are_refused_before_anything_is_written(tmp_path, refuses):
    ours, path = bundle(), tmp_path / "model.safetensors"
    with torch.no_grad():
        ours.model.encoder.layers[0].feed_forward.w_1.bias[2] = 1e5
    refuses(
        lambda: ours.save(path),
        "encoder.layers.0.feed_forward.w_1.bias must fit into torch.float16, at most 65504;"
        " got 100000",
    )
    assert list(tmp_path.iterdir()) == []
    ours.save(path, dtype=torch.float32)
    assert Trained.load(path).model.encoder.layers[0].feed_forward.w_1.bias[2] == 1e5
