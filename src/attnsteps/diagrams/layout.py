"""How pieces of a drawing are put together: rows, columns and grids, stacks, frames, texts.

A piece knows its size and how to paint itself. Rows and columns of pieces are pieces again, so a
drawing is laid out without a single coordinate, once wide and once tall for a phone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from attnsteps.checks import check_choice
from attnsteps.diagrams.palette import check_role
from attnsteps.diagrams.sheet import SIZE, Sheet, text_width


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
