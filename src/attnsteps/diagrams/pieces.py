"""The grammar of the book's drawings: what there is to be drawn, and how pieces are put together.

A piece knows its size and how to paint itself. Rows and columns of pieces are pieces again, so a
drawing is laid out without a single coordinate, once wide and once tall for a phone.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from torch import Tensor

from attnsteps.checks import check_choice
from attnsteps.diagrams.palette import check_role
from attnsteps.diagrams.sheet import SIZE, SMALL, Sheet, text_width

#: A cell of a vector or matrix in px, with room for a number of four characters.
CELL = (38, 26)


@dataclass(frozen=True)
class Piece:
    """Something to draw: its size in px, and a function that paints it at a place."""

    width: float
    height: float
    paint: Callable[[Sheet, float, float], None]


def words(text: str, *, size: float = SIZE, role: str = "", bold: bool = False, quiet=False):
    """Write a text, line by line, in a role's colour if one is given."""
    lines = text.split("\n")
    pitch = 1.35 * size
    width = max(text_width(line, size) for line in lines) * (1.06 if bold else 1)
    style = " ".join(
        name for name, on in ((f"ink-{role}", role), ("b", bold), ("quiet halo", quiet)) if on
    )

    def paint(sheet: Sheet, x: float, y: float) -> None:
        for number, line in enumerate(lines):
            sheet.write(line, x + width / 2, y + (number + 0.5) * pitch, size, class_=style)

    if role:
        check_role(role)
    return Piece(width, pitch * len(lines), paint)


def row(*pieces: Piece, gap: float = 14, align: str = "middle") -> Piece:
    """Put pieces side by side, their tops, middles or bottoms on one line."""
    share = {"top": 0.0, "middle": 0.5, "bottom": 1.0}
    check_choice("align", align, tuple(share))
    height = max(piece.height for piece in pieces)

    def paint(sheet: Sheet, x: float, y: float) -> None:
        for piece in pieces:
            piece.paint(sheet, x, y + share[align] * (height - piece.height))
            x += piece.width + gap

    return Piece(sum(p.width for p in pieces) + gap * (len(pieces) - 1), height, paint)


def column(*pieces: Piece, gap: float = 10, align: str = "center") -> Piece:
    """Put pieces below one another, their left sides, centres or right sides on one line."""
    share = {"left": 0.0, "center": 0.5, "right": 1.0}
    check_choice("align", align, tuple(share))
    width = max(piece.width for piece in pieces)

    def paint(sheet: Sheet, x: float, y: float) -> None:
        for piece in pieces:
            piece.paint(sheet, x + share[align] * (width - piece.width), y)
            y += piece.height + gap

    return Piece(width, sum(p.height for p in pieces) + gap * (len(pieces) - 1), paint)


def grid(
    rows: Sequence[Sequence[Piece]],
    *,
    labels: Sequence[str] = (),
    gap: tuple[float, float] = (14, 10),
) -> Piece:
    """Put pieces in rows and columns, each in the middle of its place; a label begins each row."""
    if len({len(pieces) for pieces in rows}) != 1:
        raise ValueError(f"rows must be equally long; got {[len(pieces) for pieces in rows]}")
    if labels:
        if len(labels) != len(rows):
            raise ValueError(f"labels must be {len(rows)} or none; got {len(labels)}")
        widest = max(text_width(label, 13) for label in labels)
        flush = [
            row(words(label, size=13), space(widest - text_width(label, 13)), gap=0)
            for label in labels
        ]
        rows = [[label, *pieces] for label, pieces in zip(flush, rows, strict=True)]
    widths = [max(piece.width for piece in pieces) for pieces in zip(*rows, strict=True)]

    def centred(piece: Piece, width: float) -> Piece:
        return row(space((width - piece.width) / 2), piece, space((width - piece.width) / 2), gap=0)

    lines = [
        row(
            *(centred(piece, width) for piece, width in zip(pieces, widths, strict=True)),
            gap=gap[0],
        )
        for pieces in rows
    ]
    return column(*lines, gap=gap[1])


