"""The figures of chapter 10, in their order on the page: positions."""

import math
from collections.abc import Sequence

from torch import Tensor

from attnsteps.diagrams import (
    Drawing,
    Piece,
    Wire,
    block,
    clock,
    column,
    grid,
    matrix,
    row,
    space,
    vector,
    words,
)
from attnsteps.diagrams.cells import in_digits
from attnsteps.figures.catalogue import gloss, say
from attnsteps.figures.shared import listed
from attnsteps.running_example import Word
from attnsteps.toy import AXES


def swapped_words_give_swapped_rows(
    before: Tensor, after: Tensor, shown: Sequence[Word], order: Sequence[int], lit: int
) -> Drawing:
    """Draw the contexts of some words, (T, Dv), and those after the words changed places.

    Args:
        before: contexts in the first order.
        after: contexts in the other order.
        shown: the words in the first order.
        order: the index of the word at each place of the other order.
        lit: the place of the word whose row is outlined in both.
    """
    names, axes = [gloss(one) for one in shown], [say(axis) for axis in AXES[4:]]

    def tables(cell: tuple[float, float], gap: float) -> Piece:
        look = {"columns": axes, "digits": 3, "limit": 1, "cell": cell, "lit": [lit]}
        first = matrix(before, "context", label=say("contexts"), rows=names, name="a", **look)
        second = matrix(after, "context", label=say("after the swap"), name="b", **look)
        labels = [row(space(0, cell[1]), words(names[i], size=12), gap=0) for i in order]
        side = column(*labels, space(0, 1), gap=0, align="left")
        return row(first, row(second, side, gap=6, align="bottom"), gap=gap, align="bottom")

    return Drawing(
        say("Swapped words give swapped rows"),
        say(
            "On the left the contexts of {words}, furry and paved; on the right those after the "
            "swap. A line leads from each row on the left to the same two numbers on the right. "
            "The row of {word} is {numbers} both times.",
            words=", ".join(names),
            word=names[lit],
            numbers=listed(before[lit], 3),
        ),
        tables((56, 28), 90),
        tables((46, 28), 24),
        wires=[
            Wire(f"a[{old}].right", f"b[{new}].left", role="context")
            for new, old in enumerate(order)
        ],
    )


# Clock hands -------------------------------------------------------------------------------------


def _dial(turns: float) -> Piece:
    """Draw a clock whose hand has turned clockwise from 12 o'clock."""
    return clock(math.pi / 2 - 2 * math.pi * turns, radius=20)


def two_clock_hands(tips: Tensor, periods: tuple[int, int]) -> Drawing:
    """Draw two hands at some places, and where their tips are.

    Args:
        tips: sine and cosine of the fast hand, then of the slow one, for each place: (T, 4).
        periods: after how many places each hand is back.
    """
    count = len(tips)

    def dials(labels: Sequence[str], cell: tuple[float, float], gap: float) -> Piece:
        heads = [
            words(say("place {p}", p=p) if cell[0] > 40 else str(p), size=12) for p in range(count)
        ]
        hands = [[_dial(p / period) for p in range(count)] for period in periods]
        numbers = [
            [
                vector(tips[p, c : c + 1], "position", digits=2, cell=cell, limit=1)
                for p in range(count)
            ]
            for c in range(4)
        ]
        return grid([heads, *hands, *numbers], labels=labels, gap=(gap, 4))

    long = [
        "",
        say("fast hand"),
        say("slow hand"),
        say("sine of the fast hand"),
        say("cosine of the fast hand"),
        say("sine of the slow hand"),
        say("cosine of the slow hand"),
    ]
    short = [
        say("place"),
        say("fast"),
        say("slow"),
        say("fast: sine"),
        say("cosine"),
        say("slow: sine"),
        say("cosine"),
    ]
    return Drawing(
        say("Two clock hands for {count} places", count=count),
        say(
            "The fast hand is back after {fast} places, the slow one after {slow}. Below the "
            "clocks are the sine and the cosine of the fast hand, then of the slow one: {first} at "
            "place 0; {second} at place 1.",
            fast=periods[0],
            slow=periods[1],
            first=listed(tips[0], 2),
            second=listed(tips[1], 2),
        ),
        dials(long, (46, 24), 14),
        dials(short, (38, 24), 6),
    )


