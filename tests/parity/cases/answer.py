"""``js/maths/answer.js`` against the package."""

from attnsteps.exercises.answer import check_answer
from tests.parity.case import case


def cases() -> list[dict]:
    questions = [
        ("number", 0.70, 0.707, 0.01),
        ("number", 0.65, 0.707, 0.01),
        ("choice", 1, 1, 0.0),
        ("choice", 0, 1, 5.0),
        ("order", [0, 2, 1], [0, 2, 1], 0.0),
        ("order", [0, 1, 2], [0, 2, 1], 5.0),
        ("cells", [[1.0, 0.0], [0.5, 0.5]], [[1.0, 0.0], [0.5, 0.51]], 0.02),
        ("cells", [[1.0, 0.0], [0.4, 0.6]], [[1.0, 0.0], [0.5, 0.5]], 0.02),
    ]
    return [
        case("answer", "isRight", list(question), check_answer(*question)) for question in questions
    ]
