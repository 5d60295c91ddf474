"""Greedy decoding: by hand, against the parallel model, and by its properties."""

import pytest
import torch

from attnsteps.decoding.beam import beam
from attnsteps.decoding.greedy import greedy
from attnsteps.decoding.sample import sample
from attnsteps.model.config import TransformerConfig
from attnsteps.model.transformer import Transformer
from tests.decoding import (
    BOS,
    EOS,
    PAD,
    SENTENCES,
    TOLERANCE,
    Scripted,
    assert_batch_as_alone,
    assert_same,
    log_probs_of,
    padded,
    random_model,
    sentences_of,
)

both_ways = pytest.mark.parametrize("use_cache", [True, False], ids=["cached", "uncached"])
dtypes = pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)

# By hand ------------------------------------------------------------------------------------


def script(prefix):
    """Ids 0 to 4: pad, bos, eos and two words."""
    return {
        (): [0.0, 0.0, 0.1, 0.6, 0.3],
        (3,): [0.0, 0.0, 0.2, 0.3, 0.5],
        (3, 4): [0.0, 0.0, 0.8, 0.1, 0.1],
    }[prefix]


@both_ways
def test_by_hand(use_cache):
    decoded = greedy(Scripted(script, 5), torch.tensor([[7]]), max_len=9, use_cache=use_cache)
    assert decoded.ids.tolist() == [[3, 4, EOS]]
    assert decoded.lengths.tolist() == [3]
    assert decoded.scores.exp().tolist() == pytest.approx([0.6 * 0.5 * 0.8])


@both_ways
def test_max_len_cuts(use_cache):
    decoded = greedy(Scripted(script, 5), torch.tensor([[7]]), max_len=2, use_cache=use_cache)
    assert decoded.ids.tolist() == [[3, 4]]
    assert decoded.scores.exp().tolist() == pytest.approx([0.6 * 0.5])


@both_ways
def test_padding_and_the_start_symbol_are_never_produced(use_cache):
    # They take 0.9 of the probability, which counts for nothing: the rest is 1/4 and 3/4.
    model = Scripted(lambda _prefix: [0.5, 0.4, 0.025, 0.075], 4)
    decoded = greedy(model, torch.tensor([[7]]), max_len=3, use_cache=use_cache)
    assert decoded.ids.tolist() == [[3, 3, 3]]
    assert decoded.scores.exp().tolist() == pytest.approx([0.75**3])


@both_ways
def test_each_sentence_stops_at_its_own_end(use_cache):
    model = random_model()
    decoded = greedy(model, padded(SENTENCES), max_len=12, use_cache=use_cache)
    found = sentences_of(decoded)
    assert decoded.lengths.tolist() == [12, 4, 9, 4, 9]
    assert [sentence[-1] == EOS for sentence in found] == [False, True, True, True, True]


@both_ways
def test_the_search_stops_when_all_have_ended(use_cache):
    model, steps = random_model(), []
    model.projection.register_forward_hook(lambda *_: steps.append(1))
    decoded = greedy(model, padded(SENTENCES[1:]), max_len=50, use_cache=use_cache)
    assert decoded.lengths.tolist() == [4, 9, 4, 9]
    assert len(steps) == 9


@both_ways
def test_the_end_is_where_the_config_says(use_cache):
    model = random_model(eos_id=9)  # and 2 is a word like any other
    with torch.no_grad():
        model.projection.weight[[2, 9]] = model.projection.weight[[9, 2]]
    decoded = greedy(model, padded(SENTENCES), max_len=12, use_cache=use_cache)
    rows = [row[:n] for row, n in zip(decoded.ids.tolist(), decoded.lengths.tolist(), strict=True)]
    assert any(2 in row for row in rows)
    assert any(len(row) < 12 for row in rows)
    assert all((row[-1] == 9) == (len(row) < 12) and 9 not in row[:-1] for row in rows)


# Cached, uncached and parallel ----------------------------------------------------------------


@dtypes
@both_ways
def test_scores_are_those_of_the_parallel_model(use_cache, dtype):
    model, src_ids = random_model(dtype=dtype), padded(SENTENCES)
    decoded = greedy(model, src_ids, max_len=12, use_cache=use_cache)
    assert decoded.scores.dtype == dtype
    expected = log_probs_of(model, src_ids, decoded.ids)
    torch.testing.assert_close(
        decoded.scores, expected.sum(dim=1), rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype]
    )


@dtypes
@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("positions", ["learned", "sinusoidal"])
def test_cached_and_uncached_find_the_same(norm, positions, dtype):
    model = random_model(dtype=dtype, norm=norm, positions=positions)
    cached = greedy(model, padded(SENTENCES), max_len=20)
    uncached = greedy(model, padded(SENTENCES), max_len=20, use_cache=False)
    assert_same(cached, uncached, TOLERANCE[dtype])


