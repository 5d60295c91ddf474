"""A drawing: two arrangements of the same pieces, wires between them, a title and a description."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha1
from xml.etree import ElementTree as ET

from attnsteps.diagrams.palette import ROLES, check_role, palette
from attnsteps.diagrams.pieces import Piece
from attnsteps.diagrams.sheet import SMALL, Box, Sheet, text_width

#: The widest that a drawing may be, in px: the site's column, and a phone's.
WIDEST, NARROWEST = 684, 324

_MARGIN = 4
_HUES = "".join(
    f".ad .fill-{role}{{--h:var(--role-{role})}}.ad .line-{role}{{stroke:var(--role-{role})}}"
    f".ad .ink-{role}{{fill:var(--role-{role})}}"
    for role in ROLES
)
#: On the site the theme's variables rule, in JupyterLab and Colab theirs, elsewhere the fallbacks.
STYLE = palette(".ad") + (
    ".ad{--ink:var(--pst-color-text-base,var(--jp-ui-font-color1,var(--colab-primary-text-color,"
    "#222832)));--paper:var(--pst-color-background,var(--jp-layout-color0,"
    "var(--colab-primary-surface-color,#fff)));--pale:var(--pst-color-text-muted,"
    "var(--jp-ui-font-color2,var(--colab-secondary-text-color,#48566b)));--tint:52%;"
    "container-type:inline-size;margin:.8rem 0;color:var(--ink)}"
    'html[data-theme="dark"] .ad,[data-jp-theme-light="false"] .ad,html[theme="dark"] .ad'
    "{--tint:38%}"
    "@media print{html .ad{--ink:#222832;--paper:#fff;--pale:#48566b;--tint:52%}}"
    ".ad svg{display:block;margin:0 auto;max-width:100%;height:auto;overflow:visible;"
    "font-family:inherit;font-size:14px}"
    ".ad text{fill:var(--ink);font-variant-numeric:tabular-nums}"
    ".ad .b{font-weight:600}.ad .quiet{fill:var(--pale)}"
    ".ad .halo{paint-order:stroke;stroke:var(--paper);stroke-width:4px}"
    ".ad .c{fill:color-mix(in srgb,var(--h) calc(var(--a)*var(--tint)),var(--paper));"
    "stroke:var(--h);stroke-width:1}"
    ".ad .c.parameter{stroke-dasharray:3 2}.ad .c.cached{stroke-width:2.5}"
    ".ad .c.minus{fill:color-mix(in srgb,var(--role-wrong) calc(var(--a)*var(--tint)),"
    "var(--paper))}"
    ".ad .c.hidden{fill:none;stroke:var(--pale)}.ad .s{stroke:var(--pale);stroke-width:1.2}"
    ".ad .lit{fill:none;stroke:var(--ink);stroke-width:2.5}"
    ".ad .chip,.ad .frame,.ad .dial{fill:none;stroke-width:1.2}"
    ".ad .sheet{fill:var(--paper);stroke:var(--pale)}"
    ".ad .strong{stroke-width:3}.ad .frame{stroke-dasharray:none;opacity:1}"
    ".ad .block{fill:color-mix(in srgb,var(--h) 14%,var(--paper));stroke:var(--h);stroke-width:1.2}"
    ".ad .block.lit{fill:color-mix(in srgb,var(--h) 42%,var(--paper));stroke:var(--ink);"
    "stroke-width:2.5}"
    ".ad .block.coming{fill:none;stroke:var(--pale);stroke-dasharray:3 3}"
    ".ad .bar,.ad .dot{fill:var(--h)}.ad .axis{fill:none;stroke:var(--pale)}"
    ".ad .curve{fill:none;stroke-width:2.2}.ad .hand{stroke-width:2.5;stroke-linecap:round}"
    ".ad .wire{fill:none;stroke:var(--pale);stroke-width:1.5}.ad .wire.thick{stroke-width:4}"
    f"{_HUES}"
    ".ad .head{fill:var(--pale);stroke:none}.ad a{text-decoration:none}"
    ".ad a:hover .block{stroke-width:2.5}"
    ".ad a:focus-visible .block{stroke-width:3.5;stroke:var(--ink)}"
)


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


@dataclass(frozen=True)
class Drawing:
    """A picture in SVG that shows itself wide or, where there is less room, tall.

    Args:
        title: what it is, in some words.
        description: what is to be seen, for whoever cannot see it.
        wide: the pieces, at most 684 px wide.
        tall: the same pieces arranged for a phone, at most 324 px wide; without it, the wide one.
        wires: arrows between named pieces of either arrangement; one whose ends are missing in an
            arrangement is an error.
        tall_wires: the arrows of the tall arrangement, where they differ.

    Raises:
        ValueError: an arrangement is too wide, or a wire's end does not exist.

    Example:
        >>> from attnsteps.diagrams import vector
        >>> Drawing("A query", "The numbers 2 and 0.", vector([2, 0], "query"))
        Drawing('A query')
    """

    title: str
    description: str
    wide: Piece
    tall: Piece | None = None
    wires: Sequence[Wire] = ()
    tall_wires: Sequence[Wire] | None = None
    _html: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Draw at once, so that a mistake is reported where it is made."""
        if self.wide.width + 2 * _MARGIN > WIDEST:
            raise ValueError(f"wide must be at most {WIDEST} px wide; got {self.wide.width:.0f}")
        narrow = self.tall or self.wide
        if narrow.width + 2 * _MARGIN > NARROWEST:
            raise ValueError(
                f"tall must be at most {NARROWEST} px wide, for a phone; got {narrow.width:.0f}"
            )
        object.__setattr__(self, "_html", self._draw())

    def _repr_html_(self) -> str:
        return self._html

    def __repr__(self) -> str:
        """Name the drawing, which is what a notebook shows as text."""
        return f"Drawing({self.title!r})"

    def _draw(self) -> str:
        key = "ad-" + sha1((self.title + self.description).encode()).hexdigest()[:8]
        if self.tall is None:
            parts = [self._svg(self.wide, self.wires, key, "")]
            switch = ""
        else:
            lower = self.tall_wires if self.tall_wires is not None else self.wires
            parts = [
                self._svg(self.wide, self.wires, key, "wide"),
                self._svg(self.tall, lower, f"{key}t", "tall"),
            ]
            limit = self.wide.width + 2 * _MARGIN
            switch = (
                f".{key} .wide{{display:none}}@container (min-width:{limit:.0f}px)"
                f"{{.{key} .wide{{display:block}}.{key} .tall{{display:none}}}}"
            )
        own = f"<style>{switch}</style>" if switch else ""
        return f'<div class="ad {key}"><style>{STYLE}</style>{own}{"".join(parts)}</div>'

    def _svg(self, piece: Piece, wires: Sequence[Wire], key: str, arrangement: str) -> str:
        sheet = Sheet()
        piece.paint(sheet, _MARGIN, _MARGIN)
        under = Sheet(boxes=sheet.boxes)
        for wire in wires:
            _paint_wire(under, sheet, wire)
        width, height = piece.width + 2 * _MARGIN, piece.height + 2 * _MARGIN
        linked = any(element.tag == "a" for element in sheet.elements)
        svg = ET.Element(
            "svg",
            {
                "class": arrangement,
                "viewBox": f"0 0 {width:.0f} {height:.0f}",
                "width": f"{width:.0f}",
                "height": f"{height:.0f}",
                "text-anchor": "middle",
                "role": "group" if linked else "img",
                "aria-labelledby": f"{key}-t",
                "aria-describedby": f"{key}-d",
            },
        )
        ET.SubElement(svg, "title", id=f"{key}-t").text = self.title
        ET.SubElement(svg, "desc", id=f"{key}-d").text = self.description
        svg.extend([*under.elements, *sheet.elements])
        return ET.tostring(svg, encoding="unicode")


_SIDE = re.compile(r"^(?P<name>.+?)(?:\.(?P<side>left|right|top|bottom|middle))?$")


def _paint_wire(under: Sheet, over: Sheet, wire: Wire) -> None:
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
