"""Multi-head attention: head by head, against nn.MultiheadAttention, and by its properties."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from attnsteps.layers.attention import scaled_dot_product_attention
from attnsteps.layers.masks import causal_mask, combine, padding_mask
from attnsteps.layers.multi_head import MultiHeadAttention

# Every size is another prime (but D, which is H·Dk), so that swapped axes cannot pass.
B, H, Tq, Tk, Dk = 2, 3, 5, 7, 11
D = H * Dk

TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-5, torch.bfloat16: 5e-2, torch.float16: 5e-3}


def assert_all_close(got, expected, tolerance):
    torch.testing.assert_close(got, expected, rtol=tolerance, atol=tolerance)


def inputs(dtype=torch.float64):
    """Draw query, key and value that ask for gradients."""
    return [torch.randn(B, length, D, dtype=dtype, requires_grad=True) for length in (Tq, Tk, Tk)]


def twins(dtype=torch.float64, bias=True):
    """Return ours, with random biases, and PyTorch's with the same parameters."""
    ours = MultiHeadAttention(D, H, bias=bias).to(dtype)
    theirs = nn.MultiheadAttention(D, H, bias=bias, batch_first=True).to(dtype)
    with torch.no_grad():
        inward = (ours.w_q, ours.w_k, ours.w_v)
        theirs.in_proj_weight.copy_(torch.cat([linear.weight for linear in inward]))
        theirs.out_proj.weight.copy_(ours.w_o.weight)
        if bias:
            for linear in (*inward, ours.w_o):
                nn.init.normal_(linear.bias)
            theirs.in_proj_bias.copy_(torch.cat([linear.bias for linear in inward]))
            theirs.out_proj.bias.copy_(ours.w_o.bias)
    return ours, theirs


MASKS = {
    "no mask": None,
    "(Tq, Tk)": causal_mask(Tk)[:Tq],
    "(B, 1, 1, Tk)": padding_mask(torch.tensor([[4, 4, 4, 4, 4, 4, 4], [4, 4, 4, 0, 0, 0, 0]]), 0),
    "(B, 1, Tq, Tk)": torch.arange(B * Tq * Tk).view(B, 1, Tq, Tk) % 3 != 1,
    "(B, H, Tq, Tk)": torch.arange(B * H * Tq * Tk).view(B, H, Tq, Tk) % 5 != 1,
}


# By hand ------------------------------------------------------------------------------------


def test_by_hand_two_heads_attend_to_two_different_words():
    attention = MultiHeadAttention(2, 2, bias=False)
    with torch.no_grad():
        for linear in (attention.w_q, attention.w_k, attention.w_v, attention.w_o):
            linear.weight.copy_(torch.eye(2))
    # Head 1 sees the first coordinate only: scores 0 and ln 3. Head 2 the second: ln 3 and 0.
    query = torch.ones(1, 1, 2)
    key = math.log(3) * torch.tensor([[[0.0, 1.0], [1.0, 0.0]]])
    value = torch.tensor([[[4.0, 4.0], [8.0, 8.0]]])
    output, weights = attention(query, key, value, need_weights=True)
    assert_all_close(weights[0, :, 0], torch.tensor([[0.25, 0.75], [0.75, 0.25]]), 1e-6)
    assert_all_close(output[0, 0], torch.tensor([7.0, 5.0]), 1e-6)


def test_equals_the_heads_computed_one_by_one():
    attention, _ = twins()
    query, key, value = inputs()
    output, weights = attention(query, key, value, need_weights=True)
    contexts = []
    for head in range(H):
        rows = slice(head * Dk, (head + 1) * Dk)
        q, k, v = (
            x @ linear.weight[rows].T + linear.bias[rows]
            for x, linear in (
                (query, attention.w_q),
                (key, attention.w_k),
                (value, attention.w_v),
            )
        )
        context, head_weights = scaled_dot_product_attention(q, k, v)
        assert_all_close(weights[:, head], head_weights, 1e-10)
        contexts.append(context)
    assert_all_close(output, attention.w_o(torch.cat(contexts, dim=-1)), 1e-10)


# Against PyTorch ----------------------------------------------------------------------------


