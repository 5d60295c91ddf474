"""The rules by which an answer given on the page is right; ``js/maths/answer.js`` has the same."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from attnsteps.shapes import check_choice

Kind = Literal["number", "choice", "order", "cells"]
Answer = float | int | Sequence[int] | Sequence[Sequence[float]]

KINDS: tuple[Kind, ...] = ("number", "choice", "order", "cells")


def check_answer(kind: Kind, given: Answer, answer: Answer, tolerance: float = 0.0) -> bool:
    """Say whether ``given`` counts as ``answer``.

    Args:
        kind: ``"number"`` and ``"cells"`` allow for rounding; ``"choice"`` (an index) and
            ``"order"`` (a list of indices) must match exactly.
        given: what the reader gave.
        answer: what is right, of the same form.
        tolerance: largest allowed distance of each number.

    Returns:
        True where the shapes agree and every number is within the tolerance.

    Raises:
        ValueError: kind is not one of the four.

    Example:
        >>> check_answer("number", 0.7, 0.707, tolerance=0.01)
        True
        >>> check_answer("order", [0, 2, 1], [0, 1, 2])
        False
    """
    check_choice("kind", kind, KINDS)
    got, want = np.asarray(given, dtype=float), np.asarray(answer, dtype=float)
    slack = tolerance if kind in ("number", "cells") else 0.0
    return got.shape == want.shape and bool(np.all(np.abs(got - want) <= slack))
