"""The grader of the chapter on positions accepts what is right and names what is wrong."""

import math

import pytest
import torch

from attnsteps import SinusoidalPositions, sinusoidal_positions
from attnsteps.exercises.positional import grade_positions


def right(length, d_model, offset=0):
    position = torch.arange(offset, offset + length, dtype=torch.float64)[:, None]
    column = torch.arange(d_model, dtype=torch.float64)
    angle = position / 10000 ** ((column - column % 2) / d_model)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


def in_plain_python(length, d_model, offset=0):
    return torch.tensor(
        [
            [
                (math.cos if j % 2 else math.sin)(p / 10000 ** ((j - j % 2) / d_model))
                for j in range(d_model)
            ]
            for p in range(offset, offset + length)
        ]
    )


RIGHT = {
    "float64": right,
    "plain Python": in_plain_python,
    "the package": lambda n, d, offset=0: SinusoidalPositions(d)(n, offset=offset),
}


@pytest.mark.parametrize("function", RIGHT.values(), ids=RIGHT.keys())
def test_a_right_solution_passes(function):
    verdict = grade_positions(function)
    assert verdict, verdict


def with_exponent(exponent, start=0):
    def function(length, d_model, offset=0):
        position = torch.arange(start + offset, start + offset + length)[:, None].double()
        column = torch.arange(d_model).double()
        angle = position / 10000 ** exponent(column, d_model)
        return torch.where(column % 2 == 0, angle.sin(), angle.cos())

    return function


def even_only(length, d_model, offset=0):
    table = torch.zeros(length, d_model)
    position = torch.arange(offset, offset + length)[:, None]
    angle = position / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    table[:, 0::2] = angle.sin()
    table[:, 1::2] = angle.cos()
    return table


def padded(length, d_model, offset=0):
    table = right(length, d_model, offset)
    if d_model % 2:
        table[:, -1] = 0
    return table


def one_too_many(length, d_model, offset=0):
    return right(length, d_model + d_model % 2, offset)


def cosine_first(length, d_model, offset=0):
    pairs = right(length, d_model, offset).unflatten(1, (-1, 2))
    return pairs.flip(-1).flatten(1)


def without_offset(length, d_model):
    return right(length, d_model)


def pair(column):
    return column - column % 2


WRONG = {
    "nothing": (lambda n, d, offset=0: None, "the result is None; does the function return"),
    "a list": (
        lambda n, d, offset=0: right(n, d, offset).tolist(),
        "the result should be a tensor and is a list",
    ),
    "ones": (
        lambda n, d, offset=0: torch.ones(n, d),
        "position 0 should be 0, 1, 0, 1, …: the sine and the cosine of 0 in turn",
    ),
    "transposed": (
        lambda n, d, offset=0: right(n, d, offset).T,
        "the result has shape (10, 7): one row per column; each position needs its row",
    ),
    "concatenated": (
        lambda n, d, offset=0: sinusoidal_positions(n, d, layout="concatenated"),
        "this is the concatenated order, all sines and then all cosines; the paper",
    ),
    "cosine first": (
        cosine_first,
        "sine and cosine are swapped: the paper begins with the sine",
    ),
    "from one": (
        with_exponent(lambda c, d: pair(c) / d, start=1),
        "the first position is number 0, not 1",
    ),
    "doubled": (with_exponent(lambda c, d: 2 * pair(c) / d), "the exponent is doubled: the column"),
    "halved": (with_exponent(lambda c, d: pair(c) / (2 * d)), "the exponent is halved: it is 2i"),
    "no pairs": (
        with_exponent(lambda c, d: c / d),
        "a sine and its cosine have different exponents, so that they are no pair",
    ),
    "the first implementation": (
        with_exponent(lambda c, d: pair(c) / max(d - 2, 1)),
        "the exponents run up to 1, as in the first implementation; in the paper they stop at",
    ),
    "another base": (with_exponent(lambda c, d: pair(c) / d * 0.75), "positions[6, "),
    "even only": (even_only, "for d_model = 5, your function raised RuntimeError: "),
    "padded": (
        padded,
        "for d_model = 5, the last column should be a sine, which has no cosine beside it",
    ),
    "one too many": (
        one_too_many,
        "for d_model = 5, positions should have shape (7, 5) and has (7, 6)",
    ),
    "no offset": (without_offset, "with offset = 3, your function raised TypeError: "),
    "offset ignored": (
        lambda n, d, offset=0: right(n, d),
        "the offset changes nothing: a word that comes alone would always be at position 0",
    ),
    "offset cuts off": (
        lambda n, d, offset=0: right(n, d)[offset:],
        "with offset = 3 only 4 of the 7 positions are left; there should be as many as length",
    ),
    "offset one off": (
        lambda n, d, offset=0: right(n, d, max(offset - 1, 0)),
        "with offset = 3, positions[",
    ),
}


@pytest.mark.parametrize(("function", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_solution_gets_its_sentence(function, sentence):
    verdict = grade_positions(function)
    assert not verdict
    assert verdict.message.startswith(sentence)
