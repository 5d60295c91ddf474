"""The decoder: against nn.TransformerDecoder, blind to the future and to padding."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from attnsteps.layers.masks import causal_mask, combine, padding_mask
from attnsteps.model.decoder import Decoder
from tests import stacks

# Every size is another prime (but D, which is H·Dk), so that swapped axes cannot pass.
B, H, S, T, Dk, Dff, N = 2, 3, 7, 5, 5, 17, 2
D = H * Dk

TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-5}
norms = pytest.mark.parametrize("norm", ["post", "pre"])
CAUSAL = combine(causal_mask(T), padding_mask(torch.tensor([[1, 4, 4, 0, 0], [1, 4, 4, 4, 4]]), 0))
SOURCE = padding_mask(torch.tensor([[4, 4, 4, 4, 4, 0, 0], [4, 4, 4, 4, 4, 4, 4]]), 0)
MASKS = {"no masks": (None, None), "causal and padding": (CAUSAL, SOURCE)}


def assert_all_close(got, expected, tolerance=1e-10):
    torch.testing.assert_close(got, expected, rtol=tolerance, atol=tolerance)


def make_decoder(num_layers=N, dtype=torch.float64, **settings):
    decoder = stacks.decoder(num_layers, D, H, Dff, **settings)
    for parameter in decoder.parameters():
        if parameter.ndim == 1:
            nn.init.normal_(parameter, mean=0.5, std=0.5)
    return decoder.to(dtype)


def inputs(dtype=torch.float64):
    """Draw an embedded target and a memory that ask for gradients."""
    return [torch.randn(B, length, D, dtype=dtype, requires_grad=True) for length in (T, S)]


def copied_into_pytorchs(ours, norm, activation):
    """Build nn.TransformerDecoder with the same weights."""
    dtype = ours.layers[0].feed_forward.w_1.weight.dtype
    layer = nn.TransformerDecoderLayer(
        D, H, Dff, 0.0, activation, batch_first=True, norm_first=norm == "pre", dtype=dtype
    )
    final_norm = nn.LayerNorm(D, dtype=dtype) if norm == "pre" else None
    theirs = nn.TransformerDecoder(layer, len(ours.layers), norm=final_norm)
    with torch.no_grad():
        for mine, other in zip(ours.layers, theirs.layers, strict=True):
            for attention, counterpart in (
                (mine.self_attention, other.self_attn),
                (mine.cross_attention, other.multihead_attn),
            ):
                inward = (attention.w_q, attention.w_k, attention.w_v)
                counterpart.in_proj_weight.copy_(torch.cat([linear.weight for linear in inward]))
                counterpart.in_proj_bias.copy_(torch.cat([linear.bias for linear in inward]))
                counterpart.out_proj.load_state_dict(attention.w_o.state_dict())
            other.linear1.load_state_dict(mine.feed_forward.w_1.state_dict())
            other.linear2.load_state_dict(mine.feed_forward.w_2.state_dict())
            other.norm1.load_state_dict(mine.self_attention_sublayer.norm.state_dict())
            other.norm2.load_state_dict(mine.cross_attention_sublayer.norm.state_dict())
            other.norm3.load_state_dict(mine.feed_forward_sublayer.norm.state_dict())
        if final_norm is not None:
            final_norm.load_state_dict(ours.final_norm.state_dict())
    return theirs


@norms
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
@pytest.mark.parametrize("masks", MASKS.values(), ids=MASKS.keys())
def test_values_and_gradients_equal_pytorchs(masks, dtype, training, activation, norm):
    ours = make_decoder(norm=norm, activation=activation, dtype=dtype).train(training)
    theirs = copied_into_pytorchs(ours, norm, activation).train(training)
    tensors = inputs(dtype)
    copies = [tensor.detach().clone().requires_grad_() for tensor in tensors]
    direction = torch.randn(B, T, D, dtype=dtype)
    tgt_mask, memory_mask = masks
    output, own, cross = ours(*tensors, tgt_mask, memory_mask)
    hide = {}
    if tgt_mask is not None:
        hide = {
            "tgt_mask": (~tgt_mask).expand(B, H, T, T).reshape(B * H, T, T),
            "memory_key_padding_mask": ~memory_mask[:, 0, 0],
        }
    expected = theirs(*copies, **hide)
    assert_all_close(output, expected, TOLERANCE[dtype])
    assert own == cross == (None,) * N
    (output * direction).sum().backward()
    (expected * direction).sum().backward()
    assert_all_close([x.grad for x in tensors], [x.grad for x in copies], 10 * TOLERANCE[dtype])
    mine, other = ours.layers[0], theirs.layers[0]
    assert_all_close(
        [mine.cross_attention.w_o.weight.grad, mine.cross_attention_sublayer.norm.weight.grad],
        [other.multihead_attn.out_proj.weight.grad, other.norm2.weight.grad],
        10 * TOLERANCE[dtype],
    )
    assert_all_close(
        mine.self_attention.w_v.weight.grad,
        other.self_attn.in_proj_weight.grad[2 * D :],
        10 * TOLERANCE[dtype],
    )


@norms
def test_weights_are_those_of_every_layer_and_head_and_change_nothing(norm):
    decoder = make_decoder(norm=norm)
    x, memory = inputs()
    output, own, cross = decoder(x, memory, CAUSAL, SOURCE, need_weights=True)
    assert_all_close(output, decoder(x, memory, CAUSAL, SOURCE)[0])
    assert [tuple(w.shape) for w in own] == [(B, H, T, T)] * N
    assert [tuple(w.shape) for w in cross] == [(B, H, T, S)] * N
    for weights in (*own, *cross):
        assert_all_close(weights.sum(-1), torch.ones(B, H, T).double())
    assert not any(weights.triu(1).any() for weights in own)
    assert not any(weights[0, ..., 3:].any() for weights in own)
    assert not any(weights[0, ..., 5:].any() for weights in cross)


@norms
@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
def test_bug_zoo_01_a_later_word_never_moves_an_earlier_one(training, norm):
    decoder = make_decoder(norm=norm).train(training)
    x, memory = (tensor.detach() for tensor in inputs())
    output, *_ = decoder(x, memory, causal_mask(T), SOURCE)
    for t in range(T):
        changed = x.clone()
        changed[:, t] += 1
        again, *_ = decoder(changed, memory, causal_mask(T), SOURCE)
        moved = (again != output).any(dim=-1)
        assert not moved[:, :t].any()
        assert moved[:, t:].all()


@norms
def test_every_position_sees_every_word_of_the_source_and_no_padding(norm):
    decoder = make_decoder(norm=norm)
    x, memory = (tensor.detach() for tensor in inputs())
    output, *_ = decoder(x, memory, CAUSAL, SOURCE)
    for s in range(S):
        changed = memory.clone()
        changed[0, s] += 1
        again, *_ = decoder(x, changed, CAUSAL, SOURCE)
        moved = (again != output).any(dim=-1)
        assert moved[0].all() if s < 5 else not moved[0].any()
        assert not moved[1].any()


@norms
def test_a_stack_applies_its_layers_in_order_each_to_the_same_memory(norm):
    decoder = make_decoder(3, norm=norm)
    x, memory = inputs()
    expected = x
    for layer in decoder.layers:
        expected, *_ = layer(expected, memory, CAUSAL, SOURCE)
    output, *_ = decoder(x, memory, CAUSAL, SOURCE)
    assert_all_close(output, decoder.final_norm(expected))
    one = sum(p.numel() for p in decoder.layers[0].parameters())
    final = 2 * D if norm == "pre" else 0
    assert sum(p.numel() for p in decoder.parameters()) == 3 * one + final


def test_bug_zoo_14_a_pre_norm_stack_ends_with_a_norm():
    x, memory = inputs(torch.float32)
    for options, has_norm in (({}, False), ({"norm": "pre"}, True), ({"final_norm": True}, True)):
        decoder = stacks.decoder(N, D, H, Dff, **options)
        output, *_ = decoder(x, memory)
        assert_all_close(output.mean(-1), torch.zeros(B, T), 1e-5)
        assert any("final_norm" in name for name in decoder.state_dict()) == has_norm


def test_dropout_acts_on_all_three_sublayers_in_training_only():
    layer = stacks.decoder(1, D, H, Dff, dropout=0.5).layers[0]
    for name in ("self_attention", "cross_attention", "feed_forward"):
        assert getattr(layer, f"{name}_sublayer").dropout == 0.5
    assert layer.self_attention.dropout == layer.cross_attention.dropout == 0.0
    x, memory = inputs(torch.float32)
    assert not torch.equal(layer(x, memory)[0], layer(x, memory)[0])
    layer.eval()
    assert torch.equal(layer(x, memory)[0], layer(x, memory)[0])


@given(
    seed=st.integers(0, 2**32 - 1),
    b=st.integers(1, 3),
    lengths=st.tuples(st.integers(1, 5), st.integers(1, 5)),
    heads=st.integers(1, 3),
    norm=st.sampled_from(["post", "pre"]),
)
def test_property_any_shape_and_the_source_has_no_order(seed, b, lengths, heads, norm):
    torch.manual_seed(seed)
    t, s = lengths
    decoder = stacks.decoder(2, 4 * heads, heads, 5, norm=norm).double()
    x, memory = torch.randn(b, t, 4 * heads).double(), torch.randn(b, s, 4 * heads).double()
    output, *_ = decoder(x, memory, causal_mask(t))
    assert output.shape == x.shape
    assert_all_close(decoder(x, memory[:, torch.randperm(s)], causal_mask(t))[0], output)


BAD = {
    "no layers": (
        lambda: Decoder(0, torch.nn.Identity),
        "num_layers must be a positive integer; got 0",
    ),
    "another width": (
        lambda: stacks.decoder(1, 6, 2, 5)(torch.zeros(2, 5, 7), torch.zeros(2, 7, 6)),
        "query must have shape (B, Tq, D) with D = 6; got (2, 5, 7)",
    ),
    "a memory of another batch": (
        lambda: stacks.decoder(1, 6, 2, 5)(torch.zeros(2, 5, 6), torch.zeros(3, 7, 6)),
        "key must have shape (B, Tk, D) with B = 2, D = 6; got (3, 7, 6)",
    ),
    "the masks exchanged": (
        lambda: stacks.decoder(1, 6, 2, 5)(
            torch.zeros(2, 5, 6), torch.zeros(2, 7, 6), SOURCE, causal_mask(5)
        ),
        "mask must broadcast to (B, H, Tq, Tk) = (2, 2, 5, 5); got (2, 1, 1, 7)",
    ),
}


@pytest.mark.parametrize(("call", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_refused(refuses, call, message):
    refuses(call, message)
