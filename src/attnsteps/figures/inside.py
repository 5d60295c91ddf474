"""The figures of chapter 19, in their order on the page: looking into a trained model."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from attnsteps.diagrams import (
    Drawing,
    Piece,
    Wire,
    block,
    column,
    grid,
    matrix,
    row,
    space,
    word,
    words,
)
from attnsteps.figures.catalogue import say
from attnsteps.figures.shared import listed

#: Of each model, the mean log-odds and the share of right pronouns.
Scores = Sequence[tuple[float, float]]

_CHINESE = [
    ("女孩", "girl"),
    ("没有", "not"),
    ("过", "cross"),
    ("马路", "street"),
    ("因为", "because"),
    ("太", "too"),
    ("累", "tired"),
    ("了", "(state)"),
]
_ENGLISH = ["the", "girl", "did", "not", "cross", "the", "street", "because"]
_GIRL, _STREET, _ADJECTIVE = 0, 3, 6


def twins_that_differ_in_one_word() -> Drawing:
    """Draw the girl's sentence and its twin, with an arrow from each adjective to its noun."""
    twins = [("累", "tired", "she", _GIRL), ("宽", "wide", "it", _STREET)]

    def twin(n: int, *, tall: bool) -> Piece:
        zh, gloss, pronoun, own = twins[n]
        chips = [
            word(
                text,
                say(meaning),
                name=f"w{n}{i}",
                **({"role": "key", "lit": i == own} if i in (_GIRL, _STREET) else {}),
            )
            for i, (text, meaning) in enumerate(_CHINESE)
        ]
        chips[_ADJECTIVE] = word(zh, say(gloss), name=f"w{n}{_ADJECTIVE}", role="query", lit=True)
        if tall:
            chips = [chips[i] for i in (_GIRL, _STREET, _ADJECTIVE)]
        text = say(
            "… because {pronoun} was too {adjective}", pronoun=say(pronoun), adjective=say(gloss)
        )
        english = words(text, size=14, role="target", bold=True)
        return column(row(*chips, gap=9), space(0, 26), english, gap=6)

    return Drawing(
        say("Twins: one adjective changes, and so does the pronoun"),
        say(
            "Two Chinese sentences that differ in one word. From tired an arrow runs to girl, and "
            "English says she. From wide an arrow runs to street, and English says it."
        ),
        column(twin(0, tall=False), twin(1, tall=False), gap=22),
        column(twin(0, tall=True), twin(1, tall=True), gap=22),
        wires=[
            Wire(f"w{n}{_ADJECTIVE}.bottom", f"w{n}{own}.bottom", arc=24)
            for n, (*_, own) in enumerate(twins)
        ],
    )


def three_ways_to_meet() -> Drawing:
    """Draw the three kinds of attention by which tired may meet girl before the pronoun."""

    def arranged(source: Sequence[int], target: Sequence[int]) -> Piece:
        lit = ((_GIRL, _ADJECTIVE), (1, 7))
        return _source_and_target(_CHINESE, _ENGLISH, source, target, lit=lit)

    return Drawing(
        say("Three ways for tired to meet girl"),
        say(
            "The Chinese sentence below, the English words so far above. The place that reads "
            "because has to choose the pronoun, and an arrow from it down to the Chinese tired "
            "tells it the adjective. Arrow 1, in the encoder, runs from tired to girl. Arrow 2, "
            "among the English words, from because back to girl. Arrow 3, cross-attention, from "
            "because down to the Chinese girl."
        ),
        arranged(range(8), range(8)),
        arranged((_GIRL, _STREET, _ADJECTIVE), (1, 6, 7)),
        wires=[
            Wire("s6.bottom", "s0.bottom", say("1 encoder"), role="source", arc=28),
            Wire("t7.top", "t1.top", say("2 own words"), role="target", arc=-28),
            Wire("t7.bottom", "s0.top", say("3 cross-attention"), role="query"),
            Wire("t7.bottom", "s6.top", say("2, 3"), role="query"),
        ],
    )


def _source_and_target(
    chinese: Sequence[tuple[str, str]],
    english: Sequence[str],
    source: Sequence[int],
    target: Sequence[int],
    *,
    lit: tuple[Sequence[int], Sequence[int]],
    then: Sequence[Piece] = (),
    ends: tuple[float, float] = (44, 44),
    of: str = "",
) -> Piece:
    """Return these words of a sentence, its English words so far above it, and what comes then."""
    below = [
        word(chinese[i][0], say(chinese[i][1]), role="source", name=f"s{of}{i}", lit=i in lit[0])
        for i in source
    ]
    above = [
        word(say(english[i]), role="target", name=f"t{of}{i}", lit=i in lit[1]) for i in target
    ]
    return column(
        space(0, ends[0]),
        row(*above, *then, gap=12),
        space(0, 54),
        row(*below, gap=12),
        space(0, ends[1]),
        gap=4,
    )


