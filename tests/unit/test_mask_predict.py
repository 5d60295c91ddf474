"""Parallel decoding: in one pass, and in several, against a search with lists."""

import pytest
import torch

from attnsteps.decoding.mask_predict import (
    all_at_once,
    least_certain,
    mask_predict,
    predict_lengths,
)
from attnsteps.model.config import TransformerConfig
from attnsteps.model.non_autoregressive import NonAutoregressive
from tests.decoding import (
    EOS,
    PAD,
    SENTENCES,
    TOLERANCE,
    assert_batch_as_alone,
    assert_same,
    padded,
    randomise,
    sentences_of,
)

MASK, MAX_LEN = 3, 13


def make(seed=43, dtype=torch.float64, lengths=None, ends=True):
    """Make a random model.

    Args:
        seed: that of the weights.
        dtype: theirs.
        lengths: the logits of some lengths, so that these are the likeliest.
        ends: False keeps the end symbol out, so that sentences have the length they were given.
    """
    config = TransformerConfig.tiny(
        11,
        11,
        d_model=12,
        num_heads=3,
        d_ff=20,
        norm="pre",
        positions="learned",
        causal=False,
        mask_id=MASK,
        max_len=MAX_LEN,
        tie="none",
    )
    model = randomise(NonAutoregressive(config).to(dtype).eval(), seed)
    if lengths:
        wanted = torch.zeros(MAX_LEN, dtype=dtype)
        for length, logit in lengths.items():
            wanted[length - 1] = logit
        model.length_predictor.register_forward_hook(
            lambda _module, _in, logits: wanted.expand_as(logits)
        )
    if not ends:
        model.transformer.projection.register_forward_hook(
            lambda _module, _in, logits: logits.index_fill(-1, torch.tensor([EOS]), -1e9)
        )
    return model


# One pass ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
def test_one_pass_by_the_model_itself(dtype):
    model, src_ids = make(dtype=dtype), padded(SENTENCES)
    decoded = all_at_once(model, src_ids)
    assert decoded.scores.dtype == dtype
    found = sentences_of(decoded)
    for row, sentence in enumerate(SENTENCES):
        source = padded([sentence])
        with torch.no_grad():
            length = model(source, torch.tensor([[MASK]]))[1].argmax().item() + 1
            logits = model(source, torch.full((1, length), MASK))[0][0]
        logits[:, [PAD, 1, MASK]] = -torch.inf
        log_probs, ids = logits.log_softmax(dim=-1).max(dim=-1)
        ids = ids.tolist()
        end = ids.index(EOS) + 1 if EOS in ids else length
        assert found[row] == ids[:end]
        score = log_probs[:end].mean().item()
        assert decoded.scores[row].item() == pytest.approx(score, abs=TOLERANCE[dtype])


def test_the_sentences_of_these_tests_are_of_every_kind():
    found = sentences_of(all_at_once(make(), padded(SENTENCES)))
    assert len({len(sentence) for sentence in found}) > 1
    assert len({sentence[-1] == EOS for sentence in found}) == 2
    assert len({token for sentence in found for token in sentence}) > 3


def test_a_batch_decodes_as_its_sentences_alone():
    model = make()
    assert_batch_as_alone(lambda ids: all_at_once(model, ids))
    assert_batch_as_alone(lambda ids: mask_predict(model, ids, iterations=4, num_lengths=3))


def test_padding_the_start_symbol_and_the_mask_are_never_produced():
    model = make()
    with torch.no_grad():
        model.transformer.projection.weight[[PAD, 1, MASK]] *= 50.0
    for decoded in (
        all_at_once(model, padded(SENTENCES)),
        mask_predict(model, padded(SENTENCES), iterations=3),
    ):
        tokens = {token for sentence in sentences_of(decoded) for token in sentence}
        assert not tokens & {PAD, 1, MASK}


# How long ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("factor", "expected"),
    [(1.0, 6), (0.5, 3), (2.0, 12), (0.25, 2), (0.01, 1), (3.0, MAX_LEN), (0.75, 5)],
)
def test_the_length_factor_by_hand(factor, expected):
    # 6 · 0.25 = 1.5 and 6 · 0.75 = 4.5 are rounded upwards; 0.06 to 1, and 18 to what there is.
    model = make(lengths={6: 1e6}, ends=False)
    decoded = all_at_once(model, padded([[5, 3], [4]]), length_factor=factor)
    assert decoded.lengths.tolist() == [expected, expected]
    refined = mask_predict(
        model, padded([[5, 3], [4]]), iterations=3, num_lengths=1, length_factor=factor
    )
    assert refined.lengths.tolist() == [expected, expected]


