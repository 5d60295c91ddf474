"""What people type → sentences that a model can read, and what it has to leave out."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from attnsteps.corpora.plain import HAN, plain, simplified_characters, table

_CLOSING = "[\"'”’」』)]*"
_SENTENCE = re.compile(rf".*?(?:[。!?…]+{_CLOSING}|\.+{_CLOSING}(?=[\s{HAN}]|$))|.+")
_CLAUSE = re.compile(r".{11,}?[,;]|.+")
_LONG = 60  # a sentence of more characters is cut after its commas, too


@dataclass(frozen=True)
class Reading:
    """The characters that a model has learned from, and how it reads all others.

    Args:
        simplified: two texts of one length: traditional characters, and what they are read as.
        characters: all that training has seen, in the order of their code points.

    Raises:
        ValueError: if they are not such texts.

    Example:
        >>> reading = Reading.learn(["我爱你.", "你好吗?"])
        >>> reading.sentences("我愛你！你好嗎？")
        ['我爱你!', '你好吗?']
        >>> reading.readable("我爱你😀.")
        ('我爱你.', ['😀'])
    """

    simplified: Sequence[str]
    characters: str

    def __post_init__(self) -> None:
        """Check the texts, and keep the pair as a tuple."""
        texts = tuple(self.simplified)
        object.__setattr__(self, "simplified", texts)
        lengths = [len(text) if isinstance(text, str) else None for text in texts]
        if len(texts) != 2 or lengths[0] is None or lengths[0] != lengths[1]:
            raise ValueError(
                f"simplified must be two texts of one length; got {len(texts)} of {lengths}"
            )
        if not isinstance(self.characters, str):
            raise ValueError(f"characters must be a text; got {self.characters!r}")

    @classmethod
    def learn(cls, texts: Iterable[str]) -> "Reading":
        """Collect the characters of sentences that plain has written.

        A traditional character is read as its simplified one only if the sentences have that one
        and not the traditional one itself.
        """
        seen = set().union(*texts)
        pairs = simplified_characters().items()
        known = {old: new for old, new in pairs if new in seen and chr(old) not in seen}
        old, new = "".join(map(chr, known)), "".join(known.values())
        return cls((old, new), "".join(sorted(seen)))

    @cached_property
    def _table(self) -> dict[int, str]:
        return table(*self.simplified)

    def sentences(self, text: str) -> list[str]:
        """Cut a text into sentences in the plain form; a very long one after its commas, too."""
        pieces = [
            plain(piece, self._table)
            for line in text.splitlines()
            for piece in _SENTENCE.findall(unicodedata.normalize("NFKC", line))
        ]
        cut = [_CLAUSE.findall(piece) if len(piece) > _LONG else [piece] for piece in pieces]
        return [clause.strip() for clauses in cut for clause in clauses if clause.strip()]

    def readable(self, text: str) -> tuple[str, list[str]]:
        """Return a sentence in the plain form without what training never saw, and all of that."""
        text = plain(text, self._table)
        left_out = [char for char in text if char not in self.characters]
        return "".join(char for char in text if char in self.characters), left_out
