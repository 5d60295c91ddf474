"""Grades the coding exercise of the chapter on text: byte-pair merges, applied in order."""

from collections.abc import Callable, Sequence

from attnsteps.exercises.verdict import Verdict, attempt
from attnsteps.text.byte_pairs import BytePairs, merge

Merges = list[tuple[str, str]]

# Each finds mistakes that the others miss.
_TRIALS: tuple[tuple[str, Merges], ...] = (
    ("widest", [("i", "d"), ("w", "id"), ("s", "t")]),
    ("abc", [("b", "c"), ("a", "b"), ("ab", "c")]),
    ("banana", [("a", "n"), ("b", "an")]),
    ("aaaa", [("a", "a"), ("aa", "a")]),
    ("xyzzy", [("z", "z"), ("x", "y"), ("xy", "zz")]),
    ("water", []),
    ("a", [("a", "b")]),
)


def grade_merging(function: Callable[[str, Merges], Sequence[str]]) -> Verdict:
    """Say whether ``function(word, merges)`` splits a word by merges in their order.

    The merges are pairs of tokens; the function should return the word's tokens, a list of strings.

    Example:
        >>> grade_merging(lambda word, merges: list(word))
        ✗ Not yet: “widest” stays in single characters; no merge is carried out
    """
    for word, merges in _TRIALS:
        got, raised = attempt(lambda word=word, merges=merges: function(word, [*merges]))
        fault = raised or _form(got, word)
        if fault:
            return Verdict(False, fault)
        want = BytePairs(merges).tokenize(word)
        if list(got) != want:
            return Verdict(False, _wrong(list(got), word, merges, want))
    return Verdict(True, "every merge at every place, in the order in which they were learned")


def _form(got: object, word: str) -> str:
    """Return what is wrong with the form of a result, or the empty string."""
    if got is None:
        return "the tokens are None; does the function return its result?"
    if isinstance(got, str):
        return f"the tokens should be a list of texts and are the one text {got!r}"
    if not isinstance(got, list | tuple) or not all(isinstance(token, str) for token in got):
        return f"the tokens should be a list of texts; got {got!r}"
    if "".join(got) != word:
        return f"put together, the tokens of “{word}” should be “{word}” and are “{''.join(got)}”"
    return ""


def _wrong(got: list[str], word: str, merges: Merges, want: list[str]) -> str:
    """Return the sentence about a wrong split."""
    mistakes = {
        f"“{word}” stays in single characters; no merge is carried out": list(word),
        f"in “{word}” a merge is carried out at its first place only; it belongs at every one": (
            _once(word, merges)
        ),
        f"“{word}” is merged from the last merge to the first; the order is the one in which they "
        "were learned": _in_order(word, merges[::-1]),
        f"“{word}” is split into the longest tokens from left to right; what counts is the order "
        "in which the merges were learned": _longest_first(word, merges),
    }
    for sentence, wrong in mistakes.items():
        if got == wrong:
            return sentence
    return f"“{word}” with the merges {merges} should become {want} and becomes {got}"


def _in_order(word: str, merges: Merges) -> list[str]:
    """Apply each merge once, in the order given."""
    tokens = list(word)
    for pair in merges:
        tokens = merge(tokens, pair)
    return tokens


def _once(word: str, merges: Merges) -> list[str]:
    """Apply each merge at the first place where it fits."""
    tokens = list(word)
    for left, right in merges:
        for i in range(len(tokens) - 1):
            if tokens[i : i + 2] == [left, right]:
                tokens[i : i + 2] = [left + right]
                break
    return tokens


def _longest_first(word: str, merges: Merges) -> list[str]:
    """Take the longest token in the merges at each place, from left to right."""
    vocabulary = {*word, *map("".join, merges)}
    tokens = []
    while word:
        tokens.append(next(word[:n] for n in range(len(word), 0, -1) if word[:n] in vocabulary))
        word = word[len(tokens[-1]) :]
    return tokens