def space(width: float = 0, height: float = 0) -> Piece:
    """Leave room."""
    return Piece(width, height, lambda sheet, x, y: None)


def named(name: str, piece: Piece) -> Piece:
    """Give a piece a name, so that wires may begin or end at it."""

    def paint(sheet: Sheet, x: float, y: float) -> None:
        sheet.remember(name, x, y, piece.width, piece.height)
        piece.paint(sheet, x, y)

    return replace(piece, paint=paint)


def matrix(
    values: ArrayLike | Tensor | Sequence[Sequence[str]],
    role: str,
    *,
    name: str = "",
    label: str = "",
    shape: str = "",
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    digits: int | None = 0,
    kind: str = "activation",
    crossed: ArrayLike | Tensor | None = None,
    lit: Sequence[int] = (),
    limit: float | None = None,
    cell: tuple[float, float] = CELL,
    bands: Sequence[str] = (),
) -> Piece:
    """Draw a matrix as a grid, shaded by value; a vector is a matrix of one row.

    Args:
        values: (R, C) numbers, or strings that stand in the cells instead.
        role: what it is, of ``palette.ROLES``: gives the hue.
        name: for wires; its rows are called ``name[0]``, ``name[1]``, and so on.
        label: its letter, written above with the shape.
        shape: its shape in the book's letters.
        rows: a label for each row.
        columns: a label for each column.
        digits: after the decimal point; None for no numbers.
        kind: "activation" is filled, "parameter" hatched, "cached" outlined.
        crossed: (R, C), True where the cell is hidden by a mask.
        lit: numbers of the rows that are outlined.
        limit: the value of the darkest shade; by default the greatest that there is.
        cell: width and height of a cell in px.
        bands: a role for each column that replaces ``role``: a head's slice, say.

    Raises:
        ValueError: the sizes do not fit together, or there is no such role or kind.

    Example:
        >>> matrix([[1, 0], [0, 1]], "query", label="q").width
        78
    """
    check_role(role)
    check_choice("kind", kind, ("activation", "parameter", "cached"))
    if isinstance(values, Tensor):
        values = values.detach().double().cpu().numpy()
    array = np.asarray(values)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(f"values must have 2 axes of at least 1; got shape {array.shape}")
    hidden = np.zeros(array.shape, dtype=bool) if crossed is None else np.asarray(crossed)
    for what, given, size in (
        ("rows", rows, array.shape[0]),
        ("columns", columns, array.shape[1]),
        ("bands", bands, array.shape[1]),
    ):
        if len(given) not in (0, size):
            raise ValueError(f"{what} must be {size} labels or none; got {len(given)}")
    if hidden.shape != array.shape:
        raise ValueError(f"crossed must have shape {array.shape}; got {hidden.shape}")
    numbers = array if array.dtype.kind in "fiub" else None
    finite = np.abs(numbers[np.isfinite(numbers)]) if numbers is not None else np.zeros(0)
    limit = limit or (float(finite.max()) if finite.size and finite.max() > 0 else 1.0)
    wide, high = cell
    left = max((text_width(r, SMALL) for r in rows), default=-6) + 6
    title = "  ".join(part for part in (label, shape) if part)
    above = 20 if title else 0
    heads = 18 if columns else 0
    grid = (wide * array.shape[1] + 2, high * array.shape[0] + 2)

    def paint(sheet: Sheet, x: float, y: float) -> None:
        sheet.remember(name, x + left, y + above + heads, *grid)
        if title:
            middle = x + left + grid[0] / 2
            sheet.write(title, middle, y + 9, SMALL, class_=f"b ink-{role}")
        for c, head in enumerate(columns):
            sheet.write(head, x + left + 1 + (c + 0.5) * wide, y + above + 9, SMALL)
        for r in range(array.shape[0]):
            top = y + above + heads + 1 + r * high
            if rows:
                sheet.write(rows[r], x + left - 6, top + high / 2, SMALL, "end")
            if name:
                sheet.remember(f"{name}[{r}]", x + left, top, grid[0], high)
            for c in range(array.shape[1]):
                _cell(sheet, x + left + 1 + c * wide, top, r, c)
        for r in lit:
            top = y + above + heads + 1 + r * high
            sheet.add("rect", x=x + left, y=top - 1, width=grid[0], height=high + 1, class_="lit")

    def _cell(sheet: Sheet, x: float, y: float, r: int, c: int) -> None:
        value = array[r, c]
        own = check_role(bands[c]) if bands else role
        amount, sign = 0.35, ""
        if numbers is not None and not hidden[r, c]:
            amount = min(abs(float(value)) / limit, 1.0) if math.isfinite(value) else 0.0
            sign = " minus" if value < 0 else ""
        style = f"c {kind} fill-{own}{sign}" if not hidden[r, c] else "c hidden"
        sheet.add(
            "rect",
            x=x,
            y=y,
            width=wide - 1,
            height=high - 1,
            class_=style,
            style=None if hidden[r, c] else f"--a:{round(amount, 2):g}",
        )
        if hidden[r, c]:
            sheet.add(
                "path", d=f"M{x + 4:g} {y + high - 5:g}L{x + wide - 5:g} {y + 4:g}", class_="s"
            )
        elif numbers is None or digits is not None:
            shown = str(value) if numbers is None else in_digits(float(value), digits or 0)
            sheet.write(shown, x + (wide - 1) / 2, y + (high - 1) / 2, 13 if wide > 30 else SMALL)

    return Piece(left + grid[0], above + heads + grid[1], paint)


