"""The key/value cache: step by step equals all at once, and nothing is projected twice."""

import jaxtyping
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from attnsteps.layers.cache import DecoderCache, KeyValueCache
from attnsteps.layers.masks import causal_mask, padding_mask
from attnsteps.layers.multi_head import MultiHeadAttention
from attnsteps.model.config import TransformerConfig
from attnsteps.model.transformer import Transformer

# Every size is another prime (but D, which is H·Dk), so that swapped axes cannot pass.
B, H, S, T, Dk = 2, 3, 5, 7, 11
D = H * Dk
V = 13

SRC_IDS = torch.tensor([[4, 9, 12, 0, 0], [5, 5, 6, 7, 8]])
TGT_IDS = torch.tensor([[1, 4, 5, 6, 2, 0, 0], [1, 9, 8, 7, 6, 5, 4]])


def assert_all_close(got, expected, tolerance=1e-10):
    torch.testing.assert_close(got, expected, rtol=tolerance, atol=tolerance)


def make_model(**changes):
    config = TransformerConfig.tiny(V, V, **{"d_model": 12, "num_heads": 3, "d_ff": 17, **changes})
    model = Transformer(config).double().eval()
    for parameter in model.parameters():
        if parameter.ndim == 1:
            nn.init.normal_(parameter, mean=1.0, std=0.3)
    return model


def in_pieces(model, tgt_ids, memory, src_ids, lengths, *, need_weights=False):
    """Decode with a cache, so many positions at a time, and put the logits together."""
    cache = model.new_cache()
    return cache, [
        model.decode(piece, memory, src_ids, cache=cache, need_weights=need_weights)
        for piece in tgt_ids.split(lengths, dim=1)
    ]


# The cache of one attention -----------------------------------------------------------------


def test_it_holds_what_was_appended_in_order():
    cache = KeyValueCache()
    assert len(cache) == 0
    k, v = torch.randn(B, H, T, Dk), torch.randn(B, H, T, 13)
    for piece in range(T):
        all_k, all_v = cache.append(k[:, :, piece : piece + 1], v[:, :, piece : piece + 1])
    assert len(cache) == T
    assert torch.equal(all_k, k)
    assert torch.equal(all_v, v)
    cache.index_select(torch.tensor([1, 1, 0]))
    assert torch.equal(cache.k, k[[1, 1, 0]])
    assert torch.equal(cache.v, v[[1, 1, 0]])


def test_an_empty_cache_can_be_reordered():
    cache = DecoderCache(2)
    cache.index_select(torch.tensor([1, 0]))
    assert len(cache) == 0
    assert cache.tgt_ids is None


@pytest.mark.parametrize("need_weights", [True, False], ids=["explicit", "fused"])
def test_self_attention_step_by_step_equals_all_at_once(need_weights):
    attention = MultiHeadAttention(D, H).double()
    x = torch.randn(B, T, D, dtype=torch.float64)
    expected, expected_weights = attention(x, x, x, causal_mask(T), need_weights=True)
    cache = KeyValueCache()
    for t in range(T):
        new = x[:, t : t + 1]
        output, weights = attention(new, new, new, cache=cache, need_weights=need_weights)
        assert_all_close(output, expected[:, t : t + 1])
        if need_weights:
            assert_all_close(weights, expected_weights[:, :, t : t + 1, : t + 1])
    assert_all_close(cache.k, attention.w_k(x).unflatten(-1, (H, Dk)).transpose(1, 2))


def test_cross_attention_takes_what_was_projected_before():
    attention = MultiHeadAttention(D, H).double()
    x, memory = torch.randn(B, T, D).double(), torch.randn(B, S, D).double()
    mask = padding_mask(SRC_IDS, 0)
    expected, _ = attention(x, memory, memory, mask)
    projected = attention.project(memory, memory)
    attention.w_k.forward = attention.w_v.forward = None  # neither is called again
    output, weights = attention(x, memory, memory, mask, projected=projected, need_weights=True)
    assert_all_close(output, expected)
    assert weights.shape == (B, H, T, S)


def test_without_gradients_new_positions_are_written_in_place():
    cache = KeyValueCache()
    k, v = torch.randn(B, H, 4 * T, Dk), torch.randn(B, H, 4 * T, 13)
    places = set()
    with torch.no_grad():
        for t in range(4 * T):
            cache.append(k[:, :, t : t + 1], v[:, :, t : t + 1])
            places.add(cache.k.data_ptr())
    assert torch.equal(cache.k, k)
    assert torch.equal(cache.v, v)
    assert len(places) <= 5  # the first, and each doubling: 4, 10, 22, 46


