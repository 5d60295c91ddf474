"""Beam search: by hand, against an exhaustive search, against lists, and by its properties."""

import math
import random

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnsteps.decoding.beam import beam, length_penalty
from attnsteps.decoding.greedy import greedy
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
alphas = pytest.mark.parametrize("alpha", [0.0, 0.6, 1.0, 2.5])
ONE = torch.tensor([[7]])

# By hand ------------------------------------------------------------------------------------


def garden_path(prefix):
    """Begin with 3, the likelier first word, and nothing likely follows; with 4, all goes well."""
    return {
        (): [0.0, 0.0, 0.1, 0.5, 0.4],
        (3,): [0.0, 0.0, 0.2, 0.4, 0.4],
        (4,): [0.0, 0.0, 0.9, 0.05, 0.05],
    }.get(prefix, [0.0, 0.0, 1.0, 0.0, 0.0])


@both_ways
def test_by_hand_two_beams_find_what_greedy_misses(use_cache):
    model = Scripted(garden_path, 5)
    alone = greedy(model, ONE, max_len=5, use_cache=use_cache)
    assert alone.scores.exp().tolist() == pytest.approx([0.5 * 0.4])
    decoded = beam(model, ONE, beam_width=2, n_best=2, max_len=5, alpha=0.0, use_cache=use_cache)
    # Step 1 keeps 3 (0.5) and 4 (0.4). Step 2 ends 4 (0.36); 3 3 (0.2) and 3 4 (0.2) go on, of
    # which 0.36 cannot be reached any more, but a second place can.
    assert decoded.ids[0, 0].tolist() == [4, EOS, 0]
    assert decoded.lengths[0].tolist() == [2, 3]
    assert decoded.scores[0].exp().tolist() == pytest.approx([0.36, 0.2])


@both_ways
def test_by_hand_poor_ends_do_not_stop_what_is_likelier(use_cache):
    def script(prefix):
        return {
            (): [0.0, 0.0, 0.12, 0.8, 0.08],
            (3,): [0.0, 0.0, 0.1, 0.85, 0.05],
        }.get(prefix, [0.0, 0.0, 0.9, 0.05, 0.05])

    # Step 1 ends at once (0.12), which keeps a place of the two: 3 goes on alone (0.8, 0.68), and
    # "3 end" (0.08) gets none, so that nothing stops "3 3 end" (0.612).
    settings = {"beam_width": 2, "n_best": 2, "max_len": 5, "alpha": 0.0, "use_cache": use_cache}
    decoded = beam(Scripted(script, 5), ONE, **settings)
    assert sentences_of(decoded) == [[3, 3, EOS], [EOS]]
    assert decoded.scores[0].exp().tolist() == pytest.approx([0.8 * 0.85 * 0.9, 0.12])


def test_length_penalty_by_hand():
    # ((5 + 7) / (5 + 1))^alpha = 2^alpha
    assert length_penalty(7, 0.6) == pytest.approx(1.5157165665)
    assert length_penalty(7, 1.0) == 2.0
    assert length_penalty(1, 0.6) == 1.0
    assert length_penalty(4, 0.0) == 1.0


@both_ways
def test_the_length_penalty_decides_by_hand(use_cache):
    # "2" has log P = ln 0.5 = −0.693, "3 3 3 3 3 3 2" has ln 0.45 = −0.799 and seven tokens:
    # with alpha = 1 it scores −0.799 / 2 = −0.399.
    def script(prefix):
        if not prefix:
            return [0.0, 0.0, 0.5, 0.45, 0.05]
        return [0.0, 0.0, float(len(prefix) == 6), float(len(prefix) < 6), 0.0]

    model = Scripted(script, 5)
    best = {
        alpha: beam(model, ONE, beam_width=3, max_len=9, alpha=alpha, use_cache=use_cache)
        for alpha in (0.0, 1.0)
    }
    assert best[0.0].best.ids.tolist() == [[EOS]]
    assert best[0.0].best.scores.tolist() == pytest.approx([-0.6931471806])
    assert best[1.0].best.ids.tolist() == [[3, 3, 3, 3, 3, 3, EOS]]
    assert best[1.0].best.scores.tolist() == pytest.approx([-0.3992538481])


def test_what_has_not_ended_is_cut_and_compared_as_it_stands():
    def script(prefix):
        return [0.0, 0.0, 0.1, 0.9, 0.0]

    decoded = beam(Scripted(script, 5), ONE, beam_width=4, n_best=4, max_len=3, alpha=0.0)
    assert sentences_of(decoded) == [[3, 3, 3], [EOS], [3, EOS], [3, 3, EOS]]
    assert decoded.scores[0].exp().tolist() == pytest.approx([0.729, 0.1, 0.09, 0.081])


def test_too_few_sentences_leave_empty_places():
    decoded = beam(
        Scripted(lambda _: [0.0, 0.0, 0.25, 0.75], 4), ONE, beam_width=5, n_best=4, max_len=1
    )
    assert decoded.ids[0].tolist() == [[3], [EOS], [0], [0]]
    assert decoded.lengths[0].tolist() == [1, 1, 0, 0]
    assert decoded.scores[0].exp().tolist() == pytest.approx([0.75, 0.25, 0.0, 0.0])


