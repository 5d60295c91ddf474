"""The grader of layer normalisation accepts what is right and names what is wrong."""

import pytest
import torch
from torch import nn

from attnsteps.exercises.residual_and_norm import grade_layer_norm


def right(x, weight, bias, eps):
    centred = x - x.mean(-1, keepdim=True)
    return weight * centred / (centred.square().mean(-1, keepdim=True) + eps).sqrt() + bias


def with_var(x, weight, bias, eps):
    variance = x.var(dim=-1, keepdim=True, correction=0)
    return (x - x.mean(dim=-1, keepdim=True)) * (variance + eps).rsqrt() * weight + bias


def pytorchs(x, weight, bias, eps):
    return nn.functional.layer_norm(x, weight.shape, weight, bias, eps)


@pytest.mark.parametrize("function", [right, with_var, pytorchs])
def test_a_right_solution_passes(function):
    verdict = grade_layer_norm(function)
    assert verdict, verdict
    assert repr(verdict).startswith("✓ Right: mean 0 and biased variance 1")


def dim(axes):
    def function(x, weight, bias, eps):
        mean, variance = x.mean(axes, keepdim=True), x.var(axes, keepdim=True, correction=0)
        return weight * (x - mean) / (variance + eps).sqrt() + bias

    return function


def divided_by(divisor):
    return lambda x, w, b, eps: w * (x - x.mean(-1, keepdim=True)) / divisor(x, eps) + b


def biased(x):
    return x.var(-1, keepdim=True, correction=0)


def squares_first(x, weight, bias, eps):
    mean = x.mean(-1, keepdim=True)
    variance = x.square().mean(-1, keepdim=True) - mean.square()
    return weight * (x - mean) / (variance + eps).sqrt() + bias


def without_epsilon_where_it_does_not_count(x, weight, bias, eps):
    variance = biased(x)
    return divided_by(lambda x, _: torch.where(variance > 0, variance + eps, 0.0).sqrt())(
        x, weight, bias, eps
    )


def in_place(x, weight, bias, eps):
    x -= x.mean(-1, keepdim=True)
    return right(x, weight, bias, eps)


OWN = "; each vector has its own, dim=-1"
WRONG = {
    "nothing": (lambda *a: None, "output is None; does the function return its result?"),
    "x": (lambda x, *a: x, "this is x as it was given"),
    "plain": (lambda x, w, b, eps: right(x, 1, 0, eps), "weight and bias are not used"),
    "no weight": (lambda x, w, b, eps: right(x, 1, b, eps), "the weight is not used"),
    "no bias": (lambda x, w, b, eps: right(x, w, 0, eps), "the bias is not used"),
    "bias first": (
        lambda x, w, b, eps: w * (right(x, 1, 0, eps) + b),
        "the bias is multiplied by the weight too",
    ),
    "unbiased": (
        divided_by(lambda x, eps: (x.var(-1, keepdim=True) + eps).sqrt()),
        "the variance is divided by D − 1",
    ),
    "epsilon outside": (
        divided_by(lambda x, eps: biased(x).sqrt() + eps),
        "ε is outside the root; it belongs inside",
    ),
    "both": (
        divided_by(lambda x, eps: x.std(-1, keepdim=True) + eps),
        "two things: the variance is divided by D − 1, and ε stands outside the root",
    ),
    "no epsilon": (divided_by(lambda x, eps: biased(x).sqrt()), "ε is not used"),
    "no root": (divided_by(lambda x, eps: biased(x) + eps), "the root is missing"),
    "rms": (
        lambda x, w, b, eps: w * x / (x.square().mean(-1, keepdim=True) + eps).sqrt() + b,
        "the mean is not subtracted: this is RMSNorm with a bias",
    ),
    "half a mean": (
        lambda x, w, b, eps: w * x / (biased(x) + eps).sqrt() + b,
        "the mean is subtracted from x in the denominator only",
    ),
    "positions": (
        dim(-2),
        f"mean and variance are taken over the positions (dim=-2): information "
        f"flows between words{OWN}",
    ),
    "a sentence": (dim((-2, -1)), "mean and variance are taken over a whole sentence at once"),
    "the batch": (dim(0), "mean and variance are taken over the batch"),
    "everything": (dim((0, 1, 2)), "mean and variance are taken over the whole tensor at once"),
    "a constant": (
        without_epsilon_where_it_does_not_count,
        "for a vector of equal entries: output holds NaN",
    ),
    "squares first": (squares_first, "in float32, around a mean of 10,000: output"),
    "in one dtype alone": (
        lambda x, *a: right(x - x @ torch.full((7, 1), 1 / 7, dtype=torch.float64), *a),
        "in float32, your function raised RuntimeError: ",
    ),
    "in place": (in_place, "the function changes the x it was given"),
    "gradient cut": (lambda *a: right(*a).detach(), "no gradient can flow"),
    "something else": (lambda *a: right(*a) + 1, "output["),
    "a slice": (lambda *a: right(*a)[0], "output should have shape (2, 5, 7) and has (5, 7)"),
    "an error": (lambda x: x, "your function raised TypeError: "),
}


@pytest.mark.parametrize(("function", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_solution_gets_its_sentence(function, sentence):
    verdict = grade_layer_norm(function)
    assert not verdict
    assert verdict.message.startswith(sentence)
