"""Sampling: by hand, by its limits, and by counting."""

import math
from collections import Counter

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnsteps.decoding.greedy import greedy
from attnsteps.decoding.sample import adjust, draw, sample
from tests.decoding import (
    EOS,
    SENTENCES,
    TOLERANCE,
    Scripted,
    all_sentences,
    assert_batch_as_alone,
    assert_same,
    log_probs_of,
    padded,
    random_model,
    sentences_of,
)

both_ways = pytest.mark.parametrize("use_cache", [True, False], ids=["cached", "uncached"])


def chance(seed=0):
    return torch.Generator().manual_seed(seed)


def log(*probabilities):
    return torch.tensor([probabilities], dtype=torch.float64).log()


# Temperature, top-k and top-p by hand ----------------------------------------------------------


def test_temperature_by_hand():
    # Squared and divided by their sum; then their roots.
    assert adjust(log(0.2, 0.8), 0.5)[0].tolist() == pytest.approx([0.04 / 0.68, 0.64 / 0.68])
    assert adjust(log(0.2, 0.8), 2.0)[0].tolist() == pytest.approx([1 / 3, 2 / 3])


def test_top_k_by_hand():
    probs = adjust(log(0.1, 0.4, 0.2, 0.3), top_k=2)
    assert probs[0].tolist() == pytest.approx([0.0, 4 / 7, 0.0, 3 / 7])


def test_top_p_by_hand():
    # 0.4 alone is less than 0.6, 0.4 + 0.3 is not.
    probs = adjust(log(0.1, 0.4, 0.2, 0.3), top_p=0.6)
    assert probs[0].tolist() == pytest.approx([0.0, 4 / 7, 0.0, 3 / 7])


def test_top_p_takes_no_more_than_it_needs():
    probs = adjust(log(0.5, 0.25, 0.25), top_p=0.5)
    assert probs[0].tolist() == [1.0, 0.0, 0.0]


def test_top_p_counts_what_temperature_and_top_k_have_left():
    # top_k = 2 leaves 4/7 and 3/7: the first alone has 0.55.
    assert adjust(log(0.1, 0.4, 0.2, 0.3), top_k=2, top_p=0.55)[0].tolist() == [0, 1, 0, 0]
    # At a temperature of 1/2 the odds are 1 : 16 : 4 : 9, and 16/30 alone is more than 0.5.
    assert adjust(log(0.1, 0.4, 0.2, 0.3), 0.5, top_p=0.5)[0].tolist() == [0, 1, 0, 0]


def test_each_row_by_itself():
    rows = torch.cat([log(0.1, 0.4, 0.2, 0.3), log(0.3, 0.2, 0.4, 0.1)])
    for settings in ({"temperature": 0.3}, {"top_k": 3}, {"top_p": 0.8}, {"top_k": 1}):
        alone = torch.cat([adjust(row[None], **settings) for row in rows])
        torch.testing.assert_close(adjust(rows, **settings), alone, rtol=1e-12, atol=1e-12)


def test_ties_leave_exactly_k():
    assert adjust(log(0.25, 0.25, 0.25, 0.25), top_k=3).count_nonzero() == 3


@pytest.mark.parametrize("temperature", [1e-300, 1e-38, 1e-3, 1.0, 1e6, 1e39, 1e300])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_no_temperature_overflows(temperature, dtype):
    probs = adjust(log(0.0, 0.5, 0.3, 0.2).to(dtype), temperature)
    assert probs.sum().item() == pytest.approx(1.0)
    assert probs.argmax() == 1
    assert probs[0, 0] == 0.0
    many = torch.randn(1, 2000).log_softmax(-1).to(dtype)  # each of which is improbable
    assert adjust(many, temperature).sum().item() == pytest.approx(1.0, abs=1e-4)


def test_a_sure_row_does_not_make_an_unsure_one_overflow():
    rows = torch.zeros(2, 100)
    rows[0, 7], rows[1] = 1.0, 0.01
    probs = adjust(rows.log(), 1e-38)
    assert probs[0, 7] == 1.0
    torch.testing.assert_close(probs[1], rows[1])


