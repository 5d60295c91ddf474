"""Says what is shown in another language: texts as they are, or with what was computed in them.

Nothing else in the package knows of languages: every text is written in English, and a catalogue is
asked where it is shown. It finds a text by what it was made from, so "3 of 8 words" by "{n} of
{total} words".
"""

import math
import re
from collections.abc import Mapping
from functools import cache, cached_property
from html import escape, unescape
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

#: Fields, those that touch as one, and braces.
FIELD = re.compile(r"((?:\{(?!\{)[^{}]*(?:\{[^{}]*\}[^{}]*)*\})+|\{\{|\}\})")
_SHOWN = re.compile(r"(<(?:style|script)\b.*?</(?:style|script)>)|(?<=>)([^<>]+)(?=<)", re.DOTALL)
_LETTERS = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[a-z]{2}")
_END = re.compile(r"(?<=[.;!?])\s+(?=\S)")
_MARK = re.compile(r"(?:[✓✗]|\d+\.?) +(?=\S)")  # before a text, or its number
_CLAUSE = re.compile(r"[a-z]{2,} [a-z]{2,} [a-z]{2,}")
_ITEM = re.compile(r"[.;:] (?=\S)")  # where one sentence or item ends, or what it speaks of
_RANGE = re.compile(r"[\d.,−% ]+ to [\d.,−% ]+")
_STOP = re.compile(
    r"(?<=[\w\])%])\. +(?=[\u3400-\u9fff].*。)|。\. *|。 +(?=[\u3400-\u9fff])", re.DOTALL
)
_HAN = re.compile(r"[\u3400-\u9fff]")
_FULL = {";": "；", ".": "。"}  # between sentences of Chinese
_FEW = 8  # letters and spaces of its own with which a template may fit by chance


