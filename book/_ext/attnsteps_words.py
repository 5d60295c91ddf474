"""Says the words around the pages in the language of the edition that is built."""

import os
from functools import cache

from scripts.translations.catalogue import path_of, said

LANGUAGE = os.environ.get("ATTNSTEPS_LANGUAGE", "en")


@cache
def catalogue(stem: str = "site") -> dict[str, str]:
    """Read what the edition says, around the pages if nothing else is asked; empty in English."""
    return said(path_of(stem, LANGUAGE))


def say(text: str, **fields: object) -> str:
    """Return a text in the edition's language, with its fields filled in."""
    return catalogue().get(text, text).format(**fields)
