"""Rotary positions: by hand, as complex numbers, and relative by construction."""

import cmath

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnsteps.layers.cache import KeyValueCache
from attnsteps.layers.masks import causal_mask
from attnsteps.layers.multi_head import MultiHeadAttention
from attnsteps.layers.positional import sinusoidal_positions
from attnsteps.layers.rotary import rotate

B, H, T, Dk = 2, 3, 7, 10


def table(length, d_k=Dk, start=0):
    return sinusoidal_positions(start + length, d_k, dtype=torch.float64)[start:]


def assert_all_close(got, expected, tolerance=1e-12):
    torch.testing.assert_close(got, expected, rtol=tolerance, atol=tolerance)


def test_by_hand_a_quarter_turn():
    quarter = torch.tensor([[1.0, 0.0]])  # sine 1, cosine 0
    assert rotate(torch.tensor([[3.0, 4.0]]), quarter).tolist() == [[-4, 3]]


def test_each_pair_is_a_complex_number_times_a_unit():
    x = torch.randn(T, Dk, dtype=torch.float64)
    turned = rotate(x, table(T))
    for position in range(T):
        for pair in range(Dk // 2):
            angle = position / 10000 ** (2 * pair / Dk)
            before = complex(*x[position, 2 * pair : 2 * pair + 2].tolist())
            after = complex(*turned[position, 2 * pair : 2 * pair + 2].tolist())
            assert after == pytest.approx(before * cmath.exp(1j * angle))


@given(seed=st.integers(0, 2**32 - 1), far=st.integers(0, 500), apart=st.integers(0, 50))
def test_property_a_score_depends_on_the_distance_only(seed, far, apart):
    torch.manual_seed(seed)
    q, k = torch.randn(2, 1, Dk, dtype=torch.float64)
    near = rotate(q, table(1, start=apart)) @ rotate(k, table(1)).T
    moved = rotate(q, table(1, start=apart + far)) @ rotate(k, table(1, start=far)).T
    assert_all_close(moved, near, 1e-9)


def test_added_sinusoids_do_depend_on_the_place():
    q, k = torch.randn(2, 1, Dk, dtype=torch.float64)
    near = (q + table(1, start=3)) @ (k + table(1)).T
    moved = (q + table(1, start=8)) @ (k + table(1, start=5)).T
    assert not torch.allclose(moved, near)


def test_lengths_stay_and_the_first_position_is_not_turned():
    x = torch.randn(B, H, T, Dk, dtype=torch.float64)
    turned = rotate(x, table(T))
    assert_all_close(turned.norm(dim=-1), x.norm(dim=-1))
    assert torch.equal(turned[:, :, 0], x[:, :, 0])


def test_gradcheck():
    x = torch.randn(2, T, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: rotate(x, table(T, 4)), (x,))


# In attention -------------------------------------------------------------------------------


def attention(**options):
    return MultiHeadAttention(12, 3, rotary=True, **options).double().eval()


def test_attention_without_a_mask_does_not_notice_where_a_sentence_begins():
    layer, x = attention(), torch.randn(B, T, 12, dtype=torch.float64)
    output, weights = layer(x, x, x, need_weights=True)
    cache = KeyValueCache()
    zeros = torch.zeros(B, 5, 12, dtype=torch.float64)
    layer(zeros, zeros, zeros, cache=cache)  # five positions before it, which are masked away
    mask = torch.arange(5 + T).expand(T, -1) >= 5
    later, later_weights = layer(x, x, x, mask, cache=cache, need_weights=True)
    assert_all_close(later, output)
    assert_all_close(later_weights[..., 5:], weights)


def test_it_knows_order_which_attention_alone_does_not():
    x = torch.randn(B, T, 12, dtype=torch.float64)
    swapped = x.flip(1)
    layer, alone = attention(), MultiHeadAttention(12, 3).double()
    assert_all_close(alone(swapped, swapped, swapped)[0].flip(1), alone(x, x, x)[0])
    assert not torch.allclose(layer(swapped, swapped, swapped)[0].flip(1), layer(x, x, x)[0])


@pytest.mark.parametrize("num_kv_heads", [1, 3])
def test_step_by_step_with_a_cache_equals_all_at_once(num_kv_heads):
    layer, x = attention(num_kv_heads=num_kv_heads), torch.randn(B, T, 12, dtype=torch.float64)
    expected, _ = layer(x, x, x, causal_mask(T))
    cache = KeyValueCache()
    with torch.no_grad():
        steps = [layer(x[:, t : t + 1], *[x[:, t : t + 1]] * 2, cache=cache)[0] for t in range(T)]
    assert_all_close(torch.cat(steps, dim=1), expected.detach())


def test_it_learns_nothing_and_follows_the_dtype():
    layer = MultiHeadAttention(12, 3, rotary=True)
    assert layer.state_dict().keys() == MultiHeadAttention(12, 3).state_dict().keys()
    x = torch.randn(B, T, 12, dtype=torch.float64)
    assert layer.double()(x, x, x)[0].dtype == torch.float64
    for dtype in (torch.float16, torch.bfloat16):
        assert layer.to(dtype)(*[x.to(dtype)] * 3)[0].dtype == dtype


BAD = {
    "an odd width": (
        lambda: rotate(torch.zeros(2, 3), torch.zeros(2, 3)),
        "Dk, the width of a head, must be even for rotary positions; got 3",
    ),
    "heads of an odd width": (
        lambda: MultiHeadAttention(9, 3, rotary=True),
        "Dk, the width of a head, must be even for rotary positions; got 3",
    ),
    "other positions": (
        lambda: rotate(torch.zeros(5, 4), torch.zeros(2, 4)),
        "positions must have shape (T, Dk) with T = 5, Dk = 4; got (2, 4)",
    ),
    "ids": (
        lambda: rotate(torch.zeros(2, 4, dtype=torch.int64), torch.zeros(2, 4)),
        "x must be a floating-point tensor; got torch.int64",
    ),
}


@pytest.mark.parametrize(("call", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_refused(refuses, call, message):
    refuses(call, message)
