"""Vocabularies: tokens and ids, there and back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnsteps.text.vocab import BOS, EOS, MASK, PAD, SPECIALS, UNK, Vocab

TOKENS = st.lists(st.text(min_size=1).filter(lambda t: t not in SPECIALS), unique=True)
LISTED = "<pad>, <bos>, <eos>, <unk>, <mask>"


def test_special_tokens_have_their_fixed_ids():
    v = Vocab(["a"])
    assert (v.pad_id, v.bos_id, v.eos_id, v.unk_id, v.mask_id) == (0, 1, 2, 3, 4)
    assert v.tokens(range(6)) == [PAD, BOS, EOS, UNK, MASK, "a"]
    assert len(Vocab()) == 5


@given(tokens=TOKENS)
def test_ids_and_tokens_are_inverse(tokens):
    v = Vocab(tokens)
    assert v.tokens(v.ids(tokens)) == tokens
    assert v.ids(tokens) == list(range(5, 5 + len(tokens)))
    assert v.unknown(tokens) == []
    assert all(token in v for token in tokens)


@given(tokens=TOKENS)
def test_a_vocabulary_comes_back_from_json(tokens):
    v = Vocab(tokens)
    assert Vocab.from_list(json.loads(json.dumps(v.to_list()))) == v


def test_unknown_words_become_unk_and_are_named_once_in_their_order():
    v = Vocab(["the", "animal"])
    tokens = ["the", "zebra", "ate", "zebra"]
    assert v.ids(tokens) == [5, 3, 3, 3]
    assert v.unknown(tokens) == ["zebra", "ate"]


@pytest.mark.parametrize("special", SPECIALS)
def test_a_text_that_spells_a_special_token_gets_no_power_from_it(special):
    v = Vocab(["a"])
    assert v.ids([special]) == [v.unk_id]
    assert special not in v
    assert v.unknown([special]) == [special]
    assert special not in Vocab.build([[special, "a"]]).to_list()[5:]


def test_build_orders_by_count_and_then_by_spelling():
    sentences = [["b", "c", "a"], ["c", "a"], ["d"]]
    assert Vocab.build(sentences).to_list()[5:] == ["a", "c", "b", "d"]
    assert Vocab.build(reversed(sentences)) == Vocab.build(sentences)
    assert Vocab.build([]) == Vocab()


def test_vocabularies_are_compared_by_content_and_not_hashed():
    assert Vocab(["a", "b"]) == Vocab(["a", "b"]) != Vocab(["b", "a"])
    assert Vocab() != list(SPECIALS)
    assert repr(Vocab(["a"])) == "Vocab of 6 tokens"
    with pytest.raises(TypeError):
        hash(Vocab())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Vocab(["a", "b", "a"]), "tokens must hold each token once; got 'a' twice"),
        (lambda: Vocab([""]), f"tokens must be non-empty strings, and none of {LISTED}; got ''"),
        (lambda: Vocab([7]), f"tokens must be non-empty strings, and none of {LISTED}; got 7"),
        (
            lambda: Vocab(["<eos>"]),
            f"tokens must be non-empty strings, and none of {LISTED}; got '<eos>'",
        ),
        (lambda: Vocab().tokens([5]), "ids must lie in 0..4; got 5"),
        (lambda: Vocab().tokens([0, -1]), "ids must lie in 0..4; got -1"),
        (lambda: Vocab.from_list(["a"]), f"tokens must begin with {LISTED}; got ('a',)"),
    ],
)
def test_bad_input_is_named(refuses, call, message):
    refuses(call, message)
