"""The word combinations that training never sees, chosen by the words alone."""

from zlib import crc32

from attnsteps.corpora.generated.description import traits
from attnsteps.corpora.generated.frames import FRAMES
from attnsteps.corpora.generated.lexicon import NOUNS, SPECIAL, VERBS


def share(text: str) -> float:
    """Return a number from 0 to 1 that looks random and depends on the text alone."""
    return crc32(text.encode()) / 2**32


def held_out_combinations() -> frozenset[tuple[str, str]]:
    """Choose the combinations that training never sees, about one in eight for a word with many.

    Every verb and adjective keeps most of its nouns. No combination is held out that the frames of
    the pronoun sentences need; none with 动物, the animal of the running sentence; and none with
    喜欢, because English changes the noun after it: somebody who likes a cat likes cats.
    """
    rows = {verb.zh: verb.objects.split() for verb in (VERBS | SPECIAL).values()}
    for zh in NOUNS:
        for adjective in (*traits(zh), *NOUNS[zh].adjectives.split()):
            rows.setdefault(adjective, []).append(zh)
    needed = {(f.verb, noun) for f in FRAMES for noun in f.objects.split()}
    needed |= {(first, "动物") for first in rows} | {("喜欢", noun) for noun in rows["喜欢"]}
    chosen: set[tuple[str, str]] = set()
    for first, nouns in rows.items():
        free = sorted({(first, noun) for noun in nouns} - needed, key=lambda c: share(" ".join(c)))
        if len(set(nouns)) >= 5:
            chosen.update(free[: len(set(nouns)) // 6 + 1])
    return frozenset(chosen)
