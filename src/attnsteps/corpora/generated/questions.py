"""Questions with a question word, which Chinese puts in the place of the answer."""

from attnsteps.corpora.generated.choices import (
    circumstances,
    somebody,
    something,
)
from attnsteps.corpora.generated.clause import Clause
from attnsteps.corpora.generated.lexicon import INTRANSITIVE, NOUNS, SPECIAL, VERBS
from attnsteps.corpora.generated.phrases import En, Notes, Phrase, Place, Zh, noun_phrase
from attnsteps.corpora.generated.sentences import said
from attnsteps.corpora.generated.spoken import Sentence

ASKED_WHAT = "吃 喝 买 卖 读 写 洗 修 找到 看见"
ASKED_WHERE = "吃 喝 买 读 修 找到 看见 喂"
COUNTED = "买 卖 有 找到 看见 写 洗 吃"


def question(notes: Notes) -> Sentence:
    """Draw a question: who, what, where, when, why, how many."""
    return notes.pick((_who, _what, _where, _when, _why, _how_many))(notes)


def _who(notes: Notes) -> Sentence:
    """谁买了这本书？ Who bought this book?"""
    asked = Zh("谁")
    word = [En("who", (asked,))]
    subject = Phrase([asked], word, word, asked, "")
    verb = notes.pick([*VERBS.values(), SPECIAL["喜欢"], SPECIAL["打开"], SPECIAL["关上"]])
    aspect = "s" if verb.zh == "喜欢" else notes.pick(tuple(verb.tenses.replace("h", "")))
    target = (
        something(notes, verb, known=True) if verb.zh != "看见" else somebody(notes, simple=True)
    )
    return said(notes, Clause(notes, subject, verb, aspect, object=target, asks="谁"))


def _what(notes: Notes) -> Sentence:
    """老师昨天买了什么？ What did the teacher buy yesterday?"""
    verb, subject = VERBS[notes.pick(ASKED_WHAT)], somebody(notes, asked=True)
    settings = circumstances(notes, verb, subject, verb.tenses.replace("h", ""), 0.0)
    asked = Zh("什么")
    word = [En("what", (asked,))]
    target = Phrase([asked], word, word, asked, "it")
    return said(notes, Clause(notes, subject, verb, object=target, asks="什么", **settings))


def _where(notes: Notes) -> Sentence:
    """学生去了哪里？ Where did the student go?"""
    asked = Place([Zh("哪里")], [])
    subject = somebody(notes, asked=True)
    if notes.chance(0.35):
        verb, target, place = SPECIAL["去"], None, {"goal": asked}
    elif notes.chance(0.3):
        verb, target, place = INTRANSITIVE[notes.pick("睡觉 跑步 游泳")], None, {"place": asked}
    else:
        verb, place = VERBS[notes.pick(ASKED_WHERE)], {"place": asked}
        target = something(notes, verb, known=True)
    settings = circumstances(notes, verb, subject, "pf", 0.0)
    for unwanted in ("place", "companion"):
        settings.pop(unwanted, None)
    return said(
        notes, Clause(notes, subject, verb, object=target, asks="哪里", **place, **settings)
    )


def _when(notes: Notes) -> Sentence:
    """老师什么时候会来？ When will the teacher come?"""
    verbs = [v for v in (VERBS | INTRANSITIVE).values() if v.zh not in ("找到", "看见", "过")]
    verb = notes.pick(verbs)
    subject = somebody(notes, verb.doers, asked=True)
    target = something(notes, verb, known=True) if verb.objects else None
    return said(notes, Clause(notes, subject, verb, "f", object=target, asks="什么时候"))


def _why(notes: Notes) -> Sentence:
    """动物为什么没有过马路？ Why did the animal not cross the street?"""
    verb = notes.pick([v for v in VERBS.values() if v.zh not in ("看见", "找到")])
    subject = somebody(notes, verb.doers, asked=True)
    aspect, negative = notes.pick((("p", "没有"), ("p", "没有"), ("p", ""), ("f", "不")))
    target = something(notes, verb, known=True)
    return said(
        notes, Clause(notes, subject, verb, aspect, object=target, negative=negative, asks="为什么")
    )


def _how_many(notes: Notes) -> Sentence:
    """你有几只猫？ How many cats do you have?"""
    verb, subject = (VERBS | SPECIAL)[notes.pick(COUNTED)], somebody(notes, simple=True, asked=True)
    nouns = [zh for zh in verb.objects.split() if NOUNS[zh].kind in ("thing", "animal")]
    target = noun_phrase(notes, NOUNS[notes.pick(nouns)], "几")
    aspect = "s" if verb.zh == "有" else notes.pick("p f" if verb.zh in ("买", "写") else "p")
    settings = {}
    if aspect == "p" and notes.chance(0.4):
        settings["time"] = notes.pick("昨天 今天")
    return said(notes, Clause(notes, subject, verb, aspect, object=target, asks="几", **settings))
