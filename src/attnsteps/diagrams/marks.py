"""Pieces that stand for something: words, parts of the model, clocks, curves."""

import math
from collections.abc import Sequence

from attnsteps.checks import check_choice
from attnsteps.diagrams.layout import Piece
from attnsteps.diagrams.palette import check_role
from attnsteps.diagrams.sheet import SMALL, Sheet, text_width


def word(text: str, gloss: str = "", *, role: str = "plain", name: str = "", lit=False) -> Piece:
    """Draw a word on a chip, with its English gloss below it."""
    check_role(role)
    width = max(text_width(text, 16), text_width(gloss, SMALL)) + 14
    height = 46 if gloss else 28

    def paint(sheet: Sheet, x: float, y: float) -> None:
        sheet.remember(name, x, y, width, height)
        style = f"chip line-{role}" + (" strong" if lit else "")
        sheet.add("rect", x=x, y=y, width=width, height=height, rx=6, class_=style)
        sheet.write(text, x + width / 2, y + 14, 16, lang="zh" if ord(text[0]) > 0x2E7F else None)
        if gloss:
            sheet.write(gloss, x + width / 2, y + 34, SMALL)

    return Piece(width, height, paint)


def block(
    text: str,
    role: str = "plain",
    *,
    name: str = "",
    note: str = "",
    state: str = "built",
    link: str = "",
    width: float = 0,
    height: float = 30,
) -> Piece:
    """Draw a part of the model: a box that is built, lit, or still to come; perhaps a link."""
    check_role(role)
    check_choice("state", state, ("built", "lit", "coming"))
    lines = text.split("\n")
    needed = max(text_width(line, 13) for line in lines) + 16
    needed = max(width, needed + (text_width(note, SMALL) + 8 if note else 0))
    height = max(height, 17 * len(lines) + 10)

    def paint(sheet: Sheet, x: float, y: float) -> None:
        sheet.remember(name, x, y, needed, height)
        style = f"block fill-{role} {state}"
        target = sheet
        if link:
            target = Sheet()
        target.add("rect", x=x, y=y, width=needed, height=height, rx=6, class_=style)
        if note:
            target.write(note, x + 7, y + height / 2, SMALL, "start", class_="b quiet")
        middle = x + needed / 2 + (text_width(note, SMALL) / 2 + 4 if note else 0)
        for number, line in enumerate(lines):
            drop = (number - (len(lines) - 1) / 2) * 17
            bold = "b" if state == "lit" else "quiet" if state == "coming" else ""
            target.write(line, middle, y + height / 2 + drop, 13, class_=bold)
        if link:
            sheet.add("a", href=link).extend(target.elements)

    return Piece(needed, height, paint)


def clock(turn: float, role: str = "position", *, name: str = "", label: str = "", radius=22):
    """Draw a clock; its hand has turned by an angle in radians, anticlockwise from the right."""
    check_role(role)
    below = 20 if label else 0

    def paint(sheet: Sheet, x: float, y: float) -> None:
        sheet.remember(name, x, y, 2.0 * radius, 2.0 * radius)
        cx, cy = x + radius, y + radius
        sheet.add("circle", cx=cx, cy=cy, r=radius - 1, class_=f"dial line-{role}")
        tip = (cx + 0.82 * radius * math.cos(turn), cy - 0.82 * radius * math.sin(turn))
        sheet.add("path", d=f"M{cx:g} {cy:g}L{tip[0]:.1f} {tip[1]:.1f}", class_=f"hand line-{role}")
        if label:
            sheet.write(label, cx, y + 2 * radius + 10, SMALL)

    return Piece(max(2.0 * radius, text_width(label, SMALL)), 2.0 * radius + below, paint)


def curve(
    points: Sequence[tuple[float, float]],
    role: str,
    *,
    name: str = "",
    label: str = "",
    limits: tuple[float, float, float, float] | None = None,
    marks: Sequence[tuple[float, float]] = (),
    size: tuple[float, float] = (150, 90),
) -> Piece:
    """Draw a line through points, (x, y), between two axes; marks are dots on it.

    The limits are the least and greatest x, then y; without them, those of the points.
    """
    check_role(role)
    if len(points) < 2:
        raise ValueError(f"points must be at least 2; got {len(points)}")
    across, up = zip(*points, strict=True)
    low_x, high_x, low_y, high_y = limits or (min(across), max(across), min(up), max(up))
    head = 20 if label else 0

    def paint(sheet: Sheet, x: float, y: float) -> None:
        sheet.remember(name, x, y, size[0], size[1] + head)

        def place(px: float, py: float) -> tuple[float, float]:
            return (
                x + size[0] * (px - low_x) / (high_x - low_x),
                y + head + size[1] * (1 - (py - low_y) / (high_y - low_y)),
            )

        if label:
            sheet.write(label, x + size[0] / 2, y + 9, SMALL, class_=f"b ink-{role}")
        sheet.add("path", d=f"M{x:g} {y + head:g}v{size[1]:g}h{size[0]:g}", class_="axis")
        line = "L".join(f"{a:.1f} {b:.1f}" for a, b in (place(*point) for point in points))
        sheet.add("path", d=f"M{line}", class_=f"curve line-{role}")
        for mark in marks:
            cx, cy = place(*mark)
            sheet.add("circle", cx=cx, cy=cy, r=4, class_=f"dot fill-{role}")

    return Piece(size[0], size[1] + head, paint)