def test_every_token_is_the_parallel_models_favourite():
    model, src_ids = random_model(), padded(SENTENCES)
    decoded = greedy(model, src_ids, max_len=12)
    starts = torch.full((len(SENTENCES), 1), BOS)
    with torch.no_grad():
        logits = model(src_ids, torch.cat([starts, decoded.ids[:, :-1]], dim=1))
    logits[:, :, [PAD, BOS]] = -torch.inf
    is_token = decoded.ids != PAD
    assert torch.equal(logits.argmax(dim=-1)[is_token], decoded.ids[is_token])


@both_ways
def test_a_batch_decodes_as_its_sentences_alone(use_cache):
    model = random_model()
    assert_batch_as_alone(lambda ids: greedy(model, ids, max_len=12, use_cache=use_cache))


@both_ways
def test_bug_zoo_19_decoding_starts_with_the_start_symbol_of_training(use_cache):
    """There is one start symbol, the config's: what was trained is what is decoded."""
    ids = {"pad_id": 4, "bos_id": 7, "eos_id": 3}
    model = random_model(**ids)
    seen = []
    model.tgt_embedding.register_forward_pre_hook(lambda _module, x: seen.append(x[0]))
    src_ids = torch.tensor([[5, 8, 1]])
    decoded = greedy(model, src_ids, max_len=6, use_cache=use_cache)
    assert seen[0].tolist() == [[7]]
    expected = log_probs_of(model, src_ids, decoded.ids).sum(dim=1)
    torch.testing.assert_close(decoded.scores, expected, rtol=1e-10, atol=1e-10)
    assert not set(decoded.ids.flatten().tolist()) & {4, 7}


def test_moving_the_start_symbol_changes_the_sentences():
    one, other = random_model(bos_id=1), random_model(bos_id=9)
    src_ids = padded([[5, 3], [4, 8]])
    assert greedy(one, src_ids, max_len=5).scores.tolist() != (
        greedy(other, src_ids, max_len=5).scores.tolist()
    )


# Bad input ----------------------------------------------------------------------------------

SEARCHES = {
    "greedy": greedy,
    "sample": sample,
    "beam": lambda model, src_ids, **settings: beam(model, src_ids, beam_width=2, **settings),
}
LONG = random_model(max_len=8)
BAD = {
    "no tokens at all": ({"max_len": 0}, "max_len must be a positive integer; got 0"),
    "half a token": ({"max_len": 2.5}, "max_len must be a positive integer; got 2.5"),
    "more than there are positions": (
        {"max_len": 9},
        "a sentence must have at most max_len = 8 tokens where positions are learned; got 9",
    ),
    "no sentence": (
        {"src_ids": torch.zeros(0, 5, dtype=torch.int64)},
        "src_ids must hold at least one sentence of one id; got (0, 5)",
    ),
    "empty sentences": (
        {"src_ids": torch.zeros(2, 0, dtype=torch.int64)},
        "src_ids must hold at least one sentence of one id; got (2, 0)",
    ),
    "a sentence of padding": (
        {"src_ids": torch.tensor([[5, 3], [0, 0]])},
        "src_ids must hold a word in every row, not only padding (pad_id = 0); got none in row 1",
    ),
    "a sentence without a batch": (
        {"src_ids": torch.tensor([5, 3])},
        "src_ids must have shape (B, T); got (2,)",
    ),
    "vectors in place of ids": (
        {"src_ids": torch.zeros(2, 5)},
        "src_ids must be an int32 or int64 tensor; got torch.float32",
    ),
    "an id too many": (
        {"src_ids": torch.tensor([[5, 11]])},
        "ids must lie in 0..10 (vocab_size = 11); got 11",
    ),
    "a negative id": (
        {"src_ids": torch.tensor([[5, -1]])},
        "ids must lie in 0..10 (vocab_size = 11); got -1",
    ),
    "a model that sees all at once": (
        {"model": Transformer(TransformerConfig.tiny(11, 11, causal=False))},
        "model must be causal to write from left to right; got config.causal = False",
    ),
}


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize(("changed", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_refused(refuses, changed, message, name):
    good = {"model": LONG, "src_ids": padded(SENTENCES), "max_len": 5}
    refuses(lambda: SEARCHES[name](**{**good, **changed}), message)


@both_ways
@pytest.mark.parametrize("name", SEARCHES)
def test_too_many_tokens_are_refused_before_the_first(refuses, name, use_cache):
    model, calls = random_model(max_len=100), []
    model.encoder.register_forward_hook(lambda *_: calls.append(1))
    refuses(
        lambda: SEARCHES[name](model, padded(SENTENCES), max_len=101, use_cache=use_cache),
        "a sentence must have at most max_len = 100 tokens where positions are learned; got 101",
    )
    assert calls == []


@pytest.mark.parametrize("name", SEARCHES)
def test_as_many_tokens_as_there_are_positions(name):
    assert SEARCHES[name](LONG, padded(SENTENCES), max_len=8).ids.shape[-1] <= 8
