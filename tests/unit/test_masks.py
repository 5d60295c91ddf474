"""Masks: bool, True = may attend, and nothing combined by accident."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnsteps.layers.attention import scaled_dot_product_attention
from attnsteps.layers.masks import causal_mask, combine, padding_mask, sliding_window

POLARITY = "(elsewhere a float mask is added to the scores, and a 1 may mean 'hide')"


def test_causal_mask_by_hand():
    mask = causal_mask(3)
    assert mask.dtype == torch.bool
    assert mask.tolist() == [[True, False, False], [True, True, False], [True, True, True]]


@given(size=st.integers(1, 30))
def test_property_a_position_sees_itself_and_the_past(size):
    mask = causal_mask(size)
    assert mask.shape == (size, size)
    for i in range(size):
        for j in range(size):
            assert mask[i, j].item() == (j <= i)


def test_causal_mask_goes_where_it_is_sent():
    assert causal_mask(2).device.type == "cpu"
    assert causal_mask(2, device="meta").device.type == "meta"
    assert causal_mask(2, device=torch.device("meta")).device.type == "meta"


def test_padding_mask_by_hand():
    ids = torch.tensor([[5, 8, 9, 0, 0], [7, 0, 7, 7, 6]])
    mask = padding_mask(ids, pad_id=0)
    assert mask.dtype == torch.bool
    assert mask.shape == (2, 1, 1, 5)
    assert mask[0, 0, 0].tolist() == [True, True, True, False, False]
    assert mask[1, 0, 0].tolist() == [True, False, True, True, True]


@pytest.mark.parametrize("pad_id", [0, 3, -1])
def test_padding_mask_with_another_pad_id_and_dtype(pad_id):
    ids = torch.tensor([[1, pad_id]], dtype=torch.int32)
    assert padding_mask(ids, pad_id).flatten().tolist() == [True, False]


def test_bug_zoo_09_padding_is_hidden_as_a_key_and_not_as_a_query():
    ids = torch.tensor([[5, 8, 9, 0, 0]])
    q, k, v = torch.randn(3, 1, 2, 5, 7, dtype=torch.float64)
    _, weights = scaled_dot_product_attention(q, k, v, padding_mask(ids, pad_id=0))
    assert not weights[..., :, 3:].any()
    # Every query, real or not, spends all of its attention on real words.
    torch.testing.assert_close(
        weights[..., :, :3].sum(-1), torch.ones(1, 2, 5, dtype=torch.float64)
    )


def test_bug_zoo_08_every_mask_says_true_for_may_attend():
    assert causal_mask(2)[1, 0]
    assert padding_mask(torch.tensor([[7]]), pad_id=0).item()
    assert combine(torch.tensor([[True]]), torch.tensor([[False]])).item() is False


def test_combine_causal_and_padding_by_hand():
    ids = torch.tensor([[7, 7, 7], [7, 0, 7]])
    mask = combine(causal_mask(3), padding_mask(ids, pad_id=0))
    assert mask.shape == (2, 1, 3, 3)
    assert mask[0, 0].tolist() == [
        [True, False, False],
        [True, True, False],
        [True, True, True],
    ]
    assert mask[1, 0].tolist() == [
        [True, False, False],
        [True, False, False],
        [True, False, True],
    ]


def test_combine_ignores_none():
    mask = causal_mask(3)
    assert combine() is None
    assert combine(None, None) is None
    assert torch.equal(combine(None, mask, None), mask)


def test_combine_changes_none_of_its_arguments():
    first, second = torch.ones(5, 7, dtype=torch.bool), torch.zeros(5, 7, dtype=torch.bool)
    combine(first, second)
    assert first.all()
    assert not second.any()


@given(seed=st.integers(0, 2**32 - 1), order=st.permutations([0, 1, 2]))
def test_property_the_order_of_combining_does_not_matter(seed, order):
    torch.manual_seed(seed)
    masks = [torch.rand(shape) < 0.5 for shape in ((5, 7), (2, 1, 1, 7), (2, 3, 5, 1))]
    expected = masks[0] & masks[1] & masks[2]
    assert torch.equal(combine(*(masks[i] for i in order)), expected)


BAD = {
    "no positions": (lambda: causal_mask(0), "size must be a positive integer; got 0"),
    "a fraction": (lambda: causal_mask(2.5), "size must be a positive integer; got 2.5"),
    "a truth value": (lambda: causal_mask(True), "size must be a positive integer; got True"),
    "a window of no position": (
        lambda: sliding_window(3, 0),
        "window must be a positive integer; got 0",
    ),
    "ids in a list": (
        lambda: padding_mask([[1, 0]], 0),
        "ids must be an int32 or int64 tensor; got list",
    ),
    "ids in floats": (
        lambda: padding_mask(torch.zeros(2, 5), 0),
        "ids must be an int32 or int64 tensor; got torch.float32",
    ),
    "one sentence without a batch": (
        lambda: padding_mask(torch.tensor([1, 2, 0]), 0),
        "ids must have shape (B, Tk); got (3,)",
    ),
    "no pad id": (
        lambda: padding_mask(torch.tensor([[1]]), None),
        "pad_id must be an integer; got None",
    ),
    "a float mask": (
        lambda: combine(causal_mask(2), torch.zeros(2, 2)),
        f"masks[1] must be a bool tensor, True = may attend; got torch.float32 {POLARITY}",
    ),
    "an int mask": (
        lambda: combine(None, torch.ones(2, 2, dtype=torch.int64)),
        f"masks[1] must be a bool tensor, True = may attend; got torch.int64 {POLARITY}",
    ),
    "lengths that differ": (
        lambda: combine(causal_mask(5), torch.ones(2, 1, 1, 7, dtype=torch.bool)),
        "masks[1] must broadcast with the masks before it, (5, 5); got (2, 1, 1, 7)",
    ),
    "a batch axis that would be taken for the heads": (
        lambda: combine(
            torch.ones(2, 1, 1, 5, dtype=torch.bool), torch.ones(2, 5, 5, dtype=torch.bool)
        ),
        "masks[1] must broadcast with the masks before it, (2, 1, 1, 5); got (2, 5, 5)",
    ),
}


@pytest.mark.parametrize(("call", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_refused(refuses, call, message):
    refuses(call, message)


@given(size=st.integers(1, 9), window=st.integers(1, 9), data=st.data())
def test_property_rows_from_an_offset_on_are_those_of_the_whole_mask(size, window, data):
    offset = data.draw(st.integers(0, size - 1))
    assert torch.equal(causal_mask(size, offset=offset), causal_mask(size)[offset:])
    band = sliding_window(size, window)
    assert torch.equal(sliding_window(size, window, offset=offset), band[offset:])


@pytest.mark.parametrize("mask", [causal_mask, lambda size, **at: sliding_window(size, 2, **at)])
def test_an_offset_leaves_at_least_one_row(refuses, mask):
    for offset in (-1, 3, 0.5):
        refuses(
            lambda offset=offset: mask(3, offset=offset),
            f"offset must be an integer in [0, size = 3); got {offset}",
        )
