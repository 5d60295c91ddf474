"""Predict and Exercise: questions are checked when they are made."""

import base64

import pytest

from attnsteps.widgets import Exercise, Predict

CHOICE = {"kind": "choice", "options": ["one", "two"]}


def exercise(**changes):
    arguments = {
        "kind": "choice",
        "options": ["one", "two"],
        "feedback": ["no", "yes"],
        "answer": 1,
        "hint": "Count.",
        "explanation": "There are two.",
    }
    return Exercise("key", "Exercise 1", "How many?", **(arguments | changes))


def test_prediction_keeps_its_question_and_guess():
    asked = Predict("key", "How many?", **CHOICE)
    asked.guess = 0
    met = asked.confront(1, "There are two.")
    assert met.spec == asked.spec
    assert (met.guess, met.answer, met.explanation) == (0, 1, "There are two.")
    assert asked.answer is None


@pytest.mark.parametrize("widget", [Predict("key", "How many?", **CHOICE), exercise()])
def test_shows_itself_without_an_address_and_with_a_picture(widget):
    data, _ = widget._repr_mimebundle_()
    assert data["text/plain"] == repr(widget) == f"{type(widget).__name__}()"
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    assert "application/vnd.jupyter.widget-view+json" in data


def test_the_answer_is_not_in_the_picture_of_a_question():
    texts = [text.get_text() for text in exercise().picture().texts]
    assert "There are two." not in "\n".join(texts)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Predict("key", "?", kind="guess"),
            "kind must be 'number' or 'choice' or 'order' or 'cells'; got 'guess'",
        ),
        (
            lambda: Predict("key", "?", kind="order", options=["one"]),
            "options must hold at least 2 for kind 'order'; got 1",
        ),
        (
            lambda: Predict("key", "?", kind="cells", rows=["a"]),
            "rows and columns must be named for kind 'cells'; got none",
        ),
        (
            lambda: exercise(feedback=["no"]),
            "feedback must have one sentence for each of the 2 options; got 1",
        ),
        (lambda: exercise(hint=""), "hint must not be empty; got ''"),
        (lambda: exercise(explanation=""), "explanation must not be empty; got ''"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(make, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is held below
        make()
    assert str(caught.value) == message
