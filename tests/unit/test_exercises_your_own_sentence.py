"""The grader of chapter 23 accepts what is right and names what is wrong."""

import pytest
import torch

from attnsteps.exercises.your_own_sentence import grade_groups


def right(pairs):
    """Spread the smallest number until nothing changes."""
    numbers = list(range(len(pairs)))
    while True:
        new = [
            min(n for n, other in zip(numbers, pairs, strict=True) if set(one) & set(other))
            for one in pairs
        ]
        if new == numbers:
            return numbers
        numbers = new


def never_joined(pairs):
    """Give a pair the number of a side it has seen, and never join two groups."""
    number = {}
    found = []
    for i, (src, tgt) in enumerate(pairs):
        n = number.get(src, number.get(tgt, i))
        number[src] = number[tgt] = n
        found.append(n)
    return found


def neighbours(pairs):
    """Look at direct neighbours only."""
    return [next(j for j, other in enumerate(pairs) if set(one) & set(other)) for one in pairs]


@pytest.mark.parametrize("form", [list, tuple, torch.tensor, lambda numbers: map(str, numbers)])
def test_what_is_right_is_accepted(form):
    assert grade_groups(lambda pairs: form(right(pairs)))


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda pairs: None, "should return a list"),
        (lambda pairs: "0000", "should return a list"),
        (lambda pairs: torch.tensor(3), "should return a list"),
        (lambda pairs: 1 / 0, "raised ZeroDivisionError"),
        (lambda pairs: [0], "of 4 pairs, 1 have a number"),
        (lambda pairs: [src for src, _ in pairs], "only pairs with the same Chinese"),
        (lambda pairs: [tgt for _, tgt in pairs], "only pairs with the same English"),
        (lambda pairs: [0] * len(pairs), "nothing links them"),
        (never_joined, "have different numbers"),
        (neighbours, "have different numbers"),
    ],
)
def test_what_is_wrong_is_named(function, said):
    verdict = grade_groups(function)
    assert not verdict
    assert said in verdict.message


def answers(*numbers):
    """Answer as told, one list for each list of pairs, and then rightly."""
    left = iter(numbers)
    return lambda pairs: next(left, None) or right(pairs)


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ([0, 0, 2, 0], [1, 1, 1, 1, 1], "pairs 0 and 2 have the same number"),
        ([7, 7, 2, 7], [0, 1, 2, 0, 2], "pairs 1 and 3 share a side"),
        ([5, 5, 0, 5], [1, 1, 3, 1, 4], "pairs 2 and 4 share a side"),
        ([1, 2, 3, 2], [], "pairs 0 and 1 share a side"),
    ],
)
def test_the_two_that_are_wrong_are_named(first, second, said):
    message = grade_groups(answers(first, second)).message
    assert said in message
