"""Sentences that say what somebody or something is like: plain, denied, asked, compared."""

from attnsteps.corpora.generated.choices import FIXED, KIN, OTHERS, OWNERS, PEOPLE, somebody
from attnsteps.corpora.generated.lexicon import ADJECTIVES, NOUNS, WORDS, Noun
from attnsteps.corpora.generated.phrases import (
    En,
    Notes,
    Phrase,
    Zh,
    be,
    noun_phrase,
    person,
    predicate,
)
from attnsteps.corpora.generated.spoken import Sentence

STATES = "累 困 饿 渴 忙 高兴"  # these pass, so a time can go with them
TRAITS = "高 聪明 善良"
WELCOME = "聪明 善良 漂亮 高兴 便宜 新 快"
COLOURS = ("红", "白", "黑")

#: Groups of nouns that are compared with each other, and the adjectives to compare them by.
COMPARED = (
    ("男孩 女孩 男人 女人 孩子 老师 学生 医生", "高 聪明"),
    ("猫 狗 鸟 马 羊 老鼠", "大 小 聪明 漂亮 快"),
    ("桌子 椅子 箱子 床", "大 小 重 贵 便宜 新 旧 漂亮"),
    ("外套 裙子", "贵 便宜 新 旧 漂亮"),
    ("车", "快 贵 便宜 新 旧 漂亮 大 小"),
    ("马路 桥 河", "宽 长 危险"),
    ("房间 厨房 花园", "大 小 漂亮"),
    ("公园 学校 图书馆 商店", "大 小 新 旧"),
    ("书 信 电影", "长 难"),
    ("苹果 蛋糕 面包 鱼 鸡蛋", "便宜 贵"),
)


def traits(zh: str) -> list[str]:
    """Return the Chinese adjectives that fit a noun, except colours, which need another pattern."""
    compared = " ".join(words for nouns, words in COMPARED if zh in nouns.split())
    words = [*NOUNS[zh].adjectives.split(), *compared.split()]
    return [word for word in dict.fromkeys(words) if word not in COLOURS]


def describe(notes: Notes) -> Sentence:
    """Draw a sentence that says or asks whether somebody or something is tired, big, expensive."""
    notes.phenomena.add("predicate")
    way = notes.pick("很 很 太 不 吗")
    when = ""
    if notes.chance(0.45):
        subject, adjective = somebody(notes, simple=True, asked=way == "吗"), notes.pick(STATES)
        when = notes.pick(("", "昨天", "今天", "明天", "现在"))
    elif notes.chance(0.75):
        subject = _thing(notes)
        adjective = notes.pick(traits(subject.noun.zh))
    else:
        subject, adjective = _one(notes, asked=way == "吗"), notes.pick(TRAITS)
    if way == "太" and adjective in WELCOME.split():
        way = "很"  # 太漂亮了 is praise, not "too beautiful"
    if subject.noun is not None:
        notes.combinations.add((adjective, subject.noun.zh))
    if when == "明天":
        way = "会"
    return _described(notes, subject, adjective, way, when)


def _described(notes: Notes, subject: Phrase, adjective: str, way: str, when: str) -> Sentence:
    """Build the sentence; way is 很 very, 太 too, 不 not, 吗 a question, or 会 will be."""
    time = [Zh(when)] if when else []
    word, degree, end = Zh(adjective), Zh("很"), Zh("吗")
    shown = {"吗": "question_ma", "不": "negation_bu", "会": "future"}
    notes.phenomena |= {shown[way]} if way in shown else set()
    notes.phenomena |= {"time"} if when else set()
    told = [En(w, (time[0],)) for w in WORDS[when][1].split()] if when else []
    is_ = be(subject.pronoun, past=when == "昨天")
    such = predicate(ADJECTIVES[adjective], word)
    if way == "吗":
        mark = Zh("？")
        zh = [*subject.zh, *time, word, end, mark]
        en = [En(is_, (end,)), *subject.en, *such, *told, En("?", (mark,))]
        return Sentence(notes, zh, lambda style: en)
    if way == "不":
        degree = Zh("不")
        zh, middle = [degree, word], [En(is_), En("not", (degree,)), *such]
    elif way == "太":
        degree = Zh("太")
        zh, middle = [degree, word, Zh("了")], [En(is_), En("too", (degree,)), *such]
    elif way == "会":
        will = Zh("会")
        zh = [will, degree, word]
        middle = [En("will", (will,)), En("be"), En("very", (degree,)), *such]
    else:
        zh, middle = [degree, word], [En(is_), En("very", (degree,)), *such]

    return Sentence(
        notes,
        [*subject.zh, *time, *zh],
        lambda style: (
            [*told, *subject.en, *middle] if style.time_first else [*subject.en, *middle, *told]
        ),
    )


