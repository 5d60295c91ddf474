"""``js/maths/spelling.js`` against the package."""

from attnsteps.widgets.spelling import spelling_vector
from tests.parity.case import case


def cases() -> list[dict]:
    words = ["tired", "马路", "a", "𠀀é🙂"]  # also letters that JavaScript keeps as two halves
    return [
        *(case("spelling", "spellingVector", [word, 4], spelling_vector(word)) for word in words),
        case("spelling", "spellingVector", ["street", 5], spelling_vector("street", 5)),
    ]
