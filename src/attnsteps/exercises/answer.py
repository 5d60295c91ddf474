"""The rules that decide whether an answer on the page is right, as in ``js/maths/answer.js``."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from attnsteps.checks import check_choice

Kind = Literal["number", "choice", "order", "cells"]
Answer = float | int | Sequence[int] | Sequence[Sequence[float]]

KINDS: tuple[Kind, ...] = ("number", "choice", "order", "cells")


def check_answer(kind: Kind, given: Answer, answer: Answer, tolerance: float = 0.0) -> bool:
    """Tell whether a given answer is right.

    Each number of a "number" or "cells" answer may be off by the tolerance; a "choice" (an index)
    and an "order" (a list of indices) must match exactly.

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
