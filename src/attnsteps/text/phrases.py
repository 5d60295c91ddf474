"""Phrases in two languages at once, with the links between their words.

A Chinese word of a sentence is an object of its own, ``Zh``, and every English word, ``En``, holds
the Chinese words that it translates. Each language puts its words into its own order; the links
come along, so that the alignment of a sentence is known without being sought.
"""

from random import Random
from typing import NamedTuple

from attnsteps.text.lexicon import ADJECTIVES, PRONOUNS, WORDS, Adjective, Noun

#: Determiners of more than one.
PLURAL = ("两", "三", "四", "几", "这些", "那些", "很多", "们", "*")

#: Measure words that English says, too: a cup of tea.
UNITS = {"杯": ("cup", "cups"), "块": ("piece", "pieces")}


class Zh:
    """One Chinese word at one place of one sentence; two of the same spelling are two objects.

    Args:
        word: the word.
    """

    __slots__ = ("word",)

    def __init__(self, word: str) -> None:
        self.word = word


class En(NamedTuple):
    """One English word at one place of one sentence.

    Args:
        word: the word.
        links: the Chinese words that it translates; none for an article.
        stands_for: for a pronoun that Chinese leaves out, the Chinese noun that it stands for.
    """

    word: str
    links: tuple[Zh, ...] = ()
    stands_for: Zh | None = None


class Place(NamedTuple):
    """A place, or any other words that only belong together, in both languages.

    Args:
        zh: the Chinese words.
        en: the English words.
    """

    zh: list[Zh]
    en: list[En]


class Phrase(NamedTuple):
    """Somebody or something, in both languages.

    Args:
        zh: the Chinese words.
        en: the English words as a subject.
        objective: the English words as an object: they differ for pronouns.
        head: the Chinese word that a pronoun would stand for.
        pronoun: the English pronoun that would stand for it, by which the verb agrees, too; empty
            for one person who may be he or she.
        noun: the entry in the lexicon, unless it is a pronoun itself.
    """

    zh: list[Zh]
    en: list[En]
    objective: list[En]
    head: Zh
    pronoun: str
    noun: Noun | None = None


class Notes:
    """What a sentence is made of, written down while it is made; and where chance comes from.

    Args:
        random: the source of chance. Only its ``random()`` is used, whose sequence Python keeps
            the same from version to version.
        phenomena: what the sentence shows.
        combinations: verbs with their objects, adjectives with what they describe.
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
        """Return one of several, all equally likely; of a string, one of its words."""
        options = options.split() if isinstance(options, str) else options
        return options[int(self.random.random() * len(options))]

    def chance(self, probability: float) -> bool:
        """Return True with this probability."""
        return self.random.random() < probability


def article(word: str) -> str:
    """Return "an" before a vowel, else "a"; no word of the corpus is an exception.

    Args:
        word: the English word that follows.

    Returns:
        The article.
    """
    return "an" if word[0] in "aeiou" else "a"


def is_plural(pronoun: str) -> bool:
    """Tell whether a verb takes its plural form after this pronoun.

    Args:
        pronoun: the English pronoun.

    Returns:
        True for we, you and they.
    """
    return pronoun in ("we", "you", "they")


def be(pronoun: str, *, past: bool) -> str:
    """Return the form of "to be" that goes with a pronoun.

    Args:
        pronoun: the English pronoun; nothing for one person who may be he or she.
        past: True for was and were.

    Returns:
        The form.
    """
    if past:
        return "were" if is_plural(pronoun) else "was"
    return "am" if pronoun == "i" else "are" if is_plural(pronoun) else "is"


def person(zh: str) -> Phrase:
    """Return a personal pronoun: 我, I, me.

    Args:
        zh: the Chinese pronoun.

    Returns:
        The phrase.
    """
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
    """Return a noun with what stands before it, and in English also behind it.

    Args:
        notes: where its phenomena and its adjective are written down.
        noun: the noun.
        determiner: a number (一, 两, …), 这 or 那, 这些 or 那些, 很多, 们 for several people, * for
            an English plural that Chinese does not show, 0 for no article, ? for an "a" that
            Chinese does not say; nothing for "the".
        adjective: a Chinese adjective, or nothing.
        owner: a Chinese pronoun, or somebody: whose it is.
        relative: what comes before 的 in Chinese, and after "who" or "that" in English.

    Returns:
        The phrase.
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
    """Return what comes before 的 in Chinese, before the noun and behind it in English."""
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
    """Return a place without 在.

    Args:
        noun: the place.
        side: 里, 上 or 下面: in, on or under.
        goal: True for where somebody goes: "to", without 里 in Chinese.

    Returns:
        公园里, in the park; 家, at home; 学校, at school.
    """
    place, at = Zh(noun.zh), Zh(side)
    if noun.zh in ("家", "学校"):
        return Place([place], [En("to" if goal else "at"), En(noun.en, (place,))])
    name = [En("the"), En(noun.en, (place,))]
    if goal:
        return Place([place], [En("to"), *name])
    return Place([place, at], [En(WORDS[side][1], (at,)), *name])


def predicate(adjective: Adjective, word: Zh, *, compared: bool = False) -> list[En]:
    """Return an adjective behind "is": tired; or compared: bigger, more expensive.

    Args:
        adjective: the adjective.
        word: the Chinese word that it translates.
        compared: True for the comparative.

    Returns:
        One word or two.
    """
    if compared and not adjective.comparative:
        return [En("more", (word,)), En(adjective.en, (word,))]
    return [En(adjective.comparative if compared else adjective.en, (word,))]
