"""The book's own Chinese–English corpus: generated from a seed, never stored.

By default every Chinese sentence has exactly one translation, so that an exact match means
something, and the links between the words are known. Which part a sentence belongs to depends only
on the sentence, not on the seed, so unseen sentences stay unseen whatever is drawn.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from random import Random
from typing import NamedTuple

from attnsteps.checks import check_number, check_positive
from attnsteps.corpora.generated.choices import DAYS, TIMES
from attnsteps.corpora.generated.clause import PLAIN, Style
from attnsteps.corpora.generated.description import compare, describe
from attnsteps.corpora.generated.glossary import SOURCE_WORDS, SYNONYMS, TARGET_WORDS, gloss
from attnsteps.corpora.generated.held_out import held_out_combinations, share
from attnsteps.corpora.generated.lexicon import EXTRA, NOUNS
from attnsteps.corpora.generated.phrases import En, Notes, Zh
from attnsteps.corpora.generated.pronouns import because, but, fits, running, so
from attnsteps.corpora.generated.questions import question
from attnsteps.corpora.generated.sentences import KINDS
from attnsteps.corpora.generated.spoken import Sentence

__all__ = ["SOURCE_WORDS", "TARGET_WORDS", "Pair", "Splits", "generated", "gloss", "part_of"]

#: The longest sentences in training, in words; in the part "longer", both sides exceed them.
MAX_SRC_LEN, MAX_TGT_LEN = 12, 14

#: The most sentences of the parts after train, in the order of Splits.
OTHER_SIZES = (2_000, 3_000, 1_000, 2_400)

#: The kinds of sentence, with their weights in the draw.
_KINDS = (
    *KINDS,
    (describe, 7),
    (compare, 9),
    (question, 9),
    (because, 20),
    (fits, 3),
    (so, 3),
    (but, 2),
)


class Pair(NamedTuple):
    """A sentence and its translation, with the links between them.

    Args:
        src: the Chinese words, punctuation included.
        tgt: the English words, lower case, punctuation included.
        alignment: links between words, (source position, target position); a word may have several,
            and one without a counterpart, such as an article, has none.
        referents: for each pronoun that Chinese leaves out, its target position and the source
            position of the word that it stands for.
        references: every correct translation, tgt among them.
        phenomena: what the sentence shows: time, place, relative, …

    Example:
        >>> pair = Pair(("我", "累", "了"), ("i", "am", "tired"), alignment=((0, 0), (1, 2)))
        >>> [(pair.src[i], pair.tgt[j]) for i, j in pair.alignment]
        [('我', 'i'), ('累', 'tired')]
    """

    src: tuple[str, ...]
    tgt: tuple[str, ...]
    alignment: tuple[tuple[int, int], ...] = ()
    referents: tuple[tuple[int, int], ...] = ()
    references: tuple[tuple[str, ...], ...] = ()
    phenomena: tuple[str, ...] = ()


class Splits(NamedTuple):
    """The corpus in parts.

    Args:
        train: sentences to train on.
        unseen: other sentences of the same kinds.
        combinations: sentences with two words that training never has together in these roles: a
            verb and its object, or an adjective and its noun.
        longer: sentences longer than any in training, on both sides.
        pronouns: minimal pairs: 2i and 2i + 1 differ in the adjective, and therefore in what the
            pronoun stands for. Training has neither. The running sentence and its twin come first.

    Example:
        >>> first, twin = generated(1000).pronouns[:2]
        >>> " ".join(first.tgt)
        'the animal did not cross the street because it was too tired'
        >>> " ".join(twin.tgt)
        'the animal did not cross the street because it was too wide'
    """

    train: list[Pair]
    unseen: list[Pair]
    combinations: list[Pair]
    longer: list[Pair]
    pronouns: list[Pair]


def generated(num_pairs: int = 40_000, *, seed: int = 0, ambiguous: bool = False) -> Splits:
    """Generate the corpus: the same arguments give the same sentences on every machine.

    Args:
        num_pairs: the number of sentences to train on. The other parts get 2,000 unseen, 3,000
            combinations, 1,000 longer and 2,400 pronouns; below 40,000, fewer in proportion.
        seed: the seed of the random draws.
        ambiguous: True lets a sentence have several translations (time first or last, active or
            passive, synonyms): tgt is one of them, drawn at random, and references holds them all.

    Returns:
        The parts; no Chinese sentence is in two of them.

    Raises:
        ValueError: if num_pairs is not a positive integer, or seed is not an integer.

    Example:
        >>> pair = generated(10).pronouns[0]
        >>> "".join(pair.src)
        '动物没有过马路，因为太累了'
        >>> " ".join(pair.tgt)
        'the animal did not cross the street because it was too tired'
        >>> [(pair.tgt[j], pair.src[i]) for j, i in pair.referents]
        [('it', '动物')]
    """
    check_positive("num_pairs", num_pairs)
    check_number("seed", seed, integer=True)
    return Splits(*map(list, _generated(num_pairs, seed, ambiguous)))


@lru_cache(maxsize=2)  # seconds of drawing, often for the same arguments
def _generated(num_pairs: int, seed: int, ambiguous: bool) -> Splits:
    """Generate a corpus whose lists nobody may change."""
    scale = min(1.0, num_pairs / 40_000)
    sizes = Splits(num_pairs, *(2 * max(1, round(scale * size / 2)) for size in OTHER_SIZES))
    splits = Splits([], [], [], [], [])
    random, used = Random(seed), set()
    for sentence, part in _drawn(random):
        split, size = getattr(splits, part), getattr(sizes, part)
        sentences = [sentence, sentence.twin] if part == "pronouns" else [sentence]
        sources = [_words(s.zh) for s in sentences]
        if len(split) < size and not used.intersection(sources):
            used.update(sources)
            pairs = [_pair(s, random, ambiguous=ambiguous) for s in sentences]
            if ambiguous and part != "pronouns" and len(pairs[0].references) < 2:
                continue
            split += pairs
            if all(len(split) >= size for split, size in zip(splits, sizes, strict=True)):
                return splits
    raise AssertionError("_drawn must never end")


def part_of(sentence: Sentence) -> str:
    """Return the field of Splits that a sentence belongs to, or "" if it is left out."""
    num_zh, num_en = len(sentence.zh), len(sentence.en(PLAIN))
    is_new = bool(sentence.notes.combinations & HELD_OUT)
    if num_zh > MAX_SRC_LEN or num_en > MAX_TGT_LEN:
        return "longer" if num_zh > MAX_SRC_LEN and num_en > MAX_TGT_LEN and not is_new else ""
    is_held_out = sentence.context == RUNNING or share(sentence.context) < 0.2
    if sentence.twin is not None and is_held_out:
        is_new = is_new or bool(sentence.twin.notes.combinations & HELD_OUT)
        return "" if is_new else "pronouns"
    if is_new:
        return "combinations"
    return "unseen" if share(" ".join(_words(sentence.zh))) < 0.1 else "train"


def _drawn(random: Random) -> Iterator[tuple[Sentence, str]]:
    """Draw sentences forever, the running sentence first, each with its part."""
    yield running(), "pronouns"
    kinds = [kind for kind, weight in _KINDS for _ in range(weight)]
    while True:
        notes = Notes(random)
        sentence = notes.pick(kinds)(notes)
        if _repeats(sentence):
            continue
        part = part_of(sentence)
        if part:
            yield sentence, part


def _repeats(sentence: Sentence) -> bool:
    """Tell whether a noun or a time occurs twice, which only sounds natural in a comparison."""
    told = [word.word for word in sentence.zh if word.word in _TOLD_ONCE]
    return len(set(told)) < len(told) and "comparative" not in sentence.notes.phenomena


def _pair(sentence: Sentence, random: Random, *, ambiguous: bool) -> Pair:
    """Turn a sentence into a Pair, whose links are positions."""
    en = sentence.en(PLAIN)
    references = (_words(en),)
    if ambiguous:
        every = _translations(sentence)
        references = tuple(sorted(every))
        en = every[references[int(random.random() * len(references))]]
    place = {id(word): i for i, word in enumerate(sentence.zh)}
    links = {(place[id(link)], j) for j, word in enumerate(en) for link in word.links}
    return Pair(
        src=_words(sentence.zh),
        tgt=_words(en),
        alignment=tuple(sorted(links)),
        referents=tuple((j, place[id(w.stands_for)]) for j, w in enumerate(en) if w.stands_for),
        references=references,
        phenomena=tuple(sorted(sentence.notes.phenomena)),
    )


def _translations(sentence: Sentence) -> dict[tuple[str, ...], list[En]]:
    """Return every correct translation, keyed by its words."""
    translations = {}
    for time_first, passive in product((False, True), repeat=2):
        en = sentence.en(Style(time_first=time_first, passive=passive))
        options = [
            (w, w._replace(word=SYNONYMS[w.word])) if w.word in SYNONYMS else (w,) for w in en
        ]
        for choice in product(*options):
            translations[_words(choice)] = list(choice)
    return translations


def _words(sentence: list[Zh] | list[En]) -> tuple[str, ...]:
    """Return the words as text."""
    return tuple([word.word for word in sentence])


_TIMES = {
    word for by_tense in (TIMES, DAYS) for words in by_tense.values() for word in words.split()
}
_TOLD_ONCE = {*NOUNS, *EXTRA, *_TIMES}
RUNNING = running().context
HELD_OUT = held_out_combinations()
