"""The grader of chapter 23 accepts what is right and names what is wrong."""

import pytest
import torch

from attnsteps.exercises.your_own_sentence import grade_quantise
from attnsteps.storage.eight_bits import quantised


def right(weights, bits):
    largest = 2 ** (bits - 1) - 1
    scales = weights.abs().amax(dim=1, keepdim=True) / largest
    return (weights / scales.clamp(min=1e-12)).round(), scales


def package(weights, bits):
    if bits != 8:
        return right(weights, bits)
    stored = quantised("w", weights)
    return stored["w"], stored["w.scale"].double()[:, None]


def scaled(largest_of):
    def wrong(weights, bits):
        scales = largest_of(weights) / (2 ** (bits - 1) - 1)
        return (weights / scales.clamp(min=1e-12)).round(), scales

    return wrong


@pytest.mark.parametrize("function", [right, package])
def test_what_is_right_is_accepted(function):
    assert grade_quantise(function)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda weights, bits: None, "should return two tensors"),
        (lambda weights, bits: 1 / 0, "raised ZeroDivisionError"),
        (lambda weights, bits: (weights, weights), "whole ones"),
        (scaled(lambda w: w.abs().max()), "one scale serves the whole matrix"),
        (scaled(lambda w: w.abs().amax(0, keepdim=True)), "every column has a scale"),
        (lambda weights, bits: right(weights, 8), "the bits are always 8"),
        (lambda weights, bits: (right(weights, bits)[0], weights), "scales should have shape"),
        (
            lambda weights, bits: (torch.full_like(weights, torch.nan), weights),
            "a row of zeros becomes NaN",
        ),
        (lambda weights, bits: (0 * weights, weights), "numbers[0, "),
    ],
)
def test_what_is_wrong_is_named(function, said):
    verdict = grade_quantise(function)
    assert not verdict
    assert said in verdict.message


def test_the_largest_number_isnt_the_largest_size():
    def signed(weights, bits):
        scales = weights.amax(1, keepdim=True) / (2 ** (bits - 1) - 1)
        return (weights / torch.where(scales.abs() > 0, scales, 1.0)).round(), scales

    assert not grade_quantise(signed)
