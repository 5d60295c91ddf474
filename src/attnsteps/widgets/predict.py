"""A question to answer before reading on: a guess opens the answer that follows it."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import traitlets
from matplotlib.figure import Figure

from attnsteps.checks import check_choice
from attnsteps.exercises.answer import KINDS, Answer, Kind, in_words
from attnsteps.plotting.card import card
from attnsteps.widgets.base import Widget
from attnsteps.widgets.bundle import bundle, styles


def question_spec(
    key: str,
    question: str,
    *,
    kind: Kind,
    options: Sequence[str],
    rows: Sequence[str],
    columns: Sequence[str],
) -> dict:
    """Check a question's parts against its kind, and return them for ``js/answer_field.js``."""
    check_choice("kind", kind, KINDS)
    if kind in ("choice", "order") and len(options) < 2:
        raise ValueError(f"options must hold at least 2 for kind {kind!r}; got {len(options)}")
    if kind == "cells" and not (rows and columns):
        raise ValueError("rows and columns must be named for kind 'cells'; got none")
    return {
        "key": key,
        "question": question,
        "kind": kind,
        "options": list(options),
        "rows": list(rows),
        "columns": list(columns),
    }


class Predict(Widget):
    """A question that remembers the reader's guess in the browser.

    A chapter shows it, opens a fold with ``<details class="answer">`` in its next cell, and in
    that fold shows what :meth:`confront` returns. On the page a guess opens the fold; where no
    script runs it is a plain fold, and the answer is text.

    Args:
        key: unique name of the question, such as ``"scaling-variance"``.
        question: plain text; Unicode for symbols.
        kind: ``"number"``, ``"choice"``, ``"order"`` or ``"cells"``.
        options: the answers to choose from or to put in order.
        rows: row names of the matrix to fill in.
        columns: its column names.

    Raises:
        ValueError: kind is unknown, or options, rows or columns do not fit it.
    """

    _esm = bundle("predict")
    _css = styles("predict")

    spec = traitlets.Dict().tag(sync=True)
    guess = traitlets.Any(None, allow_none=True).tag(sync=True)
    answer = traitlets.Any(None, allow_none=True).tag(sync=True)
    tolerance = traitlets.Float(0.0).tag(sync=True)

    def __init__(
        self,
        key: str,
        question: str,
        *,
        kind: Kind,
        options: Sequence[str] = (),
        rows: Sequence[str] = (),
        columns: Sequence[str] = (),
    ) -> None:
        spec = question_spec(key, question, kind=kind, options=options, rows=rows, columns=columns)
        super().__init__(spec=spec)

    def confront(
        self, answer: Answer, explanation: str, *, tolerance: float = 0.0
    ) -> "PredictedAnswer":
        """Tell the question its computed answer, and return that as text to show.

        The explanation is one or two sentences that say why; tolerance is how far off a number may
        be.
        """
        self.set_trait("tolerance", tolerance)
        self.set_trait("answer", answer)
        said = in_words(self.spec["kind"], answer, self.spec["options"])
        return PredictedAnswer(said, explanation)

    def picture(self) -> Figure:
        """Return the question as a card."""
        return card("Predict, then read on", self.spec["question"], self.spec["options"])


@dataclass(frozen=True)
class PredictedAnswer:
    """The answer to a prediction, as text."""

    answer: str
    explanation: str

    def __repr__(self) -> str:
        """Return what a terminal shows."""
        return f"Answer: {self.answer.removesuffix('.')}. {self.explanation}"

    def _repr_html_(self) -> str:
        answer = escape(self.answer.removesuffix("."))
        return f"<p><strong>Answer: {answer}.</strong> {escape(self.explanation)}</p>"
