"""A closed question that the page itself checks."""

from collections.abc import Sequence

import traitlets
from matplotlib.figure import Figure

from attnsteps.exercises.answer import Answer, Kind
from attnsteps.plotting.card import card
from attnsteps.widgets.base import Widget
from attnsteps.widgets.bundle import bundle, styles
from attnsteps.widgets.predict import question_spec


class Exercise(Widget):
    """A question with a checked answer, a folded hint and a folded solution.

    Args:
        key: unique name of the question, such as ``"softmax-order"``.
        title: heading, such as ``"Exercise 1"``.
        question: plain text; Unicode for symbols.
        kind: ``"number"``, ``"choice"``, ``"order"`` or ``"cells"``.
        answer: the computed answer: a number, an index, a list of indices, or rows of numbers.
        tolerance: how far off a number may be and still count as right.
        options: the answers to choose from or to put in order.
        feedback: for a choice, one sentence for each option that says why it is right or wrong.
        rows: row names of the matrix to fill in.
        columns: its column names.
        hint: a first idea.
        explanation: the full solution, shown after the answer.

    Raises:
        ValueError: kind is unknown; options, rows, columns or feedback do not fit it; or hint or
            explanation is empty.
    """

    _esm = bundle("exercise")
    _css = styles("exercise")

    title = traitlets.Unicode().tag(sync=True)
    spec = traitlets.Dict().tag(sync=True)
    answer = traitlets.Any().tag(sync=True)
    tolerance = traitlets.Float().tag(sync=True)
    feedback = traitlets.List(traitlets.Unicode()).tag(sync=True)
    hint = traitlets.Unicode().tag(sync=True)
    explanation = traitlets.Unicode().tag(sync=True)
    given = traitlets.Any(None, allow_none=True).tag(sync=True)
    solved = traitlets.Bool(False).tag(sync=True)

    def __init__(
        self,
        key: str,
        title: str,
        question: str,
        *,
        kind: Kind,
        answer: Answer,
        hint: str,
        explanation: str,
        tolerance: float = 0.0,
        options: Sequence[str] = (),
        feedback: Sequence[str] = (),
        rows: Sequence[str] = (),
        columns: Sequence[str] = (),
    ) -> None:
        spec = question_spec(key, question, kind=kind, options=options, rows=rows, columns=columns)
        if kind == "choice" and len(feedback) != len(options):
            raise ValueError(
                f"feedback must have one sentence for each of the {len(options)} options; "
                f"got {len(feedback)}"
            )
        for name, text in (("hint", hint), ("explanation", explanation)):
            if not text:
                raise ValueError(f"{name} must not be empty; got {text!r}")
        super().__init__(
            title=title,
            spec=spec,
            answer=answer,
            tolerance=tolerance,
            feedback=list(feedback),
            hint=hint,
            explanation=explanation,
        )

    def picture(self) -> Figure:
        """Return the question as a card."""
        return card(self.title, self.spec["question"], self.spec["options"])
