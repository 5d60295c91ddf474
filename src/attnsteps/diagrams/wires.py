"""Arrows between the named pieces of a drawing."""

import re
from dataclasses import dataclass

from attnsteps.diagrams.palette import check_role
from attnsteps.diagrams.sheet import SMALL, Box, Sheet, text_width

_SIDE = re.compile(r"^(?P<name>.+?)(?:\.(?P<side>left|right|top|bottom|middle))?$")


@dataclass(frozen=True)
class Wire:
    """An arrow from one named piece to another, perhaps with the shape of what travels on it.

    A name may carry a side: ``"q.right"``. Without one, the sides that face each other are taken.
    A wire that is bent runs first away from its start and then at a right angle to its end; one
    with an arc hangs that many px below its ends, or above them if it is negative.
    """

    start: str
    end: str
    label: str = ""
    role: str = ""
    bent: bool = False
    arc: float = 0
    thick: bool = False
    head: bool = True


def paint_wire(under: Sheet, over: Sheet, wire: Wire) -> None:
    """Draw one wire below the pieces, and its label above them."""
    if wire.role:
        check_role(wire.role)
    ends = []
    for end in (wire.start, wire.end):
        match = _SIDE.match(end)
        assert match is not None
        if match["name"] not in under.boxes:
            known = ", ".join(under.boxes)
            raise ValueError(f"a wire must end at a named piece, one of {known}; got {end!r}")
        ends.append((under.boxes[match["name"]], match["side"]))
    (start, leaving), (goal, arriving) = ends
    leaving = leaving or _facing(start, goal)
    arriving = arriving or _facing(goal, start)
    (x1, y1), (x2, y2) = start.point(leaving), goal.point(arriving)
    # The tip of the arrow needs a little room.
    dx, dy = {"left": (-1, 0), "right": (1, 0), "top": (0, -1), "bottom": (0, 1)}.get(
        arriving, (0, 0)
    )
    if wire.head:
        x2, y2 = x2 + 7 * dx, y2 + 7 * dy
    style = "wire" + (" thick" if wire.thick else "") + (f" line-{wire.role}" if wire.role else "")
    if wire.arc:
        before = ((x1 + x2) / 2, (y1 + y2) / 2 + 2 * wire.arc)
        path = f"M{x1:.1f} {y1:.1f}Q{before[0]:.1f} {before[1]:.1f} {x2:.1f} {y2:.1f}"
    elif wire.bent:
        corner = (x1, y2) if leaving in ("top", "bottom") else (x2, y1)
        path = f"M{x1:.1f} {y1:.1f}L{corner[0]:.1f} {corner[1]:.1f}L{x2:.1f} {y2:.1f}"
        before = corner
    else:
        path = f"M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"
        before = (x1, y1)
    under.add("path", d=path, class_=style)
    if wire.head:
        _paint_head(under, before, (x2, y2), (dx, dy), wire.role)
    if wire.label:
        middle = ((x1 + x2) / 2, (y1 + y2) / 2)
        if wire.bent:
            middle = before
        if wire.arc:
            middle = (middle[0], middle[1] + wire.arc + (22 if wire.arc > 0 else 0))
        level = abs(y1 - y2) < abs(x1 - x2) and not wire.bent
        half = text_width(wire.label, SMALL) / 2
        x, y = (middle[0], middle[1] - 11) if level else (middle[0] + half + 7, middle[1])
        ink = f"halo ink-{wire.role}" if wire.role else "halo quiet"
        over.write(wire.label, x, y, SMALL, class_=ink)


def _paint_head(
    sheet: Sheet,
    before: tuple[float, float],
    tip: tuple[float, float],
    into: tuple[float, float],
    role: str,
) -> None:
    """Draw the arrow's head, in the direction from which the wire comes."""
    dx, dy = tip[0] - before[0], tip[1] - before[1]
    length = (dx * dx + dy * dy) ** 0.5 or 1.0
    dx, dy = (dx / length, dy / length) if into == (0, 0) else (-into[0], -into[1])
    x, y = tip
    corners = (
        (x + 7 * dx, y + 7 * dy),
        (x - 4 * dy, y + 4 * dx),
        (x + 4 * dy, y - 4 * dx),
    )
    path = "L".join(f"{a:.1f} {b:.1f}" for a, b in corners)
    fill = f"head fill-{role}" if role else "head"
    style = "fill:var(--h)" if role else None
    sheet.add("path", d=f"M{path}Z", class_=fill, style=style)


def _facing(one: Box, other: Box) -> str:
    """Return the side of one box that looks towards the other."""
    (x1, y1), (x2, y2) = one.point("middle"), other.point("middle")
    across = max(other.x - one.x - one.width, one.x - other.x - other.width)
    along = max(other.y - one.y - one.height, one.y - other.y - other.height)
    if across >= along:
        return "right" if x2 > x1 else "left"
    return "bottom" if y2 > y1 else "top"
