"""Softmax under a mask: by hand, the bug zoo, and its properties."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnsteps.layers.softmax import masked_softmax

sizes = st.integers(1, 7)
seeds = st.integers(0, 2**32 - 1)


def drawn(seed, *shapes):
    """Draw standard normal tensors from a seed."""
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes]


def assert_all_close(got, expected, tolerance):
    torch.testing.assert_close(got, expected, rtol=tolerance, atol=tolerance)


def test_one_query_by_hand():
    scores = torch.tensor([0.0, math.log(3), 50.0], dtype=torch.float64)
    weights = masked_softmax(scores, torch.tensor([True, True, False]))
    assert weights.tolist() == pytest.approx([0.25, 0.75, 0.0], abs=1e-12)


def test_each_row_of_a_batch_sums_to_one_without_a_mask():
    scores = torch.randn(2, 3, 5, dtype=torch.float64)
    assert_all_close(masked_softmax(scores).sum(dim=-1), torch.ones_like(scores[..., 0]), 1e-12)


def test_bug_zoo_06_a_masked_score_never_wins_however_low_the_others_are():
    scores = torch.tensor([[-2e9, -3e9, 5.0]])
    weights = masked_softmax(scores, torch.tensor([[True, True, False]]))
    assert weights.tolist() == [[1.0, 0.0, 0.0]]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32], ids=str)
def test_bug_zoo_06_a_masked_weight_is_exactly_zero_in_every_dtype(dtype):
    scores = torch.tensor([[-6e4, 6e4, -6e4]], dtype=dtype)
    weights = masked_softmax(scores, torch.tensor([[True, False, True]]))
    assert weights.tolist() == [[0.5, 0.0, 0.5]]


def test_bug_zoo_07_scores_that_overflowed_do_not_leak_out_of_an_empty_row():
    scores = torch.tensor([[math.inf, -math.inf, math.nan]], requires_grad=True)
    weights = masked_softmax(scores, torch.zeros(1, 3, dtype=torch.bool))
    weights.sum().backward()
    assert weights.tolist() == [[0.0, 0.0, 0.0]]
    assert scores.grad.tolist() == [[0.0, 0.0, 0.0]]


@given(seed=seeds, tq=sizes, tk=sizes, spread=st.sampled_from([0.01, 1.0, 100.0, 1e4]))
def test_property_a_row_sums_to_one_or_is_empty(seed, tq, tk, spread):
    scores, coin = drawn(seed, (tq, tk), (tq, tk))
    mask = coin > 0
    weights = masked_softmax(spread * scores, mask)
    assert (weights >= 0).all()
    assert not weights[~mask].any()
    assert_all_close(weights.sum(-1), mask.any(-1).double(), 1e-12)


@given(seed=seeds, tq=sizes, tk=sizes, shift=st.floats(-1e3, 1e3))
def test_property_adding_a_constant_to_a_row_of_scores_changes_nothing(seed, tq, tk, shift):
    scores, coin = drawn(seed, (tq, tk), (tq, tk))
    weights = masked_softmax(scores, coin > 0)
    assert_all_close(masked_softmax(scores + shift, coin > 0), weights, 1e-10)


def test_a_bad_mask_is_refused(refuses):
    refuses(
        lambda: masked_softmax(torch.zeros(5, 7), torch.ones(7, 5, dtype=torch.bool)),
        "mask must broadcast to (Tq, Tk) = (5, 7); got (7, 5)",
    )
