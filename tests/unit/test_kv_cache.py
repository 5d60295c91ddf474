"""The cached decoder: one position at a time gives what the whole sentence gives at once."""

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from attnsteps.decoding.greedy import greedy
from attnsteps.decoding.kv_cache import CachedDecoder, is_plain
from attnsteps.decoding.step import NextToken
from attnsteps.layers.masks import padding_mask
from attnsteps.layers.multi_head import MultiHeadAttention
from attnsteps.model.transformer import Transformer
from tests.decoding import BOS, PAD, SENTENCES, TOLERANCE, assert_same, padded, random_model

VARIANTS = {
    "post-norm": {"norm": "post", "positions": "sinusoidal"},
    "pre-norm": {"norm": "pre", "positions": "sinusoidal"},
    "post-norm and a final norm": {"norm": "post", "final_norm": True},
    "learned positions": {"positions": "learned"},
    "gelu": {"activation": "gelu"},
    "swiglu": {"activation": "swiglu"},
    "tied": {"tie": "all"},
    "one head, one layer": {"num_heads": 1, "num_decoder_layers": 1},
}
dtypes = pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)


def assert_all_close(got, expected, tolerance):
    torch.testing.assert_close(got, expected, rtol=tolerance, atol=tolerance)


def prepare(model, sentences=SENTENCES, **settings):
    """Return a cached decoder, the memory and its mask."""
    src_ids = padded(sentences)
    memory, mask = model.encode(src_ids), padding_mask(src_ids, PAD)
    return CachedDecoder(model, memory, mask, **settings), memory, mask


# Equal to the model's own decoder ------------------------------------------------------------


@dtypes
@pytest.mark.parametrize("changes", VARIANTS.values(), ids=VARIANTS.keys())
@torch.no_grad()
def test_cached_uncached_and_parallel_agree(changes, dtype):
    model = random_model(dtype=dtype, **changes)
    assert is_plain(model)
    length = 19  # more than the cache has places for in the beginning
    tgt_ids = torch.randint(3, 11, (len(SENTENCES), length))
    tgt_ids[:, 0] = BOS
    fast, memory, mask = prepare(model, max_len=length)
    parallel = model.decode(tgt_ids, memory, memory_mask=mask)
    models_own_cache = model.new_cache()
    for t in range(length):
        logits = fast.step(tgt_ids[:, t])
        assert_all_close(logits, parallel[:, t], TOLERANCE[dtype])
        uncached = model.decode(tgt_ids[:, : t + 1], memory, memory_mask=mask)[:, -1]
        assert_all_close(logits, uncached, TOLERANCE[dtype])
        step = model.decode(tgt_ids[:, t : t + 1], memory, memory_mask=mask, cache=models_own_cache)
        assert_all_close(logits, step[:, 0], TOLERANCE[dtype])


@torch.no_grad()
def test_without_padding_no_mask_is_needed():
    model = random_model()
    memory = model.encode(torch.randint(3, 11, (3, 5)))
    ids = torch.tensor([BOS, BOS, BOS])
    mask = torch.ones(3, 1, 1, 5, dtype=torch.bool)
    with_mask, without = (CachedDecoder(model, memory, m, max_len=2) for m in (mask, None))
    assert_all_close(with_mask.step(ids), without.step(ids), 1e-10)


@torch.no_grad()
@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
def test_long_sentences_need_no_room_before_they_come(positions):
    model = random_model(positions=positions, max_len=140)
    tgt_ids = torch.randint(3, 11, (1, 140))
    fast, memory, mask = prepare(model, [[5, 3]], max_len=140)
    steps = torch.stack([fast.step(tgt_ids[:, t]) for t in range(140)], dim=1)
    assert_all_close(steps, model.decode(tgt_ids, memory, memory_mask=mask), 1e-10)


@torch.no_grad()
def test_beams_share_their_memory_and_take_over_each_others_past():
    model = random_model()
    batch_size, beam_width = len(SENTENCES), 3
    fast, memory, mask = prepare(model, max_len=7, beam_width=beam_width)
    memory, mask = (x.repeat_interleave(beam_width, dim=0) for x in (memory, mask))
    ids = torch.randint(3, 11, (batch_size * beam_width, 4))
    assert_all_close(
        torch.stack([fast.step(ids[:, t]) for t in range(4)], dim=1),
        model.decode(ids, memory, memory_mask=mask),
        1e-10,
    )
    order = torch.tensor([2, 0, 0]).repeat(batch_size)
    rows = torch.arange(batch_size).repeat_interleave(beam_width) * beam_width + order
    fast.index_select(rows)
    new = torch.randint(3, 11, (batch_size * beam_width,))
    ids = torch.cat([ids[rows], new[:, None]], dim=1)
    assert_all_close(fast.step(new), model.decode(ids, memory, memory_mask=mask)[:, -1], 1e-10)


def test_half_precision_stays_half_but_scores_do_not():
    model = random_model(dtype=torch.bfloat16)
    assert greedy(model, padded(SENTENCES), max_len=3).scores.dtype == torch.float32
    fast, _, _ = prepare(model, max_len=3)
    assert fast.step(torch.full((len(SENTENCES),), BOS)).dtype == torch.bfloat16