@given(
    seed=st.integers(0, 10**6),
    temperature=st.floats(0.05, 5.0),
    top_k=st.none() | st.integers(1, 12),
    top_p=st.none() | st.floats(0.01, 1.0),
)
def test_property_the_most_probable_tokens_are_left(seed, temperature, top_k, top_p):
    generator = torch.Generator().manual_seed(seed)
    log_probs = torch.randn(3, 9, generator=generator, dtype=torch.float64).log_softmax(-1)
    probs = adjust(log_probs, temperature, top_k, top_p)
    full = adjust(log_probs, temperature)
    torch.testing.assert_close(full, (log_probs / temperature).softmax(-1), rtol=1e-9, atol=1e-12)
    torch.testing.assert_close(probs.sum(-1), torch.ones(3, dtype=torch.float64))
    for row in range(3):
        left = probs[row] > 0
        assert left[log_probs[row].argmax()]
        assert left.sum() <= (top_k or 9)
        assert not (~left).any() or full[row][left].min() >= full[row][~left].max()
        ratio = probs[row][left] / full[row][left]  # what is left keeps its proportions
        torch.testing.assert_close(ratio, ratio[:1].expand_as(ratio), rtol=1e-9, atol=0)
        if top_p is not None and top_k is None:
            mass = full[row][left]
            assert mass.sum() >= top_p - 1e-9
            assert mass.sum() - mass.min() < top_p + 1e-9


# Drawing ------------------------------------------------------------------------------------


def test_frequencies_match_probabilities():
    probs = torch.tensor([0.05, 0.0, 0.25, 0.6, 0.1], dtype=torch.float64)
    n = 40_000
    drawn = draw(probs.expand(n, -1), chance())
    frequencies = drawn.bincount(minlength=5) / n
    for frequency, p in zip(frequencies.tolist(), probs.tolist(), strict=True):
        assert abs(frequency - p) <= 4 * math.sqrt(p * (1 - p) / n)  # four standard errors


def test_whole_sentences_come_as_often_as_they_are_probable():
    model = random_model(138, vocab_size=5)
    n, src_ids = 4000, torch.tensor([[7, 7, 3]])
    decoded = sample(model, src_ids.expand(n, -1), max_len=3, generator=chance())
    counts = Counter(map(tuple, sentences_of(decoded)))
    candidates = list(all_sentences([3, 4], max_len=3))
    ids = padded([list(candidate) for candidate in candidates])
    log_probs = log_probs_of(model, src_ids.expand(len(ids), -1), ids).sum(dim=1)
    assert set(counts) <= set(candidates)
    assert len(counts) > 8
    for candidate, p in zip(candidates, log_probs.exp().tolist(), strict=True):
        assert abs(counts[candidate] / n - p) <= 4 * math.sqrt(p * (1 - p) / n) + 1 / n


def test_no_token_of_probability_0_is_drawn():
    probs = torch.tensor([[0.0, 1e-12, 0.0, 1.0, 0.0]]).expand(5000, -1)
    assert set(draw(probs, chance()).tolist()) <= {1, 3}


# Limits -------------------------------------------------------------------------------------

LIKE_GREEDY = {
    "a temperature near 0": {"temperature": 1e-6},
    "top_k = 1": {"top_k": 1},
    "a small top_p": {"top_p": 1e-6},
    "all of them": {"temperature": 0.7, "top_k": 1, "top_p": 0.5},
}


@both_ways
@pytest.mark.parametrize("settings", LIKE_GREEDY.values(), ids=LIKE_GREEDY.keys())
def test_in_the_limit_it_is_greedy(settings, use_cache):
    model, src_ids = random_model(), padded(SENTENCES)
    expected = greedy(model, src_ids, max_len=12)
    for seed in range(3):
        decoded = sample(
            model, src_ids, max_len=12, generator=chance(seed), use_cache=use_cache, **settings
        )
        assert_same(decoded, expected)