# Against greedy and against an exhaustive search -----------------------------------------------


@both_ways
@alphas
@pytest.mark.parametrize("seed", [51, 138, 4])
def test_a_beam_of_width_1_is_greedy(seed, alpha, use_cache):
    model, src_ids = random_model(seed), padded(SENTENCES)
    expected = greedy(model, src_ids, max_len=12)
    decoded = beam(model, src_ids, beam_width=1, max_len=12, alpha=alpha, use_cache=use_cache)
    assert decoded.best.ids.tolist() == expected.ids.tolist()
    assert decoded.best.lengths.tolist() == expected.lengths.tolist()
    penalties = [length_penalty(length, alpha) for length in expected.lengths.tolist()]
    scores = expected.scores / torch.tensor(penalties, dtype=torch.float64)
    torch.testing.assert_close(decoded.best.scores, scores, rtol=1e-10, atol=1e-10)


@both_ways
@alphas
@pytest.mark.parametrize(("words", "seed"), [([3, 4], 138), ([3, 4, 5], 49)], ids=["V 5", "V 6"])
def test_the_widest_beam_finds_what_an_exhaustive_search_finds(words, seed, alpha, use_cache):
    model = random_model(seed, vocab_size=3 + len(words))
    candidates = list(all_sentences(words, max_len=4))
    assert len(candidates) == {2: 31, 3: 121}[len(words)]
    ids = padded([list(candidate) for candidate in candidates])
    src_ids = padded(SENTENCES)
    decoded = beam(
        model,
        src_ids,
        beam_width=len(candidates),
        n_best=len(candidates),
        max_len=4,
        alpha=alpha,
        use_cache=use_cache,
    )
    best = beam(
        model, src_ids, beam_width=len(candidates), max_len=4, alpha=alpha, use_cache=use_cache
    )
    penalties = torch.tensor(
        [length_penalty(len(each), alpha) for each in candidates], dtype=torch.float64
    )
    for row in range(len(SENTENCES)):
        source = src_ids[row : row + 1].expand(len(candidates), -1)
        log_probs = log_probs_of(model, source, ids).sum(dim=1)
        assert log_probs.exp().sum().item() == pytest.approx(1.0)
        scores, order = (log_probs / penalties).sort(descending=True)
        torch.testing.assert_close(decoded.scores[row], scores, rtol=1e-10, atol=1e-10)
        assert decoded.ids[row].tolist() == ids[order].tolist()
        length = best.ids.shape[-1]
        assert best.ids[row, 0].tolist() == ids[order[0]].tolist()[:length]
        assert best.scores[row, 0].item() == pytest.approx(scores[0].item())


def search_with_lists(script, beam_width, max_len, alpha):
    """Search as the docstring of beam says, in lists, and go on until all W have ended."""
    going, ended = [((), 0.0)], []
    for length in range(1, max_len + 1):
        continued = [
            ((*ids, token), score + math.log(p))
            for ids, score in going
            for token, p in enumerate(script(ids))
            if p > 0
        ]
        continued.sort(key=lambda hypothesis: -hypothesis[1])
        best = continued[: beam_width - len(ended)]
        for ids, score in best:
            if ids[-1] == EOS or length == max_len:
                ended.append((ids, score / length_penalty(length, alpha)))
        going = [each for each in best if each[0][-1] != EOS]
    return sorted(ended, key=lambda hypothesis: -hypothesis[1])[:beam_width]


def random_script(seed, vocab_size):
    """Return probabilities that depend on the whole prefix; none for padding and start symbol."""

    def script(prefix):
        dice = random.Random(f"{seed} {prefix}")
        odds = [0.0, 0.0] + [dice.random() ** 3 for _ in range(vocab_size - 2)]
        return [odd / sum(odds) for odd in odds]

    return script


@given(
    seed=st.integers(0, 10**6),
    vocab_size=st.integers(4, 7),
    beam_width=st.integers(1, 6),
    max_len=st.integers(1, 6),
    alpha=st.sampled_from([0.0, 0.6, 3.0]),
    data=st.data(),
)
def test_property_equals_a_search_with_lists(*, seed, vocab_size, beam_width, max_len, alpha, data):
    n_best = data.draw(st.integers(1, beam_width))
    script = random_script(seed, vocab_size)
    expected = search_with_lists(script, beam_width, max_len, alpha)[:n_best]
    settings = {"beam_width": beam_width, "max_len": max_len, "alpha": alpha, "n_best": n_best}
    decoded = beam(Scripted(script, vocab_size), ONE, **settings)
    found = [tuple(sentence) for sentence in sentences_of(decoded) if sentence]
    assert found == [ids for ids, _ in expected]
    scores = decoded.scores[0][: len(found)].tolist()
    assert scores == pytest.approx([score for _, score in expected])
    assert decoded.scores[0][len(found) :].isinf().all()