def where_a_head_looks(words: Sequence[str], twins: Sequence[str], weights: Tensor) -> Drawing:
    """Draw how much a head looks at each Chinese word, for each of two twins.

    Args:
        words: the Chinese words, (S).
        twins: what each twin says.
        weights: the head's, (2, S).
    """
    shares = 100 * weights
    look = {"digits": 0, "limit": 100.0}
    told = "; ".join(
        say("{twin}: {shares}", twin=twin, shares=listed(row))
        for twin, row in zip(twins, shares, strict=True)
    )
    return Drawing(
        say("Where one head looks, in percent"),
        say("At the Chinese words in their order, for {told}.", told=told),
        matrix(shares, "weights", rows=twins, columns=words, cell=(64, 28), **look),
        matrix(
            shares.T,
            "weights",
            rows=[word.replace("\n", " ") for word in words],
            columns=twins,
            cell=(56, 26),
            **look,
        ),
    )


def how_often_each_head_prefers_the_right(points: Mapping[str, Tensor]) -> Drawing:
    """Draw in what share of the sentences each head prefers the right noun: part → (L, H)."""
    names = {
        "encoder": say("1 encoder"),
        "decoder": say("2 own words"),
        "cross": say("3 cross-attention"),
    }

    def tables(cell: tuple[float, float], *, tall: bool) -> list[Piece]:
        return [
            column(
                words(names[part], size=13, bold=True),
                matrix(
                    100 * shares,
                    "weights",
                    rows=[say("layer {n}", n=n + 1) for n in range(len(shares))]
                    if tall or part == "encoder"
                    else (),
                    columns=[f"H{h + 1}" for h in range(shares.shape[1])],
                    digits=0,
                    limit=130,
                    cell=cell,
                ),
                gap=4,
            )
            for part, shares in points.items()
        ]

    return Drawing(
        say("How often each head prefers the right noun, in percent"),
        "; ".join(
            say("{part}: {shares}", part=names[part], shares=listed(100 * shares.flatten(), 0))
            for part, shares in points.items()
        )
        + ".",
        row(*tables((46, 28), tall=False), gap=16),
        column(*tables((58, 28), tall=True), gap=12),
    )


def a_swap() -> Drawing:
    """Draw how what layer 1 found in one sentence is put into another."""
    sentences = [
        ("the man ate", "that piece of cake because …", "he"),
        ("the woman fed", "the horse because …", "?"),
    ]

    def steps(n: int, gap: float) -> Piece:
        return row(
            block(
                say("layer {n}", n=1),
                "query",
                name=f"one{n}",
                state=("lit", "coming")[n],
                width=66,
            ),
            block(say("layer {n}", n=2), "query", name=f"two{n}", width=66),
            block(sentences[n][2], "target", name=f"out{n}", width=52),
            gap=gap,
        )

    def text(n: int) -> Piece:
        return words("\n".join(sentences[n][:2]), size=13, role="target", bold=True)

    return Drawing(
        say("A swap of layer 1"),
        say(
            "Two sentences, and for each what cross-attention does at the pronoun's position: "
            "layer 1, then layer 2, then the pronoun. Above, that of the man runs as usual, and he "
            "comes out. Below, that of the woman: her own layer 1 hands on nothing. In its place "
            "an arrow brings what layer 1 found in the man's sentence to her layer 2. What comes "
            "out is the question."
        ),
        grid([[text(n), steps(n, 48)] for n in (0, 1)], gap=(20, 40)),
        column(text(0), steps(0, 40), space(0, 16), steps(1, 40), text(1), gap=8),
        wires=[
            Wire("one0.right", "two0.left"),
            Wire("two0.right", "out0.left", role="context"),
            Wire("one0.bottom", "two1.left", role="query", thick=True),
            Wire("two1.right", "out1.left", role="context"),
        ],
    )


