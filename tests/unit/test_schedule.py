"""The learning rate: the paper's schedule and the book's."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnsteps.training.schedule import linear_decay, paper_schedule


def test_the_papers_schedule_by_hand():
    assert paper_schedule(1, d_model=512) == pytest.approx(512**-0.5 * 4000**-1.5)
    assert paper_schedule(4000, d_model=512) == pytest.approx(1 / math.sqrt(512 * 4000))
    assert paper_schedule(16_000, d_model=512) == pytest.approx(0.5 / math.sqrt(512 * 4000))
    assert paper_schedule(100, d_model=64, warmup=400) == pytest.approx(0.25 / 160)


@given(d_model=st.integers(1, 1024), warmup=st.integers(2, 5000))
def test_the_papers_schedule_rises_to_its_peak_and_falls(d_model, warmup):
    peak = paper_schedule(warmup, d_model=d_model, warmup=warmup)
    assert peak == pytest.approx((d_model * warmup) ** -0.5)
    assert 0 < paper_schedule(warmup - 1, d_model=d_model, warmup=warmup) < peak
    assert 0 < paper_schedule(warmup + 1, d_model=d_model, warmup=warmup) < peak


@given(total=st.integers(1, 500), data=st.data())
def test_the_books_schedule_rises_to_its_peak_and_falls(total, data):
    warmup = data.draw(st.integers(1, total))
    rates = [linear_decay(s, peak=0.5, warmup=warmup, total=total) for s in range(1, total + 1)]
    assert max(rates) == rates[warmup - 1] == 0.5
    assert min(rates) > 0
    up, down = rates[:warmup], rates[warmup - 1 :]
    for part in (up, down):
        steps = [b - a for a, b in itertools.pairwise(part)]
        assert steps == pytest.approx(steps[:1] * len(steps))  # a straight line
    assert up == sorted(up)
    assert down == sorted(down, reverse=True)


def test_steps_that_no_schedule_has_are_refused(refuses):
    refuses(lambda: paper_schedule(0, d_model=8), "step must be a positive integer; got 0")
    refuses(lambda: paper_schedule(1, d_model=0), "d_model must be a positive integer; got 0")
    refuses(
        lambda: paper_schedule(1, d_model=8, warmup=0),
        "warmup must be a positive integer; got 0",
    )

    def linear(step=1, **changes):
        linear_decay(step, **{"peak": 0.1, "warmup": 2, "total": 5, **changes})

    refuses(lambda: linear(6), "step must be an integer in [1, total = 5]; got 6")
    refuses(lambda: linear(0), "step must be an integer in [1, total = 5]; got 0")
    refuses(
        lambda: linear(warmup=6),
        "warmup must be an integer in [1, total = 5]; got 6",
    )
    refuses(lambda: linear(peak=0.0), "peak must be a number above 0; got 0.0")
