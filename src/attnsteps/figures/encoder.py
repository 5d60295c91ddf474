"""The figures of chapter 13, in their order on the page: one layer, and a stack of them."""

from collections.abc import Sequence
from itertools import pairwise

from torch import Tensor
from torch.nn import functional

from attnsteps.diagrams import (
    Drawing,
    Piece,
    Wire,
    block,
    column,
    grid,
    matrix,
    named,
    row,
    space,
    word,
    words,
)
from attnsteps.figures.catalogue import gloss, say
from attnsteps.figures.shared import listed, with_axes
from attnsteps.running_example import Word

CARDS = {"orange": "query", "blue": "key", "green": "value", "pink": "target"}


def two_hops(shown: Sequence[Word], asks: int = 2, notes: int = 0, says: int = 6) -> Drawing:
    """Draw a sentence with two arrows: the subject finds its adjective, the verb its subject.

    Args:
        shown: the eight words.
        asks: where the verb is.
        notes: where its subject is.
        says: where the adjective is.
    """
    roles = {notes: "key", asks: "query", says: "value"}
    chips = [
        word(
            one.zh,
            gloss(one),
            name=f"w{i}",
            role=roles.get(i, "plain"),
            lit=i in roles,
        )
        for i, one in enumerate(shown)
    ]
    first, second = say("first look: what is said of me?"), say("second look: who does it?")
    label = words(say("first look:\nwhat is said of me?"), size=12, role="value")
    ask = Wire(f"w{asks}.bottom", f"w{notes}.bottom", second, arc=34, role="query")
    return Drawing(
        say("Two hops, in two looks"),
        say(
            "The Chinese sentence, word by word. In the first look an arrow runs from {notes} to "
            "{says}: what is said of me? In the second look an arrow runs from {asks} to {notes}: "
            "who does it?",
            notes=gloss(shown[notes]),
            says=gloss(shown[says]),
            asks=gloss(shown[asks]),
        ),
        column(space(0, 56), row(*chips, gap=9), space(0, 56), gap=4),
        column(
            space(0, 46),
            row(*chips[:4], gap=12),
            row(space(150), label, gap=0),
            row(*chips[4:], gap=12),
            gap=14,
        ),
        wires=[Wire(f"w{notes}.top", f"w{says}.top", first, arc=-40, role="value"), ask],
        tall_wires=[
            Wire(f"w{notes}.bottom", f"w{says}.top", role="value"),
            Wire(f"w{asks}.top", f"w{notes}.top", second, arc=-30, role="query"),
        ],
    )


# One layer, with a pencil ------------------------------------------------------------------------


def _upward(lines: list[tuple[str, list[Piece]]], axes: Sequence[str], gap: float) -> Piece:
    """Put lines of pieces above one another, each with its label; the first comes lowest."""
    labels, pieces = zip(*lines[::-1], strict=True)
    names = column(*(words(axis, size=12, quiet=True) for axis in axes), gap=3.8, align="right")
    tall = [line[0].height > 20 * len(axes) for line in pieces]
    parts = []
    for label, line, is_tall in zip(labels, pieces, tall, strict=True):
        cells = [names if is_tall else space(names.width), *line]
        widths = [space(names.width), *(space(66) for _ in line)]
        parts.append(
            column(
                words(label, size=12, bold=True, quiet=True) if label else space(0, 0),
                grid([cells, widths], gap=(8, 0)),
                gap=3,
                align="left",
            )
        )
    return column(*parts, gap=gap, align="left")


def _on_the_stream(
    values: Tensor, role: str, name: str, *, beside: bool = False, **settings: object
) -> Piece:
    """Draw one word's vector, (D,), over the line of its stream, or beside that line."""
    drawn = named(name, matrix(values[:, None], role, cell=(44, 20), **settings))
    rail = named(f"r-{name}", space(14, drawn.height))
    if beside:
        return row(rail, drawn, gap=6)
    return row(space(4, 0), _over(rail, drawn), gap=0)


def _over(rail: Piece, drawn: Piece) -> Piece:
    """Lay a vector over the place where the line of its stream runs."""

    def paint(sheet, x: float, y: float) -> None:
        rail.paint(sheet, x - 4, y)
        drawn.paint(sheet, x, y)

    return Piece(drawn.width + 16, drawn.height, paint)


