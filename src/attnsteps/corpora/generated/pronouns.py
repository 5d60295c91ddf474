"""Sentences with a pronoun that Chinese leaves out and English has to choose.

动物没有过马路，因为太累了 and 因为太宽了 differ only in the adjective. English says "it" in both,
for the animal or for the street; with a boy it says "he", with girls "they".
"""

from functools import partial

from attnsteps.corpora.generated.choices import (
    ANIMALS,
    KIN,
    OWNERS,
    PEOPLE,
    adjective_for,
    generic,
    place_for,
)
from attnsteps.corpora.generated.clause import Clause, Style
from attnsteps.corpora.generated.frames import FITS, FRAMES, GROWN_UP, Frame
from attnsteps.corpora.generated.lexicon import ADJECTIVES, NOUNS, SPECIAL, VERBS
from attnsteps.corpora.generated.phrases import (
    En,
    Notes,
    Phrase,
    Zh,
    be,
    is_plural,
    noun_phrase,
    person,
    predicate,
)
from attnsteps.corpora.generated.spoken import Sentence


def because(notes: Notes) -> Sentence:
    """Draw 动物没有过马路，因为太累了, It did not cross the street because it was too tired."""
    frame = notes.pick(FRAMES)
    subject = _subject(notes, frame.doers)
    target = _target(notes, NOUNS[notes.pick(frame.objects)])
    aspect = "p" if frame.done or notes.chance(0.75) else "f"
    settings = {"negative": "" if frame.done else "没有" if aspect == "p" else "不"}
    if notes.chance(0.25):
        settings["time"] = notes.pick("昨天 今天" if aspect == "p" else "明天 今天")
        settings["early"] = notes.chance(0.4)
    if frame.verb in ("吃", "喝", "读", "买") and not frame.done and notes.chance(0.15):
        settings["place"] = place_for(notes, VERBS[frame.verb], subject)
    verb = VERBS.get(frame.verb) or SPECIAL[frame.verb]
    main = Clause(notes, subject, verb, aspect, object=target, **settings)
    return _twins(notes, main, frame)


def running() -> Sentence:
    """Return the running sentence of the book, with its twin."""
    notes = Notes(None)
    animal, street = noun_phrase(notes, NOUNS["动物"]), noun_phrase(notes, NOUNS["马路"])
    main = Clause(notes, animal, VERBS["过"], "p", object=street, negative="没有")
    sides = (True, "累"), (False, "宽")
    tired, wide = (explained(main, adjective, of_subject=of) for of, adjective in sides)
    return tired._replace(twin=wide)


def _twins(notes: Notes, main: Clause, frame: Frame) -> Sentence:
    """Explain a clause by its subject and by its object; each sentence is the other's twin."""
    mine = notes.pick(_of(main.subject, frame.of_subject))
    its = notes.pick(frame.of_object)
    sides = [
        explained(main, adjective, of_subject=of_subject, done=frame.done)
        for of_subject, adjective in ((True, mine), (False, its))
    ]
    this, other = sides if notes.chance(0.5) else sides[::-1]
    return this._replace(twin=other)


def explained(main: Clause, adjective: str, *, of_subject: bool, done: bool = False) -> Sentence:
    """Append a reason that describes the subject or the object: 很 if done, otherwise 太 … 了."""
    described = main.subject if of_subject else main.object
    zh, en = _reason(described, adjective, past=main.aspect == "p", done=done)
    notes = _noted(main.notes, (main.subject, main.object), described, adjective)
    return Sentence(
        notes,
        [*main.zh, *zh],
        lambda style: [*main.en(style._replace(passive=False)), *en],
        context=_spell(main.zh),
    )


def _reason(
    described: Phrase, adjective: str, *, past: bool, done: bool
) -> tuple[list[Zh], list[En]]:
    """Return a reason, without a pronoun in Chinese and with one in English."""
    degree, very = (Zh("很"), "very") if done else (Zh("太"), "too")
    why, word = Zh("因为"), Zh(adjective)
    en = [
        En("because", (why,)),
        En(described.pronoun, (), described.head),
        En(be(described.pronoun, past=past)),
        En(very, (degree,)),
        *predicate(ADJECTIVES[adjective], word),
    ]
    return [Zh("，"), why, degree, word, *([] if done else [Zh("了")])], en


def fits(notes: Notes) -> Sentence:
    """Draw 书放不进箱子，因为太大了 or 太小了: too big to fit, or too small to hold it."""
    name, contents = notes.pick(FITS)
    container, noun = NOUNS[name], NOUNS[notes.pick(contents)]
    determiner = notes.pick(("", "这", "那", *(("这些", "那些") if noun.plural else ())))
    inner = noun_phrase(notes, noun, determiner)
    determiner = notes.pick(("", "", "这", "那", *(("这些", "那些") if container.plural else ())))
    outer = noun_phrase(notes, container, determiner)
    verb = Zh("放不进")
    do = En("do" if is_plural(inner.pronoun) else "does", (verb,))
    en = [*inner.en, do, *(En(word, (verb,)) for word in ("not", "fit", "into")), *outer.en]
    clause = [*inner.zh, verb, *outer.zh]
    notes.phenomena |= {"state"}

    sides = []
    for described, adjective in ((inner, "大"), (outer, "小")):
        why = _reason(described, adjective, past=False, done=False)
        about = _noted(notes, (inner, outer), described, adjective)
        whole = [*en, *why[1]]
        says = partial(_always, whole)
        sides.append(Sentence(about, [*clause, *why[0]], says, context=_spell(clause)))
    this, other = sides if notes.chance(0.5) else sides[::-1]
    return this._replace(twin=other)


