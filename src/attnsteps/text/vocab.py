"""tokens ↔ ids: the list of a model's tokens, and five special tokens that stand for no word.

==========  =======  ====================================================================
Token       Id       Stands for
==========  =======  ====================================================================
``<pad>``   0        nothing: it pads a row to the longest of its batch
``<bos>``   1        the beginning of a sentence, where the decoder starts
``<eos>``   2        the end of a sentence, where the decoder stops
``<unk>``   3        a token that the vocabulary lacks
``<mask>``  4        a token still to be predicted, in a non-autoregressive decoder
==========  =======  ====================================================================
"""

from collections import Counter
from collections.abc import Iterable, Sequence

PAD, BOS, EOS, UNK, MASK = SPECIALS = ("<pad>", "<bos>", "<eos>", "<unk>", "<mask>")


class Vocab:
    """A numbered list of tokens; the special ones come first, with the same ids everywhere.

    A text that happens to contain ``<eos>`` must not end a sentence. That is why a special token in
    a text counts as unknown; only its id has the special meaning.

    Args:
        tokens: words, characters or subwords, in the order of their ids, from 5 on.

    Raises:
        ValueError: if a token is empty, special, not a string, or occurs twice.

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
                    f"tokens must be non-empty strings, and none of {', '.join(SPECIALS)};"
                    f" got {token!r}"
                )
            if token in self._ids:
                raise ValueError(f"tokens must hold each token once; got {token!r} twice")
            self._ids[token] = len(self._tokens)
            self._tokens.append(token)

    @classmethod
    def build(cls, sentences: Iterable[Sequence[str]]) -> "Vocab":
        """Collect the tokens of sentences by falling frequency, equally frequent ones by spelling.

        Example:
            >>> Vocab.build([["b", "a"], ["c", "b"]]).to_list()[5:]
            ['b', 'a', 'c']
        """
        counts = Counter(token for sentence in sentences for token in sentence)
        kept = [token for token in counts if token and token not in SPECIALS]
        return cls(sorted(kept, key=lambda token: (-counts[token], token)))

    def ids(self, tokens: Iterable[str]) -> list[int]:
        """Return one id per token, and unk_id for a token that the vocabulary lacks."""
        return [self._ids.get(token, self.unk_id) for token in tokens]

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """Return one token per id, special ones included; ValueError for an unknown id."""
        ids = list(ids)
        outside = [i for i in ids if not 0 <= i < len(self)]
        if outside:
            raise ValueError(f"ids must lie in 0..{len(self) - 1}; got {outside[0]}")
        return [self._tokens[i] for i in ids]

    def unknown(self, tokens: Iterable[str]) -> list[str]:
        """Return the tokens that the vocabulary lacks, each once, in order of appearance."""
        return [token for token in dict.fromkeys(tokens) if token not in self]

    def to_list(self) -> list[str]:
        """Return every token in the order of the ids, special ones included, to be stored."""
        return list(self._tokens)

    @classmethod
    def from_list(cls, tokens: Sequence[str]) -> "Vocab":
        """Return the vocabulary that to_list stored; ValueError if the list isn't one."""
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


def check_special_ids(config: object) -> None:
    """Check that a model's configuration has the special ids that every Vocab has."""
    for name in ("pad_id", "bos_id", "eos_id", "mask_id"):
        got, needed = getattr(config, name), getattr(Vocab, name)
        if got != needed and not (name == "mask_id" and got is None):
            raise ValueError(f"model.config.{name} must be {needed}, as in every batch; got {got}")
