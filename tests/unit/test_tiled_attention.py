"""Attention in tiles equals attention in one piece, whatever the tiles, and holds one tile only."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.overrides import TorchFunctionMode

from attnsteps.layers.attention import scaled_dot_product_attention
from attnsteps.layers.masks import causal_mask
from attnsteps.layers.tiled_attention import tiled_attention

B, H, Tq, Tk, Dk, Dv = 2, 3, 5, 7, 11, 13


def inputs(dtype=torch.float64):
    return (
        torch.randn(B, H, length, width, dtype=dtype, requires_grad=True)
        for length, width in ((Tq, Dk), (Tk, Dk), (Tk, Dv))
    )


def assert_all_close(got, expected, tolerance=1e-10):
    torch.testing.assert_close(got, expected, rtol=tolerance, atol=tolerance)


MASKS = {
    "no mask": None,
    "causal": causal_mask(Tk)[:Tq],
    "an empty row": torch.arange(Tq)[:, None].expand(Tq, Tk) != 2,
    "(B, 1, 1, Tk)": torch.arange(B * Tk).view(B, 1, 1, Tk) % 7 < 3,
    "(B, H, Tq, Tk)": torch.arange(B * H * Tq * Tk).view(B, H, Tq, Tk) % 5 != 1,
}


def test_by_hand_a_larger_score_arrives_late():
    # Scores 0, ln 3 in two tiles: after the first, total 1 and mixed 4; the second shrinks both to
    # a third and adds 1 and 8, so (4/3 + 8) / (1/3 + 1) = 7.
    q, k = torch.ones(1, 1), torch.tensor([[0.0], [math.log(3)]])
    assert tiled_attention(q, k, torch.tensor([[4.0], [8.0]]), tile=1).item() == pytest.approx(7)


@pytest.mark.parametrize("tile", [1, 2, 3, 64])
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS.keys())
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-10), (torch.float32, 1e-5)])
def test_values_and_gradients_equal_the_full_attention(mask, tile, dtype, tolerance):
    q, k, v = inputs(dtype)
    direction = torch.randn(B, H, Tq, Dv, dtype=dtype)
    got = tiled_attention(q, k, v, mask, tile=tile)
    expected, _ = scaled_dot_product_attention(q, k, v, mask)
    assert_all_close(got, expected, tolerance)
    assert_all_close(
        torch.autograd.grad(got, (q, k, v), direction),
        torch.autograd.grad(expected, (q, k, v), direction),
        tolerance,
    )


@given(
    seed=st.integers(0, 2**32 - 1),
    sizes=st.tuples(*[st.integers(1, 6)] * 3),
    tile=st.integers(1, 7),
    scale=st.sampled_from([1.0, 1e3]),
)
def test_property_equal_to_the_full_one(seed, sizes, tile, scale):
    torch.manual_seed(seed)
    tq, tk, d = sizes
    q, k, v = (torch.randn(n, d, dtype=torch.float64) for n in (tq, tk, tk))
    expected, _ = scaled_dot_product_attention(scale * q, k, v)
    assert_all_close(tiled_attention(scale * q, k, v, tile=tile), expected)


def test_no_query_gets_no_row():
    q, k, v = inputs()
    assert tiled_attention(q[:, :, :0], k, v).shape == (B, H, 0, Dv)


def test_large_scores_do_not_overflow():
    q, k, v = (1e4 * torch.randn(9, 4) for _ in range(3))
    assert tiled_attention(q, k, v, tile=2).isfinite().all()


class Largest(TorchFunctionMode):
    """Notes how many numbers the largest tensor holds that a function returns in new memory."""

    numbers = 0

    def __torch_function__(self, func, types, args=(), kwargs=None):
        returned = func(*args, **(kwargs or {}))
        if isinstance(returned, torch.Tensor):
            self.numbers = max(self.numbers, returned.untyped_storage().nbytes() // 4)
        return returned


def test_no_tensor_is_larger_than_the_input_and_a_tile():
    length, width, tile = 128, 4, 16
    q, k, v = torch.randn(3, length, width)
    with Largest() as tiled:
        tiled_attention(q, k, v, tile=tile)
    with Largest() as full:
        scaled_dot_product_attention(q, k, v)
    assert full.numbers == length**2
    assert tiled.numbers <= 3 * length * width  # q, k and v, which lie in one piece of memory


BAD = {
    "no tile": (
        lambda: tiled_attention(*torch.zeros(3, 2, 4), tile=0),
        "tile must be a positive integer; got 0",
    ),
    "another width": (
        lambda: tiled_attention(torch.zeros(2, 3), torch.zeros(2, 4), torch.zeros(2, 4)),
        "k must have shape (..., Tk, Dk) with Dk = 3; got (2, 4)",
    ),
    "a mask that does not fit": (
        lambda: tiled_attention(*torch.zeros(3, 2, 4), torch.ones(3, 2, dtype=torch.bool)),
        "mask must broadcast to (Tq, Tk) = (2, 2); got (3, 2)",
    ),
}


@pytest.mark.parametrize(("call", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_refused(refuses, call, message):
    refuses(call, message)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_very_many_keys_do_not_overflow_in_half_precision(dtype):
    q, k, v = (torch.ones(n, 4, dtype=dtype) for n in (1, 70_000, 70_000))
    got = tiled_attention(q, k, v, tile=4096)
    assert got.dtype == dtype
    assert got.tolist() == [[1.0] * 4]
