"""A sentence in both languages, before its words become positions."""

from collections.abc import Callable
from typing import NamedTuple

from attnsteps.corpora.generated.clause import Style
from attnsteps.corpora.generated.phrases import En, Notes, Zh


class Sentence(NamedTuple):
    """A sentence: the Chinese words, and a function that gives the English ones in a style."""

    notes: Notes
    zh: list[Zh]
    en: Callable[[Style], list[En]]
    context: str = ""  # the clause before the reason, if the reason's pronoun is left out
    twin: object = None  # the Sentence whose adjective describes the other noun
