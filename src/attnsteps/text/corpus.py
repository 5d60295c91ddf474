"""The book's own Chinese–English corpus: generated from a seed, never stored.

Every Chinese sentence has exactly one translation here, so that an exact match means something,
and the links between the words are known. What belongs into which part depends on the sentence
alone, never on the seed: what is unseen stays unseen whatever was drawn.
"""

from collections.abc import Iterator
from itertools import product
from random import Random
from typing import NamedTuple
from zlib import crc32

from attnsteps.shapes import check_integer, check_positive
from attnsteps.text.choices import DAYS, TIMES
from attnsteps.text.clause import PLAIN, Style
from attnsteps.text.description import compare, describe, traits
from attnsteps.text.glossary import SOURCE_WORDS, SYNONYMS, TARGET_WORDS, gloss
from attnsteps.text.lexicon import EXTRA, NOUNS, SPECIAL, VERBS
from attnsteps.text.phrases import En, Notes, Zh
from attnsteps.text.pronouns import FRAMES, because, but, fits, running, so
from attnsteps.text.questions import question
from attnsteps.text.sentences import KINDS
from attnsteps.text.spoken import Sentence

__all__ = ["SOURCE_WORDS", "TARGET_WORDS", "Pair", "Splits", "generated", "gloss", "part_of"]

#: The longest that training sees, in words; both sides of a longer sentence exceed them.
MAX_SRC_LEN, MAX_TGT_LEN = 12, 14

#: How many sentences the parts beside train hold at most, in the order of Splits.
OTHER_SIZES = (2_000, 3_000, 1_000, 2_400)

#: Kinds of sentence, and how often each is drawn.
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
    """A sentence and its translation, with what links them.

    Args:
        src: the Chinese words, punctuation included.
        tgt: the English words, lower case, punctuation included.
        alignment: links between words, (source position, target position); an article and what
            else has no counterpart has no link, and a word may have several.
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
        train: what to learn from.
        unseen: other sentences of the same kind.
        combinations: sentences with two words that training never has together in that role: a verb
            and its object, an adjective and what it describes.
        longer: sentences longer than any in training, on both sides.
        pronouns: minimal pairs: 2i and 2i + 1 differ in the adjective, and so in what the pronoun
            stands for. Training has neither. The running sentence and its twin come first.

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
    """Generate the corpus: the same for the same arguments, on every machine.

    Args:
        num_pairs: how many sentences to train on. The other parts get 2,000 unseen, 3,000
            combinations, 1,000 longer and 2,400 pronouns; fewer in proportion below 40,000.
        seed: where chance starts.
        ambiguous: True lets a sentence have several translations (time first or last, active or
            passive, synonyms): one is drawn as tgt, and references holds them all.

    Returns:
        The parts; no Chinese sentence is in two of them.

    Raises:
        ValueError: if num_pairs is not a positive integer, or seed not an integer.

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
    check_integer("seed", seed)
    share = min(1.0, num_pairs / 40_000)
    sizes = (num_pairs, *(2 * max(1, round(share * size / 2)) for size in OTHER_SIZES))
    room = Splits(*sizes)
    splits = Splits([], [], [], [], [])
    random, seen = Random(seed), set()
    for sentence, part in _drawn(random):
        split, size = getattr(splits, part), getattr(room, part)
        sentences = [sentence, sentence.twin] if part == "pronouns" else [sentence]
        sources = [_words(s.zh) for s in sentences]
        if len(split) < size and not seen.intersection(sources):
            seen.update(sources)
            pairs = [_pair(s, random, ambiguous=ambiguous) for s in sentences]
            if ambiguous and part != "pronouns" and len(pairs[0].references) < 2:
                continue
            split += pairs
            if all(len(split) >= size for split, size in zip(splits, room, strict=True)):
                return splits
    raise AssertionError("sentences never end")


def part_of(sentence: Sentence) -> str:
    """Tell which part a sentence belongs to; it depends on nothing but the sentence.

    Args:
        sentence: the sentence.

    Returns:
        A field of Splits, or nothing for one that is left out.
    """
    num_zh, num_en = len(sentence.zh), len(sentence.en(PLAIN))
    is_new = bool(sentence.notes.combinations & HELD_OUT)
    if num_zh > MAX_SRC_LEN or num_en > MAX_TGT_LEN:
        return "longer" if num_zh > MAX_SRC_LEN and num_en > MAX_TGT_LEN and not is_new else ""
    kept = sentence.context == RUNNING or _share(sentence.context) < 0.2
    if sentence.twin is not None and kept:
        is_new = is_new or bool(sentence.twin.notes.combinations & HELD_OUT)
        return "" if is_new else "pronouns"
    if is_new:
        return "combinations"
    return "unseen" if _share(" ".join(_words(sentence.zh))) < 0.1 else "train"


def _drawn(random: Random) -> Iterator[tuple[Sentence, str]]:
    """Draw sentences without end, the running one first, each with its part."""
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
    """Tell whether a noun or a time comes twice, which only a comparison makes natural."""
    told = [word.word for word in sentence.zh if word.word in _TOLD_ONCE]
    return len(set(told)) < len(told) and "comparative" not in sentence.notes.phenomena


def _pair(sentence: Sentence, random: Random, *, ambiguous: bool) -> Pair:
    """Put positions in place of the words' identities."""
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
    """Return every correct translation, by its words."""
    found = {}
    for time_first, passive in product((False, True), repeat=2):
        en = sentence.en(Style(time_first=time_first, passive=passive))
        options = [
            (w, w._replace(word=SYNONYMS[w.word])) if w.word in SYNONYMS else (w,) for w in en
        ]
        for choice in product(*options):
            found[_words(choice)] = list(choice)
    return found


def _words(sentence: list[Zh] | list[En]) -> tuple[str, ...]:
    """Return the words as text."""
    return tuple(word.word for word in sentence)


def _share(text: str) -> float:
    """Return a number from 0 to 1 that looks random and depends on the text alone."""
    return crc32(text.encode()) / 2**32


def _held_out() -> frozenset[tuple[str, str]]:
    """Choose the combinations that training never sees: about one in eight where there are many.

    Every verb and adjective keeps most of its nouns. All is kept of what the pronouns' frames
    need, of 动物, which the running sentence is about, and of 喜欢, after which English changes
    the noun: whoever likes a cat likes cats.
    """
    rows = {verb.zh: verb.objects.split() for verb in (VERBS | SPECIAL).values()}
    for zh in NOUNS:
        for adjective in (*traits(zh), *NOUNS[zh].adjectives.split()):
            rows.setdefault(adjective, []).append(zh)
    needed = {(f.verb, noun) for f in FRAMES for noun in f.objects.split()}
    needed |= {(first, "动物") for first in rows} | {("喜欢", noun) for noun in rows["喜欢"]}
    chosen: set[tuple[str, str]] = set()
    for first, nouns in rows.items():
        free = sorted({(first, noun) for noun in nouns} - needed, key=lambda c: _share(" ".join(c)))
        if len(set(nouns)) >= 5:
            chosen.update(free[: len(set(nouns)) // 6 + 1])
    return frozenset(chosen)


_TIMES = {
    word for by_tense in (TIMES, DAYS) for words in by_tense.values() for word in words.split()
}
_TOLD_ONCE = {*NOUNS, *EXTRA, *_TIMES}
RUNNING = running().context
HELD_OUT = _held_out()
