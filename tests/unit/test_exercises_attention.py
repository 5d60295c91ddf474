"""The grader of chapter "attention" accepts right solutions and names what is wrong."""

import math

import pytest
import torch
from torch.nn import functional

from attnsteps import masked_softmax, scaled_dot_product_attention
from attnsteps.exercises.attention import grade_attention


def solution(q, k, v, mask=None, *, dropout_p=0.0, training=True):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    weights = masked_softmax(scores, mask)
    return functional.dropout(weights, dropout_p, training) @ v, weights


def variant(
    *,
    divisor=lambda q, v: math.sqrt(q.shape[-1]),
    hide=lambda scores, mask: scores.masked_fill(~mask, -math.inf),
    axis=-1,
    clear=True,
    drop=functional.dropout,
    result=lambda context, weights, used, scores: (context, weights),
):
    """Write attention with one step of it done otherwise."""

    def function(q, k, v, mask=None, *, dropout_p=0.0, training=True):
        scores = q @ k.transpose(-2, -1) / divisor(q, v)
        if mask is not None:
            scores = hide(scores, mask)
        weights = scores.softmax(axis)
        if clear and mask is not None:
            weights = weights.masked_fill(~mask.any(-1, keepdim=True), 0.0)
        used = drop(weights, dropout_p, training)
        return result(used @ v, weights, used, scores)

    return function


def after_the_softmax(q, k, v, mask=None, **_):
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).softmax(-1)
    weights = weights if mask is None else weights * mask
    return weights @ v, weights


def plain_zeros(weights, p, training):
    """Drop without making up for it."""
    return weights * (torch.rand_like(weights) >= p) if training else weights


def keeps_for_drops(weights, p, training):
    """Keep each weight with the probability of dropping it."""
    return weights * (torch.rand_like(weights) < p) / p if training and p else weights


def as_it_was_first(weights, p, training):
    """Make up for what is dropped in evaluation, as the first dropout did."""
    return plain_zeros(weights, p, training) if training else weights * (1 - p)


def dropping(mix):
    """Write attention that drops something else than weights."""

    def function(q, k, v, mask=None, *, dropout_p=0.0, training=True):
        _, weights = solution(q, k, v, mask)
        return mix(weights, v, lambda t: functional.dropout(t, dropout_p, training)), weights

    return function


def by_hand(divisor):
    """Write attention whose softmax does not take the largest score off."""

    def function(q, k, v, mask=None, *, dropout_p=0.0, training=True):
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        scores = scores if mask is None else scores.masked_fill(~mask, -math.inf)
        shares = scores.exp()
        weights = shares / divisor(shares.sum(-1, keepdim=True))
        return functional.dropout(weights, dropout_p, training) @ v, weights

    return function


def nan_on_the_way(q, k, v, mask=None, *, dropout_p=0.0, training=True):
    """Let NaN arise, and put 0 in its place."""
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores + torch.zeros_like(scores).masked_fill(~mask, -math.inf)
    weights = scores.softmax(-1).nan_to_num(0.0)
    return functional.dropout(weights, dropout_p, training) @ v, weights