@pytest.mark.parametrize("need_weights", [True, False], ids=["explicit", "fused"])
@pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS.keys())
def test_values_and_gradients_equal_pytorchs(mask, dtype, bias, need_weights):
    ours, theirs = twins(dtype, bias)
    tensors = inputs(dtype)
    copies = [tensor.detach().clone().requires_grad_() for tensor in tensors]
    direction = torch.randn(B, Tq, D, dtype=dtype)

    output, weights = ours(*tensors, mask, need_weights=need_weights)
    (output * direction).sum().backward()

    hide = None  # theirs: True = may not attend, and (Tq, Tk) or (B*H, Tq, Tk)
    if mask is not None:
        hide = ~mask.expand(B, H, Tq, Tk).reshape(B * H, Tq, Tk)
    expected, expected_weights = theirs(*copies, attn_mask=hide, average_attn_weights=False)
    (expected * direction).sum().backward()

    tolerance = TOLERANCE[dtype]
    assert_all_close(output, expected, tolerance)
    if need_weights:
        assert_all_close(weights, expected_weights, tolerance)
    else:
        assert weights is None
    assert_all_close([x.grad for x in tensors], [x.grad for x in copies], tolerance)
    inward = (ours.w_q, ours.w_k, ours.w_v)
    joined = torch.cat([linear.weight.grad for linear in inward])
    assert_all_close(joined, theirs.in_proj_weight.grad, 10 * tolerance)
    assert_all_close(ours.w_o.weight.grad, theirs.out_proj.weight.grad, 10 * tolerance)
    if bias:
        joined = torch.cat([linear.bias.grad for linear in inward])
        assert_all_close(joined, theirs.in_proj_bias.grad, 10 * tolerance)
        assert_all_close(ours.w_o.bias.grad, theirs.out_proj.bias.grad, 10 * tolerance)


def test_gradcheck():
    attention = MultiHeadAttention(6, 3).double()
    query, key = (
        torch.randn(2, length, 6, dtype=torch.float64, requires_grad=True) for length in (3, 5)
    )
    assert torch.autograd.gradcheck(
        lambda query, key: attention(query, key, key, need_weights=True), (query, key)
    )


# The module ---------------------------------------------------------------------------------


def test_parameters():
    attention = MultiHeadAttention(D, H)
    assert {name: tuple(p.shape) for name, p in attention.named_parameters()} == {
        "w_q.weight": (D, D),
        "w_q.bias": (D,),
        "w_k.weight": (D, D),
        "w_k.bias": (D,),
        "w_v.weight": (D, D),
        "w_v.bias": (D,),
        "w_o.weight": (D, D),
        "w_o.bias": (D,),
    }
    without = MultiHeadAttention(D, H, bias=False)
    assert sum(p.numel() for p in without.parameters()) == 4 * D * D


@pytest.mark.parametrize("name", ["w_q", "w_k", "w_v", "w_o"])
def test_initialisation_is_xavier_uniform_for_each_matrix_and_zero_for_each_bias(name):
    linear = getattr(MultiHeadAttention(128, 8), name)
    bound = math.sqrt(6 / (128 + 128))
    assert linear.weight.abs().max().item() <= bound
    assert linear.weight.abs().max().item() > 0.99 * bound
    assert linear.weight.std().item() == pytest.approx(bound / math.sqrt(3), rel=0.02)
    assert not linear.bias.any()


def test_dropout_acts_in_training_only_and_never_on_the_returned_weights():
    attention = MultiHeadAttention(D, H, dropout=0.5).double()
    query, key, value = inputs()
    for need_weights in (True, False):
        first, _ = attention(query, key, value, need_weights=need_weights)
        second, _ = attention(query, key, value, need_weights=need_weights)
        assert not torch.allclose(first, second)
    _, weights = attention(query, key, value, need_weights=True)
    assert_all_close(weights.sum(-1), torch.ones(B, H, Tq, dtype=torch.float64), 1e-12)

    attention.eval()
    explicit, _ = attention(query, key, value, need_weights=True)
    fused, _ = attention(query, key, value)
    assert_all_close(fused, explicit, 1e-10)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("need_weights", [True, False], ids=["explicit", "fused"])
