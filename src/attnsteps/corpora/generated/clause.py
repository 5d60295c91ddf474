"""Clauses in two languages at once: Chinese order and particles, English tense and agreement."""

from typing import NamedTuple

from attnsteps.corpora.generated.lexicon import WORDS, Verb
from attnsteps.corpora.generated.phrases import En, Notes, Phrase, Place, Zh, be, is_plural

ASPECTS = {"p": "past", "f": "future", "g": "progressive", "h": "habit", "s": "state", "w": "want"}


class Style(NamedTuple):
    """The choices of a translator where several translations are correct."""

    time_first: bool = False  # "yesterday the boy …"
    passive: bool = False  # where that is possible: "… was bought by the boy"


PLAIN = Style()


class Clause:
    """One clause in both languages: who does what, when, where.

    Its notes record the phenomena that it shows and its verb with its object.
    """

    def __init__(
        self,
        notes: Notes,
        subject: Phrase,
        verb: Verb,
        aspect: str,  # a key of ASPECTS
        *,
        object: Phrase | None = None,
        negative: str = "",  # 没有, 没, 不, or nothing
        time: str = "",  # a Chinese adverb
        early: bool = False,  # the time comes before the Chinese subject
        often: bool = False,  # 经常
        place: Place | None = None,  # without 在
        companion: Phrase | None = None,
        ba: bool = False,  # 把 moves the Chinese object to the front
        recipient: Phrase | None = None,  # who is given or taught the object
        goal: Place | None = None,  # where somebody or something goes
        # What makes it a question: 吗, 谁 (the subject), 什么 or 几 (in the object), 哪里 (the
        # place or goal), 什么时候, 为什么.
        asks: str = "",
    ) -> None:
        self.notes, self.subject, self.verb, self.aspect = notes, subject, verb, aspect
        self.object, self.negative, self.asks = object, negative, asks
        self.time, self.early, self.often, self.ba = time, early, often, ba
        self.place, self.goal, self.companion, self.recipient = place, goal, companion, recipient
        words = {
            "time": self.time,
            "why": self.asks if self.asks in ("什么时候", "为什么") else "",
            "often": "经常" if self.often else "",
            "not": self.negative,
            "future": "会" if self.aspect == "f" else "",
            "progressive": "正在" if self.aspect == "g" else "",
            "want": "想" if self.aspect == "w" else "",
            "verb": self.verb.zh,
            "le": "了" if self.aspect == "p" and not self.negative else "",
            "ask": "吗" if self.asks == "吗" else "",
            "mark": "？" if self.asks else "",
            **({"with": "和", "together": "一起"} if self.companion else {}),
        }
        self.words = {key: Zh(word) for key, word in words.items() if word}
        self._note()

    def _note(self) -> None:
        """Record the phenomena that this clause shows."""
        notes = self.notes
        if self.object is not None and self.object.noun is not None:
            notes.combinations.add((self.verb.zh, self.object.noun.zh))
        shown = {
            "time": self.time,
            "place": self.place,
            "companion": self.companion,
            "ba": self.ba,
            "double_object": self.recipient and not self.ba,
            "le": "le" in self.words,
            "negation_mei": self.negative in ("没有", "没"),
            "negation_bu": self.negative == "不",
            "question_ma": self.asks == "吗",
            "question_word": self.asks not in ("", "吗"),
            "irregular_verb": self._is_irregular(),
            ASPECTS[self.aspect]: True,
        }
        notes.phenomena |= {name for name, is_shown in shown.items() if is_shown}

    def _is_irregular(self) -> bool:
        """Tell whether English shows a past tense that does not end in -ed."""
        return "le" in self.words and not self.inverts and not self.verb.past.endswith("ed")

    @property
    def inverts(self) -> bool:
        """Tell whether English puts an auxiliary before the subject."""
        return self.asks not in ("", "谁")

    @property
    def zh(self) -> list[Zh]:
        """The Chinese words in their order."""
        w, some = self.words, self._some
        zh = some("time") if self.early else []
        zh += self.subject.zh
        zh += some("why", "often", "not", "future", "progressive", "want")
        if not self.early:
            at = len(self.subject.zh)
            zh[at:at] = some("time")
        if self.companion:
            zh += [w["with"], *self.companion.zh, w["together"]]
        if self.place:
            # 正在 and 在 become one: 正在公园里, "is … in the park".
            zh += [] if self.aspect == "g" and not self.companion else [Zh("在")]
            zh += self.place.zh
        if self.ba:
            zh += [Zh("把"), *self.object.zh]
        zh.append(w["verb"])
        if self.goal and self.ba:  # 放在桌子上了, but 去了图书馆
            zh += self.goal.zh
        zh += some("le")
        zh += self.goal.zh if self.goal and not self.ba else []
        zh += self.recipient.zh if self.recipient else []
        zh += self.object.zh if self.object and not self.ba else []
        return [*zh, *some("ask", "mark")]

    def _some(self, *keys: str) -> list[Zh]:
        """Return the Chinese words with these keys, leaving out those that this clause lacks."""
        return [self.words[key] for key in keys if key in self.words]

    def _verb(self, *, passive: bool) -> tuple[list[En], list[En]]:
        """Return the auxiliary that a question puts first, and the rest of the verb."""
        verb, w = self.verb, self.words
        links = (w["verb"], w["le"]) if "le" in w else (w["verb"],)
        not_ = (w["not"],) if "not" in w else ()
        who = (self.object if passive else self.subject).pronoun
        base, participle = En(verb.base, links), En(verb.participle, links)
        is_third = not is_plural(who) and who != "i"
        finite = verb.third if is_third else verb.base
        if "want" in w:
            links = (w["want"],)
            base, finite = En("want", links), "wants" if is_third else "want"
        if self.aspect == "f":
            aux = [En("will", (w["future"],))]
            main = [En("be"), participle] if passive else [base]
        elif self.aspect == "g":
            aux, main = [En(be(who, past=False), (w["progressive"],))], [En(verb.ing, links)]
        elif passive:
            aux, main = [En(be(who, past=True))], [participle]
        elif not_ or self.inverts:
            present = "does" if is_third else "do"
            ma = (w["ask"],) if "ask" in w else ()
            aux = [En("did" if self.aspect == "p" else present, not_ or ma)]
            main = [base]
        else:
            aux, main = [], [En(verb.past if self.aspect == "p" else finite, links)]
        main = [En("not", not_), *main] if not_ else main
        if "often" in w:
            main = [*main[:-1], En("often", (w["often"],)), main[-1]]
        if "want" in w:
            main = [*main, En("to"), En(verb.base, (w["verb"],))]
        return aux, main

    def _asked(self) -> list[En]:
        """Return the English words at the start of a question with a question word."""
        if self.asks in ("什么", "几"):
            return self.object.en
        if self.asks == "哪里":
            return [En("where", tuple((self.place or self.goal).zh))]
        if "why" in self.words:
            return [En(WORDS[self.asks][1], (self.words["why"],))]
        return []

    def en(self, style: Style = PLAIN) -> list[En]:
        """Return the English words in their order, in one of the correct styles."""
        passive = style.passive and self.can_be_passive
        aux, main = self._verb(passive=passive)
        subject = self.object.en if passive else self.subject.en
        time = WORDS[self.time][1].split() if self.time else []
        when = [En(word, (self.words["time"],)) for word in time]
        early = style.time_first and not self.asks
        en = when if early else []
        en = (
            [*en, *self._asked(), *aux, *subject, *main]
            if self.inverts
            else [*en, *subject, *aux, *main]
        )
        if passive:
            en = [*en, En("by"), *self.subject.objective]
        elif self.recipient and not self.ba:
            en = [*en, *self.recipient.objective, *self.object.objective]
        elif self.object and self.asks not in ("什么", "几"):
            en = [*en, *self.object.objective]
        if self.recipient and self.ba:
            en = [*en, En("to", (self.words["verb"],)), *self.recipient.objective]
        en = [*en, *self.goal.en] if self.goal else en
        if self.companion:
            links = (self.words["with"], self.words["together"])
            en = [*en, En("with", links), *self.companion.objective]
        en = [*en, *self.place.en] if self.place else en
        en = en if early else [*en, *when]
        return [*en, En("?", (self.words["mark"],))] if self.asks else en

    @property
    def can_be_passive(self) -> bool:
        """Tell whether English can put this clause into the passive."""
        return (
            self.object is not None
            and self.object.noun is not None
            and self.aspect in ("p", "f")
            and not (self.recipient or self.goal or self.companion or self.asks)
        )
