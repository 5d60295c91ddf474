"""Scaled dot-product attention: by hand, against PyTorch, and by its properties."""

import itertools
import math

import jaxtyping
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional

from attnsteps.layers.attention import scaled_dot_product_attention
from attnsteps.layers.masks import causal_mask
from attnsteps.layers.multi_head import MultiHeadAttention

# Every size is another prime, so that swapped axes cannot pass.
B, H, Tq, Tk, Dk, Dv = 2, 3, 5, 7, 11, 13

TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-5, torch.bfloat16: 4e-2, torch.float16: 5e-3}
both_paths = pytest.mark.parametrize("need_weights", [True, False], ids=["explicit", "fused"])


def inputs(dtype=torch.float64, lead=(B, H)):
    """Draw q, k and v that ask for gradients."""
    shapes = [(*lead, Tq, Dk), (*lead, Tk, Dk), (*lead, Tk, Dv)]
    return [torch.randn(shape, dtype=dtype, requires_grad=True) for shape in shapes]


def some_mask(*shape):
    """Draw a mask in which every query may attend to the first key at least."""
    mask = torch.rand(shape) < 0.5
    mask[..., 0] = True
    return mask


def values_and_gradients(function, tensors):
    """Run a function on fresh copies, and return its output and their gradients."""
    copies = [tensor.detach().clone().requires_grad_() for tensor in tensors]
    output = function(*copies)
    direction = torch.linspace(-1, 1, output.numel(), dtype=output.dtype).view(output.shape)
    (output * direction).sum().backward()
    return output.detach(), [copy.grad for copy in copies]


def assert_all_close(got, expected, tolerance):
    torch.testing.assert_close(got, expected, rtol=tolerance, atol=tolerance)


# By hand ------------------------------------------------------------------------------------


@both_paths
def test_by_hand(need_weights):
    # q·k = 0 and 2 ln 3; divided by √4: 0 and ln 3; weights 1/4 and 3/4; 1/4·4 + 3/4·8 = 7.
    q = torch.tensor([[1.0, 1.0, 1.0, 1.0]], dtype=torch.float64)
    k = torch.zeros(2, 4, dtype=torch.float64)
    k[1] = math.log(3) / 2
    v = torch.tensor([[4.0], [8.0]], dtype=torch.float64)
    context, weights = scaled_dot_product_attention(q, k, v, need_weights=need_weights)
    assert context.item() == pytest.approx(7.0, abs=1e-12)
    if need_weights:
        assert weights.tolist() == [pytest.approx([0.25, 0.75], abs=1e-12)]
    else:
        assert weights is None


@both_paths
def test_equal_scores_give_the_mean_of_the_allowed_values(need_weights):
    q, k = torch.zeros(1, 2), torch.randn(3, 2)
    v = torch.tensor([[1.0], [3.0], [100.0]])
    mask = torch.tensor([[True, True, False]])
    context, _ = scaled_dot_product_attention(q, k, v, mask, need_weights=need_weights)
    assert context.item() == pytest.approx(2.0)


def test_scores_are_divided_by_the_root_of_the_key_width_and_not_of_the_value_width():
    q, k, v = inputs()
    _, weights = scaled_dot_product_attention(q, k, v)
    ratio = (weights[0, 0, 0, 1] / weights[0, 0, 0, 0]).log()
    expected = q[0, 0, 0] @ (k[0, 0, 1] - k[0, 0, 0]) / math.sqrt(11)
    assert ratio.item() == pytest.approx(expected.item(), abs=1e-12)


# Against PyTorch ----------------------------------------------------------------------------

MASKS = {
    "no mask": lambda: None,
    "(Tq, Tk)": lambda: some_mask(Tq, Tk),
    "(B, 1, 1, Tk)": lambda: some_mask(B, 1, 1, Tk),
    "(B, 1, Tq, Tk)": lambda: some_mask(B, 1, Tq, Tk),
    "(1, H, Tq, Tk)": lambda: some_mask(1, H, Tq, Tk),
    "(B, H, Tq, Tk)": lambda: some_mask(B, H, Tq, Tk),
}


