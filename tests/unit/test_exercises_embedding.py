"""The grader of the embedding chapter accepts what is right and names what is wrong."""

import pytest
import torch
from torch.nn import functional

from attnsteps.exercises.embedding import grade_cosines


def right(x, vectors):
    return vectors @ x / (x.norm() * vectors.norm(dim=1))


RIGHT = {
    "by hand": right,
    "units first": lambda x, vectors: functional.normalize(vectors, dim=1) @ (x / x.norm()),
    "PyTorch's": lambda x, vectors: functional.cosine_similarity(vectors, x, dim=1),
}
WRONG = {
    "nothing": (lambda *_: None, "similarities is None; does the function return its result?"),
    "dots": (lambda x, v: v @ x, "these are dot products; divide by both lengths"),
    "x left": (lambda x, v: v @ x / v.norm(dim=1), "x is not divided by its length"),
    "rows left": (lambda x, v: v @ x / x.norm(), "the vectors are not divided by their lengths"),
    "one length": (
        lambda x, v: v @ x / (x.norm() * v.norm()),
        "all vectors are divided by one number",
    ),
    "squares": (
        lambda x, v: v @ x / ((x @ x) * v.square().sum(1)),
        "the lengths are squared",
    ),
    "absolute": (
        lambda x, v: v @ x / (x.abs().sum() * v.abs().sum(1)),
        "the length is the root of the sum of squares",
    ),
    "distance": (lambda x, v: (v - x).norm(dim=1), "these are distances"),
    "angle": (lambda x, v: torch.acos(right(x, v)), "this is the angle"),
    "columns": (
        lambda x, v: v.mT @ v @ x,
        "similarities should have shape (7,) and has (5,)",
    ),
    "raises": (lambda x, v: x @ v, "your function raised RuntimeError"),
}


@pytest.mark.parametrize("function", RIGHT.values(), ids=RIGHT.keys())
def test_a_right_solution_passes(function):
    verdict = grade_cosines(function)
    assert verdict, verdict


@pytest.mark.parametrize(("function", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_solution_gets_its_sentence(function, sentence):
    verdict = grade_cosines(function)
    assert not verdict
    assert verdict.message.startswith(sentence)
