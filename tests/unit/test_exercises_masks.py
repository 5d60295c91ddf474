"""The grader of chapter "masks" accepts right solutions and names what is wrong."""

import pytest
import torch

from attnsteps.exercises.masks import grade_window_mask
from attnsteps.layers.masks import causal_mask, combine, padding_mask


def window(length, width):
    place = torch.arange(length)
    back = place[:, None] - place
    return (back >= 0) & (back < width)


def solution(ids, pad_id, width):
    return combine(window(ids.shape[1], width), padding_mask(ids, pad_id))


def with_triu(ids, pad_id, width):
    ones = torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool)
    return (ones.tril() & ones.triu(1 - width)) & (ids != pad_id)[:, None, None, :]


def loops(ids, pad_id, width):
    (batch_size, length), wanted = ids.shape, []
    for b in range(batch_size):
        for i in range(length):
            wanted += [i - width < j <= i and ids[b, j] != pad_id for j in range(length)]
    return torch.tensor(wanted).view(batch_size, 1, length, length)


@pytest.mark.parametrize("function", [solution, with_triu, loops])
def test_right_solutions_pass(function):
    verdict = grade_window_mask(function)
    assert verdict, verdict
    assert repr(verdict).startswith("✓ Right: ")


WRONG = {
    "a stub": (lambda ids, pad_id, width: None, "the mask should be a tensor and is a NoneType"),
    "it raises": (
        lambda ids, pad_id, width: ids.undefined,
        "your function raised AttributeError: 'Tensor' object has no attribute 'undefined'",
    ),
    "floats": (
        lambda ids, pad_id, width: solution(ids, pad_id, width).float(),
        "the mask should be bool, so that nobody adds it to the scores; it is torch.float32",
    ),
    "no axis for the heads": (
        lambda ids, pad_id, width: solution(ids, pad_id, width)[:, 0],
        "for ids of shape (2, 7) the mask should have shape (2, 1, 7, 7), one for each sentence, "
        "the same for all heads; it has (2, 7, 7)",
    ),
    "polarity": (
        lambda ids, pad_id, width: ~solution(ids, pad_id, width),
        "the mask is the other way round: True means may attend",
    ),
    "query axis": (
        lambda ids, pad_id, width: window(7, width) & padding_mask(ids, pad_id).mT,
        "padding is hidden on the axis of the queries, and words still look at it; hide it on the "
        "last axis, the keys",
    ),
    "both axes": (
        lambda ids, pad_id, width: solution(ids, pad_id, width) & padding_mask(ids, pad_id).mT,
        "padding is hidden as a query too; that is not asked for, and leaves rows that may look "
        "at nothing",
    ),
    "padding seen": (
        lambda ids, pad_id, width: window(7, width).expand(2, 1, 7, 7),
        "padding is not hidden",
    ),
    "another padding": (
        lambda ids, pad_id, width: solution(ids, 0, width),
        "for width 3, in sentence 0 position 6 may look at position 6",
    ),
    "or": (
        lambda ids, pad_id, width: window(7, width) | padding_mask(ids, pad_id),
        "the two conditions are joined by “or”; a cell needs both",
    ),
    "one too far": (
        lambda ids, pad_id, width: solution(ids, pad_id, width + 1),
        "for width 3 a position reaches 3 places back; its own place counts as one of them",
    ),
    "without itself": (
        lambda ids, pad_id, width: solution(ids, pad_id, width + 1) & ~torch.eye(7).bool(),
        "a position may not look at itself",
    ),
    "only causal": (
        lambda ids, pad_id, width: combine(causal_mask(7), padding_mask(ids, pad_id)),
        "the window is not limited: only the causal mask is there",
    ),
    "both sides": (
        lambda ids, pad_id, width: combine(
            window(7, width) | window(7, width).T, padding_mask(ids, pad_id)
        ),
        "position 0 may look at position 1, which comes after it",
    ),
    "a width of its own": (
        lambda ids, pad_id, width: solution(ids, pad_id, 3),
        "for width 1, in sentence 0 position 1 may not look at position 0",
    ),
}


@pytest.mark.parametrize(("function", "message"), WRONG.values(), ids=WRONG.keys())
def test_wrong_solutions_get_their_own_sentence(function, message):
    verdict = grade_window_mask(function)
    assert not verdict
    assert verdict.message == message


def test_the_grader_hands_out_its_own_ids():
    def vandal(ids, pad_id, width):
        mask = solution(ids, pad_id, width)
        ids.zero_()
        return mask

    assert grade_window_mask(vandal)
    assert grade_window_mask(solution)