def one_encoder_layer(
    x: Tensor, steps: Sequence[Tensor], shown: Sequence[Word], axes: Sequence[str]
) -> Drawing:
    """Draw the halves of an encoder layer with the numbers of some words, each with its stream.

    Args:
        x: the words' vectors, (S, D).
        steps: the weights of attention, (S, S); what it gives each word, (S, D); the hidden units,
            (S, Dff); what the feed-forward network gives each word, (S, D).
        shown: the words.
        axes: what the entries mean.
    """
    weights, found, hidden, noted = steps
    width = x.shape[1:]
    middle = functional.layer_norm(x + found, width, eps=0)
    out = functional.layer_norm(middle + noted, width, eps=0)
    every = (x, found, x + found, middle, hidden, noted, middle + noted, out)
    scale = max(float(values.abs().max()) for values in every)  # one shade, one size
    axes, count = [say(axis) for axis in axes], len(shown)

    def each(values: Tensor, role: str, name: str, digits: int, **more: object) -> list[Piece]:
        return [
            _on_the_stream(line, role, f"{name}{i}", digits=digits, limit=scale, **more)
            for i, line in enumerate(values)
        ]

    first = [
        ("", [word(one.zh, gloss(one)) for one in shown]),
        ("x (S, D)", each(x, "source", "x", 0)),
        (say("attention"), each(found, "context", "a", 0, beside=True)),
        (say("add"), each(x + found, "source", "s", 0)),
        (say("norm: x′"), each(middle, "source", "y", 2)),
    ]
    second = [
        ("x′ (S, D)", each(middle, "source", "z", 2)),
        (say("hidden units"), each(hidden, "plain", "h", 0, beside=True)),
        (say("feed-forward"), each(noted, "context", "f", 0, beside=True)),
        (say("add"), each(middle + noted, "source", "t", 2)),
        (say("norm: output"), each(out, "source", "o", 2)),
    ]
    gather = column(words(say("first half: gather"), bold=True), _upward(first, axes, 24), gap=12)
    then = words(say("second half: each word alone"), bold=True)
    alone = column(then, _upward(second, axes, 24), gap=12)
    wires = []
    for i in range(count):
        wires += [
            Wire(f"r-{a}{i}.top", f"r-{b}{i}.bottom", role="source", thick=True)
            for half in ("xsy", "zto")
            for a, b in pairwise(half)
        ]
        wires += [
            Wire(f"x{j}.top", f"a{i}.bottom", role=role, thick=thick)
            for low, high, role, thick in ((0.1, 0.9, "plain", False), (0.9, 2, "context", True))
            for j in range(count)
            if low < weights[i, j] <= high
        ]
        steps = (("a", "s"), ("z", "h"), ("h", "f"), ("f", "t"))
        wires += [Wire(f"{a}{i}.top", f"{b}{i}.bottom", role="context") for a, b in steps]
    one, its = gloss(shown[0]), gloss(shown[int(weights[0].argmax())])
    return Drawing(
        say("One encoder layer and its residual streams, with numbers"),
        say(
            "{words}, each with a thick line upward. {one} is {x}; attention gives it {found}, "
            "from {its}; the sum is {total}, and the norm makes {middle}. A hidden unit is on, the "
            "feed-forward network adds {noted}, and the second norm makes {out}. For the other "
            "words no hidden unit is on.",
            words=", ".join(gloss(each) for each in shown),
            one=one,
            its=its,
            x=listed(x[0]),
            found=listed(found[0]),
            total=listed((x + found)[0]),
            middle=listed(middle[0], 2),
            noted=listed(noted[0]),
            out=listed(out[0], 2),
        ),
        row(gather, alone, gap=60, align="bottom"),
        column(alone, gather, gap=34),
        wires=wires,
    )


# Two looks ---------------------------------------------------------------------------------------


