"""The checks: silent on what fits, and exact about what does not."""

import pytest
import torch

from attnsteps import shapes

GOOD = {
    "positive": lambda: shapes.check_positive("d_model", 1),
    "integer": lambda: shapes.check_number("pad_id", -1, integer=True),
    "count": lambda: shapes.check_number("epoch", 0, at_least=0, integer=True),
    "the least": lambda: shapes.check_number("step", 0, at_least=0, at_most=16),
    "the most": lambda: shapes.check_number("step", 16, at_least=0, at_most=16),
    "no dropout": lambda: shapes.check_number("dropout", 0.0, at_least=0, below=1),
    "some dropout": lambda: shapes.check_number("dropout", 0.999, at_least=0, below=1),
    "floating": lambda: shapes.check_floating("q", torch.zeros(0, dtype=torch.bfloat16)),
    "shape": lambda: shapes.check_shape("x", torch.zeros(2, 3), "B D", B=2, D=3),
    "shape, nothing known": lambda: shapes.check_shape("x", torch.zeros(2, 3), "B D"),
    "shape, open": lambda: shapes.check_shape("x", torch.zeros(2, 3, 5), "... D", D=5),
    "shape, open and empty": lambda: shapes.check_shape("x", torch.zeros(5), "... D", D=5),
    "leading": lambda: shapes.check_same_leading(
        "k", torch.zeros(2, 5, 7), "q", torch.zeros(2, 3, 7)
    ),
    "bool": lambda: shapes.check_bool("mask", torch.zeros((), dtype=torch.bool)),
    "ids": lambda: shapes.check_ids("ids", torch.tensor([[0, 4]]), vocab_size=5),
    "ids, any": lambda: shapes.check_ids("ids", torch.tensor([99], dtype=torch.int32)),
    "ids, none": lambda: shapes.check_ids("ids", torch.zeros(0, dtype=torch.int64), vocab_size=5),
}


@pytest.mark.parametrize("call", GOOD.values(), ids=GOOD.keys())
def test_what_fits_passes_without_a_word(call):
    assert call() is None


@pytest.mark.parametrize(
    "shape", [(5, 7), (1, 7), (5, 1), (1, 1), (2, 3, 5, 7), (2, 1, 1, 7), (1, 3, 5, 1)], ids=str
)
def test_a_mask_that_fits_passes(shape):
    shapes.check_mask(torch.ones(shape, dtype=torch.bool), (2, 3, 5, 7))


def test_a_mask_with_three_axes_fits_scores_with_three():
    shapes.check_mask(torch.ones(2, 5, 7, dtype=torch.bool), (2, 5, 7))


BAD = {
    "zero": (
        lambda: shapes.check_positive("d_model", 0),
        "d_model must be a positive integer; got 0",
    ),
    "a string": (
        lambda: shapes.check_positive("d_model", "8"),
        "d_model must be a positive integer; got '8'",
    ),
    "a float": (
        lambda: shapes.check_number("pad_id", 1.0, integer=True),
        "pad_id must be an integer; got 1.0",
    ),
    "a count below 0": (
        lambda: shapes.check_number("epoch", -1, at_least=0, integer=True),
        "epoch must be an integer of at least 0; got -1",
    ),
    "half of one": (
        lambda: shapes.check_number("epoch", 0.5, at_least=0, integer=True),
        "epoch must be an integer of at least 0; got 0.5",
    ),
    "a truth value": (
        lambda: shapes.check_number("pad_id", False, integer=True),
        "pad_id must be an integer; got False",
    ),
    "below what may be": (
        lambda: shapes.check_number("depth", 0, at_least=1, at_most=48),
        "depth must be a number in [1, 48]; got 0",
    ),
    "above what may be": (
        lambda: shapes.check_number("strength", 2.5, at_least=0.25, at_most=2.0),
        "strength must be a number in [0.25, 2]; got 2.5",
    ),
    "between nothing": (
        lambda: shapes.check_number("shift", float("nan"), at_least=-1000, at_most=1000),
        "shift must be a number in [-1000, 1000]; got nan",
    ),
    "dropout of everything": (
        lambda: shapes.check_number("dropout", 1, at_least=0, below=1),
        "dropout must be a number in [0, 1); got 1",
    ),
    "integers": (
        lambda: shapes.check_floating("q", torch.zeros(2, dtype=torch.int32)),
        "q must be a floating-point tensor; got torch.int32",
    ),
    "too few axes": (
        lambda: shapes.check_shape("x", torch.zeros(3), "B D", D=3),
        "x must have shape (B, D) with D = 3; got (3,)",
    ),
    "too many axes": (
        lambda: shapes.check_shape("x", torch.zeros(2, 3, 5), "B D"),
        "x must have shape (B, D); got (2, 3, 5)",
    ),
    "too few open axes": (
        lambda: shapes.check_shape("x", torch.zeros(3), "... T D", T=2, D=3),
        "x must have shape (..., T, D) with T = 2, D = 3; got (3,)",
    ),
    "a wrong size": (
        lambda: shapes.check_shape("x", torch.zeros(2, 3), "B D", B=2, D=5),
        "x must have shape (B, D) with B = 2, D = 5; got (2, 3)",
    ),
    "other leading axes": (
        lambda: shapes.check_same_leading("k", torch.zeros(5, 7), "q", torch.zeros(2, 3, 7)),
        "k must have the leading axes of q, (2,); got ()",
    ),
    "a mask in a list": (
        lambda: shapes.check_bool("mask", [True]),
        "mask must be a bool tensor, True = may attend; got list"
        " (elsewhere a float mask is added to the scores, and a 1 may mean 'hide')",
    ),
    "a mask for one head's plain matrices": (
        lambda: shapes.check_mask(torch.ones(7, 5, dtype=torch.bool), (5, 7)),
        "mask must broadcast to (Tq, Tk) = (5, 7); got (7, 5)",
    ),
    "a mask for a batch of matrices": (
        lambda: shapes.check_mask(torch.ones(3, 5, 7, dtype=torch.bool), (2, 5, 7)),
        "mask must broadcast to (..., Tq, Tk) = (2, 5, 7); got (3, 5, 7)",
    ),
    "a mask that would have to grow the scores": (
        lambda: shapes.check_mask(torch.ones(5, 7, dtype=torch.bool), (1, 7)),
        "mask must broadcast to (Tq, Tk) = (1, 7); got (5, 7)",
    ),
    "an id too many": (
        lambda: shapes.check_ids("ids", torch.tensor([0, 5, 7]), vocab_size=5),
        "ids must lie in 0..4 (vocab_size = 5); got 5",
    ),
}


@pytest.mark.parametrize(("call", "message"), BAD.values(), ids=BAD.keys())
def test_what_does_not_fit_is_named(refuses, call, message):
    refuses(call, message)


def test_the_glossary_names_every_axis():
    for axis in ("B ", "S, T", "Tq, Tk", "D ", "H ", "Dk, Dv", "Dff", "V ", "W "):
        assert f"\n{axis}" in shapes.__doc__
