"""The scaling widget refuses what it cannot show, and shows in Python what it shows on the page."""

import math

import numpy as np
import pytest
import torch
from matplotlib.figure import Figure

from attnsteps import masked_softmax
from attnsteps.widgets import Scaling
from attnsteps.widgets.random import normals, uniform

BAD = {
    "no width": ({"d_k": 0}, "d_k must be a number in [1, 512]; got 0"),
    "too wide": ({"d_k": 513}, "d_k must be a number in [1, 512]; got 513"),
    "one key": ({"num_keys": 1}, "num_keys must be a number in [2, 12]; got 1"),
    "too many keys": (
        {"num_keys": 13},
        "num_keys must be a number in [2, 12]; got 13",
    ),
    "another divisor": (
        {"divisor": "sqrt(d_k)"},
        "divisor must be 'none' or 'sqrt' or 'd_k'; got 'sqrt(d_k)'",
    ),
    "a negative seed": (
        {"seed": -1},
        "seed must be a number in [0, 2147483647]; got -1",
    ),
}


@pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD.keys())
def test_bad_arguments_are_refused(refuses, arguments, message):
    refuses(lambda: Scaling(**arguments), message)


@pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD.keys())
def test_bad_values_are_refused_afterwards_too(refuses, arguments, message):
    widget = Scaling()
    [(name, value)] = arguments.items()
    refuses(lambda: setattr(widget, name, value), message)


def test_the_repr_is_stable():
    assert repr(Scaling(d_k=3)) == "Scaling()"


def test_a_picture_stands_in_where_no_script_runs():
    data, _ = Scaling()._repr_mimebundle_()
    assert data["image/png"]
    assert "application/vnd.jupyter.widget-view+json" in data


@pytest.mark.parametrize("divisor", ["none", "sqrt", "d_k"])
def test_the_picture_shows_the_present_state(divisor):
    widget = Scaling(d_k=2, num_keys=3)
    widget.d_k, widget.num_keys, widget.divisor, widget.seed = 64, 5, divisor, 9
    figure = widget.picture()
    assert isinstance(figure, Figure)
    assert len(figure.axes) == 4
    right = figure.axes[3]
    scores = torch.from_numpy(widget.scores(divisor)[:1])
    heights = [bar.get_height() for bar in right.patches]
    assert heights == pytest.approx(masked_softmax(scores)[0].tolist())


def test_the_scores_are_those_of_the_dot_products():
    widget = Scaling(d_k=64, num_keys=5, seed=4)
    raw = widget.scores("none")
    assert raw.shape == (200, 5)
    np.testing.assert_allclose(widget.scores("sqrt"), raw / 8)
    np.testing.assert_allclose(widget.scores("d_k"), raw / 64)
    assert raw.std() == pytest.approx(8.0, rel=0.1)


def test_another_seed_draws_others_and_a_width_keeps_the_first_components():
    assert not np.allclose(Scaling(seed=1).scores("none"), Scaling(seed=2).scores("none"))
    one, two = (Scaling(d_k=d_k).scores("none") for d_k in (1, 2))
    drawn = normals(seed=1, count=2 * 200 * 13).reshape(2, 200, 13)
    np.testing.assert_allclose(two - one, drawn[1, :, :1] * drawn[1, :, 1:9])


def test_the_random_numbers_are_uniform_and_normal():
    flat = uniform(seed=2, count=20_000)
    assert (flat >= 0).all()
    assert (flat < 1).all()
    assert flat.mean() == pytest.approx(0.5, abs=0.01)
    assert flat.std() == pytest.approx(1 / math.sqrt(12), abs=0.01)
    bell = normals(seed=2, count=20_001)
    assert bell.shape == (20_001,)
    assert bell.mean() == pytest.approx(0.0, abs=0.03)
    assert bell.std() == pytest.approx(1.0, abs=0.02)
    assert np.mean(np.abs(bell) < 1) == pytest.approx(0.6827, abs=0.01)
