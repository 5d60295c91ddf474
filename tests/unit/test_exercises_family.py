"""The grader of the chapter on the family accepts what is right and names mistakes."""

import pytest
import torch

from attnsteps.exercises.family import grade_targets


def right(ids, given):
    wanted = ids[:, 1:].clone()
    for row, count in zip(wanted, given.tolist(), strict=True):
        row[: count - 1] = -100
    wanted[wanted == 0] = -100
    return wanted


def test_a_right_solution_passes():
    verdict = grade_targets(right)
    assert verdict, verdict


def with_padding(ids, given):
    wanted = ids[:, 1:].clone()
    for row, count in zip(wanted, given.tolist(), strict=True):
        row[: count - 1] = -100
    return wanted


def not_shifted(ids, given):
    wanted = ids[:, :-1].clone()
    wanted[torch.arange(6) < given[:, None] - 1] = -100
    wanted[wanted == 0] = -100
    return wanted


WRONG = {
    "nothing": (lambda *_: None, "targets is None"),
    "everything": (lambda ids, _: ids[:, 1:], "guesses inside the prefix count"),
    "padding": (with_padding, "padding counts as a target"),
    "one too few": (lambda ids, given: right(ids, given + 1), "the last given token makes"),
    "one too many": (lambda ids, given: right(ids, given - 1), "one guess too many counts"),
    "no shift": (not_shifted, "these are the tokens themselves"),
    "too long": (lambda ids, _: ids, "targets should have shape (3, 6)"),
    "an error": (lambda ids, _: ids[7], "your function raised IndexError"),
    "another number": (lambda *given: right(*given).clamp(min=-1), "targets[0, 0] should be -100"),
}


@pytest.mark.parametrize(("function", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_solution_gets_its_sentence(function, sentence):
    verdict = grade_targets(function)
    assert not verdict
    assert verdict.message.startswith(sentence), verdict
