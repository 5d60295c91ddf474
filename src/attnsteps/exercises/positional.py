"""Grades the exercise of chapter "positional": sinusoids for every width, from any position."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnsteps.exercises.verdict import Verdict, attempt, difference, known_mistake
from attnsteps.layers.positional import sinusoidal_positions

Positions = Callable[..., Tensor]

# Length, widths and offset are all different, so that one cannot stand for another by chance.
_LENGTH, _EVEN, _ODD, _OFFSET = 7, 10, (5, 1), 3


def grade_positions(function: Positions) -> Verdict:
    """Say whether a function gives the paper's positions, and if not, what it gives instead.

    It is called as ``function(length, d_model, offset=…)`` and should return the vectors of the
    positions offset … offset + length − 1, (T, D), with sines and cosines in turn.

    Example:
        >>> grade_positions(lambda length, d_model, offset=0: torch.zeros(length, d_model))
        ✗ Not yet: position 0 should be 0, 1, 0, 1, …: the sine and the cosine of 0 in turn
    """
    for check in (_even, _odd, _offset):
        if message := check(function):
            return Verdict(False, message)
    return Verdict(
        True, "every entry is the paper's, for even and odd widths and from any position"
    )


def _even(function: Positions) -> str:
    """Check the plain case: an even width, from position 0."""
    got, want, message = _call(function, _EVEN)
    if message:
        return message
    if tuple(got.shape) == (_EVEN, _LENGTH):
        return (
            f"the result has shape {tuple(got.shape)}: one row per column; "
            "each position needs its row"
        )
    if got.shape == want.shape:
        if reason := known_mistake(got, _known_mistakes()):
            return reason
        if difference(got[0], want[0], name="positions"):
            return "position 0 should be 0, 1, 0, 1, …: the sine and the cosine of 0 in turn"
    return difference(got, want, name="positions")


def _odd(function: Positions) -> str:
    """Check odd widths, which end in a sine without its cosine."""
    for width in _ODD:
        got, want, message = _call(function, width)
        where = f"for d_model = {width}, "
        if message:
            return where + message
        if got.shape == want.shape and not difference(got[:, :-1], want[:, :-1], name="positions"):
            if difference(got, want, name="positions"):
                return where + "the last column should be a sine, which has no cosine beside it"
        elif wrong := difference(got, want, name="positions"):
            return where + wrong
    return ""


def _offset(function: Positions) -> str:
    """Check that the positions may start above 0."""
    got, want, message = _call(function, _EVEN, _OFFSET)
    if message:
        return f"with offset = {_OFFSET}, {message}"
    if not difference(got, sinusoidal_positions(_LENGTH, _EVEN), name="positions"):
        return "the offset changes nothing: a word that comes alone would always be at position 0"
    if wrong := difference(got, want, name="positions"):
        if got.ndim == 2 and got.shape[0] == _LENGTH - _OFFSET:
            return (
                f"with offset = {_OFFSET} only {got.shape[0]} of the {_LENGTH} positions are left; "
                "there should be as many as length says"
            )
        return f"with offset = {_OFFSET}, {wrong}"
    return ""


def _known_mistakes() -> dict[str, Tensor]:
    """Return what common mistakes give for the even width, keyed by the sentence about each."""
    position = torch.arange(_LENGTH, dtype=torch.float64)[:, None]
    column = torch.arange(_EVEN, dtype=torch.float64)
    two_i = column - column % 2

    def table(exponent: Tensor, start: int = 0) -> Tensor:
        angle = (position + start) / 10000**exponent
        return torch.where(column % 2 == 0, angle.sin(), angle.cos())

    right = two_i / _EVEN
    return {
        "this is the concatenated order, all sines and then all cosines; the paper alternates "
        "them": torch.cat([table(right)[:, 0::2], table(right)[:, 1::2]], dim=-1),
        "sine and cosine are swapped: the paper begins with the sine": torch.where(
            column % 2 == 0, (position / 10000**right).cos(), (position / 10000**right).sin()
        ),
        "the first position is number 0, not 1": table(right, start=1),
        "the exponent is doubled: the column numbers 0, 2, 4, … are 2i already": (table(2 * right)),
        "the exponent is halved: it is 2i / d_model": table(right / 2),
        "a sine and its cosine have different exponents, so that they are no pair: both take the "
        "even column's": table(column / _EVEN),
        "the exponents run up to 1, as in the first implementation; in the paper they stop at "
        "(d_model − 2) / d_model": table(two_i / (_EVEN - 2)),
    }


def _call(function: Positions, d_model: int, offset: int = 0) -> tuple[Tensor | None, Tensor, str]:
    """Call the reader's function; return its result, the right one, and what is wrong in form."""
    want = sinusoidal_positions(offset + _LENGTH, d_model, dtype=torch.float64)[offset:]
    given = {"offset": offset} if offset else {}
    got, message = attempt(lambda: function(_LENGTH, d_model, **given))
    if not message and (got is None or not isinstance(got, Tensor)):
        message = difference(got, want, name="the result")
    return got, want, message
