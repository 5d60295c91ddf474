"""Tells teachers what a course from the book needs: which chapter leans on which, and how long.

``needs`` is the graph; a table below it, ``course``, counts each chapter's words and exercises.
"""

import textwrap

import nbformat
from attnsteps_chapter import CHAPTERS, DOCNAMES
from attnsteps_words import say
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from attnsteps.diagrams import Drawing, Piece, Wire, block, column, frame, row, space
from scripts.closure import ROOT
from scripts.measures import measure
from scripts.worksheets import traits

#: Chapter → the chapters without which it can't be read; what these need in turn is left out.
NEEDS = {
    **{number: (number - 1,) for number in range(2, 9)},
    9: (7,),
    10: (8,),
    11: (7,),
    12: (11,),
    13: (9, 10, 12),
    14: (13,),
    15: (14,),
    16: (15,),
    17: (16,),
    18: (17,),
    19: (16,),
    20: (17,),
    21: (17,),
    22: (17,),
    23: (17,),
}
SHORT = {"sequence_to_sequence": say("the task"), "non_autoregressive": say("all at once")}
ANY_ORDER = say("in any order")
PACE = 100  # words a minute: a careful reader's, who looks at every picture
KINDS = (say("closed"), say("in code"), say("open"))


def leaned_on(number: int) -> set[int]:
    """Return all chapters that must have been read before one."""
    return set().union(*({before} | leaned_on(before) for before in NEEDS.get(number, ())))


def graph() -> Drawing:
    """Draw the chapters, an arrow from each to those that can't be read without it."""

    def chapter(number: int, width: float) -> Piece:
        stem = CHAPTERS[number - 1]
        text = "\n".join(textwrap.wrap(SHORT.get(stem, say(stem.replace("_", " "))), 11))
        return block(
            text,
            name=str(number),
            note=str(number),
            link=f"{DOCNAMES[number - 1]}.html",
            width=width,
            height=44,
        )

    def line(*numbers: int, width: float = 72) -> Piece:
        return row(*(chapter(number, width) for number in numbers), gap=12)

    def strands(name: str, *lines: Piece, align: str) -> Piece:
        return frame(column(*lines, gap=8, align=align), ANY_ORDER, name=name, pad=8)

    wide = column(
        line(*range(1, 8)),
        row(
            line(16, 15, 14, 13),
            strands("parts", line(10, 8), line(9), line(12, 11), align="center"),
            gap=24,
        ),
        row(
            line(19, 17),
            strands("beyond", line(18, 20, 21), line(22, 23), align="center"),
            space(60),
            gap=24,
        ),
        gap=26,
        align="right",
    )
    tall = column(
        line(1, 2, 3),
        line(6, 5, 4),
        row(chapter(7, 72), space(200)),
        strands("parts", line(8, 10), line(9), line(11, 12), align="center"),
        line(13, 14, 15),
        chapter(16, 72),
        line(19, 17),
        strands("beyond", line(18, 20), line(21, 22), line(23), align="center"),
        gap=22,
    )
    groups = {number: "parts" for number in range(8, 13)}
    groups |= {number: "beyond" for number in (18, 20, 21, 22, 23)}
    ends = []
    for number, befores in NEEDS.items():
        for before in befores:
            inside = groups.get(before) == groups.get(number)
            names = [str(one) if inside else groups.get(one, str(one)) for one in (before, number)]
            ends.append(tuple(names))
    wires = [Wire(*pair) for pair in dict.fromkeys(ends)]
    told = "; ".join(
        say("{number} on {others}", number=number, others=say(" and ").join(map(str, befores)))
        for number, befores in NEEDS.items()
    )
    return Drawing(
        say("Which chapter leans on which"), say("Chapter {told}.", told=told), wide, tall, wires
    )


def exercises(docname: str) -> list[int]:
    """Count a chapter's exercises: those that the page checks, those in code, open-ended ones."""
    cells = nbformat.read(ROOT / "book" / f"{docname}.ipynb", as_version=4).cells
    text = "\n".join(cell.source for cell in cells)
    closed = sum(traits(cell) is not None for cell in cells)
    return [closed, text.count("(in code)"), text.count("(open-ended)")]


class Needs(SphinxDirective):
    """Shows the graph."""

    def run(self) -> list[nodes.Node]:
        return [nodes.raw("", graph()._repr_html_(), format="html")]


class Course(SphinxDirective):
    """Lists the chapters: what each needs, how long it is and how many exercises it has."""

    def run(self) -> list[nodes.Node]:
        """Write a table in Markdown, and let MyST read it."""
        head = [say("Chapter"), say("leans on"), say("minutes"), *KINDS]
        lines = [head, ["---", "---", *["--:"] * 4]]
        total = [0] * 4
        for number, docname in enumerate(DOCNAMES, 1):
            path = ROOT / "book" / f"{docname}.ipynb"
            self.env.note_dependency(str(path))
            words = measure(nbformat.read(path, as_version=4)).words
            counts = [5 * round(words / PACE / 5), *exercises(docname)]
            total = [one + other for one, other in zip(total, counts, strict=True)]
            needs = ", ".join(map(str, NEEDS.get(number, ())))
            lines.append([f"{number} {{doc}}`/{docname}`", needs, *map(str, counts)])
        lines.append([say("together"), "", *map(str, total)])
        text = StringList([f"| {' | '.join(line)} |" for line in lines])
        parent = nodes.container()
        parent.document = self.state.document
        self.state.nested_parse(text, self.content_offset, parent)
        return parent.children


def setup(app: Sphinx) -> dict:
    """Add both directives."""
    app.add_directive("needs", Needs)
    app.add_directive("course", Course)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
