"""What the race takes, what it refuses, and what it leaves where no script runs."""

import pytest
import torch
from safetensors.torch import load

from attnsteps import NonAutoregressive, Transformer, TransformerConfig
from attnsteps.text.tokenizer import Characters, Words
from attnsteps.text.vocab import Vocab
from attnsteps.translator.trained import Trained
from attnsteps.widgets.non_autoregressive import Race, word_edits

SRC, TGT = Vocab(["动物", "太", "累"]), Vocab(["the", "animal", "tired"])
PARALLEL = {"causal": False, "mask_id": Vocab.mask_id, "max_len": 16}
WORDS = Words(["动物", "太", "累"])


def trained(kind=Transformer, *, tokenizer=WORDS, tgt=TGT, **changes) -> Trained:
    changes |= PARALLEL if kind is NonAutoregressive else {}
    torch.manual_seed(0)
    model = kind(TransformerConfig.tiny(len(SRC), len(tgt), **changes))
    return Trained(model, SRC, tgt, tokenizer, Words())


def three(**changes) -> list[Trained]:
    kinds = (Transformer, NonAutoregressive, NonAutoregressive)
    return [trained(kind, **changes) for kind in kinds]


def race(**options) -> Race:
    return Race(three(), **{"text": "动物太累", "references": {}, **options})


def test_learned_positions_limit_the_words():
    models = [*three()[:2], trained(NonAutoregressive, positions="learned")]
    assert Race(models, text="动物太累", references={}).max_words == 16
    assert race().max_words == 24


def test_three_models_go_in_whole():
    models = three()
    widget = Race(models, text="动物", references={"太累": [("tired",)]})
    for file, model in zip(
        (widget.weights, widget.one_shot, widget.mask_predict), models, strict=True
    ):
        tensors = load(file)
        assert tensors.keys() == dict(model.model.named_parameters()).keys()
        for name, parameter in model.model.named_parameters():
            assert torch.equal(tensors[name], parameter.detach())
    assert widget.references == {"太累": [["tired"]]}
    assert widget.glossary["累"][1] == "tired"


def test_the_corpus_gives_sentences_that_the_models_know():
    assert Race(three()).references == {}


def test_it_leaves_a_picture_and_a_stable_name():
    widget = race()
    assert repr(widget) == "Race()"
    bundle = widget._repr_mimebundle_()[0]
    assert bundle["image/png"].startswith("iVBOR")
    text = widget.picture().texts[-1].get_text()
    assert "Mask-predict, 4 passes" in text.replace("\n", " ")


@pytest.mark.parametrize("text", ["", "动物" * 25])
def test_a_sentence_that_cannot_race_leaves_an_empty_picture(text):
    assert not race(text=text).picture().texts


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"length_factor": 1.6}, r"length_factor must be a number in \[0\.5, 1\.5\]; got 1\.6"),
        ({"length_factor": -1.0}, "length_factor must be a number in .*; got -1"),
        ({"iterations": 0}, "iterations must be .*; got 0"),
        ({"iterations": 11}, "iterations must be a number in .*10]; got 11"),
        ({"beam_width": 0}, "beam_width must be .*; got 0"),
    ],
)
def test_numbers_out_of_range_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        race(**options)
    widget = race()
    for name, value in options.items():
        with pytest.raises(ValueError, match=message):
            setattr(widget, name, value)


def test_models_that_cannot_race_are_refused():
    with pytest.raises(ValueError, match=r"models must be three.*got 2"):
        Race(three()[:2])
    with pytest.raises(ValueError, match=r"models\[1\] must be a Trained NonAutoregressive; got"):
        Race([trained()] * 3)
    with pytest.raises(ValueError, match=r"models\[0\] must be a Trained Transformer; got str"):
        Race(["a", "b", "c"])
    with pytest.raises(ValueError, match=r"models\[0\] must be split into words.*got Characters"):
        Race(three(tokenizer=Characters()))
    other = Vocab(["the", "animal", "wide"])
    with pytest.raises(ValueError, match=r"models\[2\] must have the same tgt_vocab"):
        Race([*three()[:2], trained(NonAutoregressive, tgt=other)])


@pytest.mark.parametrize(
    ("words", "wanted", "edits"),
    [
        ("", "", 0),
        ("a b", "a b", 0),
        ("a a b", "a b", 1),
        ("b", "a b", 1),
        ("many you", "thank you", 1),
        ("a b c", "c a b", 2),
        ("", "a b c", 3),
        ("x y", "a b c", 3),
    ],
)
def test_word_edits_by_hand(words, wanted, edits):
    assert word_edits(words.split(), wanted.split()) == edits
    assert word_edits(wanted.split(), words.split()) == edits
