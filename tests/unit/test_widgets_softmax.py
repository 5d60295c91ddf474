"""The softmax widget refuses what it could not show, and leaves a picture where no script runs."""

import base64
import math

import pytest

from attnsteps.widgets import Softmax


def test_it_starts_with_the_running_example():
    widget = Softmax()
    assert widget.logits == [4.0, 2.0, 2.0]
    assert widget.excluded == [False, False, False]
    assert widget.names[:3] == ["animal", "street", "tired"]
    assert widget.spare == [4.0, 2.0, 2.0, 1.0, 1.0, 0.0]  # what "tired" scores the other words
    assert (widget.temperature, widget.shift, widget.number_format) == (1.0, 0.0, "float64")


def test_its_weights_follow_every_trait():
    root = math.exp(-1)
    assert Softmax([1, 0], shift=1000).weights() == pytest.approx(
        [1 / (1 + root), root / (1 + root)]
    )
    halves = Softmax([4, 2, 2], temperature=2).weights()
    assert halves == pytest.approx(Softmax([2, 1, 1]).weights())
    assert Softmax([4, 2, 2], excluded=[True]).weights() == pytest.approx([0, 0.5, 0.5])
    assert Softmax([4, 2, 2], excluded=[True] * 3).weights() == [0, 0, 0]


def test_scores_and_switches_may_be_replaced_one_after_the_other():
    widget = Softmax(excluded=[False, True])
    widget.logits = [1.0, 1.0, 1.0, 1.0]
    assert widget.weights() == pytest.approx([1 / 3, 0, 1 / 3, 1 / 3])
    widget.excluded = [True, True, True, True]
    widget.logits = [1.0, 1.0]
    assert widget.weights() == [0, 0]


BAD = {
    "one score": (lambda: Softmax([1.0]), "logits must hold 2 to 6 scores; got 1"),
    "seven scores": (lambda: Softmax([0.0] * 7), "logits must hold 2 to 6 scores; got 7"),
    "a large score": (
        lambda: Softmax([1, 11]),
        "logits[1] must be a number in [-10, 10]; got 11.0",
    ),
    "no number": (
        lambda: Softmax([math.nan, 1]),
        "logits[0] must be a number in [-10, 10]; got nan",
    ),
    "too many switches": (
        lambda: Softmax([1, 2], excluded=[True] * 3),
        "excluded must have at most one entry for each of the 2 scores; got 3",
    ),
    "temperature zero": (
        lambda: Softmax(temperature=0),
        "temperature must be a number in [0.1, 10]; got 0.0",
    ),
    "a large shift": (
        lambda: Softmax(shift=2000),
        "shift must be a number in [-1000, 1000]; got 2000.0",
    ),
    "another format": (
        lambda: Softmax(number_format="bfloat16"),
        "number_format must be 'float64' or 'float32' or 'float16'; got 'bfloat16'",
    ),
}


@pytest.mark.parametrize(("call", "message"), BAD.values(), ids=BAD.keys())
def test_bad_values_are_refused(refuses, call, message):
    refuses(call, message)


@pytest.mark.parametrize(
    ("trait", "value"),
    [("logits", [1.0]), ("temperature", 20.0), ("shift", -1001.0), ("number_format", "int8")],
)
def test_bad_values_are_refused_afterwards_too_and_change_nothing(trait, value):
    widget = Softmax()
    before = getattr(widget, trait)
    with pytest.raises(ValueError, match=trait):
        setattr(widget, trait, value)
    assert getattr(widget, trait) == before


def test_its_name_is_stable():
    assert repr(Softmax()) == "Softmax()"


def test_it_leaves_a_picture_of_its_weights():
    widget = Softmax([-1, 0, 2], temperature=0.5)
    data, _ = widget._repr_mimebundle_()
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    axes = widget.picture().axes[0]
    assert axes.get_title(loc="left") + axes.get_title() == "softmax of −1, 0, 2, τ = 0.5"
    assert [text.get_text() for text in axes.texts] == [f"{w:.3f}" for w in widget.weights()]
