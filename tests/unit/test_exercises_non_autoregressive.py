"""The grader of the non-autoregressive chapter accepts what is right and names what is wrong."""

import pytest
import torch

from attnsteps.decoding.mask_predict import least_certain
from attnsteps.exercises.non_autoregressive import grade_hide


def hide(ids, log_probs, num_hidden, mask_id):
    hidden = ids.clone()
    hidden[log_probs.argsort()[:num_hidden]] = mask_id
    return hidden


def with_a_loop(ids, log_probs, num_hidden, mask_id):
    places = sorted(range(len(ids)), key=lambda t: log_probs[t])[:num_hidden]
    return torch.tensor([mask_id if t in places else ids[t] for t in range(len(ids))])


def by_rank(ids, log_probs, num_hidden, mask_id):
    return torch.where(log_probs.argsort().argsort() < num_hidden, mask_id, ids)


def by_the_package(ids, log_probs, num_hidden, mask_id):
    return ids.masked_fill(least_certain(log_probs[None], torch.tensor([num_hidden]))[0], mask_id)


def in_place(ids, log_probs, num_hidden, mask_id):
    ids[log_probs.argsort()[:num_hidden]] = mask_id
    return ids


WRONG = {
    "nothing": (lambda *_: None, "the tokens are None; does the function return its result?"),
    "a list": (lambda ids, *_: ids.tolist(), "the tokens should be a tensor and are a list"),
    "shape": (lambda ids, *_: ids[None], "the tokens have shape (1, 6), needed is (6,)"),
    "all kept": (lambda ids, *_: ids, "nothing is hidden"),
    "most certain": (lambda ids, lp, n, m: hide(ids, -lp, n, m), "this hides the most certain"),
    "the first": (
        lambda ids, lp, n, m: hide(ids, torch.arange(len(ids)), n, m),
        "this hides the first tokens",
    ),
    "kept": (lambda ids, lp, n, m: hide(ids, lp, len(ids) - n, m), "this keeps num_hidden tokens"),
    "from the end": (
        lambda ids, lp, n, m: ids.index_fill(0, lp.argsort(descending=True)[-n:], m),
        "all tokens are hidden; note",
    ),
    "sorted": (lambda ids, lp, n, m: hide(ids, lp, n, m)[lp.argsort()], "the tokens are sorted"),
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


@pytest.mark.parametrize("function", [hide, with_a_loop, by_rank, by_the_package])
def test_a_right_solution_passes(function):
    verdict = grade_hide(function)
    assert verdict, verdict


@pytest.mark.parametrize(("function", "message"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_one_is_told_what_is_wrong(function, message):
    verdict = grade_hide(function)
    assert not verdict
    assert verdict.message.startswith(message) or message in verdict.message
