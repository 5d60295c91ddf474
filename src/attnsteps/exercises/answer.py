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


def in_words(kind: Kind, answer: Answer, options: Sequence[str] = ()) -> str:
    """Return an answer as the reader would say it.

    Example:
        >>> in_words("number", 1048576), in_words("number", -0.78693)
        ('1,048,576', '−0.7869')
        >>> in_words("choice", 1, ["once", "twice"])
        'twice'
    """
    check_choice("kind", kind, KINDS)
    if kind == "choice":
        return options[answer]
    if kind == "order":
        return " → ".join(options[place] for place in answer)
    if kind == "cells":
        return " ".join(f"[{', '.join(map(_number, row))}]" for row in answer)
    return _number(answer)


def _number(value: float) -> str:
    """Write a number with the digits that matter, and a true minus sign."""
    text = f"{value:.4g}" if abs(value) < 1000 else f"{round(value, 1):,}".removesuffix(".0")
    return text.replace("-", "−")
