"""A question to answer before reading on; the page shows the guess beside the answer later."""

from collections.abc import Sequence

import traitlets
from matplotlib.figure import Figure

from attnsteps.checks import check_choice
from attnsteps.exercises.answer import KINDS, Answer, Kind
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
    explanation = traitlets.Unicode().tag(sync=True)

    def __init__(
        self,
        key: str,
        question: str,
        *,
        kind: Kind,
        options: Sequence[str] = (),
        rows: Sequence[str] = (),
        columns: Sequence[str] = (),
        **traits: object,
    ) -> None:
        spec = question_spec(key, question, kind=kind, options=options, rows=rows, columns=columns)
        super().__init__(spec=spec, **traits)

    def confront(self, answer: Answer, explanation: str, *, tolerance: float = 0.0) -> "Predict":
        """Return the widget that compares the remembered guess with the computed answer.

        The explanation is one or two sentences that say why; tolerance is how far off a number may
        be.
        """
        return Predict(
            **self.spec,
            guess=self.guess,
            answer=answer,
            tolerance=tolerance,
            explanation=explanation,
        )

    def picture(self) -> Figure:
        """Return the question, or the answer, as a card."""
        if self.answer is None:
            return card("Predict, then read on", self.spec["question"], self.spec["options"])
        return card("Your prediction", self.spec["question"], [self.explanation])
