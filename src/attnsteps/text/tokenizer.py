"""text ↔ tokens: words, characters, and subwords learned from a text.

===========  ============================================  =================================
Tokenizer    Splits into                                   For
===========  ============================================  =================================
Words        the words of a list                           the book's own corpus
Characters   characters                                    comparison
BytePairs    subwords, learned by byte_pairs.py            chapter 2
Subwords     subwords of bytes, by the tokenizers library  real corpora: no text is unknown
===========  ============================================  =================================

Each has ``tokenize(text) -> tokens`` and ``detokenize(tokens) -> text``; to_json and from_json
store them beside a model.
"""

import dataclasses
import functools
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import tokenizers

from attnsteps.checks import check_number
from attnsteps.text.byte_pairs import PIECE, BytePairs, merge

__all__ = [
    "PIECE",
    "BytePairs",
    "Characters",
    "Subwords",
    "Tokenizer",
    "Words",
    "from_json",
    "merge",
    "to_json",
]

#: Chinese and its punctuation, which are written without spaces.
UNSPACED = "\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"


class Tokenizer(Protocol):
    """The methods that every tokenizer has."""

    def tokenize(self, text: str) -> list[str]:
        """Split a text into tokens."""

    def detokenize(self, tokens: Iterable[str]) -> str:
        """Join tokens into a text."""


@dataclass(frozen=True)
class Words:
    """Words from a list, the longest that fits at each place; without a list, split at spaces.

    With a list, spaces only separate. Text that the list lacks becomes tokens too: a run of letters
    and digits, or a single Chinese character or mark. Joined again, words get a space where the
    script has one: before a letter or digit that follows anything but Chinese.

    Args:
        known: the words; if empty, split at white space and join with spaces.

    Raises:
        ValueError: if a known word is empty or has a space in it.

    Example:
        >>> words = Words(["动物", "没有", "过", "马路", "，", "因为", "太", "累", "了"])
        >>> words.tokenize("动物没有过马路，因为太累了")
        ['动物', '没有', '过', '马路', '，', '因为', '太', '累', '了']
        >>> Words(["was", "it", "tired"]).detokenize(["was", "it", "tired", "?"])
        'was it tired?'
    """

    known: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Check the list, and keep it as a tuple."""
        object.__setattr__(self, "known", tuple(self.known))
        for word in self.known:
            if not isinstance(word, str) or word.split() != [word]:
                raise ValueError(f"known must hold non-empty words without spaces; got {word!r}")

    @functools.cached_property
    def _pattern(self) -> re.Pattern:
        """A known word that ends at a word's end, else a run of letters, else a single mark."""
        letter = rf"[^\W{UNSPACED}]"
        longest_first = sorted(self.known, key=len, reverse=True)
        words = "|".join(
            re.escape(word) + (rf"(?!{letter})" if re.fullmatch(letter, word[-1]) else "")
            for word in longest_first
        )
        return re.compile(rf"{words}|{letter}+|\S")

    def tokenize(self, text: str) -> list[str]:
        """Split a text into words; white space separates them and is dropped."""
        return self._pattern.findall(text) if self.known else text.split()

    def detokenize(self, tokens: Iterable[str]) -> str:
        """Join words, with spaces where the script has them."""
        if not self.known:
            return " ".join(tokens)
        text = ""
        for token in tokens:
            is_apart = re.match(rf"[^\W{UNSPACED}]", token) and re.search(rf"[^{UNSPACED}]$", text)
            text += f" {token}" if is_apart else token
        return text


@dataclass(frozen=True)
class Characters:
    """One token for each character, spaces included: a small vocabulary, but long sentences.

    Example:
        >>> Characters().tokenize("太累了")
        ['太', '累', '了']
    """

    def tokenize(self, text: str) -> list[str]:
        """Split a text into characters."""
        return list(text)

    def detokenize(self, tokens: Iterable[str]) -> str:
        """Join characters into a text."""
        return "".join(tokens)