# Word plus place ---------------------------------------------------------------------------------


def where_the_positions_come_in() -> Drawing:
    """Draw how word ids and places become the matrix that goes into the first layer."""

    def flow(*, tall: bool) -> Piece:
        ids = block(say("word ids"), name="ids")
        look_up = block(say("embedding, × √D") + tall * "\n(B, T, D)", "source", name="emb")
        places = block(say("places 0, 1, … T − 1"), name="t")
        waves = block(say("sines and cosines") + tall * "\n(T, D)", "position", name="pe")
        plus = block("+", "context", name="sum", width=34)
        layer = block(say("first layer"), "context", name="layer")
        if tall:
            above = (row(ids, places, gap=70), row(look_up, waves, gap=40))
            return column(*above, plus, layer, gap=34)
        left = grid([[ids, look_up], [places, waves]], gap=(54, 26))
        return row(left, row(plus, layer, gap=86), gap=96)

    inner = [Wire("ids", "emb", "(B, T)"), Wire("t", "pe", "(T)")]
    end = Wire("sum", "layer", "X (B, T, D)", "context")
    return Drawing(
        say("Where the positions come in"),
        say(
            "Word ids of shape (B, T) are looked up and multiplied by the root of D: (B, T, D). "
            "The places 0 to T − 1 become sines and cosines: (T, D). Their sum X, (B, T, D), goes "
            "into the first layer."
        ),
        flow(tall=False),
        flow(tall=True),
        wires=[
            *inner,
            Wire("emb.right", "sum.top", "(B, T, D)", "source", bent=True),
            Wire("pe.right", "sum.bottom", "(T, D)", "position", bent=True),
            end,
        ],
        tall_wires=[
            *inner,
            Wire("emb.bottom", "sum.left", "", "source", bent=True),
            Wire("pe.bottom", "sum.right", "", "position", bent=True),
            end,
        ],
    )


def word_plus_place(
    x: Tensor, p: Tensor, read: tuple[Tensor, Tensor], shown: Word, few: int = 4
) -> Drawing:
    """Draw a word's vector, (D,), a place's vector and their sum, and what two matrices read of it.

    Args:
        x: the word's vector.
        p: the place's vector.
        read: the word's entries, one for each of ``AXES``, and the place, (D,), from the sum.
        shown: the word.
        few: how many columns to show at either end.
    """
    ends = [*range(few), *range(len(x) - few, len(x))]
    lines = ((x, "source"), (p, "position"), (x + p, "context"), (read[1], "position"))
    names = [gloss(shown), "+ " + say("place"), "= X", "X W_place"]
    axes = [say(axis) for axis in AXES]

    def cell(v: Tensor, c: int, role: str, size: tuple[float, float]) -> Piece:
        return vector(v[c : c + 1], role, digits=2, limit=1.5, cell=size)

    def entries(size: tuple[float, float]) -> Piece:
        heads = [words(axis, size=12, quiet=True) for axis in axes]
        cells = [cell(read[0], i, "source", size) for i in range(len(axes))]
        return grid([heads, cells], gap=(4, 3))

    def across() -> Piece:
        columns = [*ends[:few], None, *ends[few:]]

        def at(c: int | None, v: Tensor, role: str) -> Piece:
            return words("…", size=12, quiet=True) if c is None else cell(v, c, role, (42, 26))

        heads = [words("…" if c is None else str(c), size=12, quiet=True) for c in columns]
        cells = [[at(c, v, role) for c in columns] for v, role in lines]
        last = row(words("X W_word", size=13), entries((42, 26)), gap=14, align="bottom")
        return column(grid([heads, *cells], labels=["", *names], gap=(2, 4)), last, gap=12)

    def down() -> Piece:
        rows = [[words(""), *(words(name, size=12) for name in names)]]
        for c in ends:
            cells = [cell(v, c, role, (46, 22)) for v, role in lines]
            rows.append([words(str(c), size=12, quiet=True), *cells])
            if c == few - 1:
                rows.append([words("…", size=12, quiet=True)] * 5)
        return column(grid(rows, gap=(6, 1)), words("X W_word", size=13), entries((40, 22)), gap=8)

    return Drawing(
        say("A word plus its place, and both read from the sum"),
        say(
            "Rows of numbers by column: {word}, then the place, then their sum X, in which {word} "
            "is spread over all columns. X W_place is the place again, and X W_word gives the "
            "entries of {word}: {entries}.",
            word=gloss(shown),
            entries=listed(read[0], 2),
        ),
        across(),
        down(),
    )


