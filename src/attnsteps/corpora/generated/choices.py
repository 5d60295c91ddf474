"""Random choices of who, what, when and where, limited to what makes sense."""

from attnsteps.corpora.generated.lexicon import EXTRA, NOUNS, SPECIAL, VERBS, WORDS, Noun, Verb
from attnsteps.corpora.generated.phrases import (
    En,
    Notes,
    Phrase,
    Place,
    Zh,
    locate,
    noun_phrase,
    person,
)

PEOPLE = [noun for noun in NOUNS.values() if noun.kind == "person"]
KIN = [noun for noun in NOUNS.values() if noun.kind == "kin"]
ANIMALS = [noun for noun in NOUNS.values() if noun.kind == "animal"]
CHILDREN = [NOUNS[zh] for zh in ("男孩", "女孩", "孩子", "学生")]
OWNERS = "我 你 他 她 我们 他们"
OTHERS = "你 他 她 他们"
FIXED = "马路 河 桥 树 公园 电影"  # things that nobody owns

#: The times that go with each tense. Brief actions happen on a day, not "last year".
DAYS = {"p": "昨天 今天", "f": "明天 今天", "g": "现在", "h": "每天"}
TIMES = {
    "p": "昨天 今天 上个星期 去年",
    "f": "明天 今天 下个星期 明年",
    "g": "现在",
    "h": "每天 每个星期",
}
LASTING = "买 卖 写 修 找到 看见 来 去 教 看"

#: Where each verb can take place.
PLACES = {
    "吃": "家 厨房 公园 花园",
    "喝": "家 厨房 公园 花园",
    "买": "商店",
    "读": "家 图书馆 公园 花园 房间 学校",
    "写": "家 图书馆 房间",
    "洗": "家 花园",
    "修": "家 花园",
    "喂": "公园 花园",
    "找到": "公园 学校 房间 花园 图书馆",
    "看见": "公园 学校 花园 商店 马路 桥",
    "看": "家 公园 学校",
    "睡觉": "家 房间 公园 花园",
    "跑步": "公园 学校 马路",
    "游泳": "河",
    "玩": "公园 花园 房间 家",
}
TOGETHER = "吃 喝 读 写 洗 修 喂 看 跑步 游泳 玩 去"
BEDS = {"猫": "床 桌子 椅子 树", "狗": "床 桌子 树", "老鼠": "床 椅子 桌子"}


def somebody(
    notes: Notes, doers: str = "person", *, simple: bool = False, asked: bool = False
) -> Phrase:
    """Draw a subject: a pronoun, a family member, people, or an animal.

    Doers names the kinds allowed (person, child, animal); simple leaves out adjectives and relative
    clauses, and asked leaves out "I", because nobody asks what they do themselves.
    """
    kind = notes.pick(doers)
    if kind == "animal":
        noun = notes.pick(ANIMALS)
        determiner = notes.pick(("", "", "", "这", "那", "这些", "那些", "两", "三"))
        described = not simple and notes.chance(0.3)
        return noun_phrase(notes, noun, determiner, adjective_for(notes, noun) if described else "")
    dice = notes.random.random()
    if kind == "person" and dice < 0.25:
        return person(notes.pick(OTHERS if asked else OWNERS))
    if kind != "child" and dice < 0.42:
        return noun_phrase(notes, notes.pick(KIN), owner=notes.pick(OWNERS))
    noun = notes.pick(CHILDREN if kind == "child" else PEOPLE)
    if simple:
        return noun_phrase(notes, noun, notes.pick(("", "", "们")))
    if dice < 0.52:
        return with_relative(notes, noun)
    adjective = adjective_for(notes, noun) if notes.chance(0.25) else ""
    determiner = notes.pick(("", "", "", "们", "们", "这", "那", "这些", "那些"))
    return noun_phrase(notes, noun, determiner, adjective)


def somebody_else(notes: Notes, subject: Phrase, *, simple: bool = False) -> Phrase:
    """Draw somebody who isn't the subject, its owner, or one of a group with it."""
    taken = {word.word for word in subject.zh}
    taken |= {"我", "我们"} if taken & {"我", "我们"} else set()
    taken |= {"他", "他们", "她"} if taken & {"他", "他们", "她"} else set()
    while True:
        trial = Notes(notes.random)
        who = somebody(trial, simple=simple)
        if not taken & {word.word for word in who.zh} - {
            "的",
            "这",
            "那",
            "这些",
            "那些",
            "个",
            "位",
            "们",
        }:
            notes.phenomena |= trial.phenomena
            notes.combinations |= trial.combinations
            return who


def companion(notes: Notes, subject: Phrase) -> Phrase:
    """Draw a family member, other than the subject, who does it together with the subject."""
    taken = {word.word for word in subject.zh}
    while True:
        noun, owner = notes.pick(KIN), notes.pick(OWNERS)
        if noun.zh not in taken:
            return noun_phrase(notes, noun, owner=owner)


def adjective_for(notes: Notes, noun: Noun) -> str:
    """Draw a Chinese adjective that goes with a noun, or return an empty string if none does."""
    return notes.pick(noun.adjectives) if noun.adjectives else ""


def with_relative(notes: Notes, noun: Noun) -> Phrase:
    """Return people with a relative clause: who came yesterday, who likes music."""
    if notes.chance(0.5):
        verb, time = Zh("来"), Zh(notes.pick(TIMES["p"]))
        told = [En(word, (time,)) for word in WORDS[time.word][1].split()]
        notes.phenomena |= {"time", "irregular_verb"}
        return noun_phrase(notes, noun, relative=Place([time, verb], [En("came", (verb,)), *told]))
    liked, verb = generic(notes, notes.pick(SPECIAL["喜欢"].objects)), Zh("喜欢")
    notes.combinations.add(("喜欢", liked.noun.zh))
    clause = Place([verb, *liked.zh], [En("likes", (verb,)), *liked.en])
    return noun_phrase(notes, noun, relative=clause)


