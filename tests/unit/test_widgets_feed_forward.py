"""The widget of hidden units refuses what it cannot show, and draws its present state."""

import numpy as np
import pytest
import torch
from matplotlib.figure import Figure

from attnsteps import FeedForward
from attnsteps.widgets import HiddenUnits

UNIT = {"weights": [1.0, 1.0], "bias": -1.0, "out": 1.0}
BAD = {
    "no unit": ({"units": []}, "units must hold 1 to 3 hidden units; got 0"),
    "four units": ({"units": [UNIT] * 4}, "units must hold 1 to 3 hidden units; got 4"),
    "another form": (
        {"units": [{"bias": 1.0}]},
        "units[0] must have weights, bias and out; got {'bias': 1.0}",
    ),
    "one weight": (
        {"units": [{**UNIT, "weights": [1.0]}]},
        "units[0] must have two weights; got [1.0]",
    ),
    "a large weight": (
        {"units": [UNIT, {**UNIT, "weights": [1.0, 4.0]}]},
        "units[1] weights must be a number in [-3, 3]; got 4.0",
    ),
    "a large bias": ({"bias": 3.5}, "bias must be a number in [-3, 3]; got 3.5"),
    "off the square": (
        {"x": [0.0, 2.0]},
        "x must be a number in [-0.5, 1.5]; got 2.0",
    ),
    "three inputs": ({"x": [0.0, 1.0, 1.0]}, "x must be two numbers; got [0.0, 1.0, 1.0]"),
    "another goal": ({"goal": "or"}, "goal must be 'and' or 'xor'; got 'or'"),
}


@pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD.keys())
def test_bad_arguments_are_refused(refuses, arguments, message):
    refuses(lambda: HiddenUnits(**arguments), message)


@pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD.keys())
def test_bad_values_are_refused_afterwards_too(refuses, arguments, message):
    widget = HiddenUnits()
    [(name, value)] = arguments.items()
    refuses(lambda: setattr(widget, name, value), message)


def test_the_repr_is_stable_and_a_picture_stands_in_where_no_script_runs():
    widget = HiddenUnits([UNIT])
    assert repr(widget) == "HiddenUnits()"
    data, _ = widget._repr_mimebundle_()
    assert data["image/png"]


@pytest.mark.parametrize("relu", [True, False])
def test_outputs_are_those_of_the_package(relu):
    rng = np.random.default_rng(3)
    units = [
        {"weights": list(map(float, rng.uniform(-3, 3, 2))), "bias": 0.5, "out": -1.5}
        for _ in range(3)
    ]
    widget = HiddenUnits(units, bias=0.25, relu=relu)
    network = FeedForward(d_model=2, d_ff=3).double()
    with torch.no_grad():
        network.w_1.weight.copy_(torch.tensor([unit["weights"] for unit in units]))
        network.w_1.bias.fill_(0.5)
        network.w_2.weight[0] = -1.5
        network.w_2.bias.fill_(0.25)
        points = torch.rand(5, 2, dtype=torch.float64)
        bend = torch.relu if relu else torch.nn.Identity()
        expected = network.w_2(bend(network.w_1(points)))[:, 0]
    np.testing.assert_allclose(widget.outputs(points.numpy()), expected.numpy())


def test_the_picture_shows_the_present_corners():
    widget = HiddenUnits()
    widget.units = [UNIT]
    figure = widget.picture()
    assert isinstance(figure, Figure)
    assert [text.get_text() for text in figure.axes[0].texts] == ["0.0", "0.0", "0.0", "1.0"]
