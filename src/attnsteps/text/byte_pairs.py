"""Byte-pair encoding: characters, merged pair by pair into pieces of words, as a text teaches."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf

from attnsteps.shapes import check_count

TokenPair = tuple[str, str]

#: Pieces that merges never cross: a word or a run of punctuation, with the space before it.
PIECE = r"\s?\w+|\s?[^\w\s]+|\s+"


def merge(tokens: Sequence[str], pair: TokenPair) -> list[str]:
    """Make one token of every neighbouring pair, from left to right.

    Args:
        tokens: a piece of text in tokens.
        pair: the two that become one.

    Returns:
        The tokens after the merge.

    Example:
        >>> merge(["l", "o", "l", "o", "l"], ("l", "o"))
        ['lo', 'lo', 'l']
    """
    merged = []
    i = 0
    while i < len(tokens):
        width = 2 if tuple(tokens[i : i + 2]) == pair else 1
        merged.append("".join(tokens[i : i + width]))
        i += width
    return merged


@dataclass(frozen=True)
class BytePairs:
    """Pieces of words: characters, merged pair by pair as a text has taught.

    Source: Sennrich et al. 2016, section 3.2, algorithm 1. There a word ends with a mark; here it
    begins with its space, so that the pieces put together are the text again, to the character.

    Args:
        merges: pairs of tokens, in the order in which they were learned.

    Example:
        >>> bpe = BytePairs.learn(["low lower lowest"], num_merges=4)
        >>> bpe.merges
        (('l', 'o'), ('lo', 'w'), (' ', 'low'), (' low', 'e'))
        >>> bpe.tokenize("lower slow")
        ['low', 'e', 'r', ' ', 's', 'low']
    """

    merges: Sequence[Sequence[str]] = ()

    def __post_init__(self) -> None:
        """Keep the merges as tuples."""
        object.__setattr__(self, "merges", tuple((left, right) for left, right in self.merges))

    @classmethod
    def learn(cls, texts: Iterable[str], num_merges: int) -> "BytePairs":
        """Merge the most frequent pair of neighbours, count again, and so on.

        Of equally frequent pairs the one with the older tokens goes first; single characters are
        the oldest, in the order of their code points.

        Args:
            texts: what to learn from.
            num_merges: how many merges to learn at most; fewer where nothing is left to merge.

        Returns:
            The tokenizer.

        Raises:
            ValueError: if num_merges is below 0.
        """
        check_count("num_merges", num_merges)
        pieces = Counter(piece for text in texts for piece in re.findall(PIECE, text))
        split = {piece: list(piece) for piece in pieces}
        age = {char: i for i, char in enumerate(sorted(set("".join(pieces))))}
        merges: list[TokenPair] = []
        while len(merges) < num_merges:
            counts: Counter[TokenPair] = Counter()
            for piece, tokens in split.items():
                for pair in pairwise(tokens):
                    counts[pair] += pieces[piece]
            if not counts:
                break
            best = min(counts, key=lambda pair: (-counts[pair], age[pair[0]], age[pair[1]]))
            merges.append(best)
            age.setdefault("".join(best), len(age))
            split = {piece: merge(tokens, best) for piece, tokens in split.items()}
        return cls(tuple(merges))

    def tokenize(self, text: str) -> list[str]:
        """Split a text into characters, then merge them in the order that was learned."""
        order = {pair: i for i, pair in enumerate(self.merges)}
        found = []
        for piece in re.findall(PIECE, text):
            tokens = list(piece)
            while len(tokens) > 1:
                pair = min(pairwise(tokens), key=lambda pair: order.get(pair, inf))
                if pair not in order:
                    break
                tokens = merge(tokens, pair)
            found += tokens
        return found

    def detokenize(self, tokens: Iterable[str]) -> str:
        """Put pieces together."""
        return "".join(tokens)