def generic(notes: Notes, zh: str) -> Phrase:
    """Return a noun in general, without an article: apples, bread, music."""
    noun = NOUNS.get(zh) or EXTRA[zh]
    return noun_phrase(notes, noun, "*" if noun.plural else "0")


def something(
    notes: Notes, verb: Verb, *, known: bool = False, short: bool = False, shown: bool = False
) -> Phrase:
    """Draw an object for a verb.

    Known asks for one particular thing (the, this, my), shown for a number or 这 or 那, and short
    for no relative clause.
    """
    noun = NOUNS[notes.pick([zh for zh in verb.objects.split() if zh in NOUNS])]
    dice = notes.random.random()
    if shown:
        dice = 0.5 if known else 0.36 + 0.64 * dice
    adjective = adjective_for(notes, noun) if verb.zh != "写" and notes.chance(0.3) else ""
    is_owned = noun.zh not in FIXED.split() and verb.zh not in ("写", "买", "看见")
    determiner, by = _determiner(notes, noun, dice, known=known or noun.kind == "place")
    if by == "owner" and is_owned:
        return noun_phrase(notes, noun, "", adjective, owner=owner(notes))
    if by == "relative" and is_owned and not short and noun.kind == "thing":
        return made_or_bought(notes, noun)
    return noun_phrase(notes, noun, determiner, adjective)


def _determiner(notes: Notes, noun: Noun, dice: float, *, known: bool) -> tuple[str, str]:
    """Choose between the, this, my, that I bought, many and three."""
    if known:
        shares = (0.45, "", ""), (0.75, "这 那", ""), (1.0, "", "owner")
    else:
        several = "这些 那些 很多" if noun.plural else "一"
        shares = (
            (0.12, "", ""),
            (0.25, "", "owner"),
            (0.35, "", "relative"),
            (0.5, "这 那", ""),
            (0.62, several, ""),
            (1.0, "一 一 一 两 三 四", ""),
        )
    determiners, by = next((words, by) for share, words, by in shares if dice < share)
    return notes.pick(determiners) if determiners else "", by


def owner(notes: Notes) -> str | Phrase:
    """Draw an owner: a Chinese pronoun, or a noun phrase."""
    return notes.pick(OWNERS) if notes.chance(0.6) else noun_phrase(notes, notes.pick(PEOPLE))


def made_or_bought(notes: Notes, noun: Noun) -> Phrase:
    """Return a thing with a relative clause: that the teacher bought, that I wrote."""
    verbs = [VERBS[zh] for zh in ("买", "写") if noun.zh in VERBS[zh].objects.split()]
    if not verbs:
        return noun_phrase(notes, noun, owner=owner(notes))
    verb = notes.pick(verbs)
    notes.combinations.add((verb.zh, noun.zh))
    notes.phenomena.add("irregular_verb")
    done = Zh(verb.zh)
    who = person(notes.pick(OWNERS)) if notes.chance(0.5) else somebody(notes, simple=True)
    clause = Place([*who.zh, done], [*who.en, En(verb.past, (done,))])
    return noun_phrase(notes, noun, relative=clause)


def place_for(notes: Notes, verb: Verb, subject: Phrase) -> Place:
    """Draw the place of an action; animals sleep and play in places of their own."""
    if subject.noun is not None and subject.noun.kind == "animal":
        zh = notes.pick(BEDS.get(subject.noun.zh, "树") + " 公园 花园")
        return locate(NOUNS[zh], "里" if zh in ("公园", "花园") else "下面")
    zh = notes.pick(PLACES[verb.zh])
    return locate(NOUNS.get(zh) or EXTRA[zh], "上" if zh in ("马路", "桥") else "里")


def circumstances(notes: Notes, verb: Verb, subject: Phrase, tenses: str, negative: float) -> dict:
    """Draw tense, time, place, company and denial, as keyword arguments of Clause.

    Tenses are the letters of Clause.aspect to choose from; negative is the probability of a denial.
    """
    aspect = notes.pick(tuple(tenses))
    settings: dict = {"aspect": aspect}
    denied = notes.chance(negative)
    if aspect == "p" and denied:
        settings["negative"] = notes.pick("没有 没有 没")
    elif aspect in "fh" and denied:
        settings["negative"] = "不"
    elif aspect == "h" and notes.chance(0.3):
        settings["often"] = True
    share = {"p": 0.5, "f": 0.4, "g": 0.2, "h": 0.0 if denied or "often" in settings else 1.0}
    if notes.chance(share[aspect]):
        times = TIMES if verb.zh in LASTING.split() else DAYS
        # "Yesterday those who came last week …" is hard to read.
        is_simple = "的" not in [word.word for word in subject.zh]
        early = notes.chance(0.4) and is_simple
        settings |= {"time": notes.pick(times[aspect]), "early": early}
    is_animal = subject.noun is not None and subject.noun.kind == "animal"
    if (verb.zh in PLACES or (is_animal and verb.zh in ["睡觉", "玩"])) and notes.chance(0.35):
        settings["place"] = place_for(notes, verb, subject)
    elif not is_animal and verb.zh in TOGETHER.split() and notes.chance(0.2):
        settings["companion"] = companion(notes, subject)
    return settings
