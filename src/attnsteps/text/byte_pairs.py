"""Byte-pair encoding: from single characters, frequent pairs of neighbours merge into subwords."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf

from attnsteps.checks import check_number

TokenPair = tuple[str, str]

#: Merges stay inside a piece: a word or a run of punctuation, with the space before it.
PIECE = r"\s?\w+|\s?[^\w\s]+|\s+"


def merge(tokens: Sequence[str], pair: TokenPair) -> list[str]:
    """Join each neighbouring pair of this kind into one token, from left to right.

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
    """Subwords: characters, merged pair by pair in the order learned from a text.

    Source: Sennrich et al. 2016, section 3.2, algorithm 1. There a mark ends each word; here each
    word begins with its space, so that joining the subwords restores the text exactly.

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
        """Merge the most frequent pair of neighbours, recount, and repeat up to num_merges times.

        Among equally frequent pairs, the one with the older tokens goes first; single characters
        are the oldest, in the order of their code points.
        """
        check_number("num_merges", num_merges, at_least=0, integer=True)
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
        """Split a text into characters, then merge them in the order learned."""
        order = {pair: i for i, pair in enumerate(self.merges)}
        subwords = []
        for piece in re.findall(PIECE, text):
            tokens = list(piece)
            while len(tokens) > 1:
                pair = min(pairwise(tokens), key=lambda pair: order.get(pair, inf))
                if pair not in order:
                    break
                tokens = merge(tokens, pair)
            subwords += tokens
        return subwords

    def detokenize(self, tokens: Iterable[str]) -> str:
        """Join subwords into a text."""
        return "".join(tokens)