def test_half_precision_and_autocast(dtype, need_weights):
    attention, _ = twins(torch.float32)
    query, key, value = (tensor.detach() for tensor in inputs(torch.float32))
    mask = MASKS["(B, 1, 1, Tk)"]
    expected, _ = attention(query, key, value, mask, need_weights=True)
    with torch.autocast("cpu", dtype=dtype):
        cast, _ = attention(query, key, value, mask, need_weights=need_weights)
    half, _ = attention.to(dtype)(
        query.to(dtype), key.to(dtype), value.to(dtype), mask, need_weights=need_weights
    )
    assert cast.dtype == half.dtype == dtype
    assert_all_close(cast.float(), expected, TOLERANCE[dtype])
    assert_all_close(half.float(), expected, TOLERANCE[dtype])


# The bug zoo --------------------------------------------------------------------------------


@pytest.mark.parametrize("need_weights", [True, False], ids=["explicit", "fused"])
def test_bug_zoo_07_a_sentence_of_nothing_but_padding_stays_finite(need_weights):
    attention = MultiHeadAttention(D, H).double()
    query, key, value = inputs()
    mask = padding_mask(torch.tensor([[4] * Tk, [0] * Tk]), pad_id=0)
    output, weights = attention(query, key, value, mask, need_weights=need_weights)
    output.sum().backward()
    assert not output[1].any()  # w_o of zeros, with a bias that starts at zero
    if need_weights:
        assert not weights[1].any()
    assert not any(tensor.grad[1].any() for tensor in (query, key, value))
    assert all(p.grad.isfinite().all() for p in attention.parameters())


def test_bug_zoo_08_pytorchs_own_module_reads_the_same_mask_the_other_way_round():
    ours, theirs = twins()
    x = torch.randn(1, Tq, D, dtype=torch.float64)
    keep = causal_mask(Tq)
    _, weights = ours(x, x, x, keep, need_weights=True)
    _, backwards = theirs(x, x, x, attn_mask=keep, average_attn_weights=False)
    assert not weights.triu(1).any()
    assert not backwards[:, :, :-1].tril().any()  # attends only to the future


def test_bug_zoo_13_the_batch_comes_first_and_sentences_do_not_mix():
    attention = MultiHeadAttention(D, H).double()
    query, key, value = (tensor.detach() for tensor in inputs())
    output, _ = attention(query, key, value)
    changed = [tensor.clone() for tensor in (query, key, value)]
    for tensor in changed:
        tensor[1] += 1
    again, _ = attention(*changed)
    assert torch.equal(again[0], output[0])
    assert not torch.allclose(again[1], output[1])
    # Within a sentence, every word reaches every other.
    key[0, -1] += 1
    mixed, _ = attention(query, key, value)
    assert (mixed[0] != output[0]).any(dim=-1).all()
    assert torch.equal(mixed[1], output[1])


# Masks --------------------------------------------------------------------------------------


def test_a_decoder_sees_neither_the_future_nor_the_padding():
    attention = MultiHeadAttention(D, H).double()
    tgt_ids = torch.tensor([[1, 9, 8, 0, 0], [1, 7, 6, 5, 4]])
    mask = combine(causal_mask(5), padding_mask(tgt_ids, pad_id=0))
    x = torch.randn(2, 5, D, dtype=torch.float64)
    output, weights = attention(x, x, x, mask, need_weights=True)
    assert not weights.triu(1).any()
    assert not weights[0, :, :, 3:].any()
    for position in range(5):
        changed = x.clone()
        changed[:, position] += 1
        again, _ = attention(changed, changed, changed, mask, need_weights=True)
        unmoved = (again == output).all(dim=-1)
        assert unmoved[:, :position].all()
        assert not unmoved[1, position:].any()
        if position >= 3:  # padding moves itself, as a query, and nobody else
            assert unmoved[0].tolist() == [i != position for i in range(5)]


@given(
    seed=st.integers(0, 2**32 - 1),
    heads=st.integers(1, 4),
    tq=st.integers(1, 6),
    tk=st.integers(1, 6),
)
def test_property_order_is_invisible_without_positions(seed, heads, tq, tk):
    torch.manual_seed(seed)
    attention = MultiHeadAttention(4 * heads, heads).double()
    query = torch.randn(2, tq, 4 * heads, dtype=torch.float64)
    key = torch.randn(2, tk, 4 * heads, dtype=torch.float64)
    output, weights = attention(query, key, key, need_weights=True)
    rows, columns = torch.randperm(tq), torch.randperm(tk)
    permuted, permuted_weights = attention(
        query[:, rows], key[:, columns], key[:, columns], need_weights=True
    )
    assert_all_close(permuted, output[:, rows], 1e-10)
    assert_all_close(permuted_weights, weights[:, :, rows][..., columns], 1e-10)
    fused, _ = attention(query, key, key)
    assert_all_close(fused, output, 1e-10)


