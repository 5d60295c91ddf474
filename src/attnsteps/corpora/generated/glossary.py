"""All the words of the generated corpus, with their readings and meanings."""

from attnsteps.corpora.generated.lexicon import (
    ADJECTIVES,
    EXTRA,
    INTRANSITIVE,
    NOUNS,
    PRONOUNS,
    SPECIAL,
    VERBS,
    WORDS,
)

#: The words that a translator may also choose in the ambiguous variant.
SYNONYMS = {
    "big": "large",
    "bigger": "larger",
    "street": "road",
    "streets": "roads",
    "movie": "film",
    "movies": "films",
    "shop": "store",
}

_GLOSSES = {
    **{noun.zh: (noun.pinyin, noun.en) for noun in (*NOUNS.values(), *EXTRA.values())},
    **{verb.zh: (verb.pinyin, verb.base) for verb in (VERBS | INTRANSITIVE | SPECIAL).values()},
    **{adjective.zh: (adjective.pinyin, adjective.en) for adjective in ADJECTIVES.values()},
    **WORDS,
}


def _english() -> set[str]:
    """Collect every English word of the lexicon and of the grammar."""
    words = set(FUNCTION_WORDS.split()) | set(SYNONYMS.values())
    words |= {word for noun in (NOUNS | EXTRA).values() for word in (noun.en, noun.plural)}
    words |= {form for forms in PRONOUNS.values() for form in forms}
    for verb in (VERBS | INTRANSITIVE | SPECIAL).values():
        words |= {verb.base}
        words |= {verb.past, verb.participle} if "p" in verb.tenses else set()
        words |= {verb.ing} if "g" in verb.tenses else set()
        words |= {verb.third} if "h" in verb.tenses else set()
    words |= {word for a in ADJECTIVES.values() for word in (a.en, a.comparative)}
    return words - {""}


#: English words that are in no entry of the lexicon.
FUNCTION_WORDS = """
    the a an this that these those many two three four how what who when where why 's of
    yesterday today tomorrow last next week year now every day often
    it do does did not will be am is are was were to in on under at with by into fit
    too very because so but than more as cup cups piece pieces , ?
"""

#: Every Chinese word of the corpus, sorted.
SOURCE_WORDS: tuple[str, ...] = tuple(sorted(_GLOSSES))

#: Every English word of the corpus, sorted.
TARGET_WORDS: tuple[str, ...] = tuple(sorted(_english()))


def gloss(word: str) -> tuple[str, str]:
    """Return the reading and the meaning of a Chinese word.

    Args:
        word: a word of the corpus.

    Returns:
        Pinyin and an English gloss.

    Raises:
        ValueError: if the corpus has no such word.

    Example:
        >>> gloss("动物")
        ('dòngwù', 'animal')
    """
    if word not in _GLOSSES:
        raise ValueError(f"word must be a Chinese word of the generated corpus; got {word!r}")
    return _GLOSSES[word]
