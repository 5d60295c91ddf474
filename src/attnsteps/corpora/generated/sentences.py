"""The statements of the generated corpus: each function draws one kind of sentence.

The notes that it takes supply the random choices and record what the sentence shows.
"""

from attnsteps.corpora.generated.choices import (
    adjective_for,
    circumstances,
    generic,
    somebody,
    somebody_else,
    something,
)
from attnsteps.corpora.generated.clause import Clause
from attnsteps.corpora.generated.lexicon import EXTRA, INTRANSITIVE, NOUNS, SPECIAL, VERBS
from attnsteps.corpora.generated.phrases import Notes, Place, Zh, locate, noun_phrase
from attnsteps.corpora.generated.spoken import Sentence

ACTIONS = [*VERBS.values(), SPECIAL["看"]]
HABITS_IN_GENERAL = "吃 喝 读"  # they eat apples every day, but they clean the kitchen
TO_THE_FRONT = "吃 喝 洗 卖 关上 打开"
WANTED = "买 卖 读 写 洗 吃 喝 看 修 过"


def said(notes: Notes, clause: Clause) -> Sentence:
    """Make a sentence from a single clause."""
    return Sentence(notes, clause.zh, clause.en)


def _action(notes: Notes) -> Sentence:
    """Somebody does something: 昨天学生在图书馆里读了一本书."""
    verb = notes.pick(ACTIONS)
    asks = "吗" if notes.chance(0.1) else ""
    subject = somebody(notes, verb.doers, asked=bool(asks))
    settings = circumstances(notes, verb, subject, verb.tenses, 0.0 if asks else 0.25)
    settled = settings["aspect"] == "h" or "negative" in settings
    if settings["aspect"] == "h" and verb.zh in HABITS_IN_GENERAL.split():
        target = generic(notes, notes.pick(verb.objects))
    elif verb.zh == "看见" and notes.chance(0.6):
        target = somebody_else(notes, subject, simple=notes.chance(0.6))
    else:
        plain = not set(settings) & {"time", "place", "companion"}
        target = something(notes, verb, known=settled, short=not plain)
    return said(notes, Clause(notes, subject, verb, object=target, asks=asks, **settings))


def _intransitive(notes: Notes) -> Sentence:
    """Somebody sleeps, runs, comes."""
    verb = notes.pick(list(INTRANSITIVE.values()))
    asks = "吗" if notes.chance(0.1) else ""
    subject = somebody(notes, verb.doers, asked=bool(asks))
    settings = circumstances(notes, verb, subject, verb.tenses, 0.0 if asks else 0.25)
    return said(notes, Clause(notes, subject, verb, asks=asks, **settings))


def _going(notes: Notes) -> Sentence:
    """Somebody goes somewhere: 老师昨天去了图书馆."""
    verb, asks = SPECIAL["去"], "吗" if notes.chance(0.1) else ""
    subject = somebody(notes, asked=bool(asks))
    settings = circumstances(notes, verb, subject, verb.tenses, 0.0 if asks else 0.25)
    goal = locate(NOUNS[notes.pick(verb.objects)], goal=True)
    return said(notes, Clause(notes, subject, verb, goal=goal, asks=asks, **settings))


def _handled(notes: Notes) -> Sentence:
    """Somebody does something to a thing that comes first, after 把: 他把门关上了."""
    verb = (VERBS | SPECIAL)[notes.pick(TO_THE_FRONT)]
    subject = somebody(notes)
    opens = verb.zh in ("关上", "打开")
    settings = circumstances(notes, verb, subject, "pf" if opens else "p", 0.3 if opens else 0.0)
    for unwanted in ("place", "companion"):
        settings.pop(unwanted, None)
    target = something(notes, verb, known=True)
    return said(notes, Clause(notes, subject, verb, object=target, ba=True, **settings))


def _opened(notes: Notes) -> Sentence:
    """Somebody opens or closes something, without 把."""
    verb = SPECIAL[notes.pick("关上 打开")]
    subject = somebody(notes)
    settings = circumstances(notes, verb, subject, "p", 0.5)
    target = something(notes, verb, known=True)
    return said(notes, Clause(notes, subject, verb, object=target, **settings))