def two_steps_to_the_pronoun() -> Drawing:
    """Draw how the shipped model finds the pronoun of the girl's sentence and of its twin."""
    twins = [("累", "tired", "she"), ("宽", "wide", "it")]

    def arranged(n: int, source: Sequence[int], target: Sequence[int], room: float = 0) -> Piece:
        zh, gloss, pronoun = twins[n]
        chinese = [*_CHINESE[:_ADJECTIVE], (zh, gloss), *_CHINESE[_ADJECTIVE + 1 :]]
        return _source_and_target(
            chinese,
            _ENGLISH,
            source,
            target,
            lit=((_GIRL, _ADJECTIVE) if n == 0 else (_ADJECTIVE,), (7,)),
            then=(word(pronoun, role="context", name=f"out{n}", lit=True), space(room, 0)),
            ends=(0, 10),
            of=str(n),
        )

    def wires(*found: str) -> list[Wire]:
        reads = [
            Wire(f"t{n}7.bottom", f"s{n}{_ADJECTIVE}.top", first, role="query")
            for n, first in enumerate(found)
        ]
        girl = Wire("t07.bottom", f"s0{_GIRL}.top", say("layer {n}", n=2), role="query")
        says = [Wire(f"t{n}7.right", f"out{n}.left", role="context") for n in (0, 1)]
        return [*reads, girl, *says]

    every, few = (range(8), range(8)), ((_GIRL, _STREET, _ADJECTIVE), (1, 6, 7))
    return Drawing(
        say("Two steps to the pronoun"),
        say(
            "The girl's sentence and its twin; all steps are taken at the place that reads "
            "because. Above, an arrow of both layers of cross-attention runs down to the Chinese "
            "tired, where layer 1 finds: FIRST. One of layer 2 runs down to the Chinese girl, and "
            "it says she. Below, both layers read wide, and layer 1 finds: NOT-FIRST. No arrow "
            "runs to girl or street, and it says it."
        ),
        column(*(arranged(n, *every, room=136) for n in (0, 1)), gap=22, align="left"),
        column(*(arranged(n, *few, room=46) for n in (0, 1)), gap=22, align="left"),
        wires=wires(say("layer 1: FIRST; layer 2, too"), say("layer 1: NOT-FIRST; layer 2, too")),
        tall_wires=wires(say("layer 1: FIRST"), say("layer 1: NOT-FIRST")),
    )


def what_the_girl_gets(answers: Mapping[str, Sequence[str]]) -> Drawing:
    """Draw the pronoun of the girl's sentence and of its twin after each intervention.

    Args:
        answers: by intervention, the pronoun with tired and with wide.
    """
    names = [say(name) for name in answers]

    def table(cell: tuple[float, float]) -> Piece:
        return matrix(
            [list(pair) for pair in answers.values()],
            "plain",
            rows=names,
            columns=[f"累 {say('tired')}", f"宽 {say('wide')}"],
            cell=cell,
        )

    return Drawing(
        say("The girl's pronoun, after one intervention"),
        "; ".join(
            say("{name}: tired {a}, wide {b}", name=name, a=a, b=b)
            for name, (a, b) in zip(names, answers.values(), strict=True)
        )
        + ".",
        table((92, 27)),
        table((64, 27)),
    )


def _cut(stories: str) -> str:
    return say("stories {n} cut", n=stories) if "+" in stories else say("story {n} cut", n=stories)


def in_five_models(scores: Mapping[str, Scores], *, odds: bool = True) -> Drawing:
    """Draw right pronouns, and log-odds, of each model, a row for each intervention.

    Args:
        scores: by intervention, what was found in each model.
        odds: whether the log-odds are drawn, too.
    """
    names = [_cut(name) if name[0] in "123" else say(name) for name in scores]
    of_odds = [[one for one, _ in each] for each in scores.values()]
    right = [[100 * share for _, share in each] for each in scores.values()]
    models = [str(n + 1) for n in range(len(right[0]))]

    def tables(cell: tuple[float, float], *, tall: bool) -> list[Piece]:
        shown = [(say("right in percent, by model"), right, "weights", 0, 200.0)]
        if odds:
            top = 2.0 * max(map(max, of_odds))
            shown.insert(0, (say("log-odds, by model"), of_odds, "context", 1, top))
        return [
            column(
                words(head, size=13, bold=True),
                matrix(
                    values,
                    role,
                    rows=names if tall or n == 0 else (),
                    columns=models,
                    digits=digits,
                    limit=limit,
                    cell=cell,
                ),
                gap=4,
                align="right",
            )
            for n, (head, values, role, digits, limit) in enumerate(shown)
        ]

    return Drawing(
        say("Five models, the same tests"),
        say("Five models; model 1 is the shipped one.")
        + " "
        + "; ".join(
            say(
                "{name}: log-odds {odds}, right {right} percent",
                name=name,
                odds=listed(a, 1),
                right=listed(b, 0),
            )
            if odds
            else say("{name}: right {right} percent", name=name, right=listed(b, 0))
            for name, a, b in zip(names, of_odds, right, strict=True)
        )
        + ".",
        row(*tables((46, 27), tall=False), gap=22, align="bottom"),
        column(*tables((30, 26), tall=True), gap=16, align="right"),
    )