def _always(en: list[En], style: Style) -> list[En]:
    """Return the same words in every style."""
    del style
    return en


def so(notes: Notes) -> Sentence:
    """Draw 动物太累了，所以没有过马路: It was too tired, so it did not cross the street."""
    frame = notes.pick([frame for frame in FRAMES if not frame.done])
    subject = _subject(notes, frame.doers)
    adjective = notes.pick(_of(subject, frame.of_subject))
    target = _target(notes, NOUNS[notes.pick(frame.objects)])
    verb = VERBS.get(frame.verb) or SPECIAL[frame.verb]
    main = Clause(notes, _dropped(subject), verb, "p", object=target, negative="没有")
    degree, word, comma, link = Zh("太"), Zh(adjective), Zh("，"), Zh("所以")
    en = [
        *subject.en,
        En(be(subject.pronoun, past=True)),
        En("too", (degree,)),
        *predicate(ADJECTIVES[adjective], word),
        En(",", (comma,)),
        En("so", (link,)),
    ]
    about = _noted(notes, (subject, target), subject, adjective)
    about.phenomena -= {"pronoun_same"}
    zh = [*subject.zh, degree, word, Zh("了"), comma, link, *main.zh]
    return Sentence(about, zh, lambda style: [*en, *main.en()])


def but(notes: Notes) -> Sentence:
    """Draw 女孩喜欢猫，但是不喜欢狗: The girl likes cats, but she does not like dogs."""
    verb = SPECIAL["喜欢"]
    subject = _subject(notes, "person")
    groups = ("茶 咖啡 牛奶", "面包 蛋糕 鱼 苹果 鸡蛋", "猫 狗 鸟 马", "音乐 英语 电影")
    options = notes.pick(groups).split()
    first = notes.pick(options)
    second = notes.pick([zh for zh in options if zh != first])
    likes = Clause(notes, subject, verb, "s", object=generic(notes, first))
    not_ = Clause(notes, _dropped(subject), verb, "s", object=generic(notes, second), negative="不")
    comma, link = Zh("，"), Zh("但是")
    notes.phenomena |= {"pronoun", "pronoun_subject"}
    return Sentence(
        notes,
        [*likes.zh, comma, link, *not_.zh],
        lambda style: [*likes.en(), En(",", (comma,)), En("but", (link,)), *not_.en()],
    )


def _of(subject: Phrase, adjectives: str) -> list[str]:
    """Return the adjectives that suit the subject: a child is not too old."""
    is_young = subject.noun is not None and subject.noun.kind != "animal"
    is_young = is_young and subject.noun.zh not in GROWN_UP.split()
    return [zh for zh in adjectives.split() if not (is_young and zh == "老")]


def _noted(notes: Notes, both: tuple[Phrase, Phrase], described: Phrase, adjective: str) -> Notes:
    """Copy the notes and add what the reason shows."""
    kind = "pronoun_subject" if described is both[0] else "pronoun_object"
    same = {"pronoun_same"} if both[0].pronoun == both[1].pronoun else set()
    pairs = set() if described.noun is None else {(adjective, described.noun.zh)}
    shown = notes.phenomena | {"pronoun", kind} | same
    return Notes(notes.random, shown, notes.combinations | pairs)


def _dropped(subject: Phrase) -> Phrase:
    """Return a subject that Chinese leaves out and English repeats as a pronoun."""
    word = [En(subject.pronoun, (), subject.head)]
    return subject._replace(zh=[], en=word, objective=word)


def _subject(notes: Notes, doers: str) -> Phrase:
    """Draw a subject for which English has one certain pronoun."""
    if notes.pick(doers) == "animal":
        noun = notes.pick(ANIMALS)
        determiner = notes.pick(("", "", "", "这", "那", "这些", "那些"))
        adjective = adjective_for(notes, noun) if notes.chance(0.25) else ""
        return noun_phrase(notes, noun, determiner, adjective)
    dice = notes.random.random()
    if dice < 0.12:
        return person(notes.pick(OWNERS))
    if dice < 0.3:
        kin = [noun for noun in KIN if noun.pronoun]
        return noun_phrase(notes, notes.pick(kin), owner=notes.pick(OWNERS))
    noun = notes.pick(PEOPLE)
    determiners = ("们", "们", "这些", "那些")
    if noun.pronoun:
        determiners = ("", "", "", "这", "那", "们", "这些")
    adjective = adjective_for(notes, noun) if notes.chance(0.15) else ""
    return noun_phrase(notes, noun, notes.pick(determiners), adjective)


def _target(notes: Notes, noun: object) -> Phrase:
    """Draw a noun phrase for the object."""
    options = ("", "", "", "", "这", "那", *(("这些", "那些") if noun.plural else ()))
    return noun_phrase(notes, noun, notes.pick(options))


def _spell(zh: list[Zh]) -> str:
    """Return the words with spaces between them."""
    return " ".join(word.word for word in zh)
