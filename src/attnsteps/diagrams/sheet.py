"""What pieces are painted on: SVG elements, and where each named piece came to lie."""

from dataclasses import dataclass, field
from xml.etree import ElementTree as ET

#: Text sizes in px: of labels, and the smallest there is.
SIZE, SMALL = 14, 12

_NARROW, _WIDE = set("iljtfrI.,:;'|!()[]· "), set("mwMWQ@%")


def text_width(text: str, size: float = SIZE) -> float:
    """Estimate how wide a text comes out, in px, a little above what common fonts need."""

    def advance(letter: str) -> float:
        if ord(letter) > 0x2E7F:  # Chinese characters fill a square
            return 1.0
        if letter in _NARROW:
            return 0.36
        if letter in _WIDE:
            return 0.92
        return 0.7 if letter.isupper() else 0.58

    return size * sum(map(advance, text))


@dataclass(frozen=True)
class Box:
    """A rectangle in px, from its upper left corner."""

    x: float
    y: float
    width: float
    height: float

    def point(self, side: str) -> tuple[float, float]:
        """Return the middle of a side: left, right, top, bottom or middle."""
        x = {"left": self.x, "right": self.x + self.width}.get(side, self.x + self.width / 2)
        y = {"top": self.y, "bottom": self.y + self.height}.get(side, self.y + self.height / 2)
        return x, y


def _number(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)


@dataclass
class Sheet:
    """A growing list of SVG elements and the boxes of the pieces that have names."""

    elements: list[ET.Element] = field(default_factory=list)
    boxes: dict[str, Box] = field(default_factory=dict)

    def add(self, tag: str, text: str = "", **attributes: object) -> ET.Element:
        """Add an element; ``class_`` and ``stroke_width`` become ``class`` and ``stroke-width``."""
        names = {key: key.rstrip("_").replace("_", "-") for key in attributes}
        given = {names[k]: _number(v) for k, v in attributes.items() if v not in (None, "")}
        element = ET.Element(tag, given)
        element.text = text or None
        self.elements.append(element)
        return element

    def write(
        self,
        text: str,
        x: float,
        y: float,
        size: float = SIZE,
        anchor: str = "middle",
        *,
        inherited: float = SIZE,
        **more,
    ) -> None:
        """Add a line of text, centred upon y; its size is left out where it is the group's."""
        if size < SMALL:
            raise ValueError(f"size must be at least {SMALL} px, to be read on a phone; got {size}")
        self.add(
            "text",
            text,
            x=float(x),
            y=float(y) + 0.35 * size,
            font_size=None if size == inherited else size,
            text_anchor=None if anchor == "middle" else anchor,
            **more,
        )

    def remember(self, name: str, x: float, y: float, width: float, height: float) -> None:
        """Note where a named piece lies, for the wires that begin or end there."""
        if not name:
            return
        if name in self.boxes:
            raise ValueError(f"each name must be used once in a drawing; got {name!r} twice")
        self.boxes[name] = Box(x, y, width, height)
