"""Checks of numbers and choices: nothing if all is well, otherwise a ValueError.

Its message names the argument, what was needed and what came. Checks of tensors are in ``shapes``.
"""

import math
from collections.abc import Iterable
from numbers import Integral, Real

import torch


def check_number(
    name: str,
    value: float,
    *,
    at_least: float | None = None,
    above: float | None = None,
    at_most: float | None = None,
    below: float | None = None,
    limit: str = "",
    integer: bool = False,
) -> None:
    """Check that a value is a finite number inside an interval; ``limit`` names the upper end.

    Example:
        >>> check_number("dropout", 0.1, at_least=0, below=1)
        >>> check_number("n_best", 5, at_least=1, at_most=4, limit="beam_width", integer=True)
        Traceback (most recent call last):
        ValueError: n_best must be an integer in [1, beam_width = 4]; got 5
    """
    fits = (
        (is_integer(value) if integer else is_number(value) and -math.inf < value < math.inf)
        and (at_least is None or value >= at_least)
        and (above is None or value > above)
        and (at_most is None or value <= at_most)
        and (below is None or value < below)
    )
    if fits:
        return
    kind = "an integer" if integer else "a number"
    raise ValueError(
        f"{name} must be {kind}{_interval(at_least, above, at_most, below, limit)}; got {value!r}"
    )


def _interval(
    at_least: float | None,
    above: float | None,
    at_most: float | None,
    below: float | None,
    limit: str,
) -> str:
    """Say in words or brackets where a number must lie: " above 0", " in [0, 1)"."""
    if at_most is None and below is None:
        if at_least is None and above is None:
            return ""
        return f" above {above}" if at_least is None else f" of at least {at_least}"
    low = f"({_short(above)}" if at_least is None else f"[{_short(at_least)}"
    high = f"{_short(below)})" if at_most is None else f"{_short(at_most)}]"
    return f" in {low}, {limit + ' = ' if limit else ''}{high}"


def _short(number: float) -> str:
    """Write a number without digits that say nothing: 3 for 3.0."""
    return f"{number:g}" if isinstance(number, float) else str(number)


def check_positive(name: str, value: int) -> None:
    """Check that a size is an integer of at least 1."""
    if not is_integer(value) or value < 1:
        raise ValueError(f"{name} must be a positive integer; got {value!r}")


def check_id(name: str, value: int, vocab_size: int) -> None:
    """Check that a number is the id of a token in a vocabulary of this size."""
    check_number(name, value, integer=True)
    if not 0 <= value < vocab_size:
        raise ValueError(
            f"{name} must lie in 0..{vocab_size - 1} (vocab_size = {vocab_size}); got {value}"
        )


def check_heads(num_heads: int, d_model: int) -> None:
    """Check that the model's width can be divided equally among the heads."""
    check_positive("d_model", d_model)
    check_positive("num_heads", num_heads)
    if d_model % num_heads != 0:
        raise ValueError(
            f"num_heads must divide d_model = {d_model} without remainder; got {num_heads}"
        )


def check_kv_heads(num_kv_heads: int, num_heads: int) -> None:
    """Check that the queries' heads can share the heads of keys and values equally."""
    check_positive("num_kv_heads", num_kv_heads)
    if num_heads % num_kv_heads != 0:
        raise ValueError(
            f"num_kv_heads must divide num_heads = {num_heads} without remainder;"
            f" got {num_kv_heads}"
        )


def check_rotary(d_k: int) -> None:
    """Check that a head's components can be taken in pairs, which rotary positions turn."""
    if d_k % 2 != 0:
        raise ValueError(f"Dk, the width of a head, must be even for rotary positions; got {d_k}")


def check_experts(num_experts: int, experts_per_token: int) -> None:
    """Check that there are as many experts as a vector shall go through."""
    check_positive("num_experts", num_experts)
    check_number(
        "experts_per_token",
        experts_per_token,
        at_least=1,
        at_most=num_experts,
        limit="num_experts",
        integer=True,
    )


def check_choice(name: str, value: object, choices: Iterable[object]) -> None:
    """Check that a value is one of the choices; 1, 1.0 and True count as three different ones.

    Example:
        >>> check_choice("norm", "pre", ("post", "pre"))
    """
    choices = list(choices)
    if not any(type(value) is type(choice) and value == choice for choice in choices):
        raise ValueError(f"{name} must be {' or '.join(map(repr, choices))}; got {value!r}")


def is_integer(value: object) -> bool:
    """Tell whether a value is a whole number; True and False are not."""
    # While torch.export traces a model, an axis of any length has a symbol for its size.
    return isinstance(value, Integral | torch.SymInt) and not isinstance(value, bool)


def is_number(value: object) -> bool:
    """Tell whether a value is a real number; True and False are not."""
    return isinstance(value, Real) and not isinstance(value, bool)
