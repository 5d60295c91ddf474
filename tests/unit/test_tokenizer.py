"""Tokenizers: every text comes back, and ours merges what the library merges."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnsteps.corpora.generated.corpus import SOURCE_WORDS, TARGET_WORDS, generated
from attnsteps.text.tokenizer import (
    BytePairs,
    Characters,
    Subwords,
    Words,
    from_json,
    to_json,
)

SENTENCE = "动物没有过马路，因为太累了"
KNOWN = ("动物", "没有", "没", "过", "马路", "，", "因为", "太", "累", "了", "吗", "？")
ENGLISH = ("the", "then", "animal", "did", "not", "boy", "'s", "was", "it", "tired", "?", ",", ".")

TEXTS = st.text(st.characters(codec="utf-8"), max_size=30)


# Words


def test_the_running_sentence_is_split_into_its_words():
    tokens = Words(KNOWN).tokenize(SENTENCE)
    assert tokens == ["动物", "没有", "过", "马路", "，", "因为", "太", "累", "了"]
    assert Words(KNOWN).detokenize(tokens) == SENTENCE


def test_the_longest_word_that_fits_goes_first_whatever_the_order_of_the_list():
    assert Words(["没", "没有"]).tokenize("没有没") == ["没有", "没"]
    assert Words(["没有", "没"]).tokenize("没有没") == ["没有", "没"]


@given(tokens=st.lists(st.sampled_from([w for w in KNOWN if w != "没"])))
def test_chinese_words_come_back_without_spaces(tokens):
    words = Words(KNOWN)
    text = words.detokenize(tokens)
    assert " " not in text
    assert words.tokenize(text) == tokens
    assert words.detokenize(words.tokenize(text)) == text


@given(tokens=st.lists(st.sampled_from(ENGLISH)))
def test_english_words_come_back_with_spaces_and_marks_without(tokens):
    words = Words(ENGLISH)
    text = words.detokenize(tokens)
    assert words.tokenize(text) == tokens
    assert words.detokenize(words.tokenize(text)) == text


def test_english_is_written_as_english_is():
    words = Words(ENGLISH)
    text = "the boy's animal, then: was it tired?"
    assert words.detokenize(words.tokenize(text)) == text
    assert words.tokenize("the  animal\n") == ["the", "animal"]


def test_a_known_word_within_an_unknown_one_is_not_cut_out():
    assert Words(["the", "cat"]).tokenize("other thence cats the") == [
        "other",
        "thence",
        "cats",
        "the",
    ]


def test_what_the_list_lacks_becomes_a_token_too():
    words = Words(KNOWN)
    assert words.tokenize("长颈鹿没有累!") == ["长", "颈", "鹿", "没有", "累", "!"]
    assert words.tokenize("动物 Tom 累了 42") == ["动物", "Tom", "累", "了", "42"]
    assert words.tokenize("") == words.tokenize(" \n\t") == []


def test_without_a_list_words_stand_between_spaces():
    assert Words().tokenize(" was it\ttired ?\n") == ["was", "it", "tired", "?"]
    assert Words().detokenize(["was", "it", "tired", "?"]) == "was it tired ?"


@given(tokens=st.lists(TEXTS.filter(lambda t: t.split() == [t])))
def test_between_spaces_every_token_comes_back(tokens):
    assert Words().tokenize(Words().detokenize(tokens)) == tokens


@given(text=TEXTS)
def test_words_never_lose_a_sign(text):
    assert "".join(Words(KNOWN).tokenize(text)) == "".join(text.split())


def test_every_sentence_of_the_generated_corpus_comes_back_from_its_text():
    splits = generated(5_000)
    words = Words(SOURCE_WORDS), Words(TARGET_WORDS)
    for part in splits:
        for pair in part:
            for side, tokens in zip(words, pair[:2], strict=True):
                assert side.tokenize(side.detokenize(tokens)) == list(tokens)


# Characters and byte pairs


@given(text=TEXTS)
@pytest.mark.parametrize("tokenizer", [Characters(), BytePairs(), Subwords()], ids=repr)
def test_the_round_trip_is_exact(tokenizer, text):
    assert tokenizer.detokenize(tokenizer.tokenize(text)) == text


@given(text=TEXTS, taught=st.lists(TEXTS, max_size=4))
@pytest.mark.parametrize("kind", [BytePairs, Subwords])
def test_the_round_trip_is_exact_whatever_was_learned(kind, text, taught):
    tokenizer = kind.learn([*taught, text[:5]], num_merges=20)
    for each in (text, *taught):
        assert tokenizer.detokenize(tokenizer.tokenize(each)) == each


def test_ours_and_the_librarys_bytes_agree_on_a_small_english_text():
    words = Words().tokenize("the animal did not cross the street because it was too tired")
    chance = random.Random(1)
    texts = [" ".join(chance.choices(words, k=6)) for _ in range(50)]
    ours = BytePairs.learn(texts, num_merges=40)
    theirs = Subwords(tuple((a.replace(" ", "Ġ"), b.replace(" ", "Ġ")) for a, b in ours.merges))
    for text in texts:
        assert [t.replace(" ", "Ġ") for t in ours.tokenize(text)] == theirs.tokenize(text)
    learned = Subwords.learn(texts, num_merges=20)
    assert set(learned.merges[:10]) == set(theirs.merges[:10])  # ties are ordered by byte, not sign


# Subwords


def test_bytes_leave_nothing_unknown():
    bpe = Subwords.learn(["low lower"], num_merges=3)
    vocabulary = bpe.vocabulary()
    assert len(vocabulary) == len(set(vocabulary)) == 256 + 3
    for text in (SENTENCE, "🙂", "\x00\x7f", "naïve <eos>"):
        assert set(bpe.tokenize(text)) <= set(vocabulary)


def test_cut_in_the_middle_of_a_character_bytes_say_so():
    bpe = Subwords()
    assert bpe.detokenize(bpe.tokenize("太")[:2]) == "\ufffd"


@pytest.mark.parametrize("tokenizer", [Words(KNOWN), Words(), Characters(), Subwords()], ids=repr)
def test_ten_thousand_characters_come_back(tokenizer):
    text = SENTENCE * 770
    assert tokenizer.detokenize(tokenizer.tokenize(text)) == text


def test_ten_thousand_characters_without_a_space_are_merged():
    bpe = BytePairs.learn([SENTENCE], num_merges=9)
    assert "".join(bpe.tokenize(SENTENCE * 770)) == SENTENCE * 770


# Storing


@pytest.mark.parametrize(
    "tokenizer",
    [
        Words(),
        Words(KNOWN),
        Characters(),
        BytePairs.learn([SENTENCE], num_merges=5),
        Subwords.learn([SENTENCE], num_merges=5),
    ],
    ids=lambda tokenizer: type(tokenizer).__name__,
)
def test_a_tokenizer_comes_back_from_json(tokenizer):
    again = from_json(to_json(tokenizer))
    assert again == tokenizer
    assert again.tokenize(SENTENCE) == tokenizer.tokenize(SENTENCE)
    assert hash(again) == hash(tokenizer)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Words(["a b"]), "known must hold non-empty words without spaces; got 'a b'"),
        (lambda: Words([""]), "known must hold non-empty words without spaces; got ''"),
        (
            lambda: BytePairs.learn([], num_merges=-1),
            "num_merges must be an integer of at least 0; got -1",
        ),
        (
            lambda: Subwords.learn([], num_merges=0.5),
            "num_merges must be an integer of at least 0; got 0.5",
        ),
        (
            lambda: Subwords([("l", "ow")]),
            "merges must join bytes or the results of earlier merges; got ('l', 'ow')",
        ),
        (lambda: Subwords().tokenize("a\udcffb"), "text must be valid Unicode; got '\\udcff'"),
    ],
)
def test_bad_input_is_named(refuses, call, message):
    refuses(call, message)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"kind": "Magic"}', '{"kind": "Characters", "known": []}']
)
def test_what_is_no_tokenizer_is_refused(text):
    with pytest.raises(ValueError, match=r"^text must be JSON from to_json; reading it gave "):
        from_json(text)
