"""The encoder: against nn.TransformerEncoder, blind to padding, and a stack of separate layers."""

from functools import partial

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from attnsteps.layers.feed_forward import FeedForward
from attnsteps.layers.masks import padding_mask
from attnsteps.layers.multi_head import MultiHeadAttention
from attnsteps.layers.sublayer import Sublayer
from attnsteps.model.encoder import Encoder, EncoderLayer
from tests import stacks

# Every size is another prime (but D, which is H·Dk), so that swapped axes cannot pass.
B, H, S, Dk, Dff, N = 2, 3, 7, 5, 17, 2
D = H * Dk

TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-5}
norms = pytest.mark.parametrize("norm", ["post", "pre"])
PADDED = torch.tensor([[4, 4, 4, 4, 0, 0, 0], [4, 4, 4, 4, 4, 4, 4]])
MASKS = {"no mask": None, "padding": padding_mask(PADDED, 0)}


def assert_all_close(got, expected, tolerance=1e-10):
    torch.testing.assert_close(got, expected, rtol=tolerance, atol=tolerance)


def randomised(module):
    """Give every parameter that starts at one value another one."""
    for parameter in module.parameters():
        if parameter.ndim == 1:
            nn.init.normal_(parameter, mean=0.5, std=0.5)
    return module


def make_encoder(num_layers=N, dtype=torch.float64, **settings):
    return randomised(stacks.encoder(num_layers, D, H, Dff, **settings)).to(dtype)


def copied_into_pytorchs(ours, norm, activation):
    """Build nn.TransformerEncoder with the same weights."""
    dtype = ours.layers[0].feed_forward.w_1.weight.dtype
    layer = nn.TransformerEncoderLayer(
        D, H, Dff, 0.0, activation, batch_first=True, norm_first=norm == "pre", dtype=dtype
    )
    has_final_norm = len(list(ours.final_norm.parameters())) > 0
    theirs = nn.TransformerEncoder(
        layer,
        len(ours.layers),
        norm=nn.LayerNorm(D, dtype=dtype) if has_final_norm else None,
        enable_nested_tensor=False,
    )
    with torch.no_grad():
        for mine, other in zip(ours.layers, theirs.layers, strict=True):
            attention = mine.self_attention
            inward = (attention.w_q, attention.w_k, attention.w_v)
            other.self_attn.in_proj_weight.copy_(torch.cat([linear.weight for linear in inward]))
            other.self_attn.in_proj_bias.copy_(torch.cat([linear.bias for linear in inward]))
            other.self_attn.out_proj.load_state_dict(attention.w_o.state_dict())
            other.linear1.load_state_dict(mine.feed_forward.w_1.state_dict())
            other.linear2.load_state_dict(mine.feed_forward.w_2.state_dict())
            other.norm1.load_state_dict(mine.self_attention_sublayer.norm.state_dict())
            other.norm2.load_state_dict(mine.feed_forward_sublayer.norm.state_dict())
        if has_final_norm:
            theirs.norm.load_state_dict(ours.final_norm.state_dict())
    return theirs


@norms
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS.keys())
def test_values_and_gradients_equal_pytorchs(mask, dtype, training, activation, norm):
    ours = make_encoder(norm=norm, activation=activation, dtype=dtype).train(training)
    theirs = copied_into_pytorchs(ours, norm, activation).train(training)
    x = torch.randn(B, S, D, dtype=dtype, requires_grad=True)
    copy = x.detach().clone().requires_grad_()
    direction = torch.randn(B, S, D, dtype=dtype)
    memory, weights = ours(x, mask)
    hide = None if mask is None else ~mask[:, 0, 0]
    expected = theirs(copy, src_key_padding_mask=hide)
    assert_all_close(memory, expected, TOLERANCE[dtype])
    assert weights == (None,) * N
    (memory * direction).sum().backward()
    (expected * direction).sum().backward()
    assert_all_close(x.grad, copy.grad, 10 * TOLERANCE[dtype])
    first = ours.layers[0]
    assert_all_close(
        torch.cat([first.self_attention.w_q.weight.grad, first.self_attention.w_k.weight.grad]),
        theirs.layers[0].self_attn.in_proj_weight.grad[: 2 * D],
        10 * TOLERANCE[dtype],
    )
    assert_all_close(
        first.feed_forward.w_1.weight.grad,
        theirs.layers[0].linear1.weight.grad,
        10 * TOLERANCE[dtype],
    )


@norms
def test_weights_are_those_of_every_layer_and_head_and_change_nothing(norm):
    encoder = make_encoder(norm=norm)
    x = torch.randn(B, S, D, dtype=torch.float64)
    memory, weights = encoder(x, MASKS["padding"], need_weights=True)
    assert_all_close(memory, encoder(x, MASKS["padding"])[0])
    assert [tuple(w.shape) for w in weights] == [(B, H, S, S)] * N
    for layer_weights in weights:
        assert_all_close(layer_weights.sum(-1), torch.ones(B, H, S).double())
        assert not layer_weights[0, ..., 4:].any()
    normed = encoder.layers[0].self_attention_sublayer.norm(x) if norm == "pre" else x
    first = encoder.layers[0].self_attention
    expected = first(normed, normed, normed, MASKS["padding"], need_weights=True)[1]
    assert_all_close(weights[0], expected)


