"""Grades the coding exercise of the chapter on a translator that reads any sentence."""

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

from torch import Tensor

from attnsteps.exercises.verdict import Verdict, attempt

Pairs = list[tuple[str, str]]

# Each finds mistakes that the others miss.
_TRIALS: tuple[Pairs, ...] = (
    [("a", "one"), ("a", "two"), ("b", "three"), ("c", "one")],
    [("a", "one"), ("b", "two"), ("c", "three"), ("a", "two"), ("d", "three")],
    [("a", "one"), ("c", "two"), ("d", "four"), ("b", "one"), ("b", "three"), ("c", "three")],
    [("a", "one"), ("b", "two")],
    [],
)


def grade_groups(function: Callable[[Pairs], Sequence[int]]) -> Verdict:
    """Say whether ``function(pairs)`` numbers the groups of pairs that hang together.

    Two pairs hang together if they share a side, or if other pairs link them. The function should
    return a number for each pair, the same for two pairs exactly if they hang together.

    Example:
        >>> grade_groups(lambda pairs: range(len(pairs)))
        ✗ Not yet: pairs 0 and 1 share a side, but have different numbers
    """
    for pairs in _TRIALS:
        got, raised = attempt(lambda pairs=pairs: function(list(pairs)))
        if fault := raised or _fault(got, pairs):
            return Verdict(False, fault)
    return Verdict(True, "no group shares a side with another, and none could be smaller")


def _linked(pairs: Pairs) -> list[int]:
    """Number the groups, by joining all those that a pair touches."""
    groups = list(range(len(pairs)))
    for (i, one), (j, other) in combinations(enumerate(pairs), 2):
        if _share(one, other):
            groups = [groups[i] if group == groups[j] else group for group in groups]
    return groups


def _share(one: tuple[str, str], other: tuple[str, str]) -> bool:
    return any(a == b for a, b in zip(one, other, strict=True))


def _same(numbers: Sequence[object]) -> set[tuple[int, int]]:
    """Return which two have the same number."""
    return {(i, j) for i, j in combinations(range(len(numbers)), 2) if numbers[i] == numbers[j]}


def _fault(got: object, pairs: Pairs) -> str:
    """Return what is wrong with the result, by name if the mistake is known, or ""."""
    got = got.tolist() if isinstance(got, Tensor) else got
    if not isinstance(got, Iterable) or isinstance(got, str):
        return "the function should return a list with a number for each pair"
    numbers = list(got)
    if len(numbers) != len(pairs):
        return f"of {len(pairs)} pairs, {len(numbers)} have a number"
    found, wanted = _same(numbers), _same(_linked(pairs))
    sides = [_same(side) for side in zip(*pairs, strict=True)]
    if found != wanted and found in sides:
        return (
            "only pairs with the same Chinese are in one group; look at the English too"
            if found == sides[0]
            else "only pairs with the same English are in one group; look at the Chinese too"
        )
    return _wrong_two(found, wanted, pairs)


def _wrong_two(found: set[tuple[int, int]], wanted: set[tuple[int, int]], pairs: Pairs) -> str:
    """Name two pairs that are apart and should not be, or the other way round; "" for none."""
    for i, j in sorted(wanted - found):  # if any are apart, so are two that share a side
        if _share(pairs[i], pairs[j]):
            return f"pairs {i} and {j} share a side, but have different numbers"
    for i, j in sorted(found - wanted):
        return f"pairs {i} and {j} have the same number, but nothing links them"
    return ""
