"""Predict and Exercise: questions are checked when they are made."""

import base64

import pytest

from attnsteps.exercises.answer import in_words
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


def test_a_prediction_learns_its_answer_and_says_it():
    asked = Predict("key", "How many?", **CHOICE)
    assert asked.answer is None
    said = asked.confront(1, "1 < 2.", tolerance=0.5)
    assert (asked.answer, asked.tolerance) == (1, 0.5)
    assert repr(said) == "Answer: two. 1 < 2."
    assert said._repr_html_() == "<p><strong>Answer: two.</strong> 1 &lt; 2.</p>"


@pytest.mark.parametrize(
    ("kind", "answer", "words"),
    [
        ("number", 0.786986, "0.787"),
        ("number", -3, "−3"),
        ("number", 129.7, "129.7"),
        ("number", 1048576, "1,048,576"),
        ("choice", 1, "two"),
        ("order", [1, 0], "two → one"),
        ("cells", [[1.5, -2], [0, 4]], "[1.5, −2] [0, 4]"),
    ],
)
def test_an_answer_in_words(kind, answer, words):
    assert in_words(kind, answer, ["one", "two"]) == words


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
