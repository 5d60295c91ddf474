"""Root-mean-square normalisation: by hand, against nn.RMSNorm, and beside layer normalisation."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from attnsteps.layers.layer_norm import LayerNorm
from attnsteps.layers.rms_norm import RMSNorm

B, T, D = 2, 5, 11

TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-5, torch.bfloat16: 4e-2, torch.float16: 5e-3}


def assert_all_close(got, expected, tolerance):
    torch.testing.assert_close(got, expected, rtol=tolerance, atol=tolerance)


def test_by_hand():
    # The mean of the squares of 3, 4, 0, 0 is 25/4; its root is 2.5.
    norm = RMSNorm(4, eps=1e-12).double()
    x = torch.tensor([3.0, 4.0, 0.0, 0.0], dtype=torch.float64)
    assert norm(x).tolist() == pytest.approx([1.2, 1.6, 0, 0], abs=1e-9)
    with torch.no_grad():
        norm.weight.copy_(torch.tensor([5.0, 10.0, 1.0, 1.0]))
    assert norm(x).tolist() == pytest.approx([6, 16, 0, 0], abs=1e-9)


def test_epsilon_is_inside_the_root():
    x = torch.zeros(4, dtype=torch.float64, requires_grad=True)
    RMSNorm(4, eps=1e-4).double()(x)[0].backward()
    assert x.grad.tolist() == pytest.approx([100, 0, 0, 0])


@pytest.mark.parametrize("eps", [1e-5, 0.3])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
def test_values_and_gradients_equal_pytorchs(dtype, eps):
    ours = RMSNorm(D, eps=eps).to(dtype)
    nn.init.normal_(ours.weight)
    theirs = nn.RMSNorm(D, eps=eps, dtype=dtype)
    theirs.load_state_dict(ours.state_dict())
    x = torch.randn(B, T, D, dtype=dtype, requires_grad=True)
    copy = x.detach().clone().requires_grad_()
    direction = torch.randn(B, T, D, dtype=dtype)
    output, expected = ours(x), theirs(copy)
    (output * direction).sum().backward()
    (expected * direction).sum().backward()
    assert_all_close(output, expected, TOLERANCE[dtype])
    assert_all_close(x.grad, copy.grad, TOLERANCE[dtype])
    assert_all_close(ours.weight.grad, theirs.weight.grad, TOLERANCE[dtype])


def test_gradcheck():
    x = torch.randn(B, T, D, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(RMSNorm(D).double(), (x,))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_half_precision(dtype):
    x = torch.randn(B, T, D)
    half = RMSNorm(D).to(dtype)(x.to(dtype))
    assert half.dtype == dtype
    assert_all_close(half.float(), RMSNorm(D)(x), TOLERANCE[dtype])


@given(seed=st.integers(0, 2**32 - 1), d_model=st.integers(2, 9))
def test_property_it_is_layer_norm_where_the_mean_is_zero(seed, d_model):
    torch.manual_seed(seed)
    x = torch.randn(3, d_model, dtype=torch.float64)
    centred = x - x.mean(-1, keepdim=True)
    rms, layer = RMSNorm(d_model).double(), LayerNorm(d_model).double()
    assert_all_close(rms(centred), layer(x), 1e-10)


BAD = {
    "no width": (lambda: RMSNorm(0), "d_model must be a positive integer; got 0"),
    "no epsilon": (lambda: RMSNorm(4, eps=0), "eps must be a number above 0; got 0"),
    "another width": (
        lambda: RMSNorm(4)(torch.zeros(2, 5)),
        "x must have shape (..., D) with D = 4; got (2, 5)",
    ),
    "ids": (
        lambda: RMSNorm(4)(torch.zeros(2, 4, dtype=torch.int64)),
        "x must be a floating-point tensor; got torch.int64",
    ),
}


@pytest.mark.parametrize(("call", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_refused(refuses, call, message):
    refuses(call, message)
