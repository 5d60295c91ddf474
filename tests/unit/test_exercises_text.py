"""The grader of the chapter on text accepts what is right and names what is wrong."""

from itertools import pairwise

import pytest

from attnsteps.exercises.text import _in_order, _longest_first, _once, grade_merging
from attnsteps.text.byte_pairs import BytePairs


def by_rank(word, merges):
    """Merge the pair that was learned first, again and again."""
    tokens = list(word)
    while True:
        known = [pair for pair in pairwise(tokens) if pair in merges]
        if not known:
            return tokens
        left, right = min(known, key=merges.index)
        i = next(i for i, pair in enumerate(pairwise(tokens)) if pair == (left, right))
        tokens[i : i + 2] = [left + right]


RIGHT = {
    "each merge once": _in_order,
    "by rank": by_rank,
    "the package": lambda word, merges: BytePairs(merges).tokenize(word),
    "a tuple": lambda word, merges: tuple(_in_order(word, merges)),
}
WRONG = {
    "nothing": (lambda *_: None, "the tokens are None; does the function return its result?"),
    "a text": (lambda word, _: word, "the tokens should be a list of texts and are the one text"),
    "numbers": (lambda word, _: [len(word)], "the tokens should be a list of texts; got [6]"),
    "a set": (lambda word, _: set(word), "the tokens should be a list of texts; got {"),
    "lost": (lambda word, _: list(word[1:]), "put together, the tokens of “widest” should be"),
    "characters": (lambda word, _: list(word), "“widest” stays in single characters"),
    "first place": (_once, "in “banana” a merge is carried out at its first place only"),
    "backwards": (
        lambda word, merges: _in_order(word, merges[::-1]),
        "“widest” is merged from the last merge to the first",
    ),
    "longest": (_longest_first, "“abc” is split into the longest tokens from left to right"),
    "one merge": (
        lambda word, merges: _in_order(word, merges[:1]),
        "“widest” with the merges [('i', 'd'), ('w', 'id'), ('s', 't')] should become",
    ),
    "raises": (lambda word, merges: merges[9], "your function raised IndexError"),
}


@pytest.mark.parametrize("function", RIGHT.values(), ids=RIGHT.keys())
def test_a_right_solution_passes(function):
    verdict = grade_merging(function)
    assert verdict, verdict


@pytest.mark.parametrize(("function", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_solution_gets_its_sentence(function, sentence):
    verdict = grade_merging(function)
    assert not verdict
    assert verdict.message.startswith(sentence)
