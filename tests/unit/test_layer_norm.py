"""Layer normalisation: by hand, against nn.LayerNorm, and where other versions break."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from attnsteps.layers.layer_norm import LayerNorm

# Every size is another prime, so that swapped axes cannot pass.
B, T, D = 2, 5, 11

TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-5, torch.bfloat16: 4e-2, torch.float16: 5e-3}


def assert_all_close(got, expected, tolerance):
    torch.testing.assert_close(got, expected, rtol=tolerance, atol=tolerance)


def by_the_formula(x, weight, bias, eps=1e-5):
    """Compute the formula step by step, the mean first."""
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x - mean).square().mean(dim=-1, keepdim=True)
    return weight * (x - mean) / (variance + eps).sqrt() + bias


def with_random_parameters(dtype=torch.float64, eps=1e-5):
    norm = LayerNorm(D, eps=eps).to(dtype)
    nn.init.normal_(norm.weight)
    nn.init.normal_(norm.bias)
    return norm


def test_by_hand():
    # Mean 3, biased variance (4 + 1 + 0 + 1 + 4)/5 = 2.
    x = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0], dtype=torch.float64)
    norm = LayerNorm(5, eps=1e-12).double()
    expected = [value / math.sqrt(2) for value in (-2, -1, 0, 1, 2)]
    assert norm(x).tolist() == pytest.approx(expected, abs=1e-9)
    with torch.no_grad():
        norm.weight.fill_(math.sqrt(2))
        norm.bias.fill_(10)
    assert norm(x).tolist() == pytest.approx([8, 9, 10, 11, 12], abs=1e-9)


@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize("eps", [1e-5, 0.3])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
def test_values_and_gradients_equal_pytorchs(dtype, eps, training):
    ours = with_random_parameters(dtype, eps).train(training)
    theirs = nn.LayerNorm(D, eps=eps, dtype=dtype).train(training)
    theirs.load_state_dict(ours.state_dict())
    x = torch.randn(B, T, D, dtype=dtype, requires_grad=True)
    copy = x.detach().clone().requires_grad_()
    direction = torch.randn(B, T, D, dtype=dtype)
    output, expected = ours(x), theirs(copy)
    (output * direction).sum().backward()
    (expected * direction).sum().backward()
    tolerance = TOLERANCE[dtype]
    assert_all_close(output, expected, tolerance)
    assert_all_close(x.grad, copy.grad, tolerance)
    assert_all_close(ours.weight.grad, theirs.weight.grad, tolerance)
    assert_all_close(ours.bias.grad, theirs.bias.grad, tolerance)


def test_values_and_gradients_equal_the_formula():
    norm = with_random_parameters()
    x = torch.randn(B, T, D, dtype=torch.float64, requires_grad=True)
    inputs = (x, norm.weight, norm.bias)
    output, expected = norm(x), by_the_formula(*inputs)
    assert_all_close(output, expected, 1e-10)
    direction = torch.randn(B, T, D, dtype=torch.float64)
    assert_all_close(
        torch.autograd.grad(output, inputs, direction),
        torch.autograd.grad(expected, inputs, direction),
        1e-10,
    )


def test_gradcheck():
    norm = with_random_parameters()
    x = torch.randn(B, T, D, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(norm, (x,))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_half_precision_and_autocast(dtype):
    norm = with_random_parameters(torch.float32)
    x = torch.randn(B, T, D)
    expected = norm(x)
    with torch.autocast("cpu", dtype=dtype):
        cast = norm(x.to(dtype))
    half = norm.to(dtype)(x.to(dtype))
    assert half.dtype == dtype
    assert_all_close(cast.float(), expected, TOLERANCE[dtype])
    assert_all_close(half.float(), expected, TOLERANCE[dtype])


def test_parameters_start_as_one_and_zero():
    norm = LayerNorm(D)
    assert {name: tuple(p.shape) for name, p in norm.named_parameters()} == {
        "weight": (D,),
        "bias": (D,),
    }
    assert norm.weight.tolist() == [1.0] * D
    assert norm.bias.tolist() == [0.0] * D
    assert norm.eps == 1e-5


# The bug zoo --------------------------------------------------------------------------------


def test_bug_zoo_04_the_variance_is_biased():
    # Mean 1/4, variance 3/16: 3/4 ÷ √(3/16) = √3. With the unbiased deviation it would be 1.5.
    output = LayerNorm(4)(torch.tensor([1.0, 0.0, 0.0, 0.0]))
    assert output[0].item() == pytest.approx(math.sqrt(3), abs=1e-4)


def test_bug_zoo_04_epsilon_is_inside_the_root():
    # At a constant vector the derivative is (I − 1/D)/√ε: 316, not 1/ε = 100 000.
    x = torch.full((4,), 7.0, dtype=torch.float64, requires_grad=True)
    LayerNorm(4).double()(x)[0].backward()
    assert x.grad.tolist() == pytest.approx(
        [entry / math.sqrt(1e-5) for entry in (0.75, -0.25, -0.25, -0.25)], rel=1e-9
    )


def test_bug_zoo_05_a_large_mean_gives_no_nan_and_costs_no_accuracy():
    x = 1e4 + torch.tensor([[0.0, 0.5, 1.0, 1.5]])  # exact in float32
    output = LayerNorm(4)(x)
    expected = by_the_formula(x.double(), torch.ones(4).double(), torch.zeros(4).double())
    assert_all_close(output.double(), expected, 1e-5)
    assert LayerNorm(4)(torch.full((4,), 1e4)).isfinite().all()


# Properties ---------------------------------------------------------------------------------

numbers = st.floats(-100, 100)


@given(seed=st.integers(0, 2**32 - 1), d_model=st.integers(2, 9), shift=numbers)
def test_property_mean_zero_variance_one_and_blind_to_shift_and_scale(seed, d_model, shift):
    torch.manual_seed(seed)
    x = torch.randn(3, d_model, dtype=torch.float64)
    norm = LayerNorm(d_model, eps=1e-15).double()
    output = norm(x)
    assert_all_close(output.mean(-1), torch.zeros(3).double(), 1e-9)
    assert_all_close(output.square().mean(-1), torch.ones(3).double(), 1e-6)
    assert_all_close(norm(2.5 * x + shift), output, 1e-6)


@pytest.mark.parametrize("lead", [(), (0,), (7,), (2, 3, 5)], ids=str)
def test_each_vector_is_normalised_by_itself(lead):
    norm = with_random_parameters()
    x = torch.randn(*lead, D, dtype=torch.float64)
    output = norm(x)
    assert output.shape == x.shape
    for row, expected in zip(x.reshape(-1, D), output.reshape(-1, D), strict=True):
        assert_all_close(norm(row), expected, 1e-12)


# Bad input ----------------------------------------------------------------------------------

BAD = {
    "no width": (lambda: LayerNorm(0), "d_model must be a positive integer; got 0"),
    "a width in floats": (
        lambda: LayerNorm(4.0),
        "d_model must be a positive integer; got 4.0",
    ),
    "no epsilon": (lambda: LayerNorm(4, eps=0.0), "eps must be a number above 0; got 0.0"),
    "an infinite epsilon": (
        lambda: LayerNorm(4, eps=math.inf),
        "eps must be a number above 0; got inf",
    ),
    "an epsilon in words": (lambda: LayerNorm(4, eps="1"), "eps must be a number above 0; got '1'"),
    "another width": (
        lambda: LayerNorm(4)(torch.zeros(2, 5)),
        "x must have shape (..., D) with D = 4; got (2, 5)",
    ),
    "one number": (
        lambda: LayerNorm(1)(torch.tensor(1.0)),
        "x must have shape (..., D) with D = 1; got ()",
    ),
    "ids": (
        lambda: LayerNorm(4)(torch.zeros(2, 4, dtype=torch.int64)),
        "x must be a floating-point tensor; got torch.int64",
    ),
}


@pytest.mark.parametrize(("call", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_refused(refuses, call, message):
    refuses(call, message)