@dataclass(frozen=True)
class Subwords:
    """Byte pairs from a fast library; they are made of bytes, so no text is unknown.

    A token shows each byte as one printable character, a space as ``Ġ``. Each of the 256 bytes is a
    token, so vocabulary() always has them all.

    Source: Radford et al. 2019, section 2.2 (byte-level byte-pair encoding); the library is
    https://github.com/huggingface/tokenizers.

    Args:
        merges: pairs of tokens, in the order in which they were learned.

    Raises:
        ValueError: if a merge joins a token that no earlier merge has made.

    Example:
        >>> bpe = Subwords.learn(["low lower lowest"], num_merges=2)
        >>> bpe.tokenize("lower slow")
        ['low', 'e', 'r', 'Ġ', 's', 'low']
    """

    merges: Sequence[Sequence[str]] = ()

    def __post_init__(self) -> None:
        """Keep the merges as tuples, and check that they can be applied in this order."""
        object.__setattr__(self, "merges", tuple((left, right) for left, right in self.merges))
        made = set(_BYTES)
        for pair in self.merges:
            if not made.issuperset(pair):
                raise ValueError(
                    f"merges must join bytes or the results of earlier merges; got {pair}"
                )
            made.add("".join(pair))

    @classmethod
    def learn(cls, texts: Iterable[str], num_merges: int) -> "Subwords":
        """Learn the merges from texts, with the arguments of BytePairs.learn."""
        check_number("num_merges", num_merges, at_least=0, integer=True)
        library = cls()._library
        trainer = tokenizers.trainers.BpeTrainer(
            vocab_size=len(_BYTES) + num_merges, initial_alphabet=_BYTES, show_progress=False
        )
        library.train_from_iterator(texts, trainer)
        merges = json.loads(library.to_str())["model"]["merges"]
        return cls(tuple((left, right) for left, right in merges))

    @functools.cached_property
    def _library(self) -> tokenizers.Tokenizer:
        """The library's tokenizer with these merges."""
        vocab = {token: i for i, token in enumerate(self.vocabulary())}
        library = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocab, merges=[*self.merges]))
        library.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
            [
                tokenizers.pre_tokenizers.Split(tokenizers.Regex(PIECE), "isolated"),
                tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        )
        library.decoder = tokenizers.decoders.ByteLevel()
        return library

    def vocabulary(self) -> list[str]:
        """Return every possible token: the bytes, then the result of each merge."""
        return list(dict.fromkeys([*_BYTES, *(left + right for left, right in self.merges)]))

    def tokenize(self, text: str) -> list[str]:
        """Split a text into subwords; ValueError if it isn't valid Unicode (a lone surrogate)."""
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ValueError(
                f"text must be valid Unicode; got {error.object[error.start]!r}"
            ) from None
        return self._library.encode(text, add_special_tokens=False).tokens

    def detokenize(self, tokens: Iterable[str]) -> str:
        """Join subwords; bytes that aren't valid text become the replacement character (U+FFFD)."""
        return self._library.decoder.decode(list(tokens))


_BYTES = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
_KINDS = {kind.__name__: kind for kind in (Words, Characters, BytePairs, Subwords)}


def to_json(tokenizer: Words | Characters | BytePairs | Subwords) -> str:
    """Return a tokenizer's kind and all that it has learned as JSON, for from_json.

    Example:
        >>> to_json(Words(["太", "累"]))
        '{"kind": "Words", "known": ["太", "累"]}'
    """
    fields = dataclasses.asdict(tokenizer)
    return json.dumps({"kind": type(tokenizer).__name__, **fields}, ensure_ascii=False)


def from_json(text: str) -> Words | Characters | BytePairs | Subwords:
    """Return the tokenizer that to_json has stored; ValueError if the text is anything else.

    Example:
        >>> from_json('{"kind": "Characters"}')
        Characters()
    """
    try:
        fields = json.loads(text)
        return _KINDS[fields.pop("kind")](**fields)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"text must be JSON from to_json; reading it gave {error!r}") from error
