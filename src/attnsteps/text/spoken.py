"""A sentence in both languages, before its words become positions."""

from collections.abc import Callable
from typing import NamedTuple

from attnsteps.text.clause import Style
from attnsteps.text.phrases import En, Notes, Zh


class Sentence(NamedTuple):
    """A sentence: Chinese at once, English in any style.

    Args:
        notes: what it shows.
        zh: the Chinese words.
        en: gives the English words in a style.
        context: for a sentence with a dropped pronoun, all but its adjective.
        twin: the same with an adjective that describes the other noun; a Sentence.
    """

    notes: Notes
    zh: list[Zh]
    en: Callable[[Style], list[En]]
    context: str = ""
    twin: object = None