class _Template(NamedTuple):
    """An entry with fields: those with many letters of their own fit least by chance."""

    pattern: str
    fields: list[str]
    other: str  # its translation
    endings: set[str]  # fields that are an English plural's end
    mark: str  # its longest piece between fields, which a text must hold
    size: int  # letters of its own
    many: bool  # of several sentences


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
    def _templates(self) -> list[_Template]:
        """Return the entries with fields, those with most words of their own first."""
        found = []
        for text, other in self.entries.items():
            parts = [part for part in FIELD.split(text) if part]
            fields = [part for part in parts if _is_field(part)]
            own = [_plain(part) for part in parts if not _is_field(part)]
            touching = set(FIELD.findall(other)) <= set(parts)
            if fields and _LETTERS.search("".join(own)) and touching and text != other:
                pattern = "".join(
                    "(.*?)" if part in fields else re.escape(_plain(part)) for part in parts
                )
                endings = {  # of English plurals: "{n} layer{s}"
                    part
                    for before, part in pairwise(parts)
                    if _is_field(part) and before[-1].isalpha()
                }
                found.append(
                    _Template(
                        pattern=pattern,
                        fields=fields,
                        other=other,
                        endings=endings,
                        mark=max(own, key=len),
                        size=len("".join(own)),
                        many=". " in text,
                    )
                )
        return sorted(found, key=lambda each: -each.size)

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
        rest = bare[mark.end() :] if mark else ""
        if not re.search(r"[:;.]\s", rest) and (said := self.say(rest)) != rest:
            return text.replace(bare, mark[0] + said)
        joined = self._join(_END.split(bare))
        if joined and not _WORD.search(joined):
            return text.replace(bare, joined)
        found = [said for said in (joined, self._filled(bare)) if said]
        if all(map(_WORD.search, found)):  # something stays English
            found = [said for said in (self._labelled(bare), *found) if said]
            if (said := self.say(rest)) != rest:
                found.append(mark[0] + said)
        return text.replace(bare, min(found, key=_english)) if found else text

    def _filled(self, bare: str) -> str:
        """Translate a text by the template it was made from, if there's one."""
        found: list[tuple[int, str]] = []
        for each in self._templates:
            match = each.mark in bare and _compiled(each.pattern).fullmatch(bare)
            if not match:
                continue
            held = match.groups()
            values = {
                part: self._value(part, one, each.endings)
                for part, one in zip(each.fields, held, strict=True)
            }
            unknown = [said for said in values.values() if _WORD.search(said)]
            # "{a} is {b}" fits too much: its fields must be known, or no words, and one item.
            if each.size < _FEW and (unknown or any(";" in one for one in held)):
                continue
            if each.size < 2 * _FEW and any(map(_CLAUSE.search, unknown)):
                continue  # part of a sentence that nobody knows, not a name
            if not each.many and any(". " in one for one in held):
                continue  # one sentence doesn't hold the next
            strain = sum(len(_ITEM.findall(one)) for one in held)
            found.append((strain, self._put_in(each.other, values)))
            if not strain:
                break
        return min(found, key=itemgetter(0))[1] if found else ""

    @staticmethod
    def _put_in(other: str, values: Mapping[str, str]) -> str:
        """Return a translation with its fields filled."""
        said = ""
        for part in FIELD.split(other):
            piece = values[part] if _is_field(part) else _plain(part)
            between = _HAN.search(said.rstrip()[-1:]) and _HAN.search(piece.lstrip()[:1])
            said = said.rstrip() + piece.lstrip() if between else said + piece
        return said

    def _labelled(self, bare: str) -> str:
        """Translate a name, a colon and its numbers, if what they say is known."""
        name, _, rest = bare.partition(": ")
        if not re.search(r"\d", rest) or (said := self._part(rest)) == rest:
            return ""
        known = self.say(name)
        return f"{known}：{said}" if known != name or not _WORD.search(name) else ""

    def _join(self, parts: list[str]) -> str:
        """Translate sentences or items that were put together so that least stays English."""
        best = {len(parts): (0, [])}  # from each on: how many words are English, translations
        for start in reversed(range(len(parts))):
            ends = range(start + 1, len(parts) + (start > 0))  # one, or as many as an entry has
            found = []
            for end in ends:
                one = self._part(first := " ".join(parts[start:end]))
                if one != first or not _WORD.search(first):
                    chance = 0 if first in self._whole else (end - start - 1) / 100
                    cost = _english(one) + chance + best[end][0]
                    found.append((cost, [one, *best[end][1]]))
            best[start] = min(found, key=itemgetter(0), default=(math.inf, []))
        if math.isinf(best[0][0]):
            return ""
        said = ""
        for one in best[0][1]:
            han = one[-1:] == ";" or _HAN.search(one)
            full = _FULL.get(one[-1:], one[-1:]) if han else one[-1:]
            gap = " " if said and said[-1] not in "。；！？：" else ""
            said += gap + one[:-1] + full
        return said if _HAN.search(said) else ""

    def _part(self, text: str) -> str:
        """Translate a sentence, or an item of a list: the entry of that has no stop."""
        said = self.say(text)
        if text[-1] in _FULL and text not in self._whole:
            said = min(self.say(text[:-1]) + text[-1], said, key=_english)
        return said

    def _value(self, part: str, text: str, endings: set[str]) -> str:
        """Return what stands in a field: a text, or a list; nothing for an English plural's end."""
        if part in endings and text in ("s", "es"):
            return ""
        said = self.say(text)
        told = [self.say(item) for item in text.split(", ")]
        return said if said != text or ", ".join(told) == text else "、".join(told)

    def say_in(self, html: str) -> str:
        """Translate the texts of some HTML or SVG, which are the same whatever is around them."""

        def said(match: re.Match) -> str:
            text = unescape(match[0])
            other = text if match[1] else self.say(text)
            return match[0] if other == text else escape(other, quote=False)

        return _SHOWN.sub(said, html)


@cache
def _compiled(pattern: str) -> re.Pattern:
    """Compile a template's pattern when it's first tried, once for all catalogues."""
    return re.compile(pattern, re.DOTALL)


@cache
def _english(said: str) -> int:
    """Return how many words of a translation are still English."""
    return len(re.findall(r"[a-z]{2,}", said))


def _is_field(part: str) -> bool:
    return part.startswith("{") and len(part) > 2


def _plain(text: str) -> str:
    """Return a text without fields as it is shown."""
    return text.replace("{{", "{").replace("}}", "}")