def test_the_likeliest_lengths_come_first():
    model, src_ids = make(lengths={2: 1e6, 7: 3e6, 5: 2e6}), padded([[5, 3], [4]])
    with torch.no_grad():
        memory = model.transformer.encode(src_ids)
        assert predict_lengths(model, memory, src_ids, num_lengths=3).tolist() == [[7, 5, 2]] * 2
        doubled = predict_lengths(model, memory, src_ids, num_lengths=3, length_factor=2.0)
    assert doubled.tolist() == [[MAX_LEN, 10, 4]] * 2


def test_of_several_lengths_the_most_certain_sentence_is_taken():
    model, src_ids = make(lengths={2: 1e6, 7: 3e6, 5: 2e6}), padded(SENTENCES)
    each = []
    for length in (7, 5, 2):
        alone = make(lengths={length: 1e6})
        each.append(mask_predict(alone, src_ids, iterations=4, num_lengths=1))
    scores = torch.stack([decoded.scores for decoded in each])
    best = scores.argmax(dim=0).tolist()
    assert len(set(best)) > 1
    decoded = mask_predict(model, src_ids, iterations=4, num_lengths=3)
    torch.testing.assert_close(decoded.scores, scores.amax(dim=0), rtol=1e-10, atol=1e-10)
    found = sentences_of(decoded)
    assert found == [sentences_of(each[which])[row] for row, which in enumerate(best)]


# Several passes -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_one_iteration_is_all_at_once(seed):
    model, src_ids = make(seed), padded(SENTENCES)
    one = mask_predict(model, src_ids, iterations=1, num_lengths=1)
    assert_same(one, all_at_once(model, src_ids))


def search_with_lists(model, sentence, length, iterations):
    """Refine one sentence as the paper writes it, in lists."""
    ids, log_probs = [MASK] * length, [0.0] * length
    hidden, counts = list(range(length)), []
    for t in range(iterations):
        if t > 0:
            count = int(length * (iterations - t) / iterations + 1e-9)
            hidden = sorted(range(length), key=lambda place: log_probs[place])[:count]
        counts.append(len(hidden))
        seen = [MASK if place in hidden else ids[place] for place in range(length)]
        with torch.no_grad():
            logits = model(padded([sentence]), torch.tensor([seen]))[0][0]
        logits[:, [PAD, 1, MASK]] = -torch.inf
        values, tokens = logits.log_softmax(dim=-1).max(dim=-1)
        for place in hidden:
            ids[place], log_probs[place] = tokens[place].item(), values[place].item()
    end = ids.index(EOS) + 1 if EOS in ids else length
    return ids[:end], sum(log_probs[:end]) / end, counts


