"""Phrases in two languages at once, with the links between their words.

Each Chinese word of a sentence is an object of its own, ``Zh``, and each English word, ``En``,
holds the Chinese words that it translates. Each language puts its words into its own order and the
links come along, so the alignment of a sentence is known from the start.
"""

from functools import cache
from random import Random
from typing import NamedTuple

from attnsteps.corpora.generated.lexicon import ADJECTIVES, PRONOUNS, WORDS, Adjective, Noun

#: Determiners that make a phrase plural.
PLURAL = ("两", "三", "四", "几", "这些", "那些", "很多", "们", "*")

#: Measure words that English has too: a cup of tea.
UNITS = {"杯": ("cup", "cups"), "块": ("piece", "pieces")}


class Zh:
    """One Chinese word in one place of one sentence; the same word elsewhere is another object."""

    __slots__ = ("word",)

    def __init__(self, word: str) -> None:
        self.word = word


class En(NamedTuple):
    """One English word in one place of one sentence, with the Chinese words that it translates."""

    word: str
    links: tuple[Zh, ...] = ()  # none for an article
    stands_for: Zh | None = None  # the noun behind a pronoun that Chinese leaves out


class Place(NamedTuple):
    """A place, or any other words that belong together, in both languages."""

    zh: list[Zh]
    en: list[En]


class Phrase(NamedTuple):
    """A noun phrase or a pronoun, in both languages."""

    zh: list[Zh]
    en: list[En]  # as a subject: I
    objective: list[En]  # as an object: me
    head: Zh  # the word that a pronoun would stand for
    pronoun: str  # the English pronoun for it; empty for one person who may be he or she
    noun: Noun | None = None  # None for a pronoun


class Notes:
    """The notes taken while a sentence is made, and the source of its random choices.

    Phenomena names what the sentence shows; combinations pairs verbs with objects and adjectives
    with nouns. Only random's ``random()`` is used, because its sequence is the same in every Python
    version.
    """

    def __init__(
        self,
        random: Random | None,
        phenomena: frozenset[str] | set[str] = frozenset(),
        combinations: frozenset[tuple[str, str]] | set[tuple[str, str]] = frozenset(),
    ) -> None:
        self.random = random
        self.phenomena, self.combinations = set(phenomena), set(combinations)

    def pick(self, options: tuple | list | str) -> object:
        """Return one of several options, all equally likely; a string stands for its words."""
        options = _words_of(options) if isinstance(options, str) else options
        return options[int(self.random.random() * len(options))]

    def chance(self, probability: float) -> bool:
        """Return True with this probability."""
        return self.random.random() < probability


@cache
def _words_of(text: str) -> list[str]:
    """Split a text at its spaces, once."""
    return text.split()


def article(word: str) -> str:
    """Return "an" before a vowel, else "a"; no word of the corpus is an exception."""
    return "an" if word[0] in "aeiou" else "a"


def is_plural(pronoun: str) -> bool:
    """Tell whether a verb takes its plural form after an English pronoun: we, you, they."""
    return pronoun in ("we", "you", "they")


def be(pronoun: str, *, past: bool) -> str:
    """Return the form of "to be" for a pronoun, or for one person who may be he or she ("")."""
    if past:
        return "were" if is_plural(pronoun) else "was"
    return "am" if pronoun == "i" else "are" if is_plural(pronoun) else "is"


def person(zh: str) -> Phrase:
    """Return a personal pronoun: 我, I, me."""
    subject, objective, _ = PRONOUNS[zh]
    head = Zh(zh)
    return Phrase([head], [En(subject, (head,))], [En(objective, (head,))], head, subject)


