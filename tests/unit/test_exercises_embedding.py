"""The grader of the embedding chapter accepts what is right and names what is wrong."""

import pytest
import torch
from torch.nn import functional

from attnsteps.exercises.embedding import grade_embed_backward


def place_by_place(ids, slopes, size):
    table = torch.zeros(size, slopes.shape[1], dtype=slopes.dtype)
    for i, push in zip(ids, slopes, strict=True):
        table[i] += push
    return table


def by_autograd(ids, slopes, size):
    table = torch.zeros(size, slopes.shape[1], dtype=slopes.dtype, requires_grad=True)
    table[ids].backward(slopes)
    return table.grad


def added_in_place(ids, slopes, size):
    """The usual mistake: += on an index adds once for each row, whichever place comes last."""
    table = torch.zeros(size, slopes.shape[1], dtype=slopes.dtype)
    table[ids] += slopes
    return table


def first_place(ids, slopes, size):
    return added_in_place(ids.flip(0), slopes.flip(0), size)


def means(ids, slopes, size):
    times = torch.bincount(ids, minlength=size).clamp(min=1)
    return by_autograd(ids, slopes, size) / times[:, None]


def counts(ids, slopes, size):
    return torch.bincount(ids, minlength=size)[:, None].expand(-1, slopes.shape[1])


RIGHT = {
    "one-hot": lambda ids, slopes, size: functional.one_hot(ids, size).to(slopes.dtype).T @ slopes,
    "place by place": place_by_place,
    "PyTorch's": by_autograd,
}
WRONG = {
    "nothing": (lambda *_: None, "the result is None; does the function return its result?"),
    "+= on an index": (added_in_place, "a word that occurs more than once keeps only its last"),
    "the first place": (first_place, "a word that occurs more than once keeps only its first"),
    "means": (means, "these are means over a word's places"),
    "counts": (counts, "this counts how often each word occurs"),
    "not added": (lambda ids, slopes, size: slopes, "the result should have shape (7, 3)"),
    "raises": (lambda ids, slopes, size: ids @ slopes, "your function raised RuntimeError"),
}


@pytest.mark.parametrize("function", RIGHT.values(), ids=RIGHT.keys())
def test_a_right_solution_passes(function):
    verdict = grade_embed_backward(function)
    assert verdict, verdict


@pytest.mark.parametrize(("function", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_solution_gets_its_sentence(function, sentence):
    verdict = grade_embed_backward(function)
    assert not verdict
    assert verdict.message.startswith(sentence)
