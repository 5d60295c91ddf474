"""Two inputs and up to three hidden units that the reader can change."""

import copy
from collections.abc import Sequence
from typing import Literal

import numpy as np
import traitlets
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from attnsteps.checks import check_number
from attnsteps.widgets.base import Widget, within
from attnsteps.widgets.bundle import bundle, styles

Goal = Literal["and", "xor"]
GOALS: tuple[Goal, ...] = ("and", "xor")
CORNERS = ((0, 0), (1, 0), (0, 1), (1, 1))

_MOST_UNITS, _LARGEST = 3, 3.0
_LOW, _HIGH = -0.5, 1.5
_OFF = {"weights": [0.0, 0.0], "bias": 0.0, "out": 0.0}


class HiddenUnits(Widget):
    """A feed-forward network with two inputs and one output: where each hidden unit switches on.

    Args:
        units: one to three hidden units; each a dict of ``weights`` (its column of W_1, two
            numbers), ``bias`` (of b_1) and ``out`` (its entry of W_2), all in [−3, 3].
        bias: bias of the output, in [−3, 3].
        relu: False leaves out the non-linearity.
        x: the input under the cross, two numbers in [−0.5, 1.5].
        goal: the pattern that the four corners should show, ``"and"`` or ``"xor"``.

    Raises:
        ValueError: a number is out of range, a unit has another form, there are no units or more
            than three, or goal is unknown.
    """

    _esm = bundle("feed_forward")
    _css = styles("feed_forward")

    units = traitlets.List(traitlets.Dict()).tag(sync=True)
    bias = traitlets.Float(0.0).tag(sync=True)
    relu = traitlets.Bool(True).tag(sync=True)
    x = traitlets.List(traitlets.Float()).tag(sync=True)
    goal = traitlets.Unicode("and").tag(sync=True)

    def __init__(
        self,
        units: Sequence[dict] = (_OFF, _OFF, _OFF),
        *,
        bias: float = 0.0,
        relu: bool = True,
        x: Sequence[float] = (1.0, 1.0),
        goal: Goal = "and",
    ) -> None:
        _check_units(units)
        _check_point(x)
        _check_goal(goal)
        super().__init__(
            units=copy.deepcopy(list(units)), bias=bias, relu=relu, x=list(x), goal=goal
        )

    @traitlets.validate("units")
    def _validate_units(self, proposal: dict) -> list:
        return _check_units(proposal["value"])

    _ranges = within(bias=(-_LARGEST, _LARGEST))

    @traitlets.validate("x")
    def _validate_x(self, proposal: dict) -> list:
        return _check_point(proposal["value"])

    @traitlets.validate("goal")
    def _validate_goal(self, proposal: dict) -> str:
        return _check_goal(proposal["value"])

    def outputs(self, points: ArrayLike) -> NDArray[np.float64]:
        """Return the network's output, (...), at each point, (..., 2)."""
        w_1 = np.array([unit["weights"] for unit in self.units], dtype=float).T  # (2, Dff)
        sums = np.asarray(points, dtype=float) @ w_1 + [unit["bias"] for unit in self.units]
        hidden = np.maximum(sums, 0) if self.relu else sums
        return hidden @ np.array([unit["out"] for unit in self.units], dtype=float) + self.bias

    def picture(self) -> Figure:
        """Return the output over the square of inputs, with its value in each corner."""
        figure = Figure(figsize=(4.2, 3.6))
        ax = figure.subplots()
        axis = np.linspace(_LOW, _HIGH, 81)
        values = self.outputs(np.stack(np.meshgrid(axis, axis), axis=-1))
        shown = ax.pcolormesh(axis, axis, values, cmap="RdBu", vmin=-1, vmax=1, alpha=0.6)
        for corner in CORNERS:
            text = f"{self.outputs(corner):.1f}"
            ax.text(*corner, text, ha="center", va="center", bbox={"fc": "w", "boxstyle": "circle"})
        for unit in self.units:
            if any(unit["weights"]):
                sums = axis[None, :] * unit["weights"][0] + axis[:, None] * unit["weights"][1]
                ax.contour(axis, axis, sums + unit["bias"], [0], colors="k", linestyles="--")
        ax.plot(*self.x, "k+", markersize=12, markeredgewidth=2)
        ax.set(xlabel="$x_1$", ylabel="$x_2$", title="Output of the hidden units")
        ax.grid(visible=False)
        figure.colorbar(shown, ax=ax)
        return figure


def _check_units(units: Sequence[dict]) -> list[dict]:
    """Return the hidden units, refusing a wrong number or form."""
    if not 1 <= len(units) <= _MOST_UNITS:
        raise ValueError(f"units must hold 1 to {_MOST_UNITS} hidden units; got {len(units)}")
    for index, unit in enumerate(units):
        if not isinstance(unit, dict) or unit.keys() != _OFF.keys():
            raise ValueError(f"units[{index}] must have weights, bias and out; got {unit!r}")
        weights = unit["weights"]
        if not isinstance(weights, list | tuple) or len(weights) != 2:
            raise ValueError(f"units[{index}] must have two weights; got {weights!r}")
        for name, value in (("weights", weights[0]), ("weights", weights[1])):
            check_number(f"units[{index}] {name}", value, at_least=-_LARGEST, at_most=_LARGEST)
        for name in ("bias", "out"):
            check_number(f"units[{index}] {name}", unit[name], at_least=-_LARGEST, at_most=_LARGEST)
    return list(units)


def _check_point(x: Sequence[float]) -> list[float]:
    """Return the input, refusing anything but two numbers on the square."""
    if len(x) != 2:
        raise ValueError(f"x must be two numbers; got {x!r}")
    for value in x:
        check_number("x", value, at_least=_LOW, at_most=_HIGH)
    return list(x)


def _check_goal(goal: str) -> str:
    """Refuse an unknown goal."""
    if goal not in GOALS:
        raise ValueError(f"goal must be 'and' or 'xor'; got {goal!r}")
    return goal