@both_paths
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS.keys())
def test_values_and_gradients_equal_pytorchs(mask, dtype, need_weights):
    mask = mask()
    tensors = inputs(dtype)
    got, got_grads = values_and_gradients(
        lambda q, k, v: scaled_dot_product_attention(q, k, v, mask, need_weights=need_weights)[0],
        tensors,
    )
    expected, expected_grads = values_and_gradients(
        lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, attn_mask=mask), tensors
    )
    assert_all_close(got, expected, TOLERANCE[dtype])
    assert_all_close(got_grads, expected_grads, TOLERANCE[dtype])


@pytest.mark.parametrize("lead", [(), (2,), (2, 3), (2, 3, 5)], ids=str)
def test_any_leading_axes(lead):
    q, k, v = inputs(lead=lead)
    mask = some_mask(Tq, Tk)
    context, weights = scaled_dot_product_attention(q, k, v, mask)
    fused, _ = scaled_dot_product_attention(q, k, v, mask, need_weights=False)
    assert context.shape == (*lead, Tq, Dv)
    assert weights.shape == (*lead, Tq, Tk)
    assert_all_close(fused, context, 1e-10)
    for index in itertools.product(*map(range, lead)):
        alone, _ = scaled_dot_product_attention(q[index], k[index], v[index], mask)
        assert_all_close(context[index], alone, 1e-10)


@pytest.mark.parametrize("sizes", [(0, 3, 5, 7), (2, 3, 0, 7), (2, 3, 5, 0)], ids=str)
@both_paths
def test_nothing_in_gives_nothing_or_zeros_out(sizes, need_weights):
    b, h, tq, tk = sizes
    q, k, v = torch.randn(b, h, tq, Dk), torch.randn(b, h, tk, Dk), torch.randn(b, h, tk, Dv)
    context, _ = scaled_dot_product_attention(q, k, v, need_weights=need_weights)
    assert torch.equal(context, torch.zeros(b, h, tq, Dv))


@both_paths
def test_gradcheck(need_weights):
    q, k, v = (torch.randn(2, t, 3, dtype=torch.float64, requires_grad=True) for t in (3, 5, 5))
    mask = torch.tensor(
        [
            [True, False, True, True, False],
            [False, False, False, False, False],
            [True, True, True, True, True],
        ]
    )
    assert torch.autograd.gradcheck(
        lambda *qkv: scaled_dot_product_attention(*qkv, mask, need_weights=need_weights)[0],
        (q, k, v),
    )


# Number formats -----------------------------------------------------------------------------


@both_paths
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_half_precision(dtype, need_weights):
    tensors = [tensor.detach().to(dtype) for tensor in inputs()]
    mask = some_mask(B, 1, Tq, Tk)
    mask[1, 0, 2] = False
    got, grads = values_and_gradients(
        lambda q, k, v: scaled_dot_product_attention(q, k, v, mask, need_weights=need_weights)[0],
        tensors,
    )
    expected, expected_grads = values_and_gradients(
        lambda q, k, v: scaled_dot_product_attention(q, k, v, mask)[0],
        [tensor.double() for tensor in tensors],
    )
    assert got.dtype == dtype
    assert_all_close(got.double(), expected, TOLERANCE[dtype])
    assert_all_close([grad.double() for grad in grads], expected_grads, TOLERANCE[dtype])


@both_paths
def test_fp16_does_not_overflow_where_only_the_undivided_product_would(need_weights):
    # q·k = 64·40·40 = 102 400 is above fp16's 65 504; divided by √64 it is 12 800.
    q = torch.full((1, 64), 40.0, dtype=torch.float16)
    k = torch.stack([q[0], -q[0]])
    v = torch.tensor([[1.0], [2.0]], dtype=torch.float16)
    context, _ = scaled_dot_product_attention(q, k, v, need_weights=need_weights)
    assert context.item() == 1.0