def test_reordering_keeps_the_room_that_is_free():
    cache = KeyValueCache()
    k = torch.randn(B, H, T, Dk)
    with torch.no_grad():
        for t in range(T - 1):
            cache.append(k[:, :, t : t + 1], k[:, :, t : t + 1])
        cache.index_select(torch.tensor([1, 0]))
        place = cache.k.data_ptr()
        cache.append(k[[1, 0], :, T - 1 :], k[[1, 0], :, T - 1 :])
    assert cache.k.data_ptr() == place
    assert torch.equal(cache.k, k[[1, 0]])


def test_gradients_go_through_the_cache():
    attention = MultiHeadAttention(D, H).double()
    x = torch.randn(B, T, D, dtype=torch.float64)
    attention(x, x, x, causal_mask(T))[0].sum().backward()
    expected = attention.w_k.weight.grad.clone()
    attention.zero_grad()
    cache, outputs = KeyValueCache(), []
    for t in range(T):
        new = x[:, t : t + 1]
        outputs.append(attention(new, new, new, cache=cache)[0])
    torch.cat(outputs, dim=1).sum().backward()
    assert_all_close(attention.w_k.weight.grad, expected)


@pytest.mark.parametrize("which", ["tgt_mask", "memory_mask"])
def test_a_refused_mask_leaves_the_cache_as_it_was(which):
    model = make_model()
    memory, cache = model.encode(SRC_IDS), model.new_cache()
    first = model.decode(TGT_IDS[:, :3], memory, SRC_IDS, cache=cache)
    wrong = torch.ones(B, 1, 1, 17, dtype=torch.bool)
    with pytest.raises(ValueError, match="mask must broadcast to"):
        model.decode(TGT_IDS[:, 3:4], memory, SRC_IDS, cache=cache, **{which: wrong})
    assert len(cache) == 3
    assert {len(layer.self_attention) for layer in cache.layers} == {3}
    rest = model.decode(TGT_IDS[:, 3:], memory, SRC_IDS, cache=cache)
    assert_all_close(torch.cat([first, rest], dim=1), model.decode(TGT_IDS, memory, SRC_IDS))


def test_one_attention_refuses_a_mask_before_it_remembers_anything():
    attention, cache = MultiHeadAttention(D, H), KeyValueCache()
    x = torch.randn(B, T, D)
    with pytest.raises(ValueError, match="mask must broadcast to"):
        attention(x, x, x, torch.ones(3, 3, dtype=torch.bool), cache=cache)
    assert len(cache) == 0


# The whole decoder --------------------------------------------------------------------------

MODELS = {
    "the paper's": {},
    "pre-norm": {"norm": "pre"},
    "learned positions": {"positions": "learned", "max_len": T},
    "gated, all tied": {"activation": "swiglu", "tie": "all"},
}


@pytest.mark.parametrize("changes", MODELS.values(), ids=MODELS.keys())
@pytest.mark.parametrize("lengths", [[1] * T, [3, 1, 2, 1], [1, 6], [7]], ids=str)
def test_bug_zoo_02_cached_steps_equal_the_parallel_pass(lengths, changes):
    model = make_model(**changes)
    memory = model.encode(SRC_IDS)
    expected, expected_weights = model.decode(TGT_IDS, memory, SRC_IDS, need_weights=True)
    cache, logits = in_pieces(model, TGT_IDS, memory, SRC_IDS, lengths)
    assert_all_close(torch.cat(logits, dim=1), expected)
    assert len(cache) == T
    assert torch.equal(cache.tgt_ids, TGT_IDS)

    _, pairs = in_pieces(model, TGT_IDS, memory, SRC_IDS, lengths, need_weights=True)
    assert_all_close(torch.cat([logits for logits, _ in pairs], dim=1), expected)
    start = 0
    for length, (_, weights) in zip(lengths, pairs, strict=True):
        rows = slice(start, start + length)
        start += length
        for got, want in zip(weights.decoder, expected_weights.decoder, strict=True):
            assert_all_close(got, want[:, :, rows, :start])
        for got, want in zip(weights.cross, expected_weights.cross, strict=True):
            assert_all_close(got, want[:, :, rows])


def test_bug_zoo_02_each_step_has_the_next_position():
    model = make_model()
    seen = []
    model.tgt_positions.register_forward_hook(
        lambda _, inputs, kwargs, output: seen.append((inputs[0], kwargs["offset"])),
        with_kwargs=True,
    )
    in_pieces(model, TGT_IDS, torch.zeros(B, S, 12).double(), SRC_IDS, [1, 2, 4])
    assert seen == [(1, 0), (2, 1), (4, 3)]


