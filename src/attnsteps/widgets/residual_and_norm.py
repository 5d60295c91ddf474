"""A stack of random layers under the reader's hand: what residuals and norms do to its sizes."""

from typing import Literal

import numpy as np
import torch
import traitlets
from matplotlib.figure import Figure
from numpy.typing import NDArray
from torch import nn

from attnsteps.shapes import check_between, check_choice
from attnsteps.widgets.base import Widget
from attnsteps.widgets.bundle import bundle, styles
from attnsteps.widgets.random import normals

Arrangement = Literal["neither", "residual", "norm", "post", "pre", "pre_final"]

ARRANGEMENTS: dict[Arrangement, str] = {
    "neither": "neither",
    "residual": "residual only",
    "norm": "norm only",
    "post": "post-norm",
    "pre": "pre-norm",
    "pre_final": "pre-norm, final norm",
}

Profile = tuple[NDArray[np.float64], NDArray[np.float64], float]

_WORDS, _WIDTH, _MOST_LAYERS = 8, 32, 48
_RANGES = {"depth": (1, _MOST_LAYERS), "strength": (0.25, 2.0), "seed": (0, 2**31 - 1)}


class ResidualAndNorm(Widget):
    """Vectors go up through a stack of random layers, and a gradient comes back down.

    Args:
        depth: number of layers, 1 to 48.
        strength: the size of a layer's function, f(x), where x has size 1; 0.25 to 2.
        arrangement: ``"neither"``, ``"residual"``, ``"norm"``, ``"post"``, ``"pre"`` or
            ``"pre_final"`` (pre-norm with the norm at the end that it needs).
        seed: of the random draws, 0 to 2³¹ − 1.

    Raises:
        ValueError: a number lies outside its range, or the arrangement is none of the six.
    """

    _esm = bundle("residual_and_norm")
    _css = styles("residual_and_norm")

    depth = traitlets.Int(12).tag(sync=True)
    strength = traitlets.Float(0.6).tag(sync=True)
    arrangement = traitlets.Unicode("neither").tag(sync=True)
    seed = traitlets.Int(1).tag(sync=True)

    def __init__(
        self,
        *,
        depth: int = 12,
        strength: float = 0.6,
        arrangement: Arrangement = "neither",
        seed: int = 1,
    ) -> None:
        super().__init__(depth=depth, strength=strength, arrangement=arrangement, seed=seed)

    @traitlets.validate(*_RANGES)
    def _validate_range(self, proposal: dict) -> float:
        name, value = proposal["trait"].name, proposal["value"]
        check_between(name, value, *_RANGES[name])
        return value

    @traitlets.validate("arrangement")
    def _validate_arrangement(self, proposal: dict) -> str:
        check_choice("arrangement", proposal["value"], ARRANGEMENTS)
        return proposal["value"]

    def profile(self, arrangement: Arrangement) -> Profile:
        """Return what the widget shows under an arrangement.

        Args:
            arrangement: one of the six.

        Returns:
            The size of x and that of the gradient, each (depth + 1,): before the first layer and
            after each; in ``"pre_final"`` (depth + 2,), the last after the final norm. Then the
            likeness of the vectors that come out.
        """
        count = _WORDS * _WIDTH
        drawn = torch.from_numpy(normals(self.seed, 2 * count + _MOST_LAYERS * _WIDTH**2))
        x, direction = drawn[: 2 * count].view(2, _WORDS, _WIDTH)
        weights = drawn[2 * count :].view(_MOST_LAYERS, _WIDTH, _WIDTH)[: self.depth]
        return stack_sizes(x, direction, weights, self.strength, arrangement)

    def picture(self) -> Figure:
        """Return the profile of the present arrangement."""
        sizes, gradients, _ = self.profile(self.arrangement)
        figure = Figure(figsize=(5.8, 3.2))
        ax = figure.subplots()
        ax.semilogy(sizes, "-o", markersize=3, label="size of x, going up")
        ax.semilogy(gradients, "--s", markersize=3, label="size of the gradient, coming down")
        low, high = min(*sizes, *gradients), max(*sizes, *gradients)
        ax.set(xlabel="layer", ylim=(min(1e-2, low / 2), max(1e2, high * 2)))
        ax.set_title(f"{ARRANGEMENTS[self.arrangement]}, {self.depth} layers")
        ax.legend()
        return figure


def stack_sizes(
    x: torch.Tensor,
    direction: torch.Tensor,
    weights: torch.Tensor,
    strength: float,
    arrangement: Arrangement,
) -> Profile:
    """Return what ``js/maths/residual_and_norm.js`` computes, with PyTorch's gradients.

    Args:
        x: vectors, (words, D).
        direction: the gradient at the top, (words, D), of any size.
        weights: draws from N(0, 1), (layers, D, D).
        strength: the size of f(x) = scale · relu(x) W where x has size 1.
        arrangement: one of the six.

    Returns:
        The size of x and that of the gradient, before the first layer and after each, and the
        mean cosine between two of the vectors that come out.
    """
    width = x.shape[-1]
    scaled = weights * strength * (2 / width) ** 0.5
    trail = [x.clone().requires_grad_()]
    for matrix in scaled:
        trail.append(_layer(trail[-1], matrix, arrangement))
    if arrangement == "pre_final":
        trail.append(_norm(trail[-1]))
    gradients = torch.autograd.grad(trail[-1], trail, direction / _rms(direction))
    out = trail[-1].detach()
    unit = out / out.norm(dim=-1, keepdim=True)
    cosines = unit @ unit.T
    apart = ~torch.eye(len(out), dtype=torch.bool)
    sizes, slopes = (np.array([_rms(t).item() for t in ts]) for ts in (trail, gradients))
    return sizes, slopes, cosines[apart].mean().item()


def _layer(x: torch.Tensor, matrix: torch.Tensor, arrangement: Arrangement) -> torch.Tensor:
    """Put one layer's function, x and the norm together."""

    def function(x: torch.Tensor) -> torch.Tensor:
        return x.relu() @ matrix

    match arrangement:
        case "neither":
            return function(x)
        case "residual":
            return x + function(x)
        case "norm":
            return _norm(function(x))
        case "post":
            return _norm(x + function(x))
    return x + function(_norm(x))


def _norm(x: torch.Tensor) -> torch.Tensor:
    return nn.functional.layer_norm(x, x.shape[-1:])


def _rms(values: torch.Tensor) -> torch.Tensor:
    return values.detach().square().mean().sqrt()
