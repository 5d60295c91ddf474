"""The grader of the scaling chapter accepts what is right and names what is wrong."""

import math

import pytest
import torch
from torch import nn

from attnsteps.exercises.scaling import grade_scaled_scores


def right(q, k):
    return q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])


RIGHT = {
    "divided at the end": right,
    "divided before": lambda q, k: (q / q.shape[-1] ** 0.5) @ k.mT,
    "both by the fourth root": lambda q, k: (
        (q / q.shape[-1] ** 0.25) @ (k / k.shape[-1] ** 0.25).mT
    ),
    "with einsum": lambda q, k: torch.einsum("...qd,...kd->...qk", q, k) * k.shape[-1] ** -0.5,
}


@pytest.mark.parametrize("function", RIGHT.values(), ids=RIGHT.keys())
def test_a_right_solution_passes(function):
    verdict = grade_scaled_scores(function)
    assert verdict, verdict
    assert repr(verdict).startswith("✓ Right: each dot product is divided by √d_k")


def in_place(q, k):
    q /= math.sqrt(q.shape[-1])
    return q @ k.mT


def one_row_at_a_time(q, k):
    return torch.stack([k @ row / math.sqrt(len(row)) for row in q])


NEED = "with d_k = 11 they need √11 = 3.317"
WRONG = {
    "nothing": (lambda q, k: None, "scores is None; does the function return its result?"),
    "no scale": (lambda q, k: q @ k.mT, f"the dot products are not divided; {NEED}"),
    "d_k": (
        lambda q, k: q @ k.mT / q.shape[-1],
        f"the dot products are divided by d_k = 11 itself (twice by its root); {NEED}",
    ),
    "twice": (
        lambda q, k: right(q / math.sqrt(q.shape[-1]), k),
        f"the dot products are divided by d_k = 11 itself (twice by its root); {NEED}",
    ),
    "the wrong axis of q": (
        lambda q, k: q @ k.mT / math.sqrt(q.shape[-2]),
        f"the dot products are divided by √5, the root of the number of queries; {NEED}",
    ),
    "the wrong axis of k": (
        lambda q, k: q @ k.mT / math.sqrt(k.shape[-2]),
        f"the dot products are divided by √7, the root of the number of keys; {NEED}",
    ),
    "multiplied": (
        lambda q, k: q @ k.mT * math.sqrt(q.shape[-1]),
        f"the dot products are multiplied by √d_k; {NEED}",
    ),
    "a width that is written down": (
        lambda q, k: q @ k.mT / math.sqrt(11),
        "the dot products are multiplied by 0.3015; with d_k = 13 they need √13 = 3.606",
    ),
    "the paper's eight": (
        lambda q, k: q @ k.mT / 8,
        f"the dot products are multiplied by 0.125; {NEED}",
    ),
    "softmax too early": (
        lambda q, k: right(q, k).softmax(-1),
        "this is softmax(q·k / √d_k); return the scores before softmax",
    ),
    "scale after softmax": (
        lambda q, k: (q @ k.mT).softmax(-1) / math.sqrt(q.shape[-1]),
        "this is softmax(q·k) / √d_k: divide before softmax, and leave softmax for later",
    ),
    "keys by queries": (
        lambda q, k: right(k, q),
        "the scores have shape (7, 5): one row per key; each query needs its row",
    ),
    "of the wrong form": (
        lambda q, k: right(q, k)[0],
        "scores should have shape (5, 7) and has (7,)",
    ),
    "another number": (
        lambda q, k: right(q, k) + 1,
        "scores[",
    ),
    "no transpose": (lambda q, k: q @ k, "your function raised RuntimeError: "),
    "only matrices": (
        one_row_at_a_time,
        "your function raised RuntimeError: ",
    ),
    "gradient cut": (
        lambda q, k: right(q, k).detach(),
        "no gradient can flow from the scores back to q and k; use tensor operations only",
    ),
    "in place": (
        in_place,
        "the function changes the q or k it was given; its caller still needs them",
    ),
    "a list": (
        lambda q, k: right(q, k).tolist(),
        "scores should be a tensor and is a list",
    ),
}


@pytest.mark.parametrize(("function", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_solution_gets_its_sentence(function, sentence):
    verdict = grade_scaled_scores(function)
    assert not verdict
    assert verdict.message.startswith(sentence)


def test_a_function_for_matrices_alone_is_told_for_which_shape_it_fails():
    verdict = grade_scaled_scores(one_row_at_a_time)
    assert verdict.message.endswith("(for q of shape (2, 3, 5, 13))")


def test_the_answer_may_be_a_module():
    class Scores(nn.Module):
        def forward(self, q, k):
            return right(q, k)

    assert grade_scaled_scores(Scores())
