"""Keeps the texts of a drawing aligned when they become shorter: their places are those of English.

An SVG holds the middle of each text, which the layout worked out from the English text's width. A
text that begins or ends where others do, line below line, or that follows the sign of a legend, is
moved by half of what it has become shorter.
"""

import re
from collections.abc import Callable
from html import unescape
from typing import NamedTuple

from attnsteps.diagrams.sheet import SIZE, text_width

SVG = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
TEXT = re.compile(
    r'<text x="(?P<x>[\d.]+)" y="(?P<y>[\d.]+)"(?P<more>[^>]*)>(?P<text>[^<]*)</text>'
)
RECT = re.compile(r'<rect [^>]*?x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"')
FONT = re.compile(r'font-size="([\d.]+)"')
BOLD = 1.06  # how much wider bold letters are, as diagrams/layout.py has it
NEAR = 0.6  # px: what rounding leaves of the same edge
SWATCH, GAP = 40, 12  # px: how large a legend's sign is at most, and how far its text


class Placed(NamedTuple):
    """A text of a drawing and where it lies, in px."""

    middle: float
    y: float
    width: float
    is_bold: bool

    @property
    def left(self) -> float:
        return self.middle - self.width / 2

    @property
    def right(self) -> float:
        return self.middle + self.width / 2


def realigned(html: str, say: Callable[[str], str]) -> str:
    """Return a drawing in English whose texts stand where their translations will have to."""
    return SVG.sub(lambda svg: _realigned(svg[0], say), html)


def _realigned(svg: str, say: Callable[[str], str]) -> str:
    texts = [_placed(match) for match in TEXT.finditer(svg)]
    signs = [tuple(map(float, rect)) for rect in RECT.findall(svg)]

    def moved(match: re.Match) -> str:
        here = _placed(match)
        text = unescape(match["text"])
        shorter = here.width - _width(say(text), match)
        if "text-anchor" in match["more"] or shorter == 0:
            return match[0]
        lines = [one for one in texts if abs(one.y - here.y) > 6 and one.is_bold == here.is_bold]
        left, middle, right = (
            sum(abs(edge(one) - edge(here)) < NEAR for one in lines)
            for edge in (lambda one: one.left, lambda one: one.middle, lambda one: one.right)
        )
        follows = any(
            w <= SWATCH
            and h <= SWATCH
            and 0 < here.left - x - w < GAP
            and abs(y + h / 2 - here.y) < 9
            for x, y, w, h in signs
        )
        if follows or left > max(middle, right):
            return match[0].replace(f'x="{match["x"]}"', f'x="{here.middle - shorter / 2:.1f}"', 1)
        if right > max(middle, left):
            return match[0].replace(f'x="{match["x"]}"', f'x="{here.middle + shorter / 2:.1f}"', 1)
        return match[0]

    return TEXT.sub(moved, svg)


def _placed(match: re.Match) -> Placed:
    width = _width(unescape(match["text"]), match)
    return Placed(float(match["x"]), float(match["y"]), width, _is_bold(match))


def _width(text: str, match: re.Match) -> float:
    """Return how wide the layout takes a text to be, in the size and weight of an element."""
    found = FONT.search(match["more"])
    width = text_width(text, float(found[1]) if found else SIZE)
    return width * (BOLD if _is_bold(match) else 1)


def _is_bold(match: re.Match) -> bool:
    return re.search(r'class="[^"]*\bb\b', match["more"]) is not None
