"""Says what is shown in another language: texts as they are, or with what was computed in them.

Nothing else in the package knows of languages: every text is written in English, and a catalogue is
asked where it is shown. It finds a text by what it was made from, so "3 of 8 words" by "{n} of
{total} words".
"""

import re
from collections.abc import Mapping
from functools import cached_property
from html import escape, unescape
from itertools import pairwise

#: Fields, those that touch as one, and braces.
FIELD = re.compile(r"((?:\{(?!\{)[^{}]*(?:\{[^{}]*\}[^{}]*)*\})+|\{\{|\}\})")
_SHOWN = re.compile(r"(<(?:style|script)\b.*?</(?:style|script)>)|(?<=>)([^<>]+)(?=<)", re.DOTALL)
_LETTERS = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[a-z]{2}")
_END = re.compile(r"(?<=[.;!?])\s+(?=\S)")
_MARK = re.compile(r"(?:[✓✗]|\d+\.?) +(?=\S)")  # before a text, or its number
_RANGE = re.compile(r"[\d.,−% ]+ to [\d.,−% ]+")
_STOP = re.compile(r"(?<=[\w\])%])\. +(?=[\u3400-\u9fff].*。)|。\. *", re.DOTALL)
_HAN = re.compile(r"[\u3400-\u9fff]")
_FULL = {";": "；", ".": "。"}  # between sentences of Chinese
_FEW = 8  # letters and spaces of its own with which a template may fit by chance


class Catalogue:
    """What an edition says instead of the English.

    Args:
        entries: an English text → its translation. Fields in braces stand for what is computed, in
            both the same ones in any order; ``{{`` and ``}}`` are braces.

    Example:
        >>> zh = Catalogue({"{n} of {total} words": "{total} 个词中的 {n} 个", "animal": "动物"})
        >>> zh.say("3 of 8 words")
        '8 个词中的 3 个'
        >>> zh.say("no such text")
        'no such text'
    """

    def __init__(self, entries: Mapping[str, str]) -> None:
        self.entries = {text.strip(): other.strip() for text, other in entries.items() if other}
        self._whole = {_plain(text): _plain(other) for text, other in self.entries.items()}
        self._known: dict[str, str] = {}

    @cached_property
    def _templates(self) -> list[tuple[re.Pattern, list[str], str, set[str], int]]:
        """Patterns, those with most words of their own first: they fit least by chance."""
        found = []
        for text, other in self.entries.items():
            parts = [part for part in FIELD.split(text) if part]
            fields = [part for part in parts if _is_field(part)]
            own = "".join(_plain(part) for part in parts if not _is_field(part))
            touching = set(FIELD.findall(other)) <= set(parts)
            if fields and _LETTERS.search(own) and touching and text != other:
                pattern = "".join(
                    "(.*?)" if part in fields else re.escape(_plain(part)) for part in parts
                )
                endings = {  # of English plurals: "{n} layer{s}"
                    part
                    for before, part in pairwise(parts)
                    if _is_field(part) and before[-1].isalpha()
                }
                found.append((re.compile(pattern, re.DOTALL), fields, other, endings, len(own)))
        return sorted(found, key=lambda each: -each[-1])

    def say(self, text: str) -> str:
        """Return a text's translation, or the text where there is none."""
        if text not in self._known:
            self._known[text] = _STOP.sub("。", self._find(text))
        return self._known[text]

    def _find(self, text: str) -> str:
        bare = text.strip()
        if not _LETTERS.search(bare) or _RANGE.fullmatch(bare):
            return text
        if bare in self._whole:
            return text.replace(bare, self._whole[bare])
        mark = _MARK.match(bare)
        if mark and (said := self.say(rest := bare[mark.end() :])) != rest:
            return text.replace(bare, mark[0] + said)
        if said := self._join(_END.split(bare)):
            return text.replace(bare, said)
        for pattern, fields, other, endings, size in self._templates:
            if match := pattern.fullmatch(bare):
                found = zip(fields, match.groups(), strict=True)
                values = {part: self._value(part, one, endings) for part, one in found}
                # "{a} is {b}" fits too much: its fields must be known, or no words.
                if size < _FEW and any(
                    self.say(each) == each and _WORD.search(each) for each in match.groups()
                ):
                    continue
                said = ""
                for part in FIELD.split(other):
                    piece = values[part] if _is_field(part) else _plain(part)
                    between = _HAN.search(said.rstrip()[-1:]) and _HAN.search(piece.lstrip()[:1])
                    said = said.rstrip() + piece.lstrip() if between else said + piece
                return text.replace(bare, said)
        return text

    def _join(self, parts: list[str]) -> str:
        """Translate sentences or items that were put together, if all of them are known."""
        said, changed = "", False
        while parts:
            for end in range(len(parts) - (not said), 0, -1):  # as many at once as one entry has
                first = " ".join(parts[:end])
                other = self.say(first)
                if other != first or (end == 1 and not _WORD.search(first)):
                    full = _FULL.get(other[-1:], other[-1:]) if _HAN.search(other) else other[-1:]
                    gap = " " if said and said[-1] not in "。；！？：" else ""
                    said += gap + other[:-1] + full
                    changed |= other != first
                    parts = parts[end:]
                    break
            else:
                return ""
        return said if changed else ""

    def _value(self, part: str, text: str, endings: set[str]) -> str:
        """Return what stands in a field; an English plural's ending is nothing."""
        return "" if part in endings and text in ("s", "es") else self.say(text)

    def say_in(self, html: str) -> str:
        """Translate the texts of some HTML or SVG, which are the same whatever is around them."""

        def said(match: re.Match) -> str:
            text = unescape(match[0])
            other = text if match[1] else self.say(text)
            return match[0] if other == text else escape(other, quote=False)

        return _SHOWN.sub(said, html)


def _is_field(part: str) -> bool:
    return part.startswith("{") and len(part) > 2


def _plain(text: str) -> str:
    """Return a text without fields as it is shown."""
    return text.replace("{{", "{").replace("}}", "}")
