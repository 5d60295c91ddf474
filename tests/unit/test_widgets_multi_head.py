"""The heads show what the package computes, refuse what there is none of, and leave a picture."""

import base64
import json

import pytest
import torch
from safetensors.torch import load

from attnsteps import Transformer, TransformerConfig
from attnsteps.text.vocab import Vocab
from attnsteps.translator.trained import pretrained
from attnsteps.widgets import Heads
from attnsteps.widgets.live_model import RUNNING

SRC = Vocab(["动物", "没有", "过", "马路", "，", "因为", "太", "累", "宽", "了"])
TGT = Vocab(["the", "animal", "was", "too", "tired", "it"])


def small(**changes: object) -> Transformer:
    sizes = {"src_vocab_size": len(SRC), "tgt_vocab_size": len(TGT)}
    return Transformer(TransformerConfig.tiny(**sizes, **changes))


def test_it_starts_with_the_running_sentence_and_the_word_tired():
    widget = Heads(small(), (SRC, TGT))
    words = widget._trained.src_tokenizer.tokenize(widget.text)
    assert widget.text == widget.first == RUNNING
    assert words[widget.place] == "累"
    assert (widget.layer, widget.head, widget.step) == (0, 0, 0)
    assert widget.twins == ["累", "宽"]
    assert widget.glossary["累"] == ["lèi", "tired"]


def test_the_model_goes_in_whole():
    model = small(norm="pre")
    widget = Heads(model, (SRC, TGT))
    tensors = load(widget.weights)
    for name, parameter in model.named_parameters():
        assert torch.equal(tensors[name], parameter.detach())
    length = int.from_bytes(widget.weights[:8], "little")
    held = json.loads(widget.weights[8 : 8 + length])["__metadata__"]
    assert json.loads(held["config"])["src_vocab"] == SRC.to_list()


def test_attention_is_the_encoders():
    widget = Heads(small(), (SRC, TGT), text="马路太宽了")
    ids = torch.tensor([SRC.ids(["马路", "太", "宽", "了"])])
    _, weights = widget._trained.model.encode(ids, need_weights=True)
    assert torch.equal(widget.attention(), torch.cat(weights.encoder))
    assert widget.attention().shape == (2, 4, 4, 4)


def test_dropout_is_off_and_the_model_left_as_it_was():
    model = small(dropout=0.5).train()
    widget = Heads(model, (SRC, TGT), text="马路太宽了")
    assert torch.equal(widget.attention(), widget.attention())
    assert model.training


def test_without_a_model_it_takes_the_one_of_the_package():
    widget = Heads()
    assert widget.attention().shape[-1] == 9
    assert set(widget.glossary) <= set(pretrained().src_vocab.to_list())
    assert widget.examples


BAD = {
    "layer": ({"layer": 2}, "layer must be 0 or 1; got 2"),
    "head": ({"head": 4}, "head must be 0 or 1 or 2 or 3; got 4"),
    "step": ({"step": 7}, "step must be 0 or 1 or 2 or 3 or 4 or 5 or 6; got 7"),
    "place": ({"place": -1}, "place must be an integer of at least 0; got -1"),
}


@pytest.mark.parametrize(("changed", "message"), BAD.values(), ids=BAD.keys())
def test_bad_values_are_refused(refuses, changed, message):
    refuses(lambda: Heads(small(), (SRC, TGT), **changed), message)


@pytest.mark.parametrize(("changed", "message"), BAD.values(), ids=BAD.keys())
def test_bad_values_are_refused_afterwards_too_and_change_nothing(refuses, changed, message):
    widget = Heads(small(), (SRC, TGT))
    ((name, value),) = changed.items()
    before = getattr(widget, name)
    refuses(lambda: setattr(widget, name, value), message)
    assert getattr(widget, name) == before


def test_a_model_that_is_none_is_refused(refuses):
    refuses(
        lambda: Heads(torch.nn.Linear(1, 1)),
        "model must be a Trained or a Transformer with vocabs; got a Linear",
    )


def test_learned_positions_limit_the_words():
    assert Heads(small(positions="learned", max_len=9), (SRC, TGT)).max_words == 9


def test_its_name_is_stable():
    assert repr(Heads(small(), (SRC, TGT))) == "Heads()"


def test_it_leaves_a_picture_of_every_head():
    widget = Heads(small(), (SRC, TGT), text="龘没有过马路，因为太累了")
    data, _ = widget._repr_mimebundle_()
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    axes = widget.picture().axes
    assert len(axes) == 8
    assert axes[5].get_title() == "layer 2, head 2"
    assert axes[0].images[0].get_array().shape == (9, 9)
    widget.text = ""
    assert "image/png" in widget._repr_mimebundle_()[0]
