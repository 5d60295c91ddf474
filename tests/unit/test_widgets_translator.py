"""What the translator takes, what it refuses, and what it leaves where no script runs."""

import json

import pytest
import torch
from safetensors.torch import load

from attnsteps import NonAutoregressive, Transformer, TransformerConfig
from attnsteps.text.reading import Reading
from attnsteps.text.tokenizer import BytePairs, Characters, Subwords, Words
from attnsteps.text.vocab import Vocab
from attnsteps.translator.trained import Trained, pretrained
from attnsteps.widgets import Translator
from attnsteps.widgets.live_model import MAX_PARAMETERS, RUNNING
from attnsteps.widgets.translator import EVERYDAY

SRC = Vocab(["动物", "没有", "过", "马路", "，", "因为", "太", "累", "宽", "了"])
TGT = Vocab(["the", "animal", "was", "too", "tired", "it"])


def small(**changes: object) -> Transformer:
    sizes = {"src_vocab_size": len(SRC), "tgt_vocab_size": len(TGT)}
    return Transformer(TransformerConfig.tiny(**sizes, **changes))


def test_a_model_just_trained_goes_in_whole():
    model = small(norm="pre")
    widget = Translator(model, (SRC, TGT))
    tensors = load(widget.weights)
    assert tensors.keys() == dict(model.named_parameters()).keys()
    for name, parameter in model.named_parameters():
        assert torch.equal(tensors[name], parameter.detach())
    length = int.from_bytes(widget.weights[:8], "little")
    held = json.loads(widget.weights[8 : 8 + length])["__metadata__"]
    config = json.loads(held["config"])
    assert config["tgt_vocab"] == TGT.to_list()
    assert json.loads(config["src_tokenizer"])["known"] == SRC.to_list()[5:]


def test_a_trained_bundle_goes_in_with_its_own_tokenizers():
    vocab = Vocab([*"动物累"])
    model = Transformer(TransformerConfig.tiny(src_vocab_size=len(vocab), tgt_vocab_size=len(TGT)))
    widget = Translator(Trained(model, vocab, TGT, Characters(), BytePairs()), text="动物累")
    assert b"Characters" in widget.weights
    assert b"BytePairs" in widget.weights
    assert widget.twins == []  # 宽 is unknown to it
    assert widget.examples == []


def test_a_bundle_of_subwords_goes_in():
    subwords = Subwords()
    vocab = Vocab(subwords.vocabulary())
    model = Transformer(TransformerConfig.tiny(len(vocab), len(vocab)))
    widget = Translator(Trained(model, vocab, vocab, subwords, subwords), text="动物累")
    assert b"Subwords" in widget.weights
    assert widget.everyday == {}  # that is the second model of the package's own


def test_the_second_model_is_handed_over_while_it_is_asked_for():
    widget = Translator()
    assert widget.everyday == {"file": EVERYDAY.name, "bytes": EVERYDAY.stat().st_size}
    assert widget.everyday_weights == b""
    widget.wants_everyday = True
    assert widget.everyday_weights == EVERYDAY.read_bytes()
    widget.wants_everyday = False
    assert widget.everyday_weights == b""


def test_glosses_and_examples_are_of_words_that_the_model_knows():
    widget = Translator(small(), (SRC, TGT), examples=["太累了"])
    assert widget.glossary["累"] == ["lèi", "tired"]
    assert set(widget.glossary) <= set(SRC.to_list())
    assert widget.examples == ["太累了"]
    assert widget.twins == ["累", "宽"]
    assert widget.text == widget.first == RUNNING == "动物没有过马路，因为太累了"


def test_forced_words_and_limits_go_to_the_page():
    widget = Translator(small(positions="learned", max_len=9), (SRC, TGT), forced={5: "it"})
    assert widget.forced == {"5": "it"}
    assert widget.max_words == 9


def test_it_is_stable_and_leaves_a_picture():
    widget = Translator(small(), (SRC, TGT))
    assert repr(widget) == "Translator()"
    assert "image/png" in widget._repr_mimebundle_()[0]
    widget.text = ""
    assert "image/png" in widget._repr_mimebundle_()[0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Translator("a model"),
            "model must be a Trained or a Transformer with vocabs; got a str",
        ),
        (
            lambda: Translator(small()),
            "vocabs must be the source and the target vocabulary if model is a bare"
            " Transformer; got None",
        ),
        (
            lambda: Translator(small(), (SRC,)),
            "vocabs must be the source and the target vocabulary if model is a bare"
            " Transformer; got 1",
        ),
        (
            lambda: Translator(small(), (TGT, SRC)),
            f"src_vocab must have the model's {len(SRC)} tokens; got {len(TGT)}",
        ),
        (
            lambda: Translator(small(causal=False), (SRC, TGT)),
            "model must be causal to write word by word; got config.causal = False",
        ),
        (
            lambda: Translator(
                Trained(
                    NonAutoregressive(small(causal=False, mask_id=4).config),
                    SRC,
                    TGT,
                    Words(),
                    Words(),
                )
            ),
            "model must be causal to write word by word; got config.causal = False",
        ),
        (
            lambda: Translator(Trained(small(), SRC, TGT, Reading(("", ""), ""), Words())),
            "src_tokenizer must be Words, Characters, BytePairs or Subwords to run in a page;"
            " got Reading",
        ),
    ],
)
def test_what_does_not_fit_is_refused(make, message, refuses):
    refuses(make, message)


def test_a_model_too_large_for_a_page_is_refused(monkeypatch, refuses):
    monkeypatch.setattr("attnsteps.widgets.live_model.MAX_PARAMETERS", 1000)
    assert MAX_PARAMETERS == 20_000_000
    count = f"{small().num_parameters():,}"
    message = f"model must have at most 1,000 parameters to run in a page; got {count}"
    refuses(lambda: Translator(small(), (SRC, TGT)), message)


def test_the_shipped_model_is_the_default_and_goes_as_it_is():
    trained = pretrained()
    widget = Translator()
    assert len(load(widget.weights)) == len(dict(trained.model.named_parameters()))
    assert next(iter(load(widget.weights).values())).dtype == torch.float16
    assert len(widget.examples) >= 30
    (found,) = trained.translate([RUNNING])
    assert found.text == "the animal did not cross the street because it was too tired"
