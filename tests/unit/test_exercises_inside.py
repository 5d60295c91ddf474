"""The grader of the chapter on looking inside accepts what is right and names what is wrong."""

import pytest
import torch

from attnsteps.exercises.inside import grade_preference


def preference(weights, query, right, wrong):
    n = torch.arange(len(query))
    rows = weights[n, :, query]  # (B, H, Tk)
    return (rows[n, :, right] > rows[n, :, wrong]).float().mean(0)


def with_loops(weights, query, right, wrong):
    shares = torch.zeros(weights.shape[1])
    for b, (q, r, w) in enumerate(zip(query, right, wrong, strict=True)):
        for h in range(weights.shape[1]):
            shares[h] += float(weights[b, h, q, r] > weights[b, h, q, w]) / len(query)
    return shares


def rows_of(weights, query):
    return weights[torch.arange(len(query)), :, query]


def averaged(weights, query, right, wrong):
    return preference(weights.mean(1, keepdim=True), query, right, wrong)


def averaged_and_flat(*arguments):
    return averaged(*arguments)[0]


def per_sentence(weights, query, right, wrong):
    n = torch.arange(len(query))
    return rows_of(weights, query)[n, :, right] > rows_of(weights, query)[n, :, wrong]


def difference(weights, query, right, wrong):
    n = torch.arange(len(query))
    rows = rows_of(weights, query)
    return (rows[n, :, right] - rows[n, :, wrong]).mean(0)


def or_equal(weights, query, right, wrong):
    return 1 - preference(weights, query, wrong, right)


def transposed(weights, query, right, wrong):
    n = torch.arange(len(query))
    return (weights[n, :, right, query] > weights[n, :, wrong, query]).float().mean(0)


@pytest.mark.parametrize("function", [preference, with_loops])
def test_a_right_solution_passes(function):
    verdict = grade_preference(function)
    assert verdict, verdict


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda *_: None, "shares is None; does the function return its result?"),
        (averaged, "the heads are averaged before the comparison"),
        (averaged_and_flat, "the heads are averaged before the comparison"),
        (per_sentence, "this is one answer for each sentence"),
        (difference, "this is the mean difference of the weights"),
        (or_equal, "a query that gives both keys the same weight prefers neither"),
        (transposed, "rows are read as keys and columns as queries"),
        (
            lambda weights, query, right, wrong: preference(weights, query, wrong, right),
            "this is how often the heads prefer the wrong key",
        ),
        (
            lambda weights, query, right, wrong: rows_of(weights, query)[
                torch.arange(len(query)), :, right
            ].mean(0),
            "this is the mean weight of the right key",
        ),
        (lambda weights, *_: weights.mean((0, 2, 3)), "shares["),
        (lambda weights, *_: weights[0], "shares should have shape (3,)"),
        (lambda weights, *_: weights["head"], "your function raised "),
    ],
)
def test_what_is_wrong_is_named(function, message):
    verdict = grade_preference(function)
    assert not verdict
    assert message in verdict.message, verdict


def test_every_head_has_another_share():
    shares = []
    grade_preference(lambda *given: shares.append(with_loops(*given)))
    assert len(set(shares[0].tolist())) == 3
