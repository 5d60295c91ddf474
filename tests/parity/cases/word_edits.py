"""``js/maths/word_edits.js`` against the package."""

import itertools

from attnsteps.widgets.non_autoregressive import word_edits
from tests.parity.case import case


def cases() -> list[dict]:
    sentences = ["", "many you", "thank you", "the the cat", "a cat saw the dog", "the dog saw"]
    return [
        case("word_edits", "wordEdits", [words, wanted], word_edits(words, wanted))
        for words, wanted in itertools.product(map(str.split, sentences), repeat=2)
    ]
