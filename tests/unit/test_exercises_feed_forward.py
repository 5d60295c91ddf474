"""The grader of the feed-forward chapter accepts what is right and names what is wrong."""

import pytest
import torch
from torch.nn import functional

from attnsteps.exercises.feed_forward import grade_feed_forward


def right(x, w_1, b_1, w_2, b_2):
    return torch.relu(x @ w_1 + b_1) @ w_2 + b_2


RIGHT = {
    "relu": right,
    "clamp": lambda x, w_1, b_1, w_2, b_2: (x @ w_1 + b_1).clamp(min=0) @ w_2 + b_2,
    "linear": lambda x, w_1, b_1, w_2, b_2: functional.linear(
        functional.relu(functional.linear(x, w_1.T, b_1)), w_2.T, b_2
    ),
}


@pytest.mark.parametrize("function", RIGHT.values(), ids=RIGHT.keys())
def test_a_right_solution_passes(function):
    verdict = grade_feed_forward(function)
    assert verdict, verdict
    assert repr(verdict) == "✓ Right: up, ReLU, down, for every position by itself"


def in_place(x, w_1, b_1, w_2, b_2):
    result = right(x, w_1, b_1, w_2, b_2)
    x.relu_()
    return result


WRONG = {
    "nothing": (lambda *_: None, "output is None; does the function return its result?"),
    "no ReLU": (
        lambda x, w_1, b_1, w_2, b_2: (x @ w_1 + b_1) @ w_2 + b_2,
        "nothing bends: this is x W_1 W_2 and a bias, a single linear map",
    ),
    "ReLU at the end": (
        lambda x, w_1, b_1, w_2, b_2: torch.relu((x @ w_1 + b_1) @ w_2 + b_2),
        "the ReLU comes after W_2, so that no output can be negative",
    ),
    "two ReLUs": (
        lambda *given: right(*given).relu(),
        "there is one ReLU too many, after W_2",
    ),
    "bias late": (
        lambda x, w_1, b_1, w_2, b_2: (torch.relu(x @ w_1) + b_1) @ w_2 + b_2,
        "b_1 is added after the ReLU; add it before, where it can switch units on",
    ),
    "no first bias": (
        lambda x, w_1, b_1, w_2, b_2: torch.relu(x @ w_1) @ w_2 + b_2,
        "b_1 is missing",
    ),
    "no second bias": (
        lambda x, w_1, b_1, w_2, b_2: torch.relu(x @ w_1 + b_1) @ w_2,
        "b_2 is missing",
    ),
    "a residual": (
        lambda x, *given: right(x, *given) + x,
        "x is added to the result; the residual connection belongs to the sublayer around it",
    ),
    "the other side": (
        lambda x, w_1, b_1, w_2, b_2: (x @ w_1 + b_1).clamp(max=0) @ w_2 + b_2,
        "the units are cut off above 0 instead of below; ReLU is max(0, ·)",
    ),
    "no way down": (
        lambda x, w_1, b_1, *_: torch.relu(x @ w_1 + b_1),
        "this returns the hidden units; W_2 must bring them back to width D",
    ),
    "another number": (lambda *given: right(*given) + 1, "output[4] should be"),
    "swapped": (lambda x, w_1, *_: x @ w_1.T, "your function raised RuntimeError: "),
    "a bias that is written over": (
        lambda x, w_1, b_1, w_2, b_2: b_2.add_(torch.relu(x @ w_1 + b_1) @ w_2),
        "your function raised RuntimeError: output with shape",  # of several rows; one is right
    ),
    "in place": (in_place, "the function changes the x it was given"),
}


@pytest.mark.parametrize(("function", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_solution_gets_its_sentence(function, sentence):
    verdict = grade_feed_forward(function)
    assert not verdict
    assert verdict.message.startswith(sentence.split("[")[0])