@pytest.mark.parametrize("nothing", [{"top_k": 11}, {"top_k": 500}, {"top_p": 1.0}], ids=str)
def test_limits_that_leave_everything_change_nothing(nothing):
    model, src_ids = random_model(), padded(SENTENCES)
    plain = sample(model, src_ids, max_len=8, generator=chance())
    assert_same(sample(model, src_ids, max_len=8, generator=chance(), **nothing), plain)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
def test_cached_and_uncached_draw_the_same(dtype):
    model, src_ids = random_model(dtype=dtype), padded(SENTENCES)
    cached = sample(model, src_ids, max_len=12, generator=chance())
    uncached = sample(model, src_ids, max_len=12, generator=chance(), use_cache=False)
    assert_same(cached, uncached, TOLERANCE[dtype])
    assert cached.scores.dtype == dtype


# Chance -------------------------------------------------------------------------------------


def test_the_same_seed_draws_the_same_and_another_does_not():
    model, src_ids = random_model(), padded(SENTENCES)
    one, again, other = (
        sample(model, src_ids, max_len=12, generator=chance(seed)) for seed in (1, 1, 2)
    )
    assert_same(one, again)
    assert one.ids.tolist() != other.ids.tolist()
    torch.manual_seed(5)
    default = sample(model, src_ids, max_len=12)
    torch.manual_seed(5)
    assert_same(sample(model, src_ids, max_len=12), default)


def test_padding_makes_no_difference():
    model = random_model()
    one, other = (
        sample(model, padded(SENTENCES, extra), max_len=12, generator=chance()) for extra in (0, 3)
    )
    assert_same(one, other)


@both_ways
def test_with_a_generator_each_a_batch_decodes_as_its_sentences_alone(use_cache):
    model = random_model()
    seeds = {tuple(sentence): i for i, sentence in enumerate(SENTENCES)}

    def search(src_ids):
        words = [tuple(token for token in row if token) for row in src_ids.tolist()]
        generators = [chance(seeds[sentence]) for sentence in words]
        return sample(model, src_ids, max_len=12, generator=generators, use_cache=use_cache)

    assert_batch_as_alone(search)


def test_scores_are_those_of_the_model_at_any_temperature():
    model, src_ids = random_model(), padded(SENTENCES)
    decoded = sample(
        model, src_ids, max_len=12, temperature=2.0, top_k=5, top_p=0.9, generator=chance()
    )
    expected = log_probs_of(model, src_ids, decoded.ids).sum(dim=1)
    torch.testing.assert_close(decoded.scores, expected, rtol=1e-10, atol=1e-10)


@both_ways
def test_padding_and_the_start_symbol_are_never_produced(use_cache):
    model = Scripted(lambda _prefix: [0.5, 0.4, 0.05, 0.05], 4)
    src_ids = torch.full((40, 1), 7)
    decoded = sample(
        model, src_ids, max_len=6, temperature=3.0, generator=chance(), use_cache=use_cache
    )
    assert {token for sentence in sentences_of(decoded) for token in sentence} == {EOS, 3}
    assert len(set(decoded.lengths.tolist())) > 3


# Bad input ----------------------------------------------------------------------------------

BAD = {
    "absolute zero": ({"temperature": 0.0}, "temperature must be a number above 0; got 0.0"),
    "below it": ({"temperature": -1.0}, "temperature must be a number above 0; got -1.0"),
    "no number": ({"temperature": math.nan}, "temperature must be a number above 0; got nan"),
    "among none": ({"top_k": 0}, "top_k must be a positive integer; got 0"),
    "among half a token": ({"top_k": 1.5}, "top_k must be a positive integer; got 1.5"),
    "no probability": ({"top_p": 0.0}, "top_p must be a number in (0, 1]; got 0.0"),
    "more than all": ({"top_p": 1.1}, "top_p must be a number in (0, 1]; got 1.1"),
    "a generator too few": (
        {"generator": [chance()]},
        "generator must be one, or one for each of the 2 sentences; got 1",
    ),
}


@pytest.mark.parametrize(("changed", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_refused(refuses, changed, message):
    src_ids = torch.tensor([[5, 3], [4, 0]])
    refuses(lambda: sample(random_model(), src_ids, **{"max_len": 5, **changed}), message)
