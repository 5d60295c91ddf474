"""Weights in 8 bits: close to what they were, row by row, and nothing else is read."""

from pathlib import Path

import pytest
import torch

from attnsteps.storage.eight_bits import quantised, restored

PATH = Path("w.safetensors")


def stored(**changes):
    """A matrix of two rows as a file holds it, with something changed."""
    weights = torch.tensor([[1.0, -2.0, 0.5], [0.01, 0.0, -0.02]])
    tensors = {**quantised("w", weights), **changes}
    return {name: tensor for name, tensor in tensors.items() if tensor is not None}


@pytest.mark.parametrize("seed", range(5))
def test_a_weight_comes_back_within_half_a_step_of_its_row(seed):
    size = torch.tensor([1e-6, 1e-3, 1.0, 1e4])[:, None]
    weights = torch.randn(4, 301, generator=torch.Generator().manual_seed(seed)) * size
    tensors = quantised("w", weights)
    assert tensors["w"].dtype == torch.int8
    assert tensors["w"].abs().amax(dim=1).tolist() == [127] * 4  # each row uses the whole range
    error = (restored(PATH, tensors)["w"] - weights).abs().amax(dim=1)
    step = weights.abs().amax(dim=1) / 127
    assert (error <= step * 0.5001).all()
    assert (error > step * 0.4).all()  # of 301 weights one is that far off


def test_a_half_is_rounded_to_the_even_number():
    weights = torch.tensor([[127.0, 0.5, 1.5, 2.5, -0.5, -1.5]])
    assert quantised("w", weights)["w"].tolist() == [[127, 0, 2, 2, 0, -2]]


def test_a_row_of_zeros_stays_one():
    assert restored(PATH, quantised("w", torch.zeros(2, 3)))["w"].tolist() == [[0.0] * 3] * 2


def test_a_vector_is_kept_in_float16():
    (only,) = quantised("b", torch.tensor([0.5, 3.0])).values()
    assert only.dtype == torch.float16
    assert restored(PATH, {"b": only})["b"] is only


def test_matrices_behind_a_vector_are_restored_as_well():
    vector = torch.tensor([0.5, 3.0]).half()
    found = restored(PATH, {"b": vector, **stored()})
    assert {name: tensor.dtype for name, tensor in found.items()} == {
        "b": torch.float16,
        "w": torch.float32,
    }


def test_what_is_not_finite_is_refused(refuses):
    for wrong in (float("nan"), float("inf")):
        refuses(
            lambda wrong=wrong: quantised("w", torch.tensor([[1.0, wrong]])),
            "w must hold finite numbers to be stored in 8 bits; got others",
        )


@pytest.mark.parametrize(
    ("changes", "needed"),
    [
        ({"w.scale": None}, "hold w.scale, (2,) in torch.float32; got none"),
        (
            {"w.scale": torch.ones(3)},
            "hold w.scale, (2,) in torch.float32; got (3,) in torch.float32",
        ),
        (
            {"w.scale": torch.ones(2).half()},
            "hold w.scale, (2,) in torch.float32; got (2,) in torch.float16",
        ),
        (
            {"w.scale": torch.tensor([1.0, float("inf")])},
            "hold finite scales, none below 0, in w.scale",
        ),
        ({"w.scale": torch.tensor([1.0, -1.0])}, "hold finite scales, none below 0, in w.scale"),
        (
            {"w": torch.zeros(2, dtype=torch.int8)},
            "hold only matrices in 8 bits; got w, (2,)",
        ),
    ],
)
def test_a_file_with_other_scales_is_refused(refuses, changes, needed):
    refuses(lambda: restored(PATH, stored(**changes)), f"{PATH} must {needed}")
