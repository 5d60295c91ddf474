"""Residual connection, dropout and norm: where each stands, and what happens in training."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from attnsteps.layers.sublayer import Sublayer

# Every size is another prime, so that swapped axes cannot pass.
B, T, D = 2, 5, 11

TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-5}
norms = pytest.mark.parametrize("norm", ["post", "pre"])


def assert_all_close(got, expected, tolerance):
    torch.testing.assert_close(got, expected, rtol=tolerance, atol=tolerance)


def with_random_norm(norm="post", dropout=0.0, dtype=torch.float64):
    sublayer = Sublayer(D, pre_norm=norm == "pre", dropout=dropout)
    nn.init.normal_(sublayer.norm.weight)
    nn.init.normal_(sublayer.norm.bias)
    return sublayer.to(dtype)


def test_by_hand_post():
    # 1, 5 + 2·(1, 5) = 3, 15: mean 9, deviation 6.
    output = Sublayer(2)(torch.tensor([[[1.0, 5.0]]]), lambda x: 2 * x)
    assert output.flatten().tolist() == pytest.approx([-1, 1], abs=1e-5)


def test_by_hand_pre():
    # 1, 5 normalises to −1, 1; doubled and added: −1, 7.
    output = Sublayer(2, pre_norm=True)(torch.tensor([[[1.0, 5.0]]]), lambda x: 2 * x)
    assert output.flatten().tolist() == pytest.approx([-1, 7], abs=1e-5)


@norms
@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
def test_values_and_gradients_equal_pytorchs(dtype, training, norm):
    sublayer = with_random_norm(norm, dtype=dtype).train(training)
    inner = nn.Linear(D, D, dtype=dtype)
    their_norm = nn.LayerNorm(D, dtype=dtype)
    their_norm.load_state_dict(sublayer.norm.state_dict())
    x = torch.randn(B, T, D, dtype=dtype, requires_grad=True)
    output = sublayer(x, inner)
    expected = their_norm(x + inner(x)) if norm == "post" else x + inner(their_norm(x))
    assert_all_close(output, expected, TOLERANCE[dtype])
    direction = torch.randn(B, T, D, dtype=dtype)
    assert_all_close(
        torch.autograd.grad(output, (x, *sublayer.parameters(), *inner.parameters()), direction),
        torch.autograd.grad(
            expected, (x, *their_norm.parameters(), *inner.parameters()), direction
        ),
        TOLERANCE[dtype],
    )


@norms
def test_gradcheck(norm):
    x = torch.randn(2, 3, D, dtype=torch.float64, requires_grad=True)
    sublayer = with_random_norm(norm)
    assert torch.autograd.gradcheck(lambda x: sublayer(x, torch.sin), (x,))


def test_the_default_is_the_papers_post_norm():
    x = torch.randn(B, T, D)
    post = Sublayer(D, pre_norm=False)
    assert torch.equal(Sublayer(D)(x, torch.sin), post(x, torch.sin))
    assert_all_close(post(x, torch.sin).mean(-1), torch.zeros(B, T), 1e-5)


def test_pre_norm_leaves_x_as_it_is_so_that_a_silent_function_changes_nothing():
    x = torch.randn(B, T, D)
    assert torch.equal(Sublayer(D, pre_norm=True)(x, torch.zeros_like), x)
    assert not torch.allclose(Sublayer(D)(x, torch.zeros_like), x)


def test_dropout_drops_the_functions_output_and_never_x():
    x = torch.randn(97, T, D, dtype=torch.float64)
    sublayer = Sublayer(D, pre_norm=True, dropout=0.25).double()
    added = sublayer(x, torch.ones_like) - x
    kept = added.abs() > 1e-9
    assert_all_close(added[kept], torch.full_like(added[kept], 1 / 0.75), 1e-10)
    assert kept.double().mean().item() == pytest.approx(0.75, abs=0.03)
    sublayer.eval()
    assert_all_close(sublayer(x, torch.ones_like), x + 1, 1e-12)


def test_dropout_comes_before_the_norm():
    output = Sublayer(D, dropout=0.5).double()(torch.randn(B, T, D).double(), torch.sin)
    assert_all_close(output.mean(-1), torch.zeros(B, T).double(), 1e-9)
    assert output.all()  # after the norm, dropout would leave zeros


@norms
def test_what_else_the_function_returns_is_passed_on(norm):
    x, weights = torch.randn(B, T, D), object()
    sublayer = Sublayer(D, pre_norm=norm == "pre")
    output, first, second = sublayer(x, lambda x: (torch.sin(x), weights, None))
    assert first is weights
    assert second is None
    assert torch.equal(output, sublayer(x, torch.sin))


@norms
@given(
    seed=st.integers(0, 2**32 - 1),
    b=st.integers(0, 3),
    t=st.integers(0, 4),
    d=st.integers(1, 7),
)
def test_property_any_shape_stays_and_positions_do_not_mix(norm, seed, b, t, d):
    torch.manual_seed(seed)
    x = torch.randn(b, t, d, dtype=torch.float64)
    sublayer = Sublayer(d, pre_norm=norm == "pre").double()
    output = sublayer(x, torch.sin)
    assert output.shape == x.shape
    for i in range(t):
        assert_all_close(sublayer(x[:, i : i + 1], torch.sin), output[:, i : i + 1], 1e-12)


BAD = {
    "no width": (lambda: Sublayer(0), "d_model must be a positive integer; got 0"),
    "everything dropped": (
        lambda: Sublayer(4, dropout=1.0),
        "dropout must be a number in [0, 1); got 1.0",
    ),
    "dropout in words": (
        lambda: Sublayer(4, dropout="0"),
        "dropout must be a number in [0, 1); got '0'",
    ),
    "an unknown place for the norm": (
        lambda: Sublayer(4, pre_norm="mid"),
        "pre_norm must be False or True; got 'mid'",
    ),
    "another width": (
        lambda: Sublayer(4)(torch.zeros(2, 5, 7), torch.sin),
        "x must have shape (..., D) with D = 4; got (2, 5, 7)",
    ),
    "another width, pre": (
        lambda: Sublayer(4, pre_norm=True)(torch.zeros(2, 5, 7), torch.sin),
        "x must have shape (..., D) with D = 4; got (2, 5, 7)",
    ),
    "an output that would be broadcast": (
        lambda: Sublayer(4)(torch.zeros(2, 5, 4), lambda x: x[:, :1]),
        "function(x) must have the shape of x, (2, 5, 4); got (2, 1, 4)",
    ),
}


@pytest.mark.parametrize(("call", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_refused(refuses, call, message):
    refuses(call, message)
