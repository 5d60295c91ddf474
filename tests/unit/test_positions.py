"""Positions as modules: a table of sinusoids, and learned vectors, both from any offset on."""

import copy

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from attnsteps.layers.positional import (
    TABLE_LEN,
    LearnedPositions,
    SinusoidalPositions,
    sinusoidal_positions,
)

D = 10


@example(length=2, offset=TABLE_LEN - 1)
@example(length=2, offset=TABLE_LEN - 2)
@given(length=st.integers(1, 9), offset=st.integers(0, 2 * TABLE_LEN))
def test_property_sinusoids_from_any_offset_within_and_beyond_the_table(length, offset):
    expected = sinusoidal_positions(offset + length, D)[offset:]
    assert torch.equal(sinusoidal_positions(length, D, offset=offset), expected)
    assert torch.equal(SinusoidalPositions(D)(length, offset=offset), expected)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16], ids=str)
def test_sinusoids_are_rounded_once_however_the_module_moves(dtype):
    positions = SinusoidalPositions(D).to(torch.bfloat16).to(dtype)
    expected = sinusoidal_positions(TABLE_LEN + 4, D, dtype=dtype)
    assert torch.equal(positions(TABLE_LEN), expected[:TABLE_LEN])
    assert torch.equal(positions(4, offset=TABLE_LEN), expected[TABLE_LEN:])
    assert torch.equal(copy.deepcopy(positions)(5), expected[:5])


def test_sinusoids_are_no_parameters_and_in_no_state_dict():
    positions = SinusoidalPositions(D)
    assert not list(positions.parameters())
    assert not positions.state_dict()
    assert positions.table.shape == (1024, D)
    moved = positions.to("meta")
    assert moved.table.device.type == moved(3).device.type == "meta"
    assert torch.equal(
        moved.to_empty(device="cpu")(3), sinusoidal_positions(3, D)
    )  # not what happened to be in memory


def test_learned_positions_are_rows_of_their_weight():
    positions = LearnedPositions(7, D)
    assert torch.equal(positions(3, offset=2), positions.weight[2:5])
    assert torch.equal(positions(7), positions.weight)
    positions(3, offset=2).sum().backward()
    assert positions.weight.grad.sum(-1).tolist() == [0, 0, D, D, D, 0, 0]


def test_learned_positions_start_as_loud_as_sinusoids():
    torch.manual_seed(3)
    learned, sinusoids = LearnedPositions(1009, 64).weight, sinusoidal_positions(1009, 64)
    rms = [table.square().mean().sqrt().item() for table in (learned, sinusoids)]
    assert rms == pytest.approx([0.5**0.5] * 2, rel=0.02)
    assert learned.mean().item() == pytest.approx(0, abs=0.02)


BAD = {
    "no width": (lambda: SinusoidalPositions(0), "d_model must be a positive integer; got 0"),
    "no positions": (
        lambda: LearnedPositions(0, 4),
        "max_len must be a positive integer; got 0",
    ),
    "no learned width": (
        lambda: LearnedPositions(4, 0),
        "d_model must be a positive integer; got 0",
    ),
    "no length": (
        lambda: SinusoidalPositions(4)(0),
        "length must be a positive integer; got 0",
    ),
    "a negative offset": (
        lambda: SinusoidalPositions(4)(2, offset=-1),
        "offset must be an integer of at least 0; got -1",
    ),
    "an offset in floats": (
        lambda: LearnedPositions(7, 4)(2, offset=1.0),
        "offset must be an integer of at least 0; got 1.0",
    ),
    "a negative offset, learned": (
        lambda: LearnedPositions(7, 4)(2, offset=-2),
        "offset must be an integer of at least 0; got -2",
    ),
    "too long": (
        lambda: LearnedPositions(7, 4)(3, offset=5),
        "a sentence must have at most max_len = 7 tokens where positions are learned; got 8",
    ),
}


@pytest.mark.parametrize(("call", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_refused(refuses, call, message):
    refuses(call, message)