def two_rounds(
    rounds: Sequence[tuple[Sequence[Tensor], Sequence[Tensor]]],
    doers: Sequence[int],
    shown: Sequence[Word],
    axes: Sequence[str],
) -> Drawing:
    """Draw what the words of some sentences know before, between and after two layers.

    Args:
        rounds: of each sentence the words' entries of interest, (S, E), at first and after each
            layer, and the weights of attention in each layer, (S, S).
        doers: who does it, in each sentence.
        shown: the words; looks at another word are drawn, those of the last one in another colour.
        axes: what the entries mean.
    """
    axes, last = [say(axis) for axis in axes], len(shown) - 1
    scale = max(float(state.abs().max()) for states, _ in rounds for state in states)

    def one(k: int) -> Piece:
        names = column(*(words(axis, size=12, quiet=True) for axis in axes), gap=4.8)
        lines, labels = [], []
        for n, state in enumerate(rounds[k][0]):
            drawn = [
                named(
                    f"{k}{n}{i}",
                    matrix(
                        line[:, None],
                        "value" if i == last else "source",
                        digits=2 if n else 0,
                        limit=scale,
                        cell=(42, 21),
                    ),
                )
                for i, line in enumerate(state)
            ]
            lines.append([names, *drawn])
            labels.append(say("after layer {n}", n=n) if n else "x")
        heads = [
            words(f"{each.zh}\n{gloss(each)}", size=12, bold=i in (doers[k], last))
            for i, each in enumerate(shown)
        ]
        parts = [
            column(
                words(label, size=12, bold=True, quiet=True),
                grid([line], gap=(6, 0)),
                gap=3,
                align="left",
            )
            for label, line in zip(labels[::-1], lines[::-1], strict=True)
        ]
        widths = [space(names.width), *(space(44) for _ in shown)]
        under = grid([[space(names.width), *heads], widths], gap=(6, 0))
        title = words(say("the doer: {who}", who=gloss(shown[doers[k]])), bold=True)
        return column(title, column(*parts, gap=30), under, gap=8)

    wires = []
    for k, (_, weights) in enumerate(rounds):
        for n, each in enumerate(weights):
            for i in range(len(shown)):
                key, role = int(each[i].argmax()), "query" if i == last else "value"
                if key != i and each[i, key] > 0.9:
                    wires.append(Wire(f"{k}{n}{key}.top", f"{k}{n + 1}{i}.bottom", role=role))
    ends = [states[-1][last] for states, _ in rounds]
    return Drawing(
        say("Two hops in two layers"),
        say(
            "What {words} have for {entries}, before, between and after two layers. {all}",
            words=", ".join(gloss(each) for each in shown),
            entries=", ".join(axes),
            all=" ".join(
                say(
                    "Where {who} is the doer, {last} looks at {who} in both layers, and has "
                    "{between} after the first and {end} after the second.",
                    who=gloss(shown[doer]),
                    last=gloss(shown[last]),
                    between=listed(states[1][last], 2),
                    end=listed(end, 2),
                )
                for doer, (states, _), end in zip(doers, rounds, ends, strict=True)
            ),
        ),
        row(*(one(k) for k in range(len(rounds))), gap=34),
        column(*(one(k) for k in range(len(rounds))), gap=30),
        wires=wires,
    )


# Six children in a circle ------------------------------------------------------------------------


def six_children(
    numbers: Sequence[int], cards: Sequence[int], hats: Sequence[str], way: Sequence[int]
) -> Drawing:
    """Draw children with numbers, cards and hats, and the way that two cards lead.

    Args:
        numbers: the children's, around the circle.
        cards: the number on each one's card.
        hats: the colour of each one's hat.
        way: the numbers of the child at the start and of the two that its cards lead to.
    """
    children = [
        column(
            block(say(hat), CARDS[hat], name=f"h{number}", width=62, height=24),
            word(
                say("child {n}", n=number),
                say("card {n}", n=card),
                name=f"k{number}",
                lit=number in way,
            ),
            gap=2,
        )
        for number, card, hat in zip(numbers, cards, hats, strict=True)
    ]
    start, over, end = way
    names = say("first card"), say("second card")
    return Drawing(
        say("Six children: numbers, cards and hats"),
        say(
            "Six children: {children}. Arrows lead from child {start} to child {over}, and from "
            "child {over} to child {end}, whose hat is {hat}.",
            children="; ".join(
                say("{number} holds card {card} and wears {hat}", number=n, card=c, hat=say(h))
                for n, c, h in zip(numbers, cards, hats, strict=True)
            ),
            start=start,
            over=over,
            end=end,
            hat=say(hats[numbers.index(end)]),
        ),
        column(row(*children, gap=30), space(0, 52), gap=4),
        column(row(*children[:3], gap=34), row(*children[3:], gap=34), gap=84),
        wires=[
            Wire(f"k{start}.bottom", f"k{over}.bottom", names[0], arc=30),
            Wire(f"k{over}.bottom", f"k{end}.bottom", names[1], arc=30),
        ],
        tall_wires=[
            Wire(f"k{start}.bottom", f"k{over}.bottom", say("1st"), arc=12),
            Wire(f"k{over}.bottom", f"h{end}.top", say("2nd")),
        ],
    )


# What do the children note? -----------------------------------------------------------------------


