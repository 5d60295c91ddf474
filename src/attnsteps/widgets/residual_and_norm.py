"""A stack of random layers: how residuals and norms change the size of its vectors."""

from typing import Literal

import numpy as np
import torch
import traitlets
from matplotlib.figure import Figure
from numpy.typing import NDArray
from torch import nn

from attnsteps.widgets.base import Widget, one_of, within
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


class ResidualAndNorm(Widget):
    """Vectors go up through a stack of random layers, and a gradient comes back down.

    Args:
        depth: number of layers, 1 to 48.
        strength: the size of a layer's function f(x) if x has size 1; 0.25 to 2.
        arrangement: ``"neither"``, ``"residual"``, ``"norm"``, ``"post"``, ``"pre"`` or
            ``"pre_final"`` (pre-norm with the final norm that it needs).
        seed: seed of the random draws, 0 to 2³¹ − 1.

    Raises:
        ValueError: a number is out of range, or arrangement is unknown.
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

    _ranges = within(depth=(1, _MOST_LAYERS), strength=(0.25, 2.0), seed=(0, 2**31 - 1))
    _choices = one_of(arrangement=ARRANGEMENTS)

    def profile(self, arrangement: Arrangement) -> Profile:
        """Return the sizes of x and the gradient, (depth + 1,) each, and the outputs' similarity.

        The sizes are those before the first layer and after each; "pre_final" has one more, after
        its norm.
        """
        count = _WORDS * _WIDTH
        drawn = torch.from_numpy(normals(self.seed, 2 * count + _MOST_LAYERS * _WIDTH**2))
        x, direction = drawn[: 2 * count].view(2, _WORDS, _WIDTH)
        weights = drawn[2 * count :].view(_MOST_LAYERS, _WIDTH, _WIDTH)[: self.depth]
        return stack_sizes(x, direction, weights, self.strength, arrangement)

    def picture(self) -> Figure:
        """Return the profile of the current arrangement."""
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
    """Compute the profile of ``js/maths/residual_and_norm.js`` with PyTorch's gradients.

    The vectors x and the gradient's direction at the top are (words, D), the weights (layers, D, D)
    from N(0, 1).
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
    """Combine one layer's function, x and the norm."""

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