WRONG = {
    "no scale": (variant(divisor=lambda q, v: 1.0), "the scores are not divided by √d_k"),
    "divided by d_k": (
        variant(divisor=lambda q, v: q.shape[-1]),
        "the scores are divided by d_k, not by its root",
    ),
    "divided by the root of d_v": (
        variant(divisor=lambda q, v: math.sqrt(v.shape[-1])),
        "the scores are divided by √d_v; what grows with the width of the keys is √d_k",
    ),
    "softmax over the queries": (
        variant(axis=-2),
        "the softmax runs over the queries instead of the keys (dim=-1)",
    ),
    "softmax over the heads": (
        variant(axis=1),
        "the softmax runs over the heads instead of the keys (dim=-1)",
    ),
    "scores for weights": (
        variant(result=lambda context, weights, used, scores: (context, scores)),
        "the second result is the scores; return the weights, after the softmax",
    ),
    "only the context": (
        variant(result=lambda context, weights, used, scores: context),
        "return two results, context and weights; got a Tensor",
    ),
    "the other way round": (
        variant(result=lambda context, weights, used, scores: (weights, context)),
        "context should have shape (2, 3, 5, 13) and has (2, 3, 5, 7)",
    ),
    "a list": (
        variant(result=lambda context, weights, used, scores: (context.tolist(), weights)),
        "context should be a tensor and is a list",
    ),
    "it raises": (
        lambda q, k, v, **_: q @ k,
        "your function raised RuntimeError: ",
    ),
    "mask ignored": (variant(hide=lambda scores, mask: scores), "the mask changes nothing"),
    "polarity": (
        variant(hide=lambda scores, mask: scores.masked_fill(mask, -math.inf)),
        "the mask is read the wrong way round: True means may attend",
    ),
    "hidden after the softmax": (
        after_the_softmax,
        "hidden weights are set to 0 after the softmax, so the rows no longer sum to 1; hide the "
        "scores before it",
    ),
    "hidden scores are 0": (
        variant(hide=lambda scores, mask: scores * mask),
        "hidden scores are set to 0, and exp(0) = 1 still gets a share; use −∞",
    ),
    "minus a billion": (
        variant(hide=lambda scores, mask: scores.masked_fill(~mask, -1e9)),
        "in float16, your function raised RuntimeError: ",
    ),
    "minus ten thousand": (
        variant(hide=lambda scores, mask: scores.masked_fill(~mask, -1e4)),
        "where all real scores are very low, a hidden key wins: a finite number is not −∞",
    ),
    "nothing to look at": (
        variant(clear=False),
        "a query that may look at nothing gets NaN; give it zeros",
    ),
    "an average of nothing": (
        variant(
            hide=lambda scores, mask: scores.masked_fill(~mask, torch.finfo(scores.dtype).min),
            clear=False,
        ),
        "a query that may look at nothing gets context other than 0",
    ),
    "dropout in evaluation": (
        variant(drop=lambda weights, p, training: functional.dropout(weights, p)),
        "with training=False dropout is still on",
    ),
    "weights after dropout": (
        variant(result=lambda context, weights, used, scores: (context, used)),
        "in training, dropout has changed the returned weights (the first row sums to ",
    ),
    "no dropout": (
        variant(drop=lambda weights, p, training: weights),
        "with training=True and dropout_p=0.25 no weight is dropped",
    ),
    "every weight dropped": (
        variant(drop=lambda weights, p, training: weights * (not (training and p))),
        "with training=True and dropout_p=0.25, 210 of 210 weights are dropped; it should be",
    ),
    "kept for dropped": (
        variant(drop=keeps_for_drops),
        "with training=True and dropout_p=0.25, 1",
    ),
    "the context dropped": (
        dropping(lambda weights, v, drop: drop(weights @ v)),
        "values or context are dropped; dropout belongs on the weights, before the values",
    ),
    "the values dropped": (
        dropping(lambda weights, v, drop: weights @ drop(v)),
        "values or context are dropped; dropout belongs on the weights, before the values",
    ),
    "made up for in evaluation": (
        variant(drop=as_it_was_first),
        "with training=False the context is multiplied by 1 − dropout_p",
    ),
    "no largest score taken off": (
        by_hand(lambda total: total.masked_fill(total == 0, 1.0)),
        "in float16, where all real scores are very low, weights[",
    ),
    "no largest score, and NaN": (
        by_hand(lambda total: total),
        "in float16, where all real scores are very low, weights holds NaN",
    ),
    "NaN on the way back": (
        nan_on_the_way,
        "a query that may look at nothing gets zeros, but its gradient is NaN",
    ),
    "no way back": (
        lambda *given, **choices: tuple(t.detach() for t in solution(*given, **choices)),
        "no gradient of the context reaches q",
    ),
    "not made up for": (
        variant(drop=plain_zeros),
        "the kept weights should be divided by 1 − dropout_p, and are not",
    ),
}


def through_the_package(q, k, v, mask=None, *, dropout_p=0.0, training=True):
    return scaled_dot_product_attention(q, k, v, mask, dropout_p=dropout_p if training else 0.0)


def in_place(q, k, v, mask=None, *, dropout_p=0.0, training=True):
    """Change what was given, and return a list."""
    q /= math.sqrt(q.shape[-1])
    if mask is None:
        weights = (q @ k.mT).softmax(-1)
    else:
        nothing = ~mask.any(-1, keepdim=True)
        mask |= nothing
        weights = (q @ k.mT).masked_fill(~mask, -math.inf).softmax(-1).masked_fill(nothing, 0)
    return [functional.dropout(weights, dropout_p, training) @ v, weights]


@pytest.mark.parametrize("right", [solution, variant(), through_the_package, in_place])
def test_a_right_solution_passes(right):
    verdict = grade_attention(right)
    assert verdict.correct, verdict


@pytest.mark.parametrize(("wrong", "message"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_one_is_told_what_is_wrong(wrong, message):
    verdict = grade_attention(wrong)
    assert not verdict
    assert verdict.message.startswith(message)


def test_grading_leaves_the_readers_random_numbers_alone():
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    grade_attention(solution)
    assert torch.equal(torch.rand(3), expected)
