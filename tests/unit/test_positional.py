"""Sinusoidal positions: the formula, both layouts, odd widths, and steps as rotations."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnsteps.layers.positional import SinusoidalPositions, sinusoidal_positions

LENGTH, D = 13, 10


def by_the_formula(length, d_model):
    """Compute section 3.5 entry by entry, in plain Python."""
    table = []
    for pos in range(length):
        row = []
        for column in range(d_model):
            i = column // 2
            angle = pos / 10000 ** (2 * i / d_model)
            row.append(math.sin(angle) if column % 2 == 0 else math.cos(angle))
        table.append(row)
    return torch.tensor(table, dtype=torch.float64)


def assert_all_close(got, expected, tolerance=1e-12):
    torch.testing.assert_close(got, expected, rtol=0, atol=tolerance)


def test_by_hand():
    # d_model = 4: the angles are pos and pos/100.
    table = sinusoidal_positions(3, 4, dtype=torch.float64)
    sin, cos = math.sin, math.cos
    expected = [
        [0.0, 1.0, 0.0, 1.0],
        [sin(1), cos(1), sin(0.01), cos(0.01)],
        [sin(2), cos(2), sin(0.02), cos(0.02)],
    ]
    assert_all_close(table, torch.tensor(expected, dtype=torch.float64))


@given(length=st.integers(1, 30), d_model=st.integers(1, 30))
def test_property_every_entry_is_the_papers(length, d_model):
    table = sinusoidal_positions(length, d_model, dtype=torch.float64)
    assert_all_close(table, by_the_formula(length, d_model))


@pytest.mark.parametrize("d_model", [1, 3, 7, 11])
def test_bug_zoo_12_an_odd_width_ends_in_a_sine_without_its_cosine(d_model):
    expected = by_the_formula(LENGTH, d_model)
    interleaved = sinusoidal_positions(LENGTH, d_model, dtype=torch.float64)
    concatenated = sinusoidal_positions(LENGTH, d_model, layout="concatenated", dtype=torch.float64)
    assert_all_close(interleaved, expected)
    assert_all_close(concatenated, torch.cat([expected[:, 0::2], expected[:, 1::2]], dim=-1))


def test_bug_zoo_12_the_exponent_is_right():
    # The slowest of 512 columns: wavelength 2π·10000^(510/512), section 3.5.
    table = sinusoidal_positions(2, 512, dtype=torch.float64)
    assert table[1, 510].item() == pytest.approx(math.sin(10000 ** (-510 / 512)), rel=1e-12)
    assert table[1, 2].item() == pytest.approx(math.sin(10000 ** (-2 / 512)), rel=1e-12)


@given(length=st.integers(1, 20), d_model=st.integers(1, 20))
def test_property_the_layouts_differ_by_a_permutation_of_columns(length, d_model):
    interleaved = sinusoidal_positions(length, d_model)
    concatenated = sinusoidal_positions(length, d_model, layout="concatenated")
    columns = [*range(0, d_model, 2), *range(1, d_model, 2)]
    assert torch.equal(concatenated, interleaved[:, columns])


@given(step=st.integers(0, 50))
def test_property_a_step_is_the_same_rotation_everywhere(step):
    table = sinusoidal_positions(101, D, dtype=torch.float64)
    sin, cos = table[:, 0::2], table[:, 1::2]
    sin_step, cos_step = sin[step], cos[step]
    assert_all_close(sin[step:], (sin * cos_step + cos * sin_step)[: 101 - step])
    assert_all_close(cos[step:], (cos * cos_step - sin * sin_step)[: 101 - step])


def test_every_vector_has_the_same_length_and_no_two_are_equal():
    table = sinusoidal_positions(1000, 64, dtype=torch.float64)
    assert_all_close(table.square().mean(-1), torch.full((1000,), 0.5, dtype=torch.float64))
    distances = torch.cdist(table, table) + 10 * torch.eye(1000, dtype=torch.float64)
    assert distances.min().item() > 0.5


def test_far_positions_are_as_exact_as_the_dtype_allows():
    # Angles computed in float32 would be off by 1e-3 here.
    table = sinusoidal_positions(100_003, 3)
    assert table.dtype == torch.float32
    assert table[100_002, 0].item() == pytest.approx(math.sin(100_002), abs=1e-7)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_dtype_and_device(dtype):
    table = sinusoidal_positions(LENGTH, D, dtype=dtype)
    assert table.dtype == dtype
    assert_all_close(table.double(), by_the_formula(LENGTH, D), torch.finfo(dtype).eps)
    on_meta = sinusoidal_positions(LENGTH, D, dtype=dtype, device="meta")
    assert (on_meta.device.type, on_meta.dtype) == ("meta", dtype)


def test_the_default_dtype_is_pytorchs():
    torch.set_default_dtype(torch.float64)
    try:
        assert sinusoidal_positions(LENGTH, D).dtype == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


def test_no_gradient_and_a_fresh_table_each_time():
    first = sinusoidal_positions(LENGTH, D)
    assert not first.requires_grad
    first.zero_()
    assert sinusoidal_positions(LENGTH, D).any()


BAD = {
    "no positions": (
        lambda: sinusoidal_positions(0, 4),
        "length must be a positive integer; got 0",
    ),
    "no width": (
        lambda: sinusoidal_positions(4, 0),
        "d_model must be a positive integer; got 0",
    ),
    "a width in floats": (
        lambda: sinusoidal_positions(4, 4.0),
        "d_model must be a positive integer; got 4.0",
    ),
    "an unknown layout": (
        lambda: sinusoidal_positions(4, 4, layout="stacked"),
        "layout must be 'interleaved' or 'concatenated'; got 'stacked'",
    ),
}


@pytest.mark.parametrize(("call", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_refused(refuses, call, message):
    refuses(call, message)


def test_the_table_goes_where_new_tensors_go():
    with torch.device("meta"):
        assert sinusoidal_positions(2, 4).device.type == "meta"
        assert SinusoidalPositions(4)(2).device.type == "meta"
