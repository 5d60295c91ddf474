"""Who, what, when, where: drawn by chance, within what makes sense."""

from attnsteps.text.lexicon import EXTRA, NOUNS, SPECIAL, VERBS, WORDS, Noun, Verb
from attnsteps.text.phrases import En, Notes, Phrase, Place, Zh, locate, noun_phrase, person

PEOPLE = [noun for noun in NOUNS.values() if noun.kind == "person"]
KIN = [noun for noun in NOUNS.values() if noun.kind == "kin"]
ANIMALS = [noun for noun in NOUNS.values() if noun.kind == "animal"]
CHILDREN = [NOUNS[zh] for zh in ("男孩", "女孩", "孩子", "学生")]
OWNERS = "我 你 他 她 我们 他们"
OTHERS = "你 他 她 他们"
FIXED = "马路 河 桥 树 公园 电影"  # nobody's

#: By tense: when. What takes a moment happens on a day, not "last year".
DAYS = {"p": "昨天 今天", "f": "明天 今天", "g": "现在", "h": "每天"}
TIMES = {
    "p": "昨天 今天 上个星期 去年",
    "f": "明天 今天 下个星期 明年",
    "g": "现在",
    "h": "每天 每个星期",
}
LASTING = "买 卖 写 修 找到 看见 来 去 教 看"

#: Where things are done.
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
    """Draw who does it: a pronoun, one of the family, people, or an animal.

    Args:
        notes: where chance comes from.
        doers: the kinds that may do it: person, child, animal.
        simple: True for one without adjectives and relative clauses.
        asked: True for a question: nobody asks what he does himself.

    Returns:
        The phrase.
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
    """Draw somebody who is not the subject, nor its owner, nor one of them.

    Args:
        notes: where chance comes from.
        subject: who does it.
        simple: as in somebody.

    Returns:
        The phrase.
    """
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
    """Draw one of the family who does it together with the subject, and is somebody else.

    Args:
        notes: where chance comes from.
        subject: who does it.

    Returns:
        The phrase.
    """
    taken = {word.word for word in subject.zh}
    while True:
        noun, owner = notes.pick(KIN), notes.pick(OWNERS)
        if noun.zh not in taken:
            return noun_phrase(notes, noun, owner=owner)


def adjective_for(notes: Notes, noun: Noun) -> str:
    """Draw an adjective that goes with a noun, or nothing where none does.

    Args:
        notes: where chance comes from.
        noun: the noun.

    Returns:
        A Chinese adjective.
    """
    return notes.pick(noun.adjectives) if noun.adjectives else ""


def with_relative(notes: Notes, noun: Noun) -> Phrase:
    """Return people with a relative clause: who came yesterday, who likes music.

    Args:
        notes: where chance comes from.
        noun: the people.

    Returns:
        The phrase.
    """
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
    """Return a kind of thing as such: apples, bread, music.

    Args:
        notes: where its phenomena are written down.
        zh: the Chinese noun.

    Returns:
        The phrase.
    """
    noun = NOUNS.get(zh) or EXTRA[zh]
    return noun_phrase(notes, noun, "*" if noun.plural else "0")


def something(
    notes: Notes, verb: Verb, *, known: bool = False, short: bool = False, shown: bool = False
) -> Phrase:
    """Draw what it is done to.

    Args:
        notes: where chance comes from.
        verb: what is done.
        known: True for one thing that is spoken of: the, this, my.
        short: True for one without a relative clause.
        shown: True for one with a number or with 这 or 那.

    Returns:
        The phrase.
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
    """Draw whose it is.

    Args:
        notes: where chance comes from.

    Returns:
        A Chinese pronoun, or somebody.
    """
    return notes.pick(OWNERS) if notes.chance(0.6) else noun_phrase(notes, notes.pick(PEOPLE))


def made_or_bought(notes: Notes, noun: Noun) -> Phrase:
    """Return a thing with a relative clause: that the teacher bought, that I wrote.

    Args:
        notes: where chance comes from.
        noun: the thing.

    Returns:
        The phrase.
    """
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
    """Draw where it is done.

    Args:
        notes: where chance comes from.
        verb: what is done.
        subject: who does it: an animal sleeps elsewhere.

    Returns:
        The place.
    """
    if subject.noun is not None and subject.noun.kind == "animal":
        zh = notes.pick(BEDS.get(subject.noun.zh, "树") + " 公园 花园")
        return locate(NOUNS[zh], "里" if zh in ("公园", "花园") else "下面")
    zh = notes.pick(PLACES[verb.zh])
    return locate(NOUNS.get(zh) or EXTRA[zh], "上" if zh in ("马路", "桥") else "里")


def circumstances(notes: Notes, verb: Verb, subject: Phrase, tenses: str, negative: float) -> dict:
    """Draw when, where and with whom something is done, and whether at all.

    Args:
        notes: where chance comes from.
        verb: what is done.
        subject: who does it.
        tenses: the letters to choose from; see Clause.aspect.
        negative: how often it is denied.

    Returns:
        Arguments of Clause.
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
        # "Yesterday those who came last week" would be read twice.
        is_simple = "的" not in [word.word for word in subject.zh]
        early = notes.chance(0.4) and is_simple
        settings |= {"time": notes.pick(times[aspect]), "early": early}
    is_animal = subject.noun is not None and subject.noun.kind == "animal"
    if (verb.zh in PLACES or (is_animal and verb.zh in ["睡觉", "玩"])) and notes.chance(0.35):
        settings["place"] = place_for(notes, verb, subject)
    elif not is_animal and verb.zh in TOGETHER.split() and notes.chance(0.2):
        settings["companion"] = companion(notes, subject)
    return settings
