"""A drawing: two arrangements of the same pieces, wires between them, a title and a description."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha1
from xml.etree import ElementTree as ET

from attnsteps.diagrams.layout import Piece
from attnsteps.diagrams.palette import ROLES, palette
from attnsteps.diagrams.sheet import Sheet
from attnsteps.diagrams.wires import Wire, paint_wire

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
    ".ad .c{--a:0}.ad .c rect,.ad rect.c{fill:color-mix(in srgb,"
    "var(--h) calc(var(--a)*var(--tint)),var(--paper));stroke:var(--h);stroke-width:1}"
    ".ad .parameter rect{stroke-dasharray:3 2}.ad .cached rect{stroke-width:2.5}"
    ".ad .c .minus{fill:color-mix(in srgb,var(--role-wrong) calc(var(--a)*var(--tint)),"
    "var(--paper))}"
    ".ad .c .hidden{fill:none;stroke:var(--pale);stroke-width:1;stroke-dasharray:none}"
    ".ad .c path{stroke:var(--pale);stroke-width:1.2}"
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
            paint_wire(under, sheet, wire)
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
        return ET.tostring(svg, encoding="unicode").replace(" />", "/>")