def test_bug_zoo_03_keys_and_values_are_projected_once():
    model = make_model()
    memory = model.encode(SRC_IDS)
    projected = {}
    for index, layer in enumerate(model.decoder.layers):
        for kind in ("self_attention", "cross_attention"):
            for name in ("w_k", "w_v"):
                lengths = projected.setdefault((index, kind, name), [])
                getattr(getattr(layer, kind), name).register_forward_hook(
                    lambda _, inputs, __, lengths=lengths: lengths.append(inputs[0].shape[1])
                )
    in_pieces(model, TGT_IDS, memory, SRC_IDS, [1] * T)
    for (_, kind, _), lengths in projected.items():
        assert lengths == ([1] * T if kind == "self_attention" else [S])


def test_bug_zoo_03_the_cache_holds_projected_keys_and_values_head_by_head():
    model = make_model()
    cache, _ = in_pieces(model, TGT_IDS, model.encode(SRC_IDS), SRC_IDS, [1] * T)
    own, memory = cache.layers[0].self_attention, cache.layers[0].memory
    assert own.k.shape == own.v.shape == (B, 3, T, 4)
    assert [tensor.shape for tensor in memory] == [(B, 3, S, 4)] * 2
    x = model.tgt_embedding(TGT_IDS) + model.tgt_positions(T)
    k = model.decoder.layers[0].self_attention.w_k(x)
    assert_all_close(own.k.transpose(1, 2).flatten(-2), k)


@pytest.mark.parametrize("rows", [[1, 0], [1, 1], [0], [1, 0, 1, 1, 0]], ids=str)
def test_rows_can_be_reordered_repeated_and_dropped_between_steps(rows):
    model = make_model()
    memory = model.encode(SRC_IDS)
    rows = torch.tensor(rows)
    cache = model.new_cache()
    model.decode(TGT_IDS[:, :3], memory, SRC_IDS, cache=cache)
    cache.index_select(rows)
    got = model.decode(TGT_IDS[rows, 3:5], memory[rows], SRC_IDS[rows], cache=cache)
    expected = model.decode(TGT_IDS[rows, :5], memory[rows], SRC_IDS[rows])[:, 3:]
    assert_all_close(got, expected)
    assert torch.equal(cache.tgt_ids, TGT_IDS[rows, :5])


@given(
    seed=st.integers(0, 2**32 - 1),
    pads=st.lists(st.integers(0, T - 1), min_size=B, max_size=B),
    lengths=st.lists(st.integers(1, 3), min_size=1, max_size=4),
    norm=st.sampled_from(["post", "pre"]),
)
def test_property_any_pieces_give_the_parallel_logits(seed, pads, lengths, norm):
    torch.manual_seed(seed)
    model = make_model(norm=norm)
    total = sum(lengths)
    tgt_ids = torch.randint(3, V, (B, total))
    for row, pad in enumerate(pads):
        tgt_ids[row, total - min(pad, total - lengths[0]) :] = 0
    memory = model.encode(SRC_IDS)
    _, logits = in_pieces(model, tgt_ids, memory, SRC_IDS, lengths)
    assert_all_close(torch.cat(logits, dim=1), model.decode(tgt_ids, memory, SRC_IDS))


def test_a_finished_sentence_may_go_on_with_nothing_but_padding():
    model = make_model()
    memory = model.encode(SRC_IDS)
    cache = model.new_cache()
    model.decode(TGT_IDS[:, :1], memory, SRC_IDS, cache=cache)
    logits = model.decode(torch.tensor([[0], [9]]), memory, SRC_IDS, cache=cache)
    assert logits.isfinite().all()


def test_gradients_flow_through_the_cache():
    model = make_model()
    parameters = list(model.parameters())
    memory = model.encode(SRC_IDS)
    direction = torch.randn(B, T, V, dtype=torch.float64)
    expected = torch.autograd.grad((model(SRC_IDS, TGT_IDS) * direction).sum(), parameters)
    _, logits = in_pieces(model, TGT_IDS, memory, SRC_IDS, [2, 5])
    got = torch.autograd.grad((torch.cat(logits, dim=1) * direction).sum(), parameters)
    assert_all_close(got, expected)


# Bad input ----------------------------------------------------------------------------------