@both_paths
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_autocast(dtype, need_weights):
    q, k, v = inputs(torch.float32)
    mask = some_mask(B, 1, Tq, Tk)
    mask[0, 0, 3] = False
    expected, _ = scaled_dot_product_attention(q, k, v, mask)
    with torch.autocast("cpu", dtype=dtype):
        context, weights = scaled_dot_product_attention(q, k, v, mask, need_weights=need_weights)
    assert context.dtype == dtype
    assert_all_close(context.float(), expected, TOLERANCE[dtype])
    assert torch.equal(context[0, :, 3], torch.zeros(H, Dv, dtype=dtype))
    context.float().sum().backward()
    assert all(tensor.grad.isfinite().all() for tensor in (q, k, v))
    if need_weights:
        sums = torch.ones(B, H, Tq)
        sums[0, :, 3] = 0
        assert_all_close(weights.sum(-1).float(), sums, 1e-5)


# The bug zoo --------------------------------------------------------------------------------


@both_paths
@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
def test_bug_zoo_07_a_fully_masked_row_is_zero_and_so_are_its_gradients(dtype, need_weights):
    q, k, v = inputs(dtype)
    mask = torch.ones(B, 1, Tq, Tk, dtype=torch.bool)
    mask[0, 0, 1] = False
    mask[1] = False
    context, weights = scaled_dot_product_attention(q, k, v, mask, need_weights=need_weights)
    context.sum().backward()

    assert not context[0, :, 1].any()
    assert not context[1].any()
    assert context[0, :, 0].all()
    if need_weights:
        assert not weights[0, :, 1].any()
        assert not weights[1].any()
    assert all(tensor.grad.isfinite().all() for tensor in (q, k, v))
    assert not q.grad[0, :, 1].any()
    assert not any(tensor.grad[1].any() for tensor in (q, k, v))
    assert q.grad[0, :, 0].any()
    assert v.grad[0].all()


@both_paths
def test_bug_zoo_07_no_nan_arises_even_on_the_way(need_weights):
    mask = torch.zeros(Tq, Tk, dtype=torch.bool)
    with torch.autograd.set_detect_anomaly(True):
        q, k, v = inputs()
        context, _ = scaled_dot_product_attention(q, k, v, mask, need_weights=need_weights)
        context.sum().backward()


@both_paths
def test_bug_zoo_08_true_means_may_attend(need_weights):
    q, k, v = inputs(lead=())
    k, v = k[:Tq], v[:Tq]
    context, _ = scaled_dot_product_attention(q, k, v, causal_mask(Tq), need_weights=need_weights)
    assert_all_close(context[0], v[0], 1e-12)
    changed = v.detach().clone()
    changed[-1] += 100
    again, _ = scaled_dot_product_attention(
        q, k, changed, causal_mask(Tq), need_weights=need_weights
    )
    assert torch.equal(again[:-1], context[:-1])
    assert not torch.allclose(again[-1], context[-1])


def test_bug_zoo_10_the_returned_weights_are_those_before_dropout():
    q, k, v = inputs()
    clean, clean_weights = scaled_dot_product_attention(q, k, v)
    noisy, weights = scaled_dot_product_attention(q, k, v, dropout_p=0.5)
    assert torch.equal(weights, clean_weights)
    assert_all_close(weights.sum(-1), torch.ones(B, H, Tq, dtype=torch.float64), 1e-12)
    assert not torch.allclose(noisy, clean)


@both_paths
@pytest.mark.parametrize("masked", [True, False], ids=["masked", "unmasked"])
def test_dropout_keeps_a_weight_scaled_up_or_drops_it(masked, need_weights):
    q, k, _ = inputs(lead=(97,))
    identity = torch.eye(Tk, dtype=torch.float64).expand(97, Tk, Tk)  # context = the weights used
    mask = some_mask(Tq, Tk) if masked else None
    _, weights = scaled_dot_product_attention(q, k, identity, mask)
    used, _ = scaled_dot_product_attention(
        q, k, identity, mask, dropout_p=0.25, need_weights=need_weights
    )
    kept = used != 0
    assert_all_close(used[kept], weights[kept] / 0.75, 1e-10)
    assert kept[weights != 0].double().mean().item() == pytest.approx(0.75, abs=0.03)


# Properties ---------------------------------------------------------------------------------

sizes = st.integers(1, 7)
seeds = st.integers(0, 2**32 - 1)


def drawn(seed, *shapes):
    """Draw standard normal tensors from a seed."""
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes]