# A step is a turn --------------------------------------------------------------------------------


def a_step_turns_every_hand(speeds: Tensor, starts: tuple[int, int], k: int) -> Drawing:
    """Draw hands of some speeds, in radians a place, at two places and k places further."""
    names = [say("fast"), say("middle"), say("slow")]

    def moved(start: int, labels: Sequence[str] = ()) -> Piece:
        turns = [float(speed) / (2 * math.pi) for speed in speeds]
        heads = [say("place {p}", p=start), "", say("place {p}", p=start + k)]
        lines = [
            [
                _dial(turn * start),
                words(f"+{in_digits(360 * turn * k, 1)}°", size=12, quiet=True),
                _dial(turn * (start + k)),
            ]
            for turn in turns
        ]
        top = [words(head, size=13) for head in heads]
        return grid([top, *lines], labels=["", *labels] if labels else (), gap=(12, 8))

    angles = [math.degrees(float(speed)) * k for speed in speeds]
    return Drawing(
        say("The same step from two places"),
        say(
            "Three clock hands at place {a} and {k} places further, then at place {b} and {k} "
            "places further. Each hand turns by its own angle, {angles} degrees, from either "
            "place.",
            a=starts[0],
            b=starts[1],
            k=k,
            angles=listed(angles, 1),
        ),
        row(moved(starts[0], names), moved(starts[1]), gap=60),
        column(*(moved(start, names) for start in starts), gap=22),
    )


# What was crossed? -------------------------------------------------------------------------------


def what_was_crossed(scores: Tensor, v: Tensor, orders: Sequence[Sequence[Word]]) -> Drawing:
    """Draw what one query receives in two orders of the same words, with the same weights.

    Args:
        scores: of the query, (T,), the same in both orders.
        v: the values in each order, (2, T, Dv).
        orders: the words in each order.
    """
    weights = scores.softmax(-1)
    context = weights @ v
    axes = [say(axis) for axis in AXES[4:]]
    labels = ["", say("score"), say("weight"), *(say("value: {axis}", axis=axis) for axis in axes)]

    def panel(n: int, width: float) -> Piece:
        lines = [(scores, "weights", 2, 400), (weights, "weights", 3, 1)]
        lines += [(v[n, :, axis], "value", 2, 1) for axis in range(len(axes))]
        cells = [
            [
                vector(line[i : i + 1], role, digits=digits, limit=limit, cell=(width, 26))
                for i in range(len(line))
            ]
            for line, role, digits, limit in lines
        ]
        heads = [words(gloss(one), size=12) for one in orders[n]]
        brought = vector(context[n], "context", columns=axes, digits=2, limit=1, cell=(56, 26))
        result = row(words(say("context of cross"), size=13, role="context"), brought, gap=12)
        return column(grid([heads, *cells], labels=labels, gap=(4, 4)), result, gap=10)

    best = [gloss(orders[n][int(weights.argmax())]) for n in range(2)]
    return Drawing(
        say("What cross attends to, in both orders"),
        say(
            "Two tables, one for each order. The scores {scores} and the weights {weights} are the "
            "same in both. Most of the weight goes to {one} in the first order and to {two} in the "
            "second. The contexts, furry and paved, are {c0} and {c1}.",
            scores=listed(scores, 2),
            weights=listed(weights, 3),
            one=best[0],
            two=best[1],
            c0=listed(context[0], 2),
            c1=listed(context[1], 2),
        ),
        row(panel(0, 52), panel(1, 52), gap=22),
        column(panel(0, 52), panel(1, 52), gap=26),
    )
