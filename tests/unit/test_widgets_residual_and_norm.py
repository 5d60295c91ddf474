"""The widget of a stack refuses what it cannot show, and computes in Python what the page shows."""

import numpy as np
import pytest
import torch
from matplotlib.figure import Figure

from attnsteps import LayerNorm, Sublayer
from attnsteps.widgets import ResidualAndNorm
from attnsteps.widgets.random import normals
from attnsteps.widgets.residual_and_norm import ARRANGEMENTS, stack_sizes

BAD = {
    "no layers": ({"depth": 0}, "depth must be a number in [1, 48]; got 0"),
    "too deep": ({"depth": 49}, "depth must be a number in [1, 48]; got 49"),
    "too weak": (
        {"strength": 0.2},
        "strength must be a number in [0.25, 2]; got 0.2",
    ),
    "too strong": (
        {"strength": 2.5},
        "strength must be a number in [0.25, 2]; got 2.5",
    ),
    "another arrangement": (
        {"arrangement": "mid"},
        "arrangement must be 'neither' or 'residual' or 'norm' or 'post' or 'pre' or 'pre_final';"
        " got 'mid'",
    ),
    "a negative seed": (
        {"seed": -1},
        "seed must be a number in [0, 2147483647]; got -1",
    ),
}


@pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD.keys())
def test_bad_arguments_are_refused(refuses, arguments, message):
    refuses(lambda: ResidualAndNorm(**arguments), message)


@pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD.keys())
def test_bad_values_are_refused_afterwards_too(refuses, arguments, message):
    widget = ResidualAndNorm()
    [(name, value)] = arguments.items()
    refuses(lambda: setattr(widget, name, value), message)


def test_the_repr_is_stable():
    assert repr(ResidualAndNorm(depth=3)) == "ResidualAndNorm()"


def test_a_picture_stands_in_where_no_script_runs():
    data, _ = ResidualAndNorm()._repr_mimebundle_()
    assert data["image/png"]
    assert "application/vnd.jupyter.widget-view+json" in data


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
def test_the_picture_shows_the_present_state(arrangement):
    widget = ResidualAndNorm()
    widget.depth, widget.strength, widget.arrangement = 5, 1.25, arrangement
    figure = widget.picture()
    assert isinstance(figure, Figure)
    up, down = figure.axes[0].lines
    sizes, gradients, _ = widget.profile(arrangement)
    np.testing.assert_array_equal(up.get_ydata(), sizes)
    np.testing.assert_array_equal(down.get_ydata(), gradients)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_the_stack_is_that_of_the_packages_sublayers(norm):
    widget = ResidualAndNorm(depth=7, strength=0.8, seed=5)
    drawn = torch.from_numpy(normals(seed=5, count=2 * 8 * 32 + 48 * 32 * 32))
    x, direction = drawn[:512].view(2, 8, 32)
    weights = drawn[512:].view(48, 32, 32) * 0.8 * (2 / 32) ** 0.5
    x = x[None].clone().requires_grad_()
    out, sublayer = x, Sublayer(32, pre_norm=norm == "pre").double()
    for matrix in weights[:7]:
        out = sublayer(out, lambda x, matrix=matrix: x.relu() @ matrix)
    if norm == "pre":
        out = LayerNorm(32).double()(out)
    (gradient,) = torch.autograd.grad(out, x, direction[None] / direction.square().mean().sqrt())
    sizes, gradients, alike = widget.profile({"post": "post", "pre": "pre_final"}[norm])
    assert sizes[-1] == pytest.approx(out.square().mean().sqrt().item())
    assert gradients[0] == pytest.approx(gradient.square().mean().sqrt().item())
    unit = torch.nn.functional.normalize(out[0].detach(), dim=-1)
    assert alike == pytest.approx(((unit @ unit.T).sum().item() - 8) / 56)


def test_the_strength_is_the_size_of_the_function():
    x, direction = torch.randn(2, 400, 64, generator=torch.Generator().manual_seed(1)).double()
    weights = torch.randn(1, 64, 64, generator=torch.Generator().manual_seed(2)).double()
    sizes, _, _ = stack_sizes(x, direction, weights, 0.7, "neither")
    assert sizes[1] / sizes[0] == pytest.approx(0.7, rel=0.1)


def test_another_seed_draws_others_and_depth_keeps_the_first_layers():
    short, long = (ResidualAndNorm(depth=depth).profile("post")[0] for depth in (3, 9))
    np.testing.assert_allclose(long[:4], short)
    other = ResidualAndNorm(depth=3, seed=2).profile("neither")[0]
    assert not np.allclose(other, ResidualAndNorm(depth=3).profile("neither")[0])