def noun_phrase(
    notes: Notes,
    noun: Noun,
    determiner: str = "",
    adjective: str = "",
    *,
    owner: str | Phrase = "",
    relative: Place | None = None,
) -> Phrase:
    """Return a noun with all that goes before it and, in English, after it.

    The determiner is a number (一, 两, …), 这, 那, 这些, 那些, 很多, or 们 for several people;
    ``*`` is an English plural that Chinese doesn't show, ``0`` no article, ``?`` an "a" that
    Chinese doesn't say, and nothing means "the". The owner is a Chinese pronoun or a phrase.
    """
    head = Zh(noun.zh)
    links = (head, Zh("们")) if determiner == "们" else (head,)
    plural = determiner in PLURAL
    has_plural = plural and bool(noun.plural)
    zh, before, behind = _belonging(notes, owner, relative, noun)
    describing = [Zh(adjective)] if adjective else []
    entry = ADJECTIVES[adjective] if adjective else None
    described = [En(entry.en, (describing[0],))] if adjective else []
    if adjective:
        notes.combinations.add((adjective, noun.zh))
        describing += [] if entry.bare else [Zh("的")]
    word = En(noun.plural if has_plural else noun.en, links)
    counting, counted = _counting(notes, noun, determiner, (described or [word])[0].word)
    if not counting and not owner and determiner in ("", "们"):
        before = [En("the")]
    notes.phenomena |= {"adjective"} if adjective else set()
    notes.phenomena |= {"plural"} if has_plural else set()
    if has_plural and noun.plural not in (noun.en + "s", noun.en + "es"):
        notes.phenomena.add("irregular_plural")
    zh = [*zh, *counting, *describing, *links]
    en = [*before, *counted, *described, word, *behind]
    return Phrase(zh, en, en, head, "they" if plural else noun.pronoun, noun)


def _belonging(
    notes: Notes, owner: str | Phrase, relative: Place | None, noun: Noun
) -> tuple[list[Zh], list[En], list[En]]:
    """Return the words before 的 in Chinese, and those before and after the noun in English."""
    de = Zh("的")
    if relative is not None:
        notes.phenomena.add("relative")
        is_human = noun.kind in ("person", "kin")
        which = En("who" if is_human else "that", (de,))
        return [*relative.zh, de], [En("the")], [which, *relative.en]
    if isinstance(owner, Phrase):
        notes.phenomena.add("possessive")
        return [*owner.zh, de], [*owner.en, En("'s", (de,))], []
    if owner:
        notes.phenomena.add("possessive")
        whose = Zh(owner)
        return [whose, de], [En(PRONOUNS[owner][2], (whose, de))], []
    return [], [], []


def _counting(
    notes: Notes, noun: Noun, determiner: str, next_word: str
) -> tuple[list[Zh], list[En]]:
    """Return a number, a demonstrative or an article, with its measure word."""
    if determiner == "?":
        return [], [En(article(next_word))]
    if determiner in ("", "们", "*", "0"):
        return [], []
    first = Zh(determiner)
    if determiner in ("这些", "那些", "很多"):
        return [first], [En(WORDS[determiner][1], (first,))]
    notes.phenomena.add("measure")
    measure, unit = Zh(noun.measure), []
    if noun.measure in UNITS:  # a cup of tea
        word = UNITS[noun.measure][determiner in PLURAL]
        unit = [En(word, (measure,)), En("of", (measure,))]
    told = (
        WORDS[determiner][1] if determiner != "一" else article(unit[0].word if unit else next_word)
    )
    return [first, measure], [*(En(word, (first,)) for word in told.split()), *unit]


def locate(noun: Noun, side: str = "里", *, goal: bool = False) -> Place:
    """Return a place without 在: 公园里, in the park; 家, at home.

    The side is 里 (in), 上 (on) or 下面 (under); goal says "to", which drops 里 in Chinese.
    """
    place, at = Zh(noun.zh), Zh(side)
    if noun.zh in ("家", "学校"):
        return Place([place], [En("to" if goal else "at"), En(noun.en, (place,))])
    name = [En("the"), En(noun.en, (place,))]
    if goal:
        return Place([place], [En("to"), *name])
    return Place([place, at], [En(WORDS[side][1], (at,)), *name])


def predicate(adjective: Adjective, word: Zh, *, compared: bool = False) -> list[En]:
    """Return an adjective as it follows "is": tired, or compared: bigger, more expensive."""
    if compared and not adjective.comparative:
        return [En("more", (word,)), En(adjective.en, (word,))]
    return [En(adjective.comparative if compared else adjective.en, (word,))]
