"""Compares printed numbers as numbers: no two kinds of processor round alike.

A training run turns other roundings into other digits. A cell says in its tags how far its numbers
may move; the text around them stays as it is.

===============  =================================================================================
(no tag)         arithmetic: one unit of the last printed decimal; whole numbers are exact
``trained``      what a training run gives: a tenth of the number, and one unit
``trained-25``   the same with 25 %, or any other share
``rounding``     the size of rounding errors: a factor of ten
``written``      the text itself comes from a training run: only its kind is compared
===============  =================================================================================

A cell with any of these tags asserts what the book says of its outputs; a test demands it.
"""

import re

from nbval.plugin import IPyNbCell

TAG = re.compile(r"trained(?:-(?P<percent>\d+))?|rounding|written")
NUMBER = re.compile(r"(?<![\w.#])[-−+]?\d[\d,]*\.?\d*(?:e[-+]?\d+)?(?!\w)")


def tolerance(tags: list[str]) -> str | float:
    """Return what a cell's tags allow: a share of each number, "rounding" or "written"."""
    found = [tag for tag in tags if TAG.fullmatch(tag)]
    if len(found) > 1:
        raise ValueError(f"a cell takes one tag that says how far it may vary; got {found}")
    if not found:
        return 0.0
    match = TAG.fullmatch(found[0])
    return found[0] if found[0] in ("rounding", "written") else int(match["percent"] or 10) / 100


def value(printed: str) -> float:
    """Return the number that a text shows."""
    return float(printed.replace(",", "").replace("−", "-"))


def unit(printed: str) -> float:
    """Return what one unit of the last printed digit is worth: 0.01 for 2.97, 1e-6 for 1.5e-05."""
    digits, _, exponent = printed.partition("e")
    decimals = len(digits.partition(".")[2])
    return 10.0 ** (int(exponent or 0) - decimals)


def close(found: str, expected: str, allowed: str | float) -> bool:
    """Tell whether two printed numbers may stand for the same result."""
    x, y = value(found), value(expected)
    if allowed == "rounding":
        return x * y >= 0 and (x == 0) == (y == 0) and abs(x) <= 10 * abs(y) <= 100 * abs(x)
    if x == y:
        return True
    if allowed < 0.01 and not set(".e") & set(found + expected):
        return False  # whole numbers
    slack = allowed * max(abs(x), abs(y)) + max(unit(found), unit(expected))
    return abs(x - y) <= slack * (1 + 1e-9)


def agree(found: str, expected: str, allowed: str | float) -> bool:
    """Tell whether two outputs are the same text around numbers that are close."""
    if allowed == "written" or found == expected:
        return True
    texts = ["".join(NUMBER.sub("#", text).split()) for text in (found, expected)]
    numbers = zip(NUMBER.findall(found), NUMBER.findall(expected), strict=False)
    return texts[0] == texts[1] and all(close(x, y, allowed) for x, y in numbers)


class Printed(str):
    """An output's text, equal to another if the numbers in it are close enough."""

    __slots__ = ("allowed",)

    def __ne__(self, other: object) -> bool:
        return not agree(str(self), str(other), self.allowed)

    __hash__ = str.__hash__


as_nbval_does = IPyNbCell.sanitize


def sanitize(cell: IPyNbCell, output: object) -> object:
    """Return an output as nbval sanitises it, to be compared as its cell's tags say."""
    clean = as_nbval_does(cell, output)
    if not isinstance(clean, str):
        return clean
    text = Printed(clean)
    text.allowed = tolerance(cell.cell.metadata.get("tags", []))
    return text


IPyNbCell.sanitize = sanitize  # nbval has no hook for it
compare = IPyNbCell.compare_outputs


def compare_texts(cell: IPyNbCell, found: list, expected: list, skip: tuple = ()) -> bool:
    """Compare a cell's outputs, but no plots: nbval leaves out PNG, and SVG is left out, too."""
    return compare(cell, found, expected, (*(skip or cell.parent.skip_compare), "image/svg+xml"))


IPyNbCell.compare_outputs = compare_texts