def _one(notes: Notes, *, asked: bool) -> Phrase:
    """Draw one person to describe."""
    dice = notes.random.random()
    if dice < 0.3:
        return person(notes.pick(OTHERS if asked else OWNERS))
    if dice < 0.6:
        return noun_phrase(notes, notes.pick(KIN), owner=notes.pick(OWNERS))
    return noun_phrase(notes, notes.pick(PEOPLE), notes.pick("这 那 这些 那些"))


def _thing(notes: Notes) -> Phrase:
    """Draw something to describe."""
    noun = NOUNS[notes.pick(notes.pick(COMPARED[1:])[0])]
    if noun.kind == "animal" or noun.zh in ("马路", "桥", "河") or noun.kind == "place":
        determiner = notes.pick(("", "这", "那", *(("这些", "那些") if noun.plural else ())))
        return noun_phrase(notes, noun, determiner)
    if notes.chance(0.35):
        return noun_phrase(notes, noun, owner=notes.pick(OWNERS))
    determiner = notes.pick(("这", "那", *(("这些", "那些") if noun.plural else ())))
    return noun_phrase(notes, noun, determiner)


def compare(notes: Notes) -> Sentence:
    """Draw a comparison: 猫比狗小, the cat is smaller; 猫没有狗大, it is not as big."""
    nouns, adjectives = notes.pick(COMPARED)
    adjective = notes.pick(adjectives)
    pair = _two(notes, nouns)
    for side in pair:
        if side.noun is not None:
            notes.combinations.add((adjective, side.noun.zh))
    notes.phenomena.add("comparative")
    one, other = pair
    word, is_ = Zh(adjective), En(be(one.pronoun, past=False))
    if notes.chance(0.65):
        than = Zh("比")
        such = predicate(ADJECTIVES[adjective], word, compared=True)
        en = [*one.en, is_, *such, En("than", (than,)), *other.en]
        return Sentence(notes, [*one.zh, than, *other.zh, word], lambda style: en)
    notes.phenomena.add("negation_mei")
    less = Zh("没有")
    such = [
        En("not", (less,)),
        En("as", (less,)),
        En(ADJECTIVES[adjective].en, (word,)),
        En("as", (less,)),
    ]
    en = [*one.en, is_, *such, *other.en]
    return Sentence(notes, [*one.zh, less, *other.zh, word], lambda style: en)


def _two(notes: Notes, nouns: str) -> tuple[Phrase, Phrase]:
    """Draw two things to compare: this one and that one, mine and yours, a cat and a dog."""
    first = NOUNS[notes.pick(nouns)]
    if first.kind == "person" and notes.chance(0.5):
        one = noun_phrase(notes, notes.pick(KIN), owner=notes.pick(OWNERS))
        return one, noun_phrase(notes, first, notes.pick("这 那"))
    way = notes.pick("same owners others others")
    if way == "same":
        return noun_phrase(notes, first, "这"), noun_phrase(notes, first, "那")
    if way == "owners" and first.kind == "thing" and first.zh not in FIXED.split():
        mine = notes.pick(OWNERS)
        yours = notes.pick([zh for zh in OWNERS.split() if zh != mine])
        return noun_phrase(notes, first, owner=mine), noun_phrase(notes, first, owner=yours)
    if nouns == first.zh:
        return noun_phrase(notes, first, "这"), noun_phrase(notes, first, "那")
    second = NOUNS[notes.pick([zh for zh in nouns.split() if zh != first.zh])]
    if notes.chance(0.3):
        return noun_phrase(notes, first), noun_phrase(notes, second)
    return _side(notes, first), _side(notes, second)


def _side(notes: Notes, noun: Noun) -> Phrase:
    """Draw one side of a comparison: this, that, or somebody's."""
    is_owned = noun.kind == "thing" and noun.zh not in FIXED.split()
    if is_owned and notes.chance(0.5):
        return noun_phrase(notes, noun, owner=notes.pick(OWNERS))
    return noun_phrase(notes, noun, notes.pick("这 那"))
