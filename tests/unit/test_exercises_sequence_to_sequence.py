"""The grader of the first chapter accepts what is right and names what is wrong."""

import pytest
import torch

from attnsteps.exercises.sequence_to_sequence import grade_last_state

RIGHT = {
    "indexing": lambda states, lengths: states[torch.arange(len(lengths)), lengths - 1],
    "gather": lambda states, lengths: states.gather(
        1, (lengths - 1)[:, None, None].expand(-1, 1, states.shape[-1])
    )[:, 0],
    "a loop": lambda states, lengths: torch.stack(
        [row[length - 1] for row, length in zip(states, lengths, strict=True)]
    ),
}
WRONG = {
    "nothing": (lambda *_: None, "the result is None; does the function return its result?"),
    "the last place": (lambda states, _: states[:, -1], "this is the state at the last place"),
    "too far": (
        lambda states, lengths: states[torch.arange(4), lengths],
        "this is one place too far",
    ),
    "the first": (lambda states, _: states[:, 0], "this is the state at the first word"),
    "mean": (
        lambda states, lengths: torch.stack(
            [row[:length].mean(0) for row, length in zip(states, lengths, strict=True)]
        ),
        "this is the mean of the real words' states",
    ),
    "mean of all": (lambda states, _: states.mean(1), "this is the mean over all places"),
    "every state": (
        lambda states, _: states,
        "the result should have shape (4, 3) and has (4, 8, 3)",
    ),
    "raises": (lambda states, lengths: states[:, lengths + 7], "your function raised IndexError"),
}


@pytest.mark.parametrize("function", RIGHT.values(), ids=RIGHT.keys())
def test_a_right_solution_passes(function):
    verdict = grade_last_state(function)
    assert verdict, verdict


@pytest.mark.parametrize(("function", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_solution_gets_its_sentence(function, sentence):
    verdict = grade_last_state(function)
    assert not verdict
    assert verdict.message.startswith(sentence)
