"""The grader of the chapter on what came after 2017 accepts what is right and names mistakes."""

import pytest
import torch

from attnsteps.exercises.since_2017 import grade_merge


def right(one, other):
    largest = torch.maximum(one[0], other[0])
    first, second = (one[0] - largest).exp(), (other[0] - largest).exp()
    return largest, one[1] * first + other[1] * second, one[2] * first + other[2] * second


def test_a_right_solution_passes():
    verdict = grade_merge(right)
    assert verdict, verdict
    assert grade_merge(lambda one, other: list(right(one, other)))


def with_context(one, other):
    largest, total, mixed = right(one, other)
    return largest, total, mixed / total


def only_the_totals(one, other):
    largest, total, _ = right(one, other)
    return largest, total, one[2] + other[2]


def shrinks_the_first_only(one, other):
    return other[0], one[1] * (one[0] - other[0]).exp() + other[1], one[2] + other[2]


WRONG = {
    "nothing": (lambda *_: None, "the function should return three tensors"),
    "added": (
        lambda one, other: (torch.maximum(one[0], other[0]), one[1] + other[1], one[2] + other[2]),
        "the totals are added as they are; each counts in units of its own largest score",
    ),
    "divided": (with_context, "mixed holds the context already"),
    "half": (only_the_totals, "the mixed values are added as they are; shrink them"),
    "an error": (lambda one, other: one[7], "your function raised IndexError"),
    "another number": (lambda *states: (right(*states)[0] + 1, *right(*states)[1:]), "largest["),
    "the order": (shrinks_the_first_only, "the mixed values are added as they are"),
}


@pytest.mark.parametrize(("function", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_solution_gets_its_sentence(function, sentence):
    verdict = grade_merge(function)
    assert not verdict
    assert verdict.message.startswith(sentence)
