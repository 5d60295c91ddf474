"""The grader of the first chapter accepts what is right and names what is wrong."""

import math

import pytest
import torch

from attnsteps import scaled_dot_product_attention
from attnsteps.exercises.sequence_to_sequence import grade_attend_batch


def real(k, lengths):
    return (torch.arange(k.shape[1]) < lengths[:, None])[:, None]


def scores(q, k):
    return q @ k.mT / math.sqrt(k.shape[-1])


def shares(scores, mask):
    return scores.masked_fill(~mask, -torch.inf).softmax(-1)


def by_powers(q, k, v, lengths):
    powers = scores(q, k).exp() * real(k, lengths)
    return powers / powers.sum(-1, keepdim=True) @ v


def in_a_loop(q, k, v, lengths):
    found = []
    for b, n in enumerate(lengths):
        weights = scores(q[b], k[b, :n]).softmax(-1)
        found.append(weights @ v[b, :n])
    return torch.stack(found)


def over_queries(q, k, v, lengths):
    return (scores(q, k).softmax(1) * real(k, lengths)) @ v


RIGHT = {
    "powers": by_powers,
    "a loop": in_a_loop,
    "minus infinity": lambda q, k, v, n: shares(scores(q, k), real(k, n)) @ v,
    "the package": lambda q, k, v, n: scaled_dot_product_attention(q, k, v, real(k, n))[0],
}
WRONG = {
    "nothing": (lambda *_: None, "the result is None; does the function return its result?"),
    "no mask": (lambda q, k, v, _: scores(q, k).softmax(-1) @ v, "padding gets a weight"),
    "scores of 0": (
        lambda q, k, v, n: (scores(q, k) * real(k, n)).softmax(-1) @ v,
        "a score of 0 isn't a weight of 0",
    ),
    "masked too late": (
        lambda q, k, v, n: (scores(q, k).softmax(-1) * real(k, n)) @ v,
        "padding's weight is gone, but the others no longer add up to 1",
    ),
    "values of 0": (
        lambda q, k, v, n: scores(q, k).softmax(-1) @ (v * real(k, n).mT),
        "padding's weight is gone, but the others no longer add up to 1",
    ),
    "too far": (
        lambda q, k, v, n: shares(scores(q, k), real(k, n + 1)) @ v,
        "this looks at one place too many",
    ),
    "padding alone": (
        lambda q, k, v, n: shares(scores(q, k), ~real(k, n)) @ v,
        "this looks at the padding and leaves out the words",
    ),
    "not divided": (
        lambda q, k, v, n: shares(q @ k.mT, real(k, n)) @ v,
        "the scores are not divided by √D",
    ),
    "divided by D": (
        lambda q, k, v, n: shares(q @ k.mT / 6, real(k, n)) @ v,
        "the scores are divided by D, not by its root",
    ),
    "over the queries": (over_queries, "the weights add up to 1 over the queries"),
    "both results": (
        lambda q, k, v, n: scaled_dot_product_attention(q, k, v, real(k, n)),
        "the result should be a tensor and is a tuple",
    ),
    "the weights": (
        lambda q, k, _, n: shares(scores(q, k), real(k, n)),
        "the result should have shape (4, 3, 6) and has (4, 3, 8)",
    ),
    "raises": (lambda q, k, v, _: q @ k @ v, "your function raised RuntimeError"),
}


@pytest.mark.parametrize("function", RIGHT.values(), ids=RIGHT.keys())
def test_a_right_solution_passes(function):
    verdict = grade_attend_batch(function)
    assert verdict, verdict


@pytest.mark.parametrize(("function", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_solution_gets_its_sentence(function, sentence):
    verdict = grade_attend_batch(function)
    assert not verdict
    assert verdict.message.startswith(sentence)
