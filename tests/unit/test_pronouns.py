"""Minimal pairs are asked at the right places, and what is cut or put in is so only meanwhile."""

from random import Random

import pytest
import torch

from attnsteps import Knockout, generated, knocked_out, pretrained
from attnsteps.analysis.pronouns import (
    ask,
    edges_cut,
    found_by_heads,
    heads_hand_on,
    heads_look,
    hidden_from_all,
    look_of,
    means_of_layer_1,
    measured,
    named_cuts,
    person_or_it,
    pronoun_of,
    two_other_words,
)

TRAINED = pretrained("zh_en")
MODEL = TRAINED.model


@pytest.fixture(scope="module")
def asked():
    pairs = generated(1000, seed=11).pronouns
    return ask(pairs[:40], TRAINED.src_vocab, TRAINED.tgt_vocab)


def test_a_person_or_it_and_no_they_and_twins_stay_together():
    pairs = generated(1000, seed=11).pronouns
    kept = person_or_it(pairs)
    assert 0 < len(kept) < len(pairs)
    for i in range(0, len(kept), 2):
        said = {pronoun_of(kept[i]), pronoun_of(kept[i + 1])}
        assert "it" in said
        assert said & {"i", "you", "he", "she", "we"}
        assert pairs[pairs.index(kept[i]) ^ 1] == kept[i + 1]


def test_each_place_is_that_of_its_word(asked):
    words = TRAINED.tgt_vocab.tokens
    assert 4 < len(asked.pairs) < 40
    for i, pair in enumerate(asked.pairs):
        twin = asked.pairs[i ^ 1]
        assert words([asked.right[i].item()]) == [pair.tgt[asked.at[i]]]
        assert asked.wrong[i] == asked.right[i ^ 1] != asked.right[i]
        assert pair.src[asked.adjective[i]] != twin.src[asked.adjective[i]]
        assert asked.noun[i] == pair.referents[0][1] == asked.other[i ^ 1]
        assert bool(asked.is_first[i]) == (asked.noun[i] < asked.other[i])
        read = words(asked.tgt_in[i].tolist())
        assert read[asked.at[i]] == "because" or read[asked.at[i]] in pair.tgt
        for place, source in zip(asked.nouns_read[:, i], (asked.noun, asked.other), strict=True):
            assert (source[i].item(), place.item() - 1) in pair.alignment


def test_log_odds_are_those_of_the_two_probabilities(asked):
    shares = asked.logits(MODEL).softmax(-1)
    right, wrong = shares[asked.n, asked.right], shares[asked.n, asked.wrong]
    odds, share = asked.scores(MODEL)
    assert odds == pytest.approx((right / wrong).log().mean().item(), rel=1e-4)
    assert share == (right > wrong).double().mean()


@pytest.mark.parametrize("part", ["encoder", "decoder", "cross"])
def test_an_edge_is_cut_as_knocked_out_cuts_it_and_only_meanwhile(asked, part):
    whole = asked.logits(MODEL)
    query = torch.full_like(asked.at, 5)
    hidden = asked.edges(part, (query, query - 3))
    with edges_cut(MODEL, (part, 0, hidden)):
        cut = asked.logits(MODEL)
    with knocked_out(MODEL, Knockout(part, layer=0, query=5, key=2)):
        torch.testing.assert_close(cut, asked.logits(MODEL))
    assert not torch.allclose(cut, whole)
    torch.testing.assert_close(asked.logits(MODEL), whole)


def test_what_the_heads_found_put_in_again_changes_nothing_and_zeros_silence_them(asked):
    whole = asked.logits(MODEL)
    found = found_by_heads(MODEL, 0, asked)
    with heads_hand_on(MODEL, 0, asked.at, found):
        torch.testing.assert_close(asked.logits(MODEL), whole)
    with heads_hand_on(MODEL, 0, asked.at, torch.zeros_like(found)):
        torch.testing.assert_close(found_by_heads(MODEL, 0, asked), torch.zeros_like(found))
        assert not torch.allclose(asked.logits(MODEL), whole)


def test_a_look_put_in_replaces_the_weights_and_nothing_else(asked):
    whole, look = asked.logits(MODEL), look_of(MODEL, asked)
    with heads_look(MODEL, asked, look):
        torch.testing.assert_close(asked.logits(MODEL), whole)
    adjective = asked.edges("cross", (asked.at, asked.adjective))
    with edges_cut(MODEL, ("cross", 1, adjective)):
        hidden, elsewhere = asked.logits(MODEL), look_of(MODEL, asked)
    assert not torch.allclose(hidden, whole)
    with heads_look(MODEL, asked, elsewhere):
        torch.testing.assert_close(asked.logits(MODEL), hidden)


def test_the_two_nouns_of_layer_2_are_cut_alone_in_their_order(asked):
    cuts = named_cuts(asked)
    (first,), (second,), (both,) = (
        cuts[f"{which} layer 2"] for which in ("first noun", "second noun", "nouns")
    )
    assert {first[:2], second[:2], both[:2]} == {("cross", 1)}
    assert torch.equal(first[2] | second[2], both[2])
    place = [hidden.any(1).double().argmax(-1) for hidden in (first[2], second[2])]
    assert (place[0] < place[1]).all()


def test_words_hidden_from_all_are_seen_by_themselves_alone(asked):
    keys = torch.zeros(asked.src_ids.shape, dtype=torch.bool)
    keys[:, 0] = True
    part, layer, hidden = hidden_from_all(asked, "encoder", keys)
    assert (part, layer) == ("encoder", None)
    assert hidden[:, 1:, 0].all()
    assert not hidden[:, 0, 0].any()
    assert not hidden[:, :, 1:].any()
    assert hidden_from_all(asked, "cross", keys)[2][:, :, 0].all()


def test_the_control_spares_the_adjective_and_the_nouns(asked):
    part, layer, hidden = two_other_words(asked, Random(0))
    assert (part, layer) == ("cross", None)
    assert (hidden.sum((1, 2)) == 2).all()
    for spared in (asked.adjective, asked.noun, asked.other):
        assert not hidden[asked.n, asked.at, spared].any()
    for i, pair in enumerate(asked.pairs):
        assert hidden[i, asked.at[i], : len(pair.src)].sum() == 2


def test_a_mean_is_over_other_adjectives_and_one_kind(asked):
    found = found_by_heads(MODEL, 0, asked)
    own = means_of_layer_1(MODEL, asked)["own"]
    words = [pair.src[k] for pair, k in zip(asked.pairs, asked.adjective, strict=True)]
    others = [
        i
        for i, word in enumerate(words)
        if word != words[0] and asked.is_first[i] == asked.is_first[0]
    ]
    torch.testing.assert_close(own[0], found[others].mean(0))


def test_everything_is_measured_and_nothing_cut_is_the_whole_model(asked):
    found = measured(MODEL, asked)
    assert found["cut "] == asked.scores(MODEL)
    assert {f"cut {name}" for name in named_cuts(asked)} < found.keys()
    assert len(found["controls"]) == len(found["controls nowhere"]) == 5
    assert found["cut 3"] == found["cut nouns both"]
    with edges_cut(MODEL, *named_cuts(asked)["2"], *named_cuts(asked)["3"]):
        assert found["cut 2 + 3"] == asked.scores(MODEL)
    with knocked_out(MODEL, Knockout("cross", 1, 3)):
        assert found["without"]["cross 2.4"] == asked.scores(MODEL)
    assert {"mean own", "mean other", "without", "without pointer"} < found.keys()
    assert found["look twin"] != found["look twin blind"]
