"""The grader of the non-autoregressive chapter accepts what is right and names what is wrong."""

import pytest
import torch

from attnsteps.decoding.mask_predict import least_certain
from attnsteps.exercises.non_autoregressive import grade_hide


def hide(ids, log_probs, num_hidden, mask_id):
    ranks = log_probs.argsort(-1).argsort(-1)
    return ids.masked_fill(ranks < num_hidden[:, None], mask_id)


def with_a_loop(ids, log_probs, num_hidden, mask_id):
    hidden = ids.clone()
    for sentence, sure, n in zip(hidden, log_probs, num_hidden, strict=True):
        sentence[sure.argsort()[:n]] = mask_id
    return hidden


def by_the_package(ids, log_probs, num_hidden, mask_id):
    return ids.masked_fill(least_certain(log_probs, num_hidden), mask_id)


def in_place(ids, log_probs, num_hidden, mask_id):
    ids[:] = hide(ids, log_probs, num_hidden, mask_id)
    return ids


WRONG = {
    "nothing": (lambda *_: None, "the tokens are None; does the function return its result?"),
    "a list": (lambda ids, *_: ids.tolist(), "the tokens should be a tensor and are a list"),
    "shape": (lambda ids, *_: ids[None], "the tokens have shape (1, 3, 6), needed is (3, 6)"),
    "all kept": (lambda ids, *_: ids, "nothing is hidden"),
    "most certain": (lambda ids, lp, n, m: hide(ids, -lp, n, m), "this hides the most certain"),
    "the first": (
        lambda ids, lp, n, m: hide(ids, torch.arange(6).expand(3, 6), n, m),
        "this hides the first tokens",
    ),
    "kept": (lambda ids, lp, n, m: hide(ids, lp, 6 - n, m), "this keeps num_hidden tokens"),
    "sorted once": (
        lambda ids, lp, n, m: ids.masked_fill(lp.argsort(-1) < n[:, None], m),
        "the places in argsort's order are not yet ranks",
    ),
    "the first's number": (
        lambda ids, lp, n, m: hide(ids, lp, n[:1].expand(3), m),
        "every sentence gets the number of the first",
    ),
    "sorted": (
        lambda ids, lp, n, m: hide(ids, lp, n, m).gather(-1, lp.argsort(-1)),
        "the tokens are sorted",
    ),
    "zero": (lambda ids, lp, n, m: hide(ids, lp, n, 0), "hidden tokens are 0, not mask_id"),
    "the book's": (
        lambda ids, lp, n, m: hide(ids, lp, n, 4),
        "hidden tokens are 4, not the given mask_id",
    ),
    "fractions": (
        lambda *given: hide(*given) + 0.6,
        "the tokens should be integers and are torch.float32",
    ),
    "in place": (in_place, "the function changed its input"),
    "one more": (lambda ids, lp, n, m: hide(ids, lp, n + 1, m), "at place "),
    "raises": (lambda ids, lp, n, m: ids[lp], "your function raised "),
}


@pytest.mark.parametrize("function", [hide, with_a_loop, by_the_package])
def test_a_right_solution_passes(function):
    verdict = grade_hide(function)
    assert verdict, verdict


@pytest.mark.parametrize(("function", "message"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_one_is_told_what_is_wrong(function, message):
    verdict = grade_hide(function)
    assert not verdict
    assert verdict.message.startswith(message) or message in verdict.message