# Properties ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_cached_and_uncached_find_the_same(norm, dtype):
    model, src_ids = random_model(dtype=dtype, norm=norm), padded(SENTENCES)
    settings = {"beam_width": 4, "n_best": 4, "max_len": 12}
    cached = beam(model, src_ids, **settings)
    uncached = beam(model, src_ids, **settings, use_cache=False)
    assert cached.scores.dtype == dtype
    assert_same(cached, uncached, TOLERANCE[dtype])


def test_the_models_own_cache_follows_the_beams():
    model, src_ids = random_model(), padded(SENTENCES)
    settings = {"beam_width": 4, "n_best": 4, "max_len": 12}
    expected = beam(model, src_ids, **settings)
    model.decoder.register_forward_hook(lambda *_: None)  # so that decode itself is called
    assert_same(beam(model, src_ids, **settings), expected)


@both_ways
def test_a_batch_decodes_as_its_sentences_alone(use_cache):
    model, settings = random_model(), {"beam_width": 3, "n_best": 2, "max_len": 12}
    assert_batch_as_alone(lambda ids: beam(model, ids, **settings, use_cache=use_cache))


@alphas
@pytest.mark.parametrize("seed", [51, 53, 138])
def test_the_best_come_first_and_no_two_are_alike(seed, alpha):
    model, src_ids = random_model(seed), padded(SENTENCES)
    decoded = beam(model, src_ids, beam_width=6, n_best=6, max_len=9, alpha=alpha)
    found = sentences_of(decoded)
    assert decoded.scores.isfinite().all()
    assert (decoded.scores.diff(dim=1) <= 0).all()
    for row in range(len(SENTENCES)):
        assert len({tuple(sentence) for sentence in found[6 * row : 6 * row + 6]}) == 6
    assert all(len(sentence) == 9 or sentence[-1] == EOS for sentence in found)


def test_scores_are_those_of_the_parallel_model():
    model, src_ids = random_model(), padded(SENTENCES)
    decoded = beam(model, src_ids, beam_width=4, n_best=3, max_len=9)
    log_probs = log_probs_of(model, src_ids.repeat_interleave(3, 0), decoded.ids.flatten(0, 1))
    penalties = ((5 + decoded.lengths.flatten()).double() / 6) ** 0.6
    torch.testing.assert_close(
        decoded.scores.flatten(), log_probs.sum(dim=1) / penalties, rtol=1e-10, atol=1e-10
    )


def test_the_first_of_n_does_not_depend_on_n():
    model, src_ids = random_model(), padded(SENTENCES)
    one, five = (beam(model, src_ids, beam_width=5, n_best=n, max_len=12) for n in (1, 5))
    length = one.ids.shape[-1]
    assert one.ids[:, 0].tolist() == five.ids[:, 0, :length].tolist()
    assert one.scores[:, 0].tolist() == five.scores[:, 0].tolist()


def test_a_longer_list_is_not_waited_for():
    calls = []

    def script(prefix):
        calls.append(prefix)
        return [0.0, 0.0, 0.9, 0.1] if not prefix else [0.0, 0.0, 0.5, 0.5]

    model = Scripted(script, 4)
    beam(model, ONE, beam_width=2, n_best=1, max_len=50, alpha=0.0, use_cache=False)
    assert max(map(len, calls)) == 0  # 0.9 cannot be reached from 0.1
    beam(model, ONE, beam_width=2, n_best=2, max_len=50, alpha=0.0, use_cache=False)
    assert max(map(len, calls)) == 1


# Bad input ----------------------------------------------------------------------------------

BAD = {
    "no beam": ({"beam_width": 0}, "beam_width must be a positive integer; got 0"),
    "half a beam": ({"beam_width": 1.5}, "beam_width must be a positive integer; got 1.5"),
    "none of the best": ({"n_best": 0}, "n_best must be an integer in [1, beam_width = 2]; got 0"),
    "more than are kept": (
        {"n_best": 3},
        "n_best must be an integer in [1, beam_width = 2]; got 3",
    ),
    "long ones punished": (
        {"alpha": -0.1},
        "alpha must be a number in [0, 10]; got -0.1",
    ),
    "no number": (
        {"alpha": float("nan")},
        "alpha must be a number in [0, 10]; got nan",
    ),
    "infinite": (
        {"alpha": float("inf")},
        "alpha must be a number in [0, 10]; got inf",
    ),
    "too much": (
        {"alpha": 300.0},
        "alpha must be a number in [0, 10]; got 300.0",
    ),
}


@pytest.mark.parametrize(("changed", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_refused(refuses, changed, message):
    good = {"beam_width": 2, "max_len": 5}
    refuses(lambda: beam(random_model(), ONE, **{**good, **changed}), message)


def test_no_sentence_outgrows_its_own_limit_where_the_vocabulary_is_too_small_for_the_beam():
    model = random_model(vocab_size=4)  # besides the end there is one word
    decoded = beam(
        model, padded([[5, 3], [4]]), beam_width=4, n_best=4, max_len=torch.tensor([1, 3])
    )
    assert decoded.lengths.max(dim=1).values.tolist() == [1, 3]
