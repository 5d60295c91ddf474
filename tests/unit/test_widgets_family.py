"""The family lab's verdicts are those of real models, in which a token is replaced."""

import base64
import itertools

import pytest
import torch

from attnsteps import LanguageModel, Transformer, TransformerConfig
from attnsteps.text.vocab import MASK
from attnsteps.widgets import FamilyLab
from attnsteps.widgets.family import INPUTS, LOSSES, MASKS, NAMES, arrange

WORDS = ["<pad>", "<bos>", "<eos>", "<unk>", MASK, "the", "street", "was", "too", "wide", "other"]
ALL = list(itertools.product(MASKS, INPUTS, LOSSES))


def text_of(mask: str) -> list[str]:
    said = ["the", "street", "was", "too", "wide"]
    return [*said[:3], "<bos>", *said[3:]] if mask == "two stacks" else ["<bos>", *said]


def outputs(mask: str, tokens: list[str], allowed: torch.Tensor) -> torch.Tensor:
    """Return a real model's outputs, (T, V): of a stack under the mask, or of two stacks."""
    torch.manual_seed(0)
    ids = torch.tensor([[WORDS.index(token) for token in tokens]])
    if mask == "two stacks":
        sizes = {"d_model": 8, "num_heads": 2, "d_ff": 24}
        model = Transformer(TransformerConfig.tiny(11, 11, **sizes)).double().eval()
        written = model(ids[:, :3], ids[:, 3:])
        logits = written[0] if isinstance(written, tuple) else written
        return torch.cat([torch.zeros(3, 11, dtype=torch.float64), logits[0]]).detach()
    sizes = {"num_layers": 2, "d_model": 8, "num_heads": 2, "d_ff": 24, "max_len": 9}
    return LanguageModel(11, **sizes).double()(ids, allowed)[0].detach()


@pytest.mark.parametrize("chosen", ALL, ids="/".join)
def test_an_answer_is_visible_if_replacing_it_changes_the_guess(chosen):
    mask, _, loss = chosen
    found, text = arrange(*chosen), text_of(mask)
    before = outputs(mask, list(found.read), found.open)
    for place, wanted in enumerate(found.wanted):
        answer = place if loss == "hidden words" else place + 1
        if not wanted or answer == len(text):
            assert place not in found.visible
            continue
        assert text[answer] == wanted
        other = list(found.read)
        if other[answer] != MASK:  # a hidden word may be any word: the input stays the same
            other[answer] = "other"
        changes = (outputs(mask, other, found.open) - before)[place].abs().max() > 1e-9
        assert changes == (place in found.visible)


def test_the_four_of_the_family_work_and_most_others_do_not():
    works = {chosen: arrange(*chosen).name for chosen in ALL if arrange(*chosen).kind == "works"}
    assert works == NAMES
    kinds = [arrange(*chosen).kind for chosen in ALL]
    assert (kinds.count("leaks"), kinds.count("odd")) == (10, 8)


def test_known_mistakes_are_named():
    assert arrange("full", "all words", "every next word").visible == (0, 1, 2, 3, 4)
    assert arrange("prefix", "all words", "every next word").visible == (0, 1, 2)
    assert arrange("causal", "all words", "hidden words").visible == (2, 5)
    assert arrange("full", "some hidden", "every next word").visible == (0, 2, 3)


def test_python_can_choose():
    lab = FamilyLab()
    assert (lab.found.name, lab.found.kind) == ("GPT", "works")
    lab.given, lab.loss, lab.mask = "some hidden", "hidden words", "full"
    assert lab.found.name == "BERT"
    assert FamilyLab(mask="two stacks").found.name == "encoder–decoder"


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"mask": "none"}, "mask must be 'causal' or 'prefix' or 'full' or 'two stacks'"),
        ({"given": "words"}, "given must be 'all words' or 'some hidden'; got 'words'"),
        ({"loss": "next"}, "loss must be 'every next word' or 'after the prefix'"),
    ],
)
def test_unknown_choices_are_refused(choice, message):
    with pytest.raises(ValueError, match=message):
        FamilyLab(**choice)


def test_its_name_is_stable():
    assert repr(FamilyLab()) == "FamilyLab()"


@pytest.mark.parametrize("mask", MASKS)
def test_it_leaves_a_picture(mask):
    lab = FamilyLab(mask=mask)
    data, _ = lab._repr_mimebundle_()
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
