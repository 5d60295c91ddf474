"""Scores: what each of them counts, and which ones flatter."""

import pytest
import sacrebleu
import torch

from attnsteps.analysis.scores import (
    bleu,
    chrf,
    exact_match,
    length_accuracy,
    pronoun_accuracy,
    teacher_forced,
    teacher_forced_accuracy,
)
from attnsteps.corpora.generated.corpus import Pair
from attnsteps.decoding.greedy import greedy
from attnsteps.model.config import TransformerConfig
from attnsteps.model.transformer import Transformer
from attnsteps.text.batch import batches, collate
from attnsteps.text.tokenizer import Words
from attnsteps.text.vocab import Vocab
from attnsteps.training.config import TrainingConfig
from attnsteps.training.loop import train
from attnsteps.training.loss import autoregressive_loss

FOUND = ["the animal did not cross the street", "it was too wide for him", "they were tired"]
RIGHT = ["the animal did not cross the road", "it was too wide for him", "the girls were tired"]
EXAMPLES = [([5 + i % 7, 6 + i % 5], [5 + i % 7, 6 + i % 5, 7]) for i in range(35)]


def make_model(**changes):
    sizes = {"d_model": 16, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1}
    return Transformer(TransformerConfig.tiny(13, 13, **{**sizes, "d_ff": 32, **changes}))


def test_exact_match_counts_whole_sentences():
    assert exact_match(FOUND, [[right] for right in RIGHT]) == pytest.approx(1 / 3)
    assert exact_match(["a b"], [["a  b"]]) == 0
    assert exact_match(["a b"], [["a B"]]) == 0


def test_exact_match_takes_any_of_several_references():
    references = [[RIGHT[0], FOUND[0]], (RIGHT[1],), {RIGHT[2], FOUND[2]}]
    assert exact_match(FOUND, references) == 1


def test_bleu_and_chrf_are_sacrebleus_and_signed():
    score = bleu(FOUND, RIGHT)
    assert score.value == sacrebleu.corpus_bleu(FOUND, [RIGHT]).score
    version = f"version:{sacrebleu.__version__}"
    assert score.signature == f"nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|{version}"
    score = chrf(FOUND, RIGHT)
    assert score.value == sacrebleu.corpus_chrf(FOUND, [RIGHT]).score
    assert score.signature == f"nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|{version}"
    assert bleu(RIGHT, RIGHT).value == pytest.approx(100)


def test_bleu_minds_case():
    assert bleu([text.upper() for text in RIGHT], RIGHT).value < 1


def test_length_accuracy_counts_tokens():
    assert length_accuracy([["a"], ["a", "b"]], [["b"], ["a"]]) == 0.5


HE = Pair(("男孩", "累"), ("the", "boy", "because", "he", "was", "tired"), (), ((3, 0),))
IT = Pair(("路", "宽"), ("the", "boy", "because", "it", "was", "wide"), (), ((3, 0),))


@pytest.mark.parametrize(
    ("found", "accuracy"),
    [
        ([HE.tgt, IT.tgt], 1),
        ([HE.tgt, HE.tgt], 0.5),
        ([IT.tgt, HE.tgt], 0),
        ([("he", "was", "late"), ("wide", "it", "was", "and", "red")], 1),
        ([HE.tgt, ("it", "was", "it")], 0.5),
        ([(), ()], 0),
    ],
    ids=["right", "always he", "wrong", "other words, same pronouns", "one too many", "none"],
)
def test_pronoun_accuracy_looks_at_pronouns_alone(found, accuracy):
    assert pronoun_accuracy(found, [HE, IT]) == accuracy


def test_teacher_forced_predictions_are_those_of_each_true_prefix():
    model = make_model(dropout=0.5).train()
    batch = collate([([5, 6, 7], [8, 9, 10]), ([5], [11])])
    ids = teacher_forced(model, batch)
    assert model.training
    model.eval()
    for row, (src, tgt) in enumerate([([5, 6, 7], [8, 9, 10]), ([5], [11])]):
        for t in range(len(tgt) + 1):
            prefix = torch.tensor([[1, *tgt[:t]]])
            logits = model(torch.tensor([src]), prefix)
            assert ids[row, t] == logits[0, -1].argmax()
    assert ids[1, 2:].tolist() == [0, 0]
    assert not ids.is_inference()


def test_teacher_forced_accuracy_counts_tokens_of_all_batches_alike():
    model = make_model().eval()
    whole = teacher_forced_accuracy(model, [collate(EXAMPLES)])
    parts = teacher_forced_accuracy(model, batches(EXAMPLES, batch_size=4, bucketed=False))
    assert whole == pytest.approx(parts)
    batch = collate(EXAMPLES)
    right = (model(batch.src_ids, batch.tgt_in).argmax(-1) == batch.tgt_out)[batch.tgt_out != 0]
    assert whole == pytest.approx(right.double().mean().item())


