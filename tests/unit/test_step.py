"""The next token: with a cache or without, alone or in a beam, and in a model that was changed."""

import functools

import pytest
import torch
from torch import nn
from torch.nn.modules.module import register_module_forward_hook
from torch.utils.flop_counter import FlopCounterMode

from attnsteps.decoding.beam import beam
from attnsteps.decoding.greedy import greedy
from attnsteps.decoding.sample import sample
from attnsteps.decoding.step import NextToken
from attnsteps.layers.multi_head import MultiHeadAttention
from attnsteps.model.transformer import Transformer
from tests.decoding import BOS, SENTENCES, TOLERANCE, assert_same, padded, random_model, randomise

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


def logits_of(model):
    """Return a list that fills with the logits of every step."""
    seen = []
    model.projection.register_forward_hook(lambda _module, _in, out: seen.append(out[:, -1]))
    return seen


# With a cache as without ---------------------------------------------------------------------


@dtypes
@pytest.mark.parametrize("changes", VARIANTS.values(), ids=VARIANTS.keys())
@torch.no_grad()
def test_cached_uncached_and_parallel_agree(changes, dtype):
    model, src_ids = random_model(dtype=dtype, **changes), padded(SENTENCES)
    length = 19
    tgt_ids = torch.randint(3, 11, (len(SENTENCES), length))
    tgt_ids[:, 0] = BOS
    parallel = model(src_ids, tgt_ids)
    seen = logits_of(model)
    for use_cache in (True, False):
        seen.clear()
        next_token = NextToken(model, src_ids, max_len=length, use_cache=use_cache)
        for t in range(length):
            next_token.log_probs(tgt_ids[:, t])
        assert_all_close(torch.stack(seen, dim=1), parallel, TOLERANCE[dtype])


@torch.no_grad()
@pytest.mark.parametrize("use_cache", [True, False])
def test_beams_take_over_each_others_past(use_cache):
    model, beam_width, src_ids = random_model(), 3, padded(SENTENCES)
    next_token = NextToken(model, src_ids, max_len=7, beam_width=beam_width, use_cache=use_cache)
    ids = torch.randint(3, 11, (len(SENTENCES) * beam_width, 4))
    for t in range(4):
        next_token.log_probs(ids[:, t])
    order = torch.tensor([2, 0, 0]).repeat(len(SENTENCES))
    rows = torch.arange(len(SENTENCES)).repeat_interleave(beam_width) * beam_width + order
    next_token.index_select(rows)
    new = torch.randint(3, 11, (len(rows),))
    seen = logits_of(model)
    next_token.log_probs(new)
    ids = torch.cat([ids[rows], new[:, None]], dim=1)
    expected = model(src_ids.repeat_interleave(beam_width, dim=0), ids)[:, -1]
    assert_all_close(seen[0], expected, 1e-10)


def test_half_precision_stays_half_but_scores_do_not():
    model = random_model(dtype=torch.bfloat16)
    seen = logits_of(model)
    assert greedy(model, padded(SENTENCES), max_len=3).scores.dtype == torch.float32
    assert seen[0].dtype == torch.bfloat16


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
    next_token = NextToken(random_model(), padded(SENTENCES), max_len=9)
    ids = torch.full((len(SENTENCES),), 7)
    first, second, third = (next_token.log_probs(ids)[:, 2:] for _ in range(3))
    # With the same token three times, nothing but its position tells the steps apart.
    assert (first - second).abs().max() > 1e-3
    assert (second - third).abs().max() > 1e-3


@torch.no_grad()
def test_bug_zoo_03_keys_and_values_are_projected_once():
    next_token = NextToken(random_model(positions="sinusoidal"), padded(SENTENCES), max_len=9)
    next_token.log_probs(torch.full((len(SENTENCES),), BOS))  # projects the memory
    ids, spent = torch.full((len(SENTENCES),), 7), []
    for _ in range(9):
        with FlopCounterMode(display=False) as counter:
            next_token.log_probs(ids)
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


def other_heads(model):
    attention = randomise(MultiHeadAttention(12, 2).double(), seed=3)
    model.decoder.layers[0].cross_attention = attention


def drop(model):
    model.dropout.register_forward_hook(lambda _module, _in, out: out / 2)


CHANGES = [hook, pre_hook, exchange, patch, embed, override, override_here, other_heads, drop]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_ablations_and_probes_are_not_bypassed(change):
    model, src_ids = random_model(), padded(SENTENCES)
    before = greedy(model, src_ids, max_len=6)
    change(model)
    cached = greedy(model, src_ids, max_len=6)
    assert_same(cached, greedy(model, src_ids, max_len=6, use_cache=False))
    assert cached.scores.tolist() != before.scores.tolist()


def test_a_hook_on_all_modules_is_not_bypassed():
    model, src_ids = random_model(), padded(SENTENCES)
    before = greedy(model, src_ids, max_len=6)

    def double(module, _inputs, output):
        return 2 * output if isinstance(module, nn.Linear) else output

    handle = register_module_forward_hook(double)
    try:
        cached = greedy(model, src_ids, max_len=6)
        assert_same(cached, greedy(model, src_ids, max_len=6, use_cache=False))
    finally:
        handle.remove()
    assert cached.scores.tolist() != before.scores.tolist()


# What is kept ----------------------------------------------------------------------------------


def test_a_cache_is_kept_unless_it_is_declined():
    model, src_ids = random_model(), padded(SENTENCES)
    assert NextToken(model, src_ids, max_len=3).cache is not None
    assert NextToken(model, src_ids, max_len=3, use_cache=False).cache is None


@pytest.mark.parametrize("search", [greedy, sample, functools.partial(beam, beam_width=2)])
def test_every_search_keeps_a_cache_by_itself(search, monkeypatch):
    """With a cache the decoder gets one new position a step; without one, all of them again."""
    model, decode, widths = random_model(), Transformer.decode, []

    def watched(self, tgt_ids, *rest, **settings):
        widths.append(tgt_ids.shape[1])
        return decode(self, tgt_ids, *rest, **settings)

    monkeypatch.setattr(Transformer, "decode", watched)
    search(model, padded(SENTENCES), max_len=6)
    assert max(widths) == 1
    search(model, padded(SENTENCES), max_len=6, use_cache=False)
    assert max(widths) > 1


@torch.no_grad()
def test_the_memory_of_a_sentence_stays_where_it_is_when_its_rows_change():
    model, src_ids = random_model(), padded(SENTENCES)
    next_token = NextToken(model, src_ids, max_len=3, beam_width=2)
    next_token.log_probs(next_token.start)
    before = [layer.memory for layer in next_token.cache.layers]
    next_token.index_select(torch.arange(2 * len(SENTENCES)))
    after = [layer.memory for layer in next_token.cache.layers]
    assert all(old is new for old, new in zip(before, after, strict=True))


def test_a_limit_for_each_sentence_must_be_as_many_as_the_sentences(refuses):
    refuses(
        lambda: greedy(random_model(), padded(SENTENCES), max_len=torch.tensor([3])),
        "max_len must have shape (B) with B = 5; got (1,)",
    )