# Bad input ----------------------------------------------------------------------------------

BAD_SETTINGS = {
    "H does not divide D": (
        {"num_heads": 5},
        "num_heads must divide d_model = 33 without remainder; got 5",
    ),
    "no heads": ({"num_heads": 0}, "num_heads must be a positive integer; got 0"),
    "a width in floats": ({"d_model": 33.0}, "d_model must be a positive integer; got 33.0"),
    "everything dropped": (
        {"dropout": 1.0},
        "dropout must be a number in [0, 1); got 1.0",
    ),
}


@pytest.mark.parametrize(("changed", "message"), BAD_SETTINGS.values(), ids=BAD_SETTINGS.keys())
def test_bad_settings_are_refused(refuses, changed, message):
    refuses(lambda: MultiHeadAttention(**{"d_model": D, "num_heads": H, **changed}), message)


BAD_INPUTS = {
    "a query of another width": (
        {"query": torch.zeros(2, 5, 11)},
        "query must have shape (B, Tq, D) with D = 33; got (2, 5, 11)",
    ),
    "a query without a batch": (
        {"query": torch.zeros(5, 33)},
        "query must have shape (B, Tq, D) with D = 33; got (5, 33)",
    ),
    "keys of another batch, or with swapped axes": (
        {"key": torch.zeros(7, 2, 33)},
        "key must have shape (B, Tk, D) with B = 2, D = 33; got (7, 2, 33)",
    ),
    "fewer values than keys": (
        {"value": torch.zeros(2, 5, 33)},
        "value must have shape (B, Tk, D) with B = 2, Tk = 7, D = 33; got (2, 5, 33)",
    ),
    "ids for vectors": (
        {"query": torch.zeros(2, 5, dtype=torch.int64)},
        "query must be a floating-point tensor; got torch.int64",
    ),
    "a mask of another length": (
        {"mask": torch.ones(2, 5, 5, dtype=torch.bool)},
        "mask must broadcast to (B, H, Tq, Tk) = (2, 3, 5, 7); got (2, 5, 5)",
    ),
    "a batch axis that would be taken for the heads": (
        {"mask": torch.ones(1, 5, 7, dtype=torch.bool)},
        "mask must have two axes or all of (B, H, Tq, Tk) = (2, 3, 5, 7); got (1, 5, 7)"
        " (a (B, Tq, Tk) mask needs a head axis: mask.unsqueeze(1))",
    ),
    "a padding mask without its two axes of size 1": (
        {"mask": torch.ones(2, 7, dtype=torch.bool)},
        "mask must broadcast to (B, H, Tq, Tk) = (2, 3, 5, 7); got (2, 7)",
    ),
    "a float mask": (
        {"mask": torch.zeros(5, 7)},
        "mask must be a bool tensor, True = may attend; got torch.float32"
        " (elsewhere a float mask is added to the scores, and a 1 may mean 'hide')",
    ),
}


@pytest.mark.parametrize(("changed", "message"), BAD_INPUTS.values(), ids=BAD_INPUTS.keys())
def test_bad_input_is_refused(refuses, changed, message):
    attention = MultiHeadAttention(D, H)
    good = {
        "query": torch.zeros(B, Tq, D),
        "key": torch.zeros(B, Tk, D),
        "value": torch.zeros(B, Tk, D),
    }
    refuses(lambda: attention(**{**good, **changed}), message)


def test_three_mask_axes_are_refused_even_when_batch_and_heads_are_equally_many(refuses):
    attention = MultiHeadAttention(D, H)
    x = torch.zeros(H, Tq, D)
    refuses(
        lambda: attention(x, x, x, torch.ones(H, Tq, Tq, dtype=torch.bool)),
        "mask must have two axes or all of (B, H, Tq, Tk) = (3, 3, 5, 5); got (3, 5, 5)"
        " (a (B, Tq, Tk) mask needs a head axis: mask.unsqueeze(1))",
    )
