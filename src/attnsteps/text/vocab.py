"""tokens ↔ ids: the list of all tokens that a model knows, and five that stand for no word.

==========  =======  ====================================================================
Token       Id       Stands for
==========  =======  ====================================================================
``<pad>``   0        nothing: it fills a row up to the longest of its batch
``<bos>``   1        the beginning of a sentence, which the decoder starts from
``<eos>``   2        the end of a sentence, which the decoder stops at
``<unk>``   3        a token that the vocabulary lacks
``<mask>``  4        a token still to be found, in a non-autoregressive decoder
==========  =======  ====================================================================
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from attnsteps.shapes import check_at_most, check_positive

PAD, BOS, EOS, UNK, MASK = SPECIALS = ("<pad>", "<bos>", "<eos>", "<unk>", "<mask>")


class Vocab:
    """A numbered list of tokens; those of SPECIALS come first, at the same ids everywhere.

    A text that happens to spell ``<eos>`` must not end a sentence: as a token, a special one is as
    unknown as any other that the list lacks. It is written by its id alone.

    Args:
        tokens: the words, characters or pieces of words, in the order of their ids, from 5 on.

    Raises:
        ValueError: if a token is empty, special, no text, or there twice.

    Example:
        >>> vocab = Vocab(["the", "animal"])
        >>> vocab.ids(["the", "street"]), vocab.unknown(["the", "street"])
        ([5, 3], ['street'])
        >>> vocab.tokens([5, 6, 2])
        ['the', 'animal', '<eos>']
    """

    pad_id, bos_id, eos_id, unk_id, mask_id = range(len(SPECIALS))

    def __init__(self, tokens: Iterable[str] = ()) -> None:
        self._tokens = list(SPECIALS)
        self._ids: dict[str, int] = {}
        for token in tokens:
            if not isinstance(token, str) or token == "" or token in SPECIALS:
                raise ValueError(
                    f"tokens must be non-empty texts, and none of {', '.join(SPECIALS)};"
                    f" got {token!r}"
                )
            if token in self._ids:
                raise ValueError(f"tokens must hold each token once; got {token!r} twice")
            self._ids[token] = len(self._tokens)
            self._tokens.append(token)

    @classmethod
    def build(
        cls,
        sentences: Iterable[Sequence[str]],
        min_count: int = 1,
        max_size: int | None = None,
    ) -> "Vocab":
        """Collect the tokens of a text, the most frequent first, equally frequent ones by spelling.

        Args:
            sentences: token lists.
            min_count: how often a token must occur to be taken in.
            max_size: how long the list may become, the special tokens included; None: any length.

        Returns:
            The vocabulary.

        Raises:
            ValueError: if min_count or max_size is not a positive integer, or max_size leaves no
                room for the special tokens.

        Example:
            >>> Vocab.build([["b", "a"], ["c", "b"]]).to_list()[5:]
            ['b', 'a', 'c']
        """
        check_positive("min_count", min_count)
        if max_size is not None:
            check_positive("max_size", max_size)
            check_at_most("the number of special tokens", len(SPECIALS), "max_size", max_size)
        counts = Counter(token for sentence in sentences for token in sentence)
        kept = [t for t, n in counts.items() if n >= min_count and t and t not in SPECIALS]
        kept.sort(key=lambda token: (-counts[token], token))
        return cls(kept if max_size is None else kept[: max_size - len(SPECIALS)])

    def ids(self, tokens: Iterable[str]) -> list[int]:
        """Return one id per token; unk_id where the vocabulary lacks it."""
        return [self._ids.get(token, self.unk_id) for token in tokens]

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """Return one token per id, special ones included; ValueError if there is none."""
        ids = list(ids)
        outside = [i for i in ids if not 0 <= i < len(self)]
        if outside:
            raise ValueError(f"ids must lie in 0..{len(self) - 1}; got {outside[0]}")
        return [self._tokens[i] for i in ids]

    def unknown(self, tokens: Iterable[str]) -> list[str]:
        """Return the tokens that the vocabulary lacks, each once, in the order they came in."""
        return [token for token in dict.fromkeys(tokens) if token not in self]

    def to_list(self) -> list[str]:
        """Return every token in the order of the ids, special ones included, to be stored."""
        return list(self._tokens)

    @classmethod
    def from_list(cls, tokens: Sequence[str]) -> "Vocab":
        """Return the vocabulary that to_list stored; ValueError if it is no such list."""
        head = tuple(tokens[: len(SPECIALS)])
        if head != SPECIALS:
            raise ValueError(f"tokens must begin with {', '.join(SPECIALS)}; got {head}")
        return cls(tokens[len(SPECIALS) :])

    def __len__(self) -> int:
        return len(self._tokens)

    def __contains__(self, token: object) -> bool:
        return token in self._ids

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocab) and self._tokens == other._tokens

    __hash__ = None  # equal by content, like a list

    def __repr__(self) -> str:
        return f"Vocab of {len(self)} tokens"
