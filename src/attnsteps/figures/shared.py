"""What the figures of several chapters have in common."""

from collections.abc import Iterable, Sequence

from torch import Tensor

from attnsteps.diagrams import Piece, column, row, words
from attnsteps.diagrams.cells import in_digits
from attnsteps.diagrams.sheet import SMALL, Sheet, text_width
from attnsteps.figures.catalogue import say


def with_axes(table: Piece) -> Piece:
    """Say above a table of weights or scores what its rows and its columns are."""
    axes = row(
        words(say("↓ queries"), size=12, role="query"),
        words(say("keys →"), size=12, role="key"),
        gap=18,
    )
    return column(axes, table, gap=2, align="left")


def listed(numbers: Iterable[float] | Tensor, digits: int = 0) -> str:
    """Write numbers one after another, for a description.

    Example:
        >>> listed([2, 2, -1])
        '2, 2, −1'
    """
    return ", ".join(in_digits(float(number), digits) for number in numbers)


def chart(
    x: tuple[float, float, Sequence[tuple[float, str]], str],
    y: tuple[float, float, Sequence[tuple[float, str]], str],
    *,
    size: tuple[float, float],
    lines: Sequence[tuple[str, Sequence[tuple[float, float]]]] = (),
    dots: Sequence[tuple[str, Sequence[tuple[float, float]]]] = (),
    levels: Sequence[tuple[float, str]] = (),
    notes: Sequence[tuple[float, float, str, str]] = (),
) -> Piece:
    """Draw lines and dots between two axes with ticks; each text is written where it belongs.

    Args:
        x: the least and the greatest value, the ticks with their texts, the axis's name.
        y: the same of the upright axis, whose name lies above it.
        size: of the field between the axes, in px.
        lines: a role and points for each line.
        dots: a role and points for each group of dots.
        levels: heights with a name, drawn as dashed lines.
        notes: (x, y, text, role): a text that begins at this place.
    """
    (low_x, high_x, x_ticks, x_name), (low_y, high_y, y_ticks, y_name) = x, y
    wide, high = size
    left = max(text_width(text, SMALL) for _, text in y_ticks) + 8
    right = max(0.0, text_width(x_ticks[-1][1], SMALL) / 2) if x_ticks else 0.0

    def paint(sheet: Sheet, at_x: float, at_y: float) -> None:
        origin, top = at_x + left, at_y + 22

        def place(px: float, py: float) -> tuple[float, float]:
            return (
                origin + wide * (px - low_x) / (high_x - low_x),
                top + high * (1 - (py - low_y) / (high_y - low_y)),
            )

        sheet.write(y_name, at_x, at_y + 8, SMALL, "start", class_="b")
        for value, text in y_ticks:
            height = place(low_x, value)[1]
            sheet.add("path", d=f"M{origin - 4:.1f} {height:.1f}h4", class_="axis")
            sheet.write(text, origin - 7, height, SMALL, "end")
        for value, text in x_ticks:
            across = place(value, low_y)[0]
            sheet.add("path", d=f"M{across:.1f} {top + high:.1f}v4", class_="axis")
            sheet.write(text, across, top + high + 13, SMALL)
        sheet.add("path", d=f"M{origin:.1f} {top:.1f}v{high:.1f}h{wide:.1f}", class_="axis")
        if x_name:
            sheet.write(x_name, origin + wide / 2, top + high + 31, SMALL, class_="b")
        for value, text in levels:
            height = place(low_x, value)[1]
            line = f"M{origin:.1f} {height:.1f}h{wide:.1f}"
            sheet.add("path", d=line, class_="axis", stroke_dasharray="5 4")
            sheet.write(text, origin + wide, height + 9, SMALL, "end", class_="quiet")
        for role, points in lines:
            path = " L".join(f"{a:.1f} {b:.1f}" for a, b in (place(*p) for p in points))
            sheet.add("path", d=f"M{path}", class_=f"curve line-{role}")
        for role, points in dots:
            for point in points:
                cx, cy = place(*point)
                sheet.add("circle", cx=cx, cy=cy, r=3.5, class_=f"dot fill-{role}", opacity=0.55)
        for px, py, text, role in notes:
            across, height = place(px, py)
            sheet.write(text, across, height, SMALL, "start", class_=f"b ink-{role} halo")

    return Piece(left + wide + right, 22 + high + (40 if x_name else 20), paint)