@pytest.mark.parametrize("iterations", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("length", [1, 4, 7])
def test_equals_a_search_with_lists(length, iterations):
    model = make(5, lengths={length: 1e6}, ends=False)
    decoded = mask_predict(model, padded(SENTENCES), iterations=iterations, num_lengths=1)
    found = sentences_of(decoded)
    for row, sentence in enumerate(SENTENCES):
        ids, score, _ = search_with_lists(model, sentence, length, iterations)
        assert found[row] == ids
        assert decoded.scores[row].item() == pytest.approx(score, abs=1e-10)


def test_refinement_changes_something():
    model = make(5, lengths={7: 1e6}, ends=False)
    one, five = (
        mask_predict(model, padded(SENTENCES), iterations=n, num_lengths=1) for n in (1, 5)
    )
    assert one.ids.tolist() != five.ids.tolist()


def hidden_at_each_iteration(length, iterations, sentences=None):
    """Count the masks in what the decoder is given, pass by pass."""
    model = make(lengths={length: 1e6}, ends=False)
    counts = []
    model.transformer.tgt_embedding.register_forward_pre_hook(
        lambda _module, x: counts.append((x[0] == MASK).sum(dim=1).tolist())
    )
    src_ids = padded(sentences or [[5, 3, 8]])
    mask_predict(model, src_ids, iterations=iterations, num_lengths=1)
    return counts


def test_fewer_and_fewer_are_hidden_by_hand():
    # N = 6, T = 4: all six, then 6·3/4 = 4.5, 6·2/4 = 3 and 6·1/4 = 1.5, rounded down.
    assert hidden_at_each_iteration(6, 4) == [[6], [4], [3], [1]]
    # N = 2, T = 5: 2·4/5 = 1.6, 1.2, 0.8, 0.4.
    assert hidden_at_each_iteration(2, 5) == [[2], [1], [1], [0], [0]]
    # N = 10, T = 10: 10·9/10 is 9, and not 8.999….
    assert hidden_at_each_iteration(10, 10) == [[n] for n in range(10, 0, -1)]


def test_the_least_certain_by_hand():
    log_probs = torch.tensor([[-1.0, -4.0, -2.0, -3.0], [-5.0, -1.0, torch.inf, torch.inf]])
    assert least_certain(log_probs, torch.tensor([2, 1])).tolist() == [
        [False, True, False, True],
        [True, False, False, False],
    ]
    assert not least_certain(log_probs, torch.tensor([0, 0])).any()


def test_what_is_certain_keeps_the_probability_it_was_found_with():
    model = make(5, lengths={4: 1e6}, ends=False)
    seen = []
    model.transformer.tgt_embedding.register_forward_pre_hook(
        lambda _module, x: seen.append(x[0].clone())
    )
    decoded = mask_predict(model, padded([[5, 3, 8]]), iterations=2, num_lengths=1)
    _, second = seen
    kept = second[0] != MASK
    assert kept.tolist().count(True) == 2
    assert torch.equal(decoded.ids[0][kept], second[0][kept])


def test_a_token_has_the_weights_of_the_pass_that_found_it():
    model, src_ids, seen = make(5, lengths={7: 1e6}, ends=False), padded(SENTENCES), []
    model.transformer.tgt_embedding.register_forward_pre_hook(
        lambda _module, x: seen.append(x[0].clone())
    )
    _, first = all_at_once(model, src_ids, need_weights=True)
    _, both = mask_predict(model, src_ids, iterations=2, num_lengths=1, need_weights=True)
    found_again = (seen[-1] == MASK)[:, None, :, None]
    assert len(both.decoder) == len(both.cross) == 2
    for old, new in zip(first.decoder + first.cross, both.decoder + both.cross, strict=True):
        changed = (new != old).any(dim=-1, keepdim=True).any(dim=1, keepdim=True)
        assert not (changed & ~found_again).any()
        assert (changed & found_again).any()


# Bad input ----------------------------------------------------------------------------------

BAD = {
    "no pass": ({"iterations": 0}, "iterations must be a positive integer; got 0"),
    "half a pass": ({"iterations": 0.5}, "iterations must be a positive integer; got 0.5"),
    "no length to try": (
        {"num_lengths": 0},
        "num_lengths must be an integer in [1, config.max_len = 13]; got 0",
    ),
    "more lengths than there are": (
        {"num_lengths": 14},
        "num_lengths must be an integer in [1, config.max_len = 13]; got 14",
    ),
    "no length at all": (
        {"length_factor": 0.0},
        "length_factor must be a number above 0; got 0.0",
    ),
    "less than none": ({"length_factor": -1}, "length_factor must be a number above 0; got -1"),
    "an empty batch": (
        {"src_ids": torch.zeros(0, 3, dtype=torch.int64)},
        "src_ids must hold at least one sentence of one id; got (0, 3)",
    ),
    "a sentence without a batch": (
        {"src_ids": torch.tensor([5, 3])},
        "src_ids must have shape (B, T); got (2,)",
    ),
    "an id too many": (
        {"src_ids": torch.tensor([[5, 11]])},
        "ids must lie in 0..10 (vocab_size = 11); got 11",
    ),
}


@pytest.mark.parametrize(("changed", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_refused(refuses, changed, message):
    good = {"src_ids": torch.tensor([[5, 3]])}
    refuses(lambda: mask_predict(make(), **{**good, **changed}), message)
    if not {"iterations", "num_lengths"} & set(changed):
        refuses(lambda: all_at_once(make(), **{**good, **changed}), message)