@norms
def test_a_stack_applies_its_layers_in_order_and_shares_nothing(norm):
    encoder = make_encoder(3, norm=norm)
    x = torch.randn(B, S, D, dtype=torch.float64)
    expected = x
    for layer in encoder.layers:
        expected, weights = layer(expected)
        assert weights is None  # nobody asked for them
    assert_all_close(encoder(x)[0], encoder.final_norm(expected))
    one = sum(p.numel() for p in encoder.layers[0].parameters())
    final = 2 * D if norm == "pre" else 0
    assert sum(p.numel() for p in encoder.parameters()) == 3 * one + final


def test_a_layer_is_its_parts_in_the_papers_order():
    attention, network = MultiHeadAttention(D, H), FeedForward(D, Dff)
    layer, x = EncoderLayer(attention, network, partial(Sublayer, D)), torch.randn(B, S, D)
    first, second = layer.self_attention_sublayer, layer.feed_forward_sublayer
    assert first is not second
    attended = first.norm(x + attention(x, x, x, MASKS["padding"])[0])
    assert_all_close(layer(x, MASKS["padding"])[0], second.norm(attended + network(attended)), 1e-6)


def test_bug_zoo_14_only_a_pre_norm_stack_ends_with_a_norm_and_it_needs_it():
    x = torch.randn(B, S, D)
    zeros = torch.zeros(B, S)
    for encoder in (
        stacks.encoder(N, D, H, Dff),
        stacks.encoder(N, D, H, Dff, norm="pre"),
        stacks.encoder(N, D, H, Dff, final_norm=True),
    ):
        memory, _ = encoder(x)
        assert_all_close(memory.mean(-1), zeros, 1e-5)
        assert_all_close(memory.var(-1, unbiased=False), zeros + 1, 1e-3)
    names = [name for name, _ in stacks.encoder(N, D, H, Dff).named_parameters()]
    assert not any("final_norm" in name for name in names)
    for options in ({"norm": "pre"}, {"final_norm": True}):
        stack = stacks.encoder(N, D, H, Dff, **options)
        names = [name for name, _ in stack.named_parameters()]
        assert names[-2:] == ["final_norm.weight", "final_norm.bias"]


def test_bug_zoo_14_pre_norm_is_not_post_norm():
    post, pre = make_encoder(norm="post", final_norm=True), make_encoder(norm="pre")
    pre.load_state_dict(post.state_dict())
    x = torch.randn(B, S, D, dtype=torch.float64)
    assert not torch.allclose(post(x)[0], pre(x)[0])


def test_bug_zoo_13_sentences_do_not_mix_and_positions_do():
    encoder = make_encoder()
    x = torch.randn(B, S, D, dtype=torch.float64)
    memory, _ = encoder(x)
    changed = x.clone()
    changed[1, 3] += 1
    again, _ = encoder(changed)
    assert torch.equal(again[0], memory[0])
    assert (again[1] != memory[1]).any(dim=-1).all()


@norms
@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
def test_padding_moves_nothing(training, norm):
    encoder = make_encoder(norm=norm).train(training)
    x = torch.randn(B, S, D, dtype=torch.float64)
    memory, _ = encoder(x, MASKS["padding"])
    changed = x.clone()
    changed[0, 4:] += 100 * torch.randn(3, D).double()
    again, _ = encoder(changed, MASKS["padding"])
    assert torch.equal(again[0, :4], memory[0, :4])
    assert torch.equal(again[1], memory[1])
    shorter, _ = encoder(x[:1, :4])
    assert_all_close(shorter[0], memory[0, :4])


@given(seed=st.integers(0, 2**32 - 1), length=st.integers(1, 6), heads=st.integers(1, 3))
def test_property_without_positions_order_is_invisible(seed, length, heads):
    torch.manual_seed(seed)
    encoder = stacks.encoder(2, 4 * heads, heads, 5).double()
    x = torch.randn(2, length, 4 * heads, dtype=torch.float64)
    order = torch.randperm(length)
    assert_all_close(encoder(x[:, order])[0], encoder(x)[0][:, order])


def test_dropout_acts_on_both_sublayers_in_training_only():
    x = torch.randn(B, S, D)
    layer = stacks.encoder(1, D, H, Dff, dropout=0.5).layers[0]
    assert layer.self_attention_sublayer.dropout == layer.feed_forward_sublayer.dropout == 0.5
    assert layer.self_attention.dropout == 0.0
    assert not torch.equal(layer(x)[0], layer(x)[0])
    layer.eval()
    assert torch.equal(layer(x)[0], layer(x)[0])


BAD = {
    "no layers": (
        lambda: Encoder(0, torch.nn.Identity),
        "num_layers must be a positive integer; got 0",
    ),
    "parts of two widths": (
        lambda: EncoderLayer(MultiHeadAttention(6, 2), FeedForward(4, 5), partial(Sublayer, 6))(
            torch.zeros(2, 7, 6)
        ),
        "x must have shape (..., D) with D = 4; got (2, 7, 6)",
    ),
    "another width": (
        lambda: stacks.encoder(1, 6, 2, 5)(torch.zeros(2, 7, 5)),
        "query must have shape (B, Tq, D) with D = 6; got (2, 7, 5)",
    ),
    "no batch": (
        lambda: stacks.encoder(1, 6, 2, 5)(torch.zeros(7, 6)),
        "query must have shape (B, Tq, D) with D = 6; got (7, 6)",
    ),
    "a mask of another length": (
        lambda: stacks.encoder(1, 6, 2, 5)(
            torch.zeros(2, 7, 6), torch.ones(2, 1, 1, 5, dtype=torch.bool)
        ),
        "mask must broadcast to (B, H, Tq, Tk) = (2, 2, 7, 7); got (2, 1, 1, 5)",
    ),
}


@pytest.mark.parametrize(("call", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_refused(refuses, call, message):
    refuses(call, message)
