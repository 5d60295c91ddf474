"""Pieces that show numbers: vectors and matrices, shaded by value; bars; shares of 1 as a strip."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from torch import Tensor

from attnsteps.checks import check_choice
from attnsteps.diagrams.layout import Piece
from attnsteps.diagrams.palette import check_role
from attnsteps.diagrams.sheet import SMALL, Sheet, text_width

#: A cell of a vector or matrix in px, with room for a number of four characters.
CELL = (38, 26)


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
        columns: a label for each column, of one or more lines.
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
    array = _as_array(values)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(f"values must have 2 axes of at least 1; got shape {array.shape}")
    hidden = np.zeros(array.shape, dtype=bool) if crossed is None else np.asarray(crossed)
    _check_fit(array, hidden, rows=rows, columns=columns, bands=bands)
    numbers = array if array.dtype.kind in "fiub" else None
    finite = np.abs(numbers[np.isfinite(numbers)]) if numbers is not None else np.zeros(0)
    limit = limit or (float(finite.max()) if finite.size and finite.max() > 0 else 1.0)
    wide, high = cell
    left = round(max((text_width(r, SMALL) for r in rows), default=-6)) + 6
    title = "  ".join(part for part in (label, shape) if part)
    above = 20 if title else 0
    lines = [head.split("\n") for head in columns]
    heads = 4 + 14 * max(map(len, lines)) if columns else 0
    grid = (wide * array.shape[1] + 2, high * array.shape[0] + 2)
    size = 13 if wide > 30 else SMALL

    def paint(sheet: Sheet, x: float, y: float) -> None:
        x, y = float(round(x)), float(round(y))  # crisp edges
        sheet.remember(name, x + left, y + above + heads, *grid)
        if title:
            middle = x + left + grid[0] / 2
            sheet.write(title, middle, y + 9, SMALL, class_=f"b ink-{role}")
        for c, head in enumerate(lines):
            for n, line in enumerate(reversed(head)):
                sheet.write(
                    line, x + left + 1 + (c + 0.5) * wide, y + above + heads - 9 - 14 * n, SMALL
                )
        cells = Sheet()
        for r in range(array.shape[0]):
            top = y + above + heads + 1 + r * high
            if rows:
                sheet.write(rows[r], x + left - 6, top + high / 2, SMALL, "end")
            if name:
                sheet.remember(f"{name}[{r}]", x + left, top, grid[0], high)
            for c in range(array.shape[1]):
                _cell(cells, x + left + 1 + c * wide, top, r, c)
        group = sheet.add("g", class_=f"c {kind} fill-{role}", font_size=size)
        group.extend(cells.elements)
        for r in lit:
            top = y + above + heads + 1 + r * high
            sheet.add("rect", x=x + left, y=top - 1, width=grid[0], height=high + 1, class_="lit")

    def _cell(sheet: Sheet, x: float, y: float, r: int, c: int) -> None:
        own = f"fill-{check_role(bands[c])}" if bands else ""
        style, shade = ("hidden", None) if hidden[r, c] else _look(array[r, c], limit, own)
        box = {"x": x, "y": y, "width": wide - 1, "height": high - 1}
        sheet.add("rect", **box, class_=style, style=shade)
        if hidden[r, c]:
            sheet.add("path", d=f"M{x + 4:g} {y + high - 5:g}L{x + wide - 5:g} {y + 4:g}")
        elif numbers is None or digits is not None:
            value = array[r, c]
            shown = str(value) if numbers is None else in_digits(float(value), digits or 0)
            sheet.write(shown, x + (wide - 1) / 2, y + (high - 1) / 2, size, inherited=size)

    return Piece(left + grid[0], above + heads + grid[1], paint)


def _as_array(values: ArrayLike | Tensor) -> np.ndarray:
    """Return what is to be shown as an array: of a tensor, a copy in float64."""
    return (
        values.detach().double().cpu().numpy() if isinstance(values, Tensor) else np.asarray(values)
    )


def _look(value: object, limit: float, own: str) -> tuple[str, str | None]:
    """Return a cell's classes and its shade, from the paper's own to that of the limit."""
    if isinstance(value, str):
        return own, "--a:0.35"
    amount = round(min(abs(value) / limit, 1.0), 2) if math.isfinite(value) else 0
    return f"{own} minus".strip() if value < 0 else own, f"--a:{amount:g}" if amount else None


def _check_fit(array: np.ndarray, hidden: np.ndarray, **labels: Sequence[str]) -> None:
    """Check that there is a label for each row or column, or none, and a mask of the same size."""
    for what, given in labels.items():
        size = array.shape[0 if what == "rows" else 1]
        if len(given) not in (0, size):
            raise ValueError(f"{what} must be {size} labels or none; got {len(given)}")
    if hidden.shape != array.shape:
        raise ValueError(f"crossed must have shape {array.shape}; got {hidden.shape}")


def vector(values: ArrayLike | Tensor | Sequence[str], role: str, **settings) -> Piece:
    """Draw a vector, (C,), as a row of cells; the settings are those of :func:`matrix`."""
    return matrix(_as_array(values).reshape(1, -1), role, **settings)


def in_digits(value: float, digits: int) -> str:
    """Write a number with a true minus sign; infinity as ∞, and a plain zero as 0."""
    if math.isinf(value):
        return "−∞" if value < 0 else "∞"
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−") if value else "0"


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
    heights = _as_array(values).astype(float)
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
    parts = _as_array(values).astype(float)
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
            style = f"c fill-{role}"
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
