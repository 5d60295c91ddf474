"""The grader of chapter 23 accepts what is right and names what is wrong."""

import pytest
import torch

from attnsteps.exercises.your_own_sentence import grade_calibration


def right(p, hit, bins):
    rows = []
    for k in range(bins):
        low, high = k / bins, (k + 1) / bins
        inside = (p >= low) & ((p < high) | (k == bins - 1))
        n = int(inside.sum())
        rows.append((p[inside].sum() / max(n, 1), hit[inside].sum() / max(n, 1), n))
    return tuple(torch.tensor(column, dtype=torch.float64) for column in zip(*rows, strict=True))


def counted(which_of):
    def wrong(p, hit, bins):
        which = which_of(p * bins)
        counts = torch.bincount(which, minlength=bins)
        sums = (torch.bincount(which, one.double(), minlength=bins) for one in (p, hit))
        return *(one / counts.clamp(min=1) for one in sums), counts

    return wrong


def sums(p, hit, bins):
    sure, share, counts = right(p, hit, bins)
    return sure * counts, share * counts, counts


def empty(p, hit, bins):
    sure, share, counts = right(p, hit, bins)
    return sure, share / (counts > 0), counts


def test_what_is_right_is_accepted():
    assert grade_calibration(right)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda p, hit, bins: None, "should return three tensors"),
        (lambda p, hit, bins: (0.5, None, 3), "should return three tensors"),
        (lambda p, hit, bins: 3 * (p.sum(),), "counts should have shape"),
        (lambda p, hit, bins: 1 / 0, "raised ZeroDivisionError"),
        (empty, "an empty part becomes NaN"),
        (counted(lambda scaled: scaled.long()), "exactly 1 belongs in the last part"),
        (
            lambda p, hit, bins: counted(lambda s: s.round().long().clamp(max=bins - 1))(
                p, hit, bins
            ),
            "nearest edge",
        ),
        (
            counted(lambda s: (s.ceil().long() - 1).clamp(min=0)),
            "on an edge",
        ),
        (sums, "sure holds sums"),
        (
            lambda p, hit, bins: (right(p, hit, bins)[0], *2 * (right(p, hit, bins)[2],)),
            "right[",
        ),
        (lambda p, hit, bins: right(p, hit, 10), "counts should have shape"),
    ],
)
def test_what_is_wrong_is_named(function, said):
    verdict = grade_calibration(function)
    assert not verdict
    assert said in verdict.message