def three_plans(way: Sequence[int], cards: Sequence[int]) -> Drawing:
    """Draw three ways to follow two cards in two looks, by what the first look's note is.

    Args:
        way: the numbers of the child at the start and of the two that its cards lead to.
        cards: the three children's cards.
    """
    start, over, end = way
    plans = {
        "v": (
            say("as a value"),
            (over, end),
            say("first: note its hat"),
            over,
            say("second: take the note"),
        ),
        "q": (
            say("as a query"),
            (start, over),
            say("first: note “card {n}”", n=end),
            end,
            say("second: who is number {n}?", n=end),
        ),
        "k": (
            say("as a key"),
            (end, over),
            say("first: note “{n}”", n=over),
            end,
            say("second: who has noted {n}?", n=over),
        ),
    }

    def drawn(gap: float) -> Piece:
        parts = []
        for key, (title, *_) in plans.items():
            chips = [
                word(say("child {n}", n=n), say("card {n}", n=c), name=f"{key}{n}", lit=n == start)
                for n, c in zip(way, cards, strict=True)
            ]
            parts += [words(title, bold=True), space(0, 28), row(*chips, gap=gap), space(0, 50)]
        return column(*parts[:-1], space(0, 34), gap=4)

    wires = []
    for key, (_, (reader, read), note, found, ask) in plans.items():
        first, second = {"arc": -16, "role": "value"}, {"arc": 16, "role": "query"}
        wires += [
            Wire(f"{key}{reader}.top", f"{key}{read}.top", note, **first),
            Wire(f"{key}{start}.bottom", f"{key}{found}.bottom", ask, **second),
        ]
    return Drawing(
        say("Three plans to follow two cards"),
        say(
            "Children {start}, {over} and {end}, three times. As a value: first {over} looks at "
            "{end} and notes its hat; then {start} looks at {over}. As a query: first {start} "
            "looks at {over} and notes its card; then it looks at {end}. As a key: first {end} "
            "looks back at {over} and notes its number; then {start} looks straight at {end}.",
            start=start,
            over=over,
            end=end,
        ),
        drawn(150),
        drawn(44),
        wires=wires,
    )


def where_two_layers_look(
    first: Tensor, second: Tensor, numbers: Sequence[int], cards: Sequence[int]
) -> Drawing:
    """Draw the weights of the only head of two layers, (S, S) each; those below 0.1 as 0."""

    def looks(weights: Tensor, label: str, role: str) -> Piece:
        table = matrix(
            weights.where(weights >= 0.1, 0),
            role,
            rows=[say("{n} (card {c})", n=n, c=c) for n, c in zip(numbers, cards, strict=True)],
            columns=[str(number) for number in numbers],
            digits=2,
            limit=1,
            cell=(36, 26),
        )
        return column(words(label, bold=True), with_axes(table), gap=4)

    def seen(weights: Tensor) -> str:
        keys = weights.argmax(-1).tolist()
        pairs = zip(numbers, (numbers[key] for key in keys), strict=True)
        return ", ".join(say("{n} at {key}", n=n, key=key) for n, key in pairs)

    tables = [looks(first, say("layer 1"), "value"), looks(second, say("layer 2"), "query")]
    return Drawing(
        say("Where the two layers look"),
        say(
            "Two tables of weights; rows are queries, columns keys. The greatest weight of each "
            "row: in layer 1 child {first}; in layer 2 child {second}.",
            first=seen(first),
            second=seen(second),
        ),
        row(*tables, gap=30),
        column(*tables, gap=18),
    )


# Six layers --------------------------------------------------------------------------------------


def a_stack(first: Sequence[Tensor], count: int = 6) -> Drawing:
    """Draw a stack whose layers have parameters of their own and share a mask.

    Args:
        first: some parameters of layers 1, 2 and the last, (n,) each.
        count: of layers.
    """
    places = (count - 1, None, 1, 0)

    def stack(gap: float) -> Piece:
        left = [block(say("memory"), "source", name="memory", width=80)]
        right = [words(say("parameters"), size=12, role="query")]
        for number in places:
            if number is None:
                left.append(named("dots", words("⋮")))
                right.append(words("⋮"))
                continue
            look = {"kind": "parameter", "digits": None, "cell": (20, 26)}
            left.append(block(say("layer {n}", n=number + 1), name=f"l{number}", width=80))
            right.append(matrix(first[min(number, 2)][None], "query", name=f"p{number}", **look))
        left.append(block("x", "source", name="x", width=80))
        right.append(space())
        body = grid([[a, b] for a, b in zip(left, right, strict=True)], gap=(gap, 30))
        return row(block(say("mask"), name="mask"), body, gap=gap)

    chain = ["x", "l0", "l1", "dots", f"l{count - 1}", "memory"]
    wires = [Wire(f"{a}.top", f"{b}.bottom", "(S, D)", role="source") for a, b in pairwise(chain)]
    for n in (0, 1, count - 1):
        wires += [Wire(f"p{n}.left", f"l{n}.right", role="query"), Wire("mask.right", f"l{n}.left")]
    return Drawing(
        say("A stack of layers"),
        say(
            "x, of shape S by D, goes up through layers 1, 2 and so on to {n}, and comes out as "
            "the memory, S by D again. Each layer has parameters of its own, and all get the same "
            "mask.",
            n=count,
        ),
        stack(60),
        stack(34),
        wires=wires,
    )
