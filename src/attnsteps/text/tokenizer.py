"""text ↔ tokens: words, characters, and pieces of words that were learned from a text.

===========  ============================================  =================================
Tokenizer    Splits into                                   For
===========  ============================================  =================================
Words        the words that it knows                       the book's own corpus
Characters   characters                                    comparison
BytePairs    pieces of words, learned by byte_pairs.py     chapter 2
Subwords     the same of bytes, by the tokenizers library  real corpora: no text is unknown
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

from attnsteps.shapes import check_count
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

#: Chinese and its punctuation, which stand without spaces.
UNSPACED = "\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"


class Tokenizer(Protocol):
    """What every tokenizer can do."""

    def tokenize(self, text: str) -> list[str]:
        """Split a text into tokens."""

    def detokenize(self, tokens: Iterable[str]) -> str:
        """Put tokens together to a text."""


@dataclass(frozen=True)
class Words:
    """Words from a list, the longest that fits at each place; without a list, between spaces.

    With a list, spaces separate and say nothing else. What the list lacks becomes a token as well:
    a run of letters and digits, or a single Chinese character or mark. Put together, words get a
    space between them where the script has one: before a letter or digit that follows something
    else than Chinese.

    Args:
        known: the words; empty to split at white space alone, and to join with spaces.

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
                raise ValueError(f"known must hold words without a space in them; got {word!r}")

    @functools.cached_property
    def _pattern(self) -> re.Pattern:
        """A known word that does not end within another, else a run of letters, else a sign."""
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
        """Put words together, with spaces where the script has them."""
        if not self.known:
            return " ".join(tokens)
        text = ""
        for token in tokens:
            is_apart = re.match(rf"[^\W{UNSPACED}]", token) and re.search(rf"[^{UNSPACED}]$", text)
            text += f" {token}" if is_apart else token
        return text


@dataclass(frozen=True)
class Characters:
    """One token for each character, spaces included: few tokens to know, long sentences.

    Example:
        >>> Characters().tokenize("太累了")
        ['太', '累', '了']
    """

    def tokenize(self, text: str) -> list[str]:
        """Split a text into characters."""
        return list(text)

    def detokenize(self, tokens: Iterable[str]) -> str:
        """Put characters together."""
        return "".join(tokens)


@dataclass(frozen=True)
class Subwords:
    """Byte pairs by a library: made of bytes, so that no text is unknown, and fast.

    A token shows each byte as one printable character, a space as ``Ġ``. Every one of the 256
    bytes is a token, so vocabulary() never lacks one.

    Source: Radford et al. 2019, section 2.2 (byte-level byte-pair encoding); the library is
    https://github.com/huggingface/tokenizers.

    Args:
        merges: pairs of tokens, in the order in which they were learned.

    Raises:
        ValueError: if a merge is of tokens that those before it do not make.

    Example:
        >>> bpe = Subwords.learn(["low lower lowest"], num_merges=2)
        >>> bpe.tokenize("lower slow")
        ['low', 'e', 'r', 'Ġ', 's', 'low']
    """

    merges: Sequence[Sequence[str]] = ()

    def __post_init__(self) -> None:
        """Keep the merges as tuples, and check that they can be carried out."""
        object.__setattr__(self, "merges", tuple((left, right) for left, right in self.merges))
        made = set(_BYTES)
        for pair in self.merges:
            if not made.issuperset(pair):
                raise ValueError(
                    f"merges must join bytes or what earlier ones made of them; got {pair}"
                )
            made.add("".join(pair))

    @classmethod
    def learn(cls, texts: Iterable[str], num_merges: int) -> "Subwords":
        """Learn from a text; arguments as in BytePairs.learn."""
        check_count("num_merges", num_merges)
        library = cls()._library
        trainer = tokenizers.trainers.BpeTrainer(
            vocab_size=len(_BYTES) + num_merges, initial_alphabet=_BYTES, show_progress=False
        )
        library.train_from_iterator(texts, trainer)
        merges = json.loads(library.to_str())["model"]["merges"]
        return cls(tuple((left, right) for left, right in merges))

    @functools.cached_property
    def _library(self) -> tokenizers.Tokenizer:
        """The library's own tokenizer with these merges."""
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
        """Return every token there can be: the bytes, then what each merge has made."""
        return list(dict.fromkeys([*_BYTES, *(left + right for left, right in self.merges)]))

    def tokenize(self, text: str) -> list[str]:
        """Split a text into pieces; ValueError where it is no Unicode text (a lone surrogate)."""
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ValueError(
                f"text must be valid Unicode; got {error.object[error.start]!r}"
            ) from None
        return self._library.encode(text, add_special_tokens=False).tokens

    def detokenize(self, tokens: Iterable[str]) -> str:
        """Put pieces together; where their bytes are no text, the sign for that (U+FFFD)."""
        return self._library.decoder.decode(list(tokens))


_BYTES = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
_KINDS = {kind.__name__: kind for kind in (Words, Characters, BytePairs, Subwords)}


def to_json(tokenizer: Words | Characters | BytePairs | Subwords) -> str:
    """Write down which tokenizer it is and all that it has learned.

    Args:
        tokenizer: one of this module's.

    Returns:
        JSON, from which from_json makes its equal.

    Example:
        >>> to_json(Words(["太", "累"]))
        '{"kind": "Words", "known": ["太", "累"]}'
    """
    fields = dataclasses.asdict(tokenizer)
    return json.dumps({"kind": type(tokenizer).__name__, **fields}, ensure_ascii=False)


def from_json(text: str) -> Words | Characters | BytePairs | Subwords:
    """Return the tokenizer that to_json has written down.

    Args:
        text: what to_json returned.

    Returns:
        Its equal.

    Raises:
        ValueError: if it is something else.

    Example:
        >>> from_json('{"kind": "Characters"}')
        Characters()
    """
    try:
        fields = json.loads(text)
        return _KINDS[fields.pop("kind")](**fields)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"text must be the JSON of a tokenizer; got: {error!r}") from error
