"""The mask lab shows what PyTorch computes, refuses what it cannot show, and leaves a picture."""

import base64

import pytest
import torch

from attnsteps import causal_mask
from attnsteps.widgets import MaskLab

EVERYTHING = torch.ones(1, 1, dtype=torch.bool)


def test_it_starts_with_the_mask_of_a_decoder():
    lab = MaskLab()
    assert lab.names == ["animal", "cross", "street", "too", "tired", "(pad)"]
    assert torch.equal(lab.allowed, causal_mask(6) & (torch.arange(6) < 5))
    assert lab.leaks == []
    assert lab.weights[:, 5].eq(0).all()
    # tired scores animal 4, street and itself 2, cross 1, too 0
    expected = torch.tensor([4.0, 1.0, 2.0, 0.0, 2.0]).softmax(-1)
    torch.testing.assert_close(lab.weights[4, :5], expected.double(), atol=1e-6, rtol=0)


def test_bug_zoo_06_low_scores_lose_against_a_large_number():
    assert MaskLab(fill="-1e4").leaks == []
    assert len(MaskLab(fill="-1e4", low=True).leaks) == 15
    assert MaskLab(fill="-inf", low=True).leaks == []
    assert MaskLab(fill="-1e9", number_format="float16").refused
    assert MaskLab(fill="-1e9", number_format="float16").weights is None
    assert MaskLab(fill="-1e9", number_format="float16").leaks is None
    assert not MaskLab(fill="-1e9").refused
    assert len(MaskLab(fill="0").leaks) == 15


def test_bug_zoo_07_an_empty_row():
    nothing = causal_mask(6).T & (torch.arange(6) < 5)  # the padding may look at nothing
    lab = MaskLab(nothing)
    assert lab.weights[5].isnan().all()
    assert lab.leaks is None
    assert not MaskLab(nothing, clear_empty=True).weights[5].any()
    silent = MaskLab(nothing, fill="-1e9").weights[5]
    torch.testing.assert_close(silent, torch.full((6,), 1 / 6).double(), atol=1e-6, rtol=0)


def test_bug_zoo_08_and_09_polarity_and_axis():
    backwards = MaskLab(causal_mask(6), true_means="hide", clear_empty=True)
    assert len(backwards.leaks) == 15
    queries = (torch.arange(6) < 5)[:, None]
    lab = MaskLab(queries, purpose="encoder", clear_empty=True)
    assert [(leak.output[1], leak.input[1]) for leak in lab.leaks] == [(i, 5) for i in range(5)]


def test_python_can_draw():
    lab = MaskLab(EVERYTHING, purpose="encoder")
    assert len(lab.leaks) == 5
    lab.mask = [[j < 5 for j in range(6)] for _ in range(6)]
    assert lab.leaks == []
    lab.purpose = "decoder"
    assert len(lab.leaks) == 10


BAD = {
    "a float mask": (
        lambda: MaskLab(torch.ones(6, 6)),
        "mask must be a bool tensor, True = may attend; got torch.float32 (elsewhere a float mask "
        "is added to the scores, and a 1 may mean 'hide')",
    ),
    "another size": (
        lambda: MaskLab(causal_mask(5)),
        "mask must broadcast to (Tq, Tk) = (6, 6); got (5, 5)",
    ),
    "purpose": (
        lambda: MaskLab(purpose="both"),
        "purpose must be 'decoder' or 'encoder'; got 'both'",
    ),
    "polarity": (
        lambda: MaskLab(true_means="keep"),
        "true_means must be 'attend' or 'hide'; got 'keep'",
    ),
    "fill": (
        lambda: MaskLab(fill="-1e5"),
        "fill must be '-inf' or '-1e9' or '-1e4' or '0'; got '-1e5'",
    ),
    "format": (
        lambda: MaskLab(number_format="int8"),
        "number_format must be 'float32' or 'float16'; got 'int8'",
    ),
}


@pytest.mark.parametrize(("call", "message"), BAD.values(), ids=BAD.keys())
def test_bad_values_are_refused(refuses, call, message):
    refuses(call, message)


@pytest.mark.parametrize(
    ("trait", "value"), [("mask", [[True]]), ("fill", "0.0"), ("number_format", "float64")]
)
def test_bad_values_are_refused_afterwards_too_and_change_nothing(trait, value):
    lab = MaskLab()
    before = getattr(lab, trait)
    with pytest.raises(ValueError, match=trait):
        setattr(lab, trait, value)
    assert getattr(lab, trait) == before


def test_its_name_is_stable():
    assert repr(MaskLab()) == "MaskLab()"


@pytest.mark.parametrize("options", [{}, {"fill": "-1e9", "number_format": "float16"}])
def test_it_leaves_a_picture(options):
    lab = MaskLab(**options)
    data, _ = lab._repr_mimebundle_()
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    left, right = lab.picture().axes
    assert [text.get_text() for text in left.texts][:2] == ["1", "0"]
    wanted = "nan" if lab.refused else "1.00"
    assert right.texts[0].get_text() == wanted