@given(seed=seeds, tq=sizes, tk=sizes, d_k=sizes)
def test_property_adding_one_vector_to_all_keys_changes_nothing(seed, tq, tk, d_k):
    q, k, v, offset = drawn(seed, (tq, d_k), (tk, d_k), (tk, 3), (1, d_k))
    context, weights = scaled_dot_product_attention(q, k, v)
    shifted, shifted_weights = scaled_dot_product_attention(q, k + offset, v)
    assert_all_close(shifted, context, 1e-10)
    assert_all_close(shifted_weights, weights, 1e-10)


@given(seed=seeds, tq=sizes, tk=sizes, need_weights=st.booleans())
def test_property_order_is_invisible(seed, tq, tk, need_weights):
    q, k, v, coin = drawn(seed, (tq, 5), (tk, 5), (tk, 3), (tq, tk))
    mask = coin > 0
    context, _ = scaled_dot_product_attention(q, k, v, mask, need_weights=need_weights)

    generator = torch.Generator().manual_seed(seed)
    rows, columns = (torch.randperm(n, generator=generator) for n in (tq, tk))
    of_permuted_keys, _ = scaled_dot_product_attention(
        q, k[columns], v[columns], mask[:, columns], need_weights=need_weights
    )
    of_permuted_queries, _ = scaled_dot_product_attention(
        q[rows], k, v, mask[rows], need_weights=need_weights
    )
    assert_all_close(of_permuted_keys, context, 1e-10)
    assert_all_close(of_permuted_queries, context[rows], 1e-10)


@given(seed=seeds, tq=sizes, tk=sizes, size=st.sampled_from([1.0, 1e6]), explicit=st.booleans())
def test_property_masked_keys_never_matter(seed, tq, tk, size, explicit):
    q, k, v, coin, other_k, other_v = drawn(
        seed, (tq, 5), (tk, 5), (tk, 3), (tk,), (tk, 5), (tk, 3)
    )
    hidden = coin > 0
    mask = ~hidden[None, :]
    context, _ = scaled_dot_product_attention(q, k, v, mask, need_weights=explicit)
    k[hidden], v[hidden] = size * other_k[hidden], size * other_v[hidden]
    again, _ = scaled_dot_product_attention(q, k, v, mask, need_weights=explicit)
    assert torch.equal(again, context)
    if not hidden.all():
        without, _ = scaled_dot_product_attention(q, k[~hidden], v[~hidden])
        assert_all_close(context, without, 1e-10)


@given(seed=seeds, tq=sizes, tk=sizes)
def test_property_the_context_lies_between_the_values(seed, tq, tk):
    q, k, v = drawn(seed, (tq, 5), (tk, 5), (tk, 3))
    context, _ = scaled_dot_product_attention(10 * q, k, v)
    assert (context <= v.amax(0) + 1e-12).all()
    assert (context >= v.amin(0) - 1e-12).all()


@given(seed=seeds, lead=st.lists(st.integers(1, 3), max_size=3), tq=sizes, tk=sizes)
def test_property_both_paths_agree(seed, lead, tq, tk):
    q, k, v, coin = drawn(seed, (*lead, tq, 5), (*lead, tk, 5), (*lead, tk, 3), (*lead, tq, tk))
    explicit, _ = scaled_dot_product_attention(q, k, v, coin > 0.5)
    fused, nothing = scaled_dot_product_attention(q, k, v, coin > 0.5, need_weights=False)
    assert nothing is None
    assert_all_close(fused, explicit, 1e-10)


# Bad input ----------------------------------------------------------------------------------