def vector(values: ArrayLike | Tensor | Sequence[str], role: str, **settings) -> Piece:
    """Draw a vector, (C,), as a row of cells; the settings are those of :func:`matrix`."""
    inner = values.detach() if isinstance(values, Tensor) else np.asarray(values)
    return matrix(inner.reshape(1, -1), role, **settings)


def in_digits(value: float, digits: int) -> str:
    """Write a number with a true minus sign; infinity as ∞, and a plain zero as 0."""
    if math.isinf(value):
        return "−∞" if value < 0 else "∞"
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−") if value else "0"


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


def bars(
    values: ArrayLike | Tensor,
    role: str,
    *,
    labels: Sequence[str] = (),
    digits: int = 2,
    limit: float | None = None,
    name: str = "",
    title: str = "",
    size: tuple[float, float] = (44, 80),
) -> Piece:
    """Draw upright bars with their numbers above and labels below; all values are at least 0."""
    check_role(role)
    heights = np.asarray(values.detach().cpu() if isinstance(values, Tensor) else values, float)
    if heights.ndim != 1 or not heights.size or (heights < 0).any():
        raise ValueError(f"values must be one axis of numbers of at least 0; got {heights}")
    if len(labels) not in (0, heights.size):
        raise ValueError(f"labels must be {heights.size} or none; got {len(labels)}")
    top = limit if limit is not None else float(heights.max()) or 1.0
    pitch = max([size[0], *(text_width(text, SMALL) + 8 for text in labels)])
    width, head = pitch * heights.size, 20 if title else 0
    below = 20 if labels else 2

    def paint(sheet: Sheet, x: float, y: float) -> None:
        sheet.remember(name, x, y, width, head + 16 + size[1] + below)
        if title:
            sheet.write(title, x + width / 2, y + 9, SMALL, class_=f"b ink-{role}")
        floor = y + head + 16 + size[1]
        for number, value in enumerate(heights):
            middle = x + (number + 0.5) * pitch
            height = round(size[1] * float(value) / top, 1)
            sheet.add(
                "rect",
                x=middle - 13,
                y=floor - height,
                width=26,
                height=max(height, 1.0),
                class_=f"bar fill-{role}",
            )
            sheet.write(in_digits(float(value), digits), middle, floor - height - 9, SMALL)
            if labels:
                sheet.write(labels[number], middle, floor + 11, SMALL)
        sheet.add("path", d=f"M{x:g} {floor:g}h{width:g}", class_="axis")

    return Piece(width, head + 16 + size[1] + below, paint)


