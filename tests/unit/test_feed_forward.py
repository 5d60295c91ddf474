"""The feed-forward network: by hand, against nn.Linear, and the same at every position."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from attnsteps.layers.feed_forward import ACTIVATIONS, FeedForward, GatedFeedForward

# Every size is another prime, so that swapped axes cannot pass.
B, T, D, Dff = 2, 5, 11, 17

TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-5, torch.bfloat16: 6e-2, torch.float16: 1e-2}
activations = pytest.mark.parametrize("activation", [*ACTIVATIONS, "swiglu"])


def make(d_model, d_ff, *, activation, **options):
    """Make the network that has this name in a configuration."""
    if activation == "swiglu":
        return GatedFeedForward(d_model, d_ff, **options)
    return FeedForward(d_model, d_ff, activation=activation, **options)


def assert_all_close(got, expected, tolerance):
    torch.testing.assert_close(got, expected, rtol=tolerance, atol=tolerance)


def with_random_biases(activation="relu", dtype=torch.float64):
    network = make(D, Dff, activation=activation)
    for linear in network.children():
        nn.init.normal_(linear.bias)
    return network.to(dtype)


def test_by_hand():
    # Up: 3·2 + 1 = 7 and 3·(−2) + 1 = −5, bent to 7 and 0; down: 7·10 + 0·100 − 4 = 66.
    network = FeedForward(1, 2)
    with torch.no_grad():
        network.w_1.weight.copy_(torch.tensor([[2.0], [-2.0]]))
        network.w_1.bias.fill_(1)
        network.w_2.weight.copy_(torch.tensor([[10.0, 100.0]]))
        network.w_2.bias.fill_(-4)
    assert network(torch.tensor([3.0])).item() == 66


def test_by_hand_gated():
    # silu(2·3) = 6/(1 + e⁻⁶), times the gate 5·3 + 1 = 16.
    network = GatedFeedForward(1, 1).double()
    with torch.no_grad():
        for linear, weight in ((network.w_1, 2.0), (network.w_3, 5.0), (network.w_2, 1.0)):
            linear.weight.fill_(weight)
        network.w_3.bias.fill_(1)
    expected = 16 * 6 / (1 + math.exp(-6))
    assert network(torch.tensor([3.0], dtype=torch.float64)).item() == pytest.approx(expected)


def in_pytorch(network, x):
    """Compute the same with the modules of torch.nn."""
    if network.activation == "swiglu":
        return network.w_2(nn.SiLU()(network.w_1(x)) * network.w_3(x))
    bend = {"relu": nn.ReLU(), "gelu": nn.GELU()}[network.activation]
    return nn.Sequential(network.w_1, bend, network.w_2)(x)


@activations
@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
def test_values_and_gradients_equal_pytorchs(dtype, training, activation):
    network = with_random_biases(activation, dtype).train(training)
    x = torch.randn(B, T, D, dtype=dtype, requires_grad=True)
    direction = torch.randn(B, T, D, dtype=dtype)
    inputs = (x, *network.parameters())
    output, expected = network(x), in_pytorch(network, x)
    assert output.shape == (B, T, D)
    assert_all_close(output, expected, TOLERANCE[dtype])
    assert_all_close(
        torch.autograd.grad(output, inputs, direction),
        torch.autograd.grad(expected, inputs, direction),
        TOLERANCE[dtype],
    )


@activations
def test_gradcheck(activation):
    x = torch.randn(2, D, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(with_random_biases(activation), (x,))


@activations
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_half_precision_and_autocast(dtype, activation):
    network = with_random_biases(activation, torch.float32)
    x = torch.randn(B, T, D)
    expected = network(x)
    with torch.autocast("cpu", dtype=dtype):
        cast = network(x)
    half = network.to(dtype)(x.to(dtype))
    assert cast.dtype == half.dtype == dtype
    assert_all_close(cast.float(), expected, TOLERANCE[dtype])
    assert_all_close(half.float(), expected, TOLERANCE[dtype])


@given(seed=st.integers(0, 2**32 - 1), lead=st.lists(st.integers(0, 4), max_size=3))
def test_property_every_position_is_worked_on_alike_and_by_itself(seed, lead):
    torch.manual_seed(seed)
    network = with_random_biases()
    x = torch.randn(*lead, D, dtype=torch.float64)
    output = network(x)
    assert output.shape == x.shape
    for row, expected in zip(x.reshape(-1, D), output.reshape(-1, D), strict=True):
        assert_all_close(network(row), expected, 1e-12)


@activations
def test_parameters(activation):
    shapes = {"w_1.weight": (Dff, D), "w_1.bias": (Dff,), "w_2.weight": (D, Dff), "w_2.bias": (D,)}
    if activation == "swiglu":
        shapes |= {"w_3.weight": (Dff, D), "w_3.bias": (Dff,)}
    network = make(D, Dff, activation=activation)
    assert {name: tuple(p.shape) for name, p in network.named_parameters()} == shapes
    bare = make(D, Dff, activation=activation, bias=False)
    weights = {name: shape for name, shape in shapes.items() if name.endswith("weight")}
    assert {name: tuple(p.shape) for name, p in bare.named_parameters()} == weights


def test_initialisation_is_xavier_uniform_for_each_matrix_and_zero_for_each_bias():
    network = GatedFeedForward(128, 512)
    bound = math.sqrt(6 / (128 + 512))
    for linear in network.children():
        assert 0.99 * bound < linear.weight.abs().max().item() <= bound
        assert linear.weight.std().item() == pytest.approx(bound / math.sqrt(3), rel=0.02)
        assert not linear.bias.any()


BAD = {
    "no width": (lambda: FeedForward(0, 7), "d_model must be a positive integer; got 0"),
    "no hidden width": (lambda: FeedForward(7, 0), "d_ff must be a positive integer; got 0"),
    "an unknown activation": (
        lambda: FeedForward(3, 7, activation="tanh"),
        "activation must be 'relu' or 'gelu'; got 'tanh'",
    ),
    "a function": (
        lambda: FeedForward(3, 7, activation=None),
        "activation must be 'relu' or 'gelu'; got None",
    ),
    "no gated width": (
        lambda: GatedFeedForward(0, 7),
        "d_model must be a positive integer; got 0",
    ),
    "another gated width": (
        lambda: GatedFeedForward(3, 7)(torch.zeros(2, 5, 7)),
        "x must have shape (..., D) with D = 3; got (2, 5, 7)",
    ),
    "another width": (
        lambda: FeedForward(3, 7)(torch.zeros(2, 5, 7)),
        "x must have shape (..., D) with D = 3; got (2, 5, 7)",
    ),
    "ids": (
        lambda: FeedForward(3, 7)(torch.zeros(2, 3, dtype=torch.int64)),
        "x must be a floating-point tensor; got torch.int64",
    ),
}


@pytest.mark.parametrize(("call", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_refused(refuses, call, message):
    refuses(call, message)