def test_autocast():
    model, src_ids = random_model(dtype=torch.float32), padded(SENTENCES)
    with torch.autocast("cpu", torch.bfloat16):
        cached = greedy(model, src_ids, max_len=5)
        uncached = greedy(model, src_ids, max_len=5, use_cache=False)
    assert cached.scores.dtype == torch.float32
    torch.testing.assert_close(cached.scores, uncached.scores, rtol=0.1, atol=0.1)


# The bug zoo ---------------------------------------------------------------------------------


@torch.no_grad()
def test_bug_zoo_02_one_token_steps_do_not_all_stand_at_position_0():
    model = random_model()
    fast, _, _ = prepare(model, max_len=9)
    ids = torch.full((len(SENTENCES),), 7)
    first, second, third = (fast.step(ids) for _ in range(3))
    # With the same token three times, nothing but its position tells the steps apart.
    assert (first - second).abs().max() > 1e-3
    assert (second - third).abs().max() > 1e-3


@torch.no_grad()
def test_bug_zoo_03_keys_and_values_are_projected_once():
    model = random_model()
    fast, _, _ = prepare(model, max_len=9)
    ids, spent = torch.full((len(SENTENCES),), 7), []
    for _ in range(9):
        with FlopCounterMode(display=False) as counter:
            fast.step(ids)
        counts = counter.get_flop_counts()["Global"]
        spent.append(sum(n for op, n in counts.items() if "attention" not in str(op)))
    assert spent == spent[:1] * 9
    # Two decoder layers: four D × D products for the token itself, two for its look at the
    # memory, two D × Dff; then the vocabulary; two operations for each multiplication.
    assert spent[0] == 2 * len(SENTENCES) * (2 * (6 * 12 * 12 + 2 * 12 * 20) + 12 * 11)


# A changed model is called, not read -----------------------------------------------------------


class Louder(MultiHeadAttention):
    def forward(self, *args, **kwargs):
        output, weights = super().forward(*args, **kwargs)
        return 3 * output, weights


class Shifted(Transformer):
    def decode(self, *args, **kwargs):
        return super().decode(*args, **kwargs).roll(1, dims=-1)


def hook(model):
    model.decoder.layers[0].feed_forward.register_forward_hook(lambda _module, _in, out: -out)


def pre_hook(model):
    model.decoder.layers[1].self_attention.w_v.register_forward_pre_hook(lambda _, x: 2 * x[0])


def exchange(model):
    model.decoder.layers[0].cross_attention.__class__ = Louder


def patch(model):
    module = model.decoder.layers[1].feed_forward
    module.forward = torch.zeros_like


def embed(model):
    model.tgt_embedding.register_forward_hook(lambda _module, _in, out: -out)


def override(model):
    model.__class__ = Shifted


def override_here(model):
    model.decode = lambda *given, **choices: 1 - type(model).decode(model, *given, **choices)


def drop(model):
    model.dropout.register_forward_hook(lambda _module, _in, out: out / 2)


CHANGES = [hook, pre_hook, exchange, patch, embed, override, override_here, drop]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_ablations_and_probes_are_not_bypassed(change):
    model, src_ids = random_model(), padded(SENTENCES)
    before = greedy(model, src_ids, max_len=6)
    change(model)
    assert not is_plain(model)
    cached = greedy(model, src_ids, max_len=6)
    assert_same(cached, greedy(model, src_ids, max_len=6, use_cache=False))
    assert cached.scores.tolist() != before.scores.tolist()


def test_a_plain_model_with_a_cache_goes_the_short_way():
    model, src_ids = random_model(), padded(SENTENCES)
    assert isinstance(NextToken(model, src_ids, max_len=3).decoder, CachedDecoder)
    uncached = NextToken(model, src_ids, max_len=3, use_cache=False).decoder
    assert not isinstance(uncached, CachedDecoder)
    assert uncached.cache is None
    hook(model)
    assert NextToken(model, src_ids, max_len=3).decoder.cache is not None


@pytest.mark.parametrize(
    ("sentences", "needed"), [([[5, 3], [4, 8]], False), ([[5], [4, 8]], True)]
)
def test_a_mask_is_there_only_where_there_is_padding(sentences, needed):
    decoder = NextToken(random_model(), padded(sentences), max_len=3).decoder
    assert all((layer.memory_mask is not None) == needed for layer in decoder.layers)


def test_a_hook_on_what_is_called_anyway_costs_nothing():
    model = random_model()
    calls = []
    for module in (model.encoder, model.projection):
        module.register_forward_hook(lambda *_: calls.append(1))
    assert is_plain(model)
    greedy(model, padded(SENTENCES), max_len=1)
    assert len(calls) == 2


def test_projections_without_biases():
    model = random_model()
    for layer in model.decoder.layers:
        for name in ("self_attention", "cross_attention"):
            attention = MultiHeadAttention(12, 3, bias=False).double()
            setattr(layer, name, attention)
    assert is_plain(model)
    assert isinstance(model.decoder.layers[0].self_attention.w_q, nn.Linear)
    cached = greedy(model, padded(SENTENCES), max_len=6)
    assert_same(cached, greedy(model, padded(SENTENCES), max_len=6, use_cache=False))
