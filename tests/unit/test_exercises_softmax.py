"""The grader of chapter "softmax" passes what is right, and names each typical mistake."""

import math

import pytest
import torch

from attnsteps.exercises.softmax import grade_masked_softmax


def right(scores, mask, temperature):
    empty = ~mask.any(dim=-1, keepdim=True)
    scores = (scores / temperature).masked_fill(~mask, -math.inf).masked_fill(empty, 0.0)
    powers = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return (powers / powers.sum(dim=-1, keepdim=True)).masked_fill(empty, 0.0)


def hidden(scores, mask, fill=-math.inf):
    return scores.masked_fill(~mask, fill)


def naive(scores, mask, temperature):
    powers = (hidden(scores / temperature, mask)).exp()
    return powers / powers.sum(-1, keepdim=True)


def one_maximum_for_all(scores, mask, temperature):
    scores = hidden(scores / temperature, mask)
    powers = (scores - scores.max()).exp()
    return powers / powers.sum(-1, keepdim=True)


def maximum_before_mask(scores, mask, temperature):
    scores = scores / temperature
    powers = (scores - scores.amax(-1, keepdim=True)).exp() * mask
    return powers / powers.sum(-1, keepdim=True)


def replaced_afterwards(scores, mask, temperature):
    added = torch.zeros_like(scores).masked_fill(~mask, -math.inf)
    return (scores / temperature + added).softmax(-1).nan_to_num(0.0)


def loses_gradients(scores, mask, temperature):
    return right(scores.detach(), mask, temperature)


def with_fill(fill):
    return lambda scores, mask, temperature: hidden(scores / temperature, mask, fill).softmax(-1)


def on_scores(function):
    return lambda scores, mask, temperature: function(scores)


WRONG = {
    "nothing returned": (on_scores(lambda s: None), "weights is None"),
    "an exception": (on_scores(lambda s: s.softmax(7)), "your function raised IndexError"),
    "another shape": (on_scores(lambda s: s.softmax(-1).sum(-1)), "should have shape (5, 3)"),
    "over the queries": (on_scores(lambda s: s.softmax(0)), "the columns sum to 1"),
    "over everything": (
        on_scores(lambda s: s.flatten().softmax(0).view_as(s)),
        "each row must do so by itself",
    ),
    "twice": (on_scores(lambda s: s.softmax(-1).softmax(-1)), "applied twice"),
    "not divided": (on_scores(torch.exp), "nothing divides them"),
    "no powers": (on_scores(lambda s: s / s.sum(-1, keepdim=True)), "take e to the power"),
    "logarithms": (on_scores(lambda s: s.log_softmax(-1)), "leave out the logarithm"),
    "zeros": (on_scores(torch.zeros_like), "all the weights are 0"),
    "base 2": (on_scores(lambda s: (s * math.log(2)).softmax(-1)), "weights["),
    "temperature ignored": (on_scores(lambda s: s.softmax(-1)), "the temperature changes nothing"),
    "temperature multiplies": (
        lambda s, m, t: (s * t).softmax(-1),
        "multiplied by the temperature",
    ),
    "weights divided": (lambda s, m, t: s.softmax(-1) / t, "divide the scores, before the powers"),
    "overflow": (naive, "subtract the maximum first"),
    "one maximum for all": (one_maximum_for_all, "each row's own maximum"),
    "mask ignored": (lambda s, m, t: (s / t).softmax(-1), "the mask changes nothing"),
    "mask reversed": (
        lambda s, m, t: (s / t).masked_fill(m & ~m.all(), -math.inf).softmax(-1),
        "the wrong way round",
    ),
    "mask afterwards": (lambda s, m, t: (s / t).softmax(-1) * m, "comes after the softmax"),
    "mask multiplies": (lambda s, m, t: (s / t * m).softmax(-1), "it must become −inf"),
    "maximum of the hidden": (maximum_before_mask, "before taking the maximum"),
    "-1e9": (with_fill(-1e9), "the masked key wins"),
    "-1e38": (with_fill(-1e38), "in float16, your function raised RuntimeError"),
    "NaN": (with_fill(-math.inf), "a row with nothing to attend to is NaN"),
    "replaced afterwards": (replaced_afterwards, "still comes back in the backward pass"),
    "no gradient": (loses_gradients, "without a gradient"),
}


def test_a_right_solution_passes():
    verdict = grade_masked_softmax(right)
    assert verdict
    assert repr(verdict).startswith("✓ Right: rows sum to 1")


@pytest.mark.parametrize(("function", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_a_mistake_is_named(function, sentence):
    verdict = grade_masked_softmax(function)
    assert not verdict
    assert sentence in verdict.message


def test_a_silent_average_is_named():
    def average(scores, mask, temperature):
        lowest = torch.finfo(scores.dtype).min
        return hidden(scores / temperature, mask, lowest).softmax(-1)

    assert "plain average" in grade_masked_softmax(average).message


def test_the_readers_function_cannot_spoil_the_comparison_by_writing_in_place():
    def in_place(scores, mask, temperature):
        weights = right(scores, mask, temperature)
        mask.zero_()
        if not scores.requires_grad:
            scores.zero_()
        return weights

    assert grade_masked_softmax(in_place)