BAD = {
    "a mask of another length": (
        {"mask": torch.ones(2, 5, 5, dtype=torch.bool)},
        "mask must broadcast to (B, H, Tq, Tk) = (2, 3, 5, 7); got (2, 5, 5)",
    ),
    "a mask larger than the scores": (
        {"mask": torch.ones(1, 2, 3, 5, 7, dtype=torch.bool)},
        "mask must broadcast to (B, H, Tq, Tk) = (2, 3, 5, 7); got (1, 2, 3, 5, 7)",
    ),
    "a batch axis that would be taken for the heads": (
        {"mask": torch.ones(3, 5, 7, dtype=torch.bool)},
        "mask must have two axes or all of (B, H, Tq, Tk) = (2, 3, 5, 7); got (3, 5, 7)"
        " (a (B, Tq, Tk) mask needs a head axis: mask.unsqueeze(1))",
    ),
    "one axis for two": (
        {"mask": torch.ones(7, dtype=torch.bool)},
        "mask must have two axes or all of (B, H, Tq, Tk) = (2, 3, 5, 7); got (7,)"
        " (a (B, Tq, Tk) mask needs a head axis: mask.unsqueeze(1))",
    ),
    "a float mask": (
        {"mask": torch.zeros(5, 7)},
        "mask must be a bool tensor, True = may attend; got torch.float32"
        " (elsewhere a float mask is added to the scores, and a 1 may mean 'hide')",
    ),
    "an int mask": (
        {"mask": torch.ones(5, 7, dtype=torch.int64)},
        "mask must be a bool tensor, True = may attend; got torch.int64"
        " (elsewhere a float mask is added to the scores, and a 1 may mean 'hide')",
    ),
    "keys of another width": (
        {"k": torch.zeros(2, 3, 7, 13)},
        "k must have shape (..., Tk, Dk) with Dk = 11; got (2, 3, 7, 13)",
    ),
    "fewer values than keys": (
        {"v": torch.zeros(2, 3, 5, 13)},
        "v must have shape (..., Tk, Dv) with Tk = 7; got (2, 3, 5, 13)",
    ),
    "keys of another batch": (
        {"k": torch.zeros(1, 3, 7, 11)},
        "k must have the leading axes of q, (2, 3); got (1, 3)",
    ),
    "values without heads": (
        {"v": torch.zeros(2, 7, 13)},
        "v must have the leading axes of q, (2, 3); got (2,)",
    ),
    "one query vector": (
        {"q": torch.zeros(11)},
        "q must have shape (..., Tq, Dk); got (11,)",
    ),
    "queries without width": (
        {"q": torch.zeros(2, 3, 5, 0)},
        "Dk, the width of q, must be a positive integer; got 0",
    ),
    "integer queries": (
        {"q": torch.zeros(2, 3, 5, 11, dtype=torch.int64)},
        "q must be a floating-point tensor; got torch.int64",
    ),
    "values in a list": ({"v": [1.0]}, "v must be a floating-point tensor; got list"),
    "everything dropped": (
        {"dropout_p": 1.0},
        "dropout_p must be a number in [0, 1); got 1.0",
    ),
    "a negative probability": (
        {"dropout_p": -0.1},
        "dropout_p must be a number in [0, 1); got -0.1",
    ),
    "no number": (
        {"dropout_p": math.nan},
        "dropout_p must be a number in [0, 1); got nan",
    ),
}


@both_paths
@pytest.mark.parametrize(("changed", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_refused(refuses, changed, message, need_weights):
    good = {
        "q": torch.zeros(B, H, Tq, Dk),
        "k": torch.zeros(B, H, Tk, Dk),
        "v": torch.zeros(B, H, Tk, Dv),
    }
    refuses(
        lambda: scaled_dot_product_attention(**{**good, **changed}, need_weights=need_weights),
        message,
    )


def test_the_shape_annotations_are_checked_in_the_tests():
    q = torch.zeros(B, H, Tq, Dk)
    with pytest.raises(jaxtyping.TypeCheckError):
        scaled_dot_product_attention(q, torch.zeros(B, H, Tk, Dv), torch.zeros(B, H, Tk, Dv))


def test_mixed_dtypes_are_refused_but_not_where_autocast_brings_them_together(refuses):
    q, k, v = torch.zeros(3, 2, 4)
    for need_weights in (True, False):
        refuses(
            lambda need_weights=need_weights: scaled_dot_product_attention(
                q, k.double(), v, need_weights=need_weights
            ),
            "k must have the dtype of q, torch.float32; got torch.float64",
        )
        with torch.autocast("cpu", dtype=torch.bfloat16):
            scaled_dot_product_attention(q, k.bfloat16(), v, need_weights=need_weights)
    x = torch.zeros(1, 2, 4)
    refuses(
        lambda: MultiHeadAttention(4, 2)(x, x.double(), x.double()),
        "key must have the dtype of query, torch.float32; got torch.float64",
    )
