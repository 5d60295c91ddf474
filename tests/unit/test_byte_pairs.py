"""Byte-pair encoding: our own merges are the paper's, and the library's."""

import json

import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from attnsteps.text.byte_pairs import PIECE, BytePairs, merge

WORDS = st.text("abcde", min_size=1, max_size=6)


def test_merge_goes_from_left_to_right():
    assert merge(["a", "a", "a"], ("a", "a")) == ["aa", "a"]
    assert merge(["a", "b", "a", "b"], ("a", "b")) == ["ab", "ab"]
    assert merge([], ("a", "b")) == []
    assert merge(["a"], ("a", "b")) == ["a"]


def test_the_papers_example():
    """Sennrich et al. 2016, algorithm 1, whose merges begin with e s, es t and l o."""
    texts = ["low "] * 5 + ["lower "] * 2 + ["newest "] * 6 + ["widest "] * 3
    merges = BytePairs.learn([t.strip() for t in texts], num_merges=4).merges
    assert merges == (("e", "s"), ("es", "t"), ("l", "o"), ("lo", "w"))


def test_equally_frequent_pairs_go_by_age():
    assert BytePairs.learn(["db ca"], num_merges=3).merges == ((" ", "c"), ("d", "b"), (" c", "a"))
    bpe = BytePairs.learn(["abc", "bcd", "cde"] * 2, num_merges=9)
    assert bpe.merges == (("b", "c"), ("a", "bc"), ("c", "d"), ("bc", "d"), ("cd", "e"))
    assert BytePairs.learn(["cde", "bcd", "abc"] * 2, num_merges=9) == bpe


def test_nothing_is_merged_across_words():
    bpe = BytePairs.learn(["a b, a b, a b"] * 5, num_merges=50)
    assert bpe.tokenize("a b, a b") == ["a", " b", ",", " a", " b"]


def test_learning_ends_where_nothing_is_left_to_merge():
    assert BytePairs.learn(["ab"], num_merges=99).merges == (("a", "b"),)
    assert BytePairs.learn([], num_merges=9) == BytePairs()
    assert BytePairs.learn(["ab"], num_merges=0) == BytePairs()


def library_bpe(texts, num_merges):
    """Let the library learn byte pairs on characters, in the pieces that ours has."""
    alphabet = len(set("".join(texts)))
    library = tokenizers.Tokenizer(tokenizers.models.BPE())
    library.pre_tokenizer = tokenizers.pre_tokenizers.Split(tokenizers.Regex(PIECE), "isolated")
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=alphabet + num_merges, show_progress=False, special_tokens=[]
    )
    library.train_from_iterator(texts, trainer)
    return library


@given(texts=st.lists(st.lists(WORDS, min_size=1, max_size=5).map(" ".join), min_size=1))
def test_ours_is_the_librarys_byte_pair_encoding(texts):
    library = library_bpe(texts, num_merges=12)
    merges = json.loads(library.to_str())["model"]["merges"]
    ours = BytePairs.learn(texts, num_merges=len(merges))
    assert ours.merges == tuple(map(tuple, merges))
    for text in texts:
        assert ours.tokenize(text) == library.encode(text).tokens