def _put(notes: Notes) -> Sentence:
    """Somebody puts something somewhere: 妈妈把苹果放在桌子上了."""
    verb, subject = SPECIAL["放"], somebody(notes)
    settings = circumstances(notes, verb, subject, "pf", 0.15)
    target = something(notes, verb, known=True)
    where = NOUNS[notes.pick("桌子 床 椅子 箱子")]
    place = locate(where, "里" if where.zh == "箱子" else notes.pick("上 下面"))
    goal = Place([Zh("在"), *place.zh], place.en)
    return said(notes, Clause(notes, subject, verb, object=target, ba=True, goal=goal, **settings))


def _give(notes: Notes) -> Sentence:
    """Somebody gives somebody something: 老师给了学生一本书, or 老师把书给了学生."""
    verb, subject = SPECIAL["给"], somebody(notes)
    settings = circumstances(notes, verb, subject, "pf", 0.2)
    ba = settings["aspect"] == "p" and "negative" not in settings and notes.chance(0.4)
    who = somebody_else(notes, subject, simple=True)
    known = ba or "negative" in settings
    target = something(notes, verb, known=known, short=True, shown=not ba)
    clause = Clause(notes, subject, verb, object=target, recipient=who, ba=ba, **settings)
    return said(notes, clause)


def _teach(notes: Notes) -> Sentence:
    """Somebody teaches somebody something: 老师正在教孩子们英语."""
    verb = SPECIAL["教"]
    subject = somebody(notes)
    settings = circumstances(notes, verb, subject, "fgh", 0.2)
    who = somebody_else(notes, subject, simple=True)
    target = generic(notes, notes.pick(verb.objects))
    return said(notes, Clause(notes, subject, verb, object=target, recipient=who, **settings))


def _like(notes: Notes) -> Sentence:
    """Somebody likes something: 女孩喜欢音乐."""
    verb = SPECIAL["喜欢"]
    negative, asks = notes.pick((("", ""), ("", ""), ("不", ""), ("", "吗")))
    subject = somebody(notes, simple=notes.chance(0.5), asked=bool(asks))
    noun = notes.pick(verb.objects)
    if notes.chance(0.5) or noun in EXTRA:
        target = generic(notes, noun)
    else:
        adjective = adjective_for(notes, NOUNS[noun]) if notes.chance(0.3) else ""
        target = noun_phrase(notes, NOUNS[noun], notes.pick("这 那"), adjective)
    return said(
        notes, Clause(notes, subject, verb, "s", object=target, negative=negative, asks=asks)
    )


def _have(notes: Notes) -> Sentence:
    """Somebody has something or doesn't: 我有两只猫, 我没有车."""
    verb, way = SPECIAL["有"], notes.pick("has has lacks asks")
    subject = somebody(notes, simple=notes.chance(0.5), asked=way == "asks")
    noun = NOUNS[notes.pick(verb.objects)]
    if way == "has":
        determiner = notes.pick(("一", "一", "两", "三", "四", "很多" if noun.plural else "一"))
        adjective = adjective_for(notes, noun) if notes.chance(0.4) else ""
        determiner = "一" if not noun.plural else determiner
        return said(
            notes,
            Clause(
                notes, subject, verb, "s", object=noun_phrase(notes, noun, determiner, adjective)
            ),
        )
    adjective = adjective_for(notes, noun) if notes.chance(0.15) else ""
    target = noun_phrase(notes, noun, "?", adjective)
    if way == "asks":
        return said(notes, Clause(notes, subject, verb, "s", object=target, asks="吗"))
    clause = Clause(notes, subject, verb, "s", object=target, negative="没有")
    clause.words["verb"] = clause.words["not"]  # one word says both
    notes.phenomena.add("negation_mei")
    zh = clause.zh
    return Sentence(notes, [word for i, word in enumerate(zh) if word not in zh[:i]], clause.en)


def _want(notes: Notes) -> Sentence:
    """Somebody wants to do something: 我的朋友想买一本书."""
    verb = (VERBS | SPECIAL)[notes.pick(WANTED)]
    negative, asks = notes.pick((("", ""), ("", ""), ("不", ""), ("", "吗")))
    subject = somebody(notes, asked=bool(asks))
    target = something(notes, verb, known=bool(negative), short=bool(asks))
    return said(
        notes, Clause(notes, subject, verb, "w", object=target, negative=negative, asks=asks)
    )


KINDS: list[tuple] = [
    (_action, 30),
    (_intransitive, 10),
    (_going, 5),
    (_handled, 6),
    (_opened, 2),
    (_put, 6),
    (_give, 6),
    (_teach, 3),
    (_like, 5),
    (_have, 6),
    (_want, 5),
]