def strip(
    values: ArrayLike | Tensor,
    roles: Sequence[str],
    *,
    labels: Sequence[str] = (),
    digits: int = 2,
    name: str = "",
    size: tuple[float, float] = (300, 28),
) -> Piece:
    """Draw shares as a strip that stands for 1, cut into parts with a colour each.

    A part carries its label and number, or its number alone, or nothing, as there is room.
    """
    parts = np.asarray(values.detach().cpu() if isinstance(values, Tensor) else values, float)
    if parts.ndim != 1 or (parts < 0).any() or not math.isclose(parts.sum(), 1, abs_tol=1e-6):
        raise ValueError(f"values must be shares that add up to 1; got {parts}")
    for what, given in (("roles", roles), ("labels", labels or [""] * parts.size)):
        if len(given) != parts.size:
            raise ValueError(f"{what} must be {parts.size}, one for each share; got {len(given)}")
    for role in roles:
        check_role(role)

    def paint(sheet: Sheet, x: float, y: float) -> None:
        sheet.remember(name, x, y, *size)
        for number, (value, role) in enumerate(zip(parts.tolist(), roles, strict=True)):
            width = size[0] * value
            if width < 0.5:
                continue
            style = f"c activation fill-{role}"
            rect = {"x": round(x, 1), "y": y, "width": round(width, 1), "height": size[1]}
            sheet.add("rect", **rect, class_=style, style="--a:0.9")
            shown = in_digits(value, digits)
            full = f"{labels[number]} {shown}" if labels else shown
            for text in (full, shown):
                if text_width(text, SMALL) + 2 <= width:
                    sheet.write(text, x + width / 2, y + size[1] / 2, SMALL)
                    break
            x += width

    return Piece(*size, paint)


def stack(piece: Piece, count: int, *, name: str = "", offset: tuple[float, float] = (7, 7)):
    """Draw a piece as the front sheet of a stack of ``count``."""
    across, up = offset[0] * (count - 1), offset[1] * (count - 1)

    def paint(sheet: Sheet, x: float, y: float) -> None:
        sheet.remember(name, x, y, piece.width + across, piece.height + up)
        for number in range(count - 1, -1, -1):
            sheet.add(
                "rect",
                x=x + offset[0] * number,
                y=y + up - offset[1] * number,
                width=piece.width,
                height=piece.height,
                rx=4,
                class_="sheet",
            )
        piece.paint(sheet, x, y + up)

    return Piece(piece.width + across, piece.height + up, paint)


def frame(
    piece: Piece,
    label: str = "",
    *,
    role: str = "plain",
    name: str = "",
    lit=False,
    pad: float = 10,
) -> Piece:
    """Draw a frame around a piece, with a label on its upper edge."""
    check_role(role)
    head = 20 if label else 0
    width = max(piece.width, text_width(label, 13)) + 2 * pad
    height = piece.height + head + 2 * pad

    def paint(sheet: Sheet, x: float, y: float) -> None:
        sheet.remember(name, x, y, width, height)
        style = f"frame line-{role}" + (" strong" if lit else "")
        sheet.add("rect", x=x, y=y, width=width, height=height, rx=9, class_=style)
        if label:
            sheet.write(label, x + width / 2, y + pad + 7, 13, class_="b")
        piece.paint(sheet, x + (width - piece.width) / 2, y + pad + head)

    return Piece(width, height, paint)


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