def filled_cache(model, memory):
    cache = model.new_cache()
    model.decode(TGT_IDS[:, :2], memory, SRC_IDS, cache=cache)
    return cache


BAD = {
    "another batch": (
        lambda model, memory: model.decode(
            TGT_IDS[:1, 2:], memory[:1], SRC_IDS[:1], cache=filled_cache(model, memory)
        ),
        "tgt_ids must have shape (B, T) with B = 2; got (1, 5)",
    ),
    "another memory": (
        lambda model, memory: model.decode(
            TGT_IDS[:, 2:], memory[:, :3], SRC_IDS[:, :3], cache=filled_cache(model, memory)
        ),
        "mask must broadcast to (B, H, Tq, Tk) = (2, 3, 5, 5); got (2, 1, 1, 3)",
    ),
    "a target mask for the new positions only": (
        lambda model, memory: model.decode(
            TGT_IDS[:, 2:],
            memory,
            SRC_IDS,
            tgt_mask=causal_mask(5),
            cache=filled_cache(model, memory),
        ),
        "mask must broadcast to (B, H, Tq, Tk) = (2, 3, 5, 7); got (5, 5)",
    ),
    "one position too many": (
        lambda _, memory: in_pieces(
            make_model(positions="learned", max_len=6), TGT_IDS, memory, SRC_IDS, [6, 1]
        ),
        "a sentence must have at most max_len = 6 tokens where positions are learned; got 7",
    ),
    "a decoder that sees the whole target": (
        lambda *_: make_model(causal=False).new_cache(),
        "a cache needs a causal decoder; got a config with causal = False",
    ),
    "no keys, and no cache": (
        lambda model, memory: model.decoder.layers[0].self_attention(memory, None, None),
        "key must be a floating-point tensor; got NoneType",
    ),
    "no keys, and an empty cache": (
        lambda model, memory: model.decoder.layers[0].self_attention(
            memory, None, None, cache=KeyValueCache()
        ),
        "key must be a floating-point tensor; got NoneType",
    ),
    "keys without values": (
        lambda model, memory: model.decoder.layers[0].self_attention(
            memory, memory, None, cache=KeyValueCache()
        ),
        "value must be a floating-point tensor; got NoneType",
    ),
}


@pytest.mark.parametrize(("call", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_refused(refuses, call, message):
    model = make_model()
    memory = model.encode(SRC_IDS)
    refuses(lambda: call(model, memory), message)


def test_refused_ids_leave_the_cache_as_it_was():
    model = make_model()
    memory = model.encode(SRC_IDS)
    cache = filled_cache(model, memory)
    jaxtyping.config.update("jaxtyping_disable", True)
    try:
        for wrong in (torch.tensor([[99], [4]]), torch.tensor([4, 4]), torch.zeros(2, 1)):
            with pytest.raises(ValueError, match="must"):
                model.decode(wrong, memory, SRC_IDS, cache=cache)
    finally:
        jaxtyping.config.update("jaxtyping_disable", False)
    assert torch.equal(cache.tgt_ids, TGT_IDS[:, :2])
    assert [len(layer.self_attention) for layer in cache.layers] == [2, 2]


def test_a_change_of_the_gradient_mode_loses_nothing():
    cache, pieces = KeyValueCache(), torch.arange(1.0, 6.0).split(1)
    for piece, has_gradient in zip(pieces, (False, False, True, False, True), strict=True):
        with torch.set_grad_enabled(has_gradient):
            k, v = cache.append(piece.view(1, 1, 1, 1), -piece.view(1, 1, 1, 1))
    assert k.flatten().tolist() == [1, 2, 3, 4, 5]
    assert v.flatten().tolist() == [-1, -2, -3, -4, -5]


def test_a_step_makes_no_mask_and_no_table_of_all_positions(monkeypatch):
    made = []
    for name in ("ones", "arange"):
        make = getattr(torch, name)
        monkeypatch.setattr(
            torch, name, lambda *a, make=make, **k: made.append(make(*a, **k)) or made[-1]
        )
    model = make_model(window=3)
    cache, memory = model.new_cache(), model.encode(SRC_IDS)
    long = torch.full((2, 1100), 4)  # beyond the table of positions
    model.decode(long, memory, SRC_IDS, cache=cache)
    made.clear()
    model.decode(long[:, :1], memory, SRC_IDS, cache=cache)
    assert made
    assert max(tensor.numel() for tensor in made) == 1101  # a row, and not 1101 of them
    assert not [tensor for tensor in made if tensor.is_floating_point() and tensor.numel() > D]