def test_bug_zoo_15_bleu_of_teacher_forced_predictions_is_another_and_flattering_number():
    """Words predicted after the true ones are no translation."""
    chance = torch.Generator().manual_seed(3)
    words = [f"w{i}" for i in range(8)]
    vocab = Vocab(words)

    def sentence():
        return [5 + int(i) for i in torch.randint(8, (7,), generator=chance)]

    # The next word follows from the last two; the source tells only the first two.
    def continued(start):
        ids = [*start]
        while len(ids) < 12:
            ids.append(5 + (3 * ids[-1] + 5 * ids[-2] + 1) % 8)
        return ids

    examples = [(start, continued(start[:2])) for start in (sentence() for _ in range(300))]
    model = make_model()
    train(model, examples, TrainingConfig(steps=60, batch_size=50, log=None), progress=False)
    batch = collate(examples[:100])
    forced = teacher_forced(model, batch)
    free = greedy(model, batch.src_ids, max_len=13).ids

    def texts(ids):
        return [Words().detokenize(vocab.tokens(i for i in row if i >= 5)) for row in ids.tolist()]

    right = texts(batch.tgt_out)
    flattering, honest = bleu(texts(forced), right).value, bleu(texts(free), right).value
    assert flattering > honest + 10
    assert honest > 0


def test_bug_zoo_18_without_the_shift_training_looks_perfect_and_translation_is_nonsense():
    """A decoder that may read the word it has to predict only learns to copy it."""

    def unshifted(model, batch, label_smoothing):
        logits = model(batch.src_ids, batch.tgt_out)  # the mistake: tgt_in belongs here
        loss = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), batch.tgt_out.flatten(), ignore_index=0, reduction="sum"
        )
        return loss, (batch.tgt_out != 0).sum()

    def accuracy(loss_fn):
        model = make_model()
        config = TrainingConfig(steps=150, batch_size=35, peak=0.01, log=None)
        history = train(model, EXAMPLES, config, progress=False, loss_fn=loss_fn)
        batch = collate(EXAMPLES)
        ids = greedy(model, batch.src_ids, max_len=batch.tgt_out.shape[1]).ids
        whole = torch.zeros_like(batch.tgt_out)
        whole[:, : ids.shape[1]] = ids
        return history.records[-1].loss, (whole == batch.tgt_out).all(dim=1).double().mean().item()

    loss, right = accuracy(unshifted)
    assert loss < 0.1
    assert right < 0.1
    loss, right = accuracy(autoregressive_loss)
    assert right > 0.9


def test_bug_zoo_19_training_and_decoding_begin_with_the_same_symbol():
    """Begun with another symbol than in training, a sentence is nonsense."""
    model = make_model()
    assert collate(EXAMPLES).tgt_in[:, 0].unique().tolist() == [model.config.bos_id]
    train(model, EXAMPLES, TrainingConfig(steps=150, batch_size=35, peak=0.01, log=None),
          progress=False)  # fmt: skip
    src_ids = collate(EXAMPLES).src_ids
    right = greedy(model, src_ids, max_len=4).ids
    assert (right == collate(EXAMPLES).tgt_out).all(dim=1).double().mean() > 0.9
    with torch.no_grad():
        first = model(src_ids, torch.full((len(src_ids), 1), Vocab.eos_id))[:, 0].argmax(-1)
    assert (first == right[:, 0]).double().mean() < 0.9


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: exact_match([], []),
            "found must hold at least one translation; got none",
        ),
        (
            lambda: bleu(["a"], ["a", "b"]),
            "references must hold one entry for each of the 1 translations; got 2",
        ),
        (
            lambda: chrf(["a"], []),
            "references must hold one entry for each of the 1 translations; got 0",
        ),
        (
            lambda: length_accuracy([], [["a"]]),
            "found must hold at least one translation; got none",
        ),
        (
            lambda: pronoun_accuracy([], []),
            "found must hold at least one translation; got none",
        ),
        (
            lambda: exact_match(["a"], ["a"]),
            "references must hold a list for each sentence; got 'a'",
        ),
        (
            lambda: teacher_forced_accuracy(make_model(), []),
            "batches must hold at least one token; got none",
        ),
    ],
)
def test_bad_input_is_named(refuses, call, message):
    refuses(call, message)


def test_teacher_forcing_leaves_the_mode_of_every_module():
    model = make_model(dropout=0.5).train()
    model.encoder.eval()
    modes = [module.training for module in model.modules()]
    teacher_forced(model, collate([([5, 6], [7, 8])]))
    assert [module.training for module in model.modules()] == modes
