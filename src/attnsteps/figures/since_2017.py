"""The figures of chapter 22, in their order on the page: what has changed in the block."""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import torch
from torch import Tensor

from attnsteps.diagrams import (
    Drawing,
    Piece,
    Wire,
    bars,
    block,
    column,
    grid,
    matrix,
    named,
    row,
    space,
    words,
)
from attnsteps.diagrams.sheet import SMALL, Sheet
from attnsteps.figures.catalogue import say
from attnsteps.figures.shared import chart, listed

_WIDTH = 168  # of a part of a block


def _part(text: str, name: str, role: str = "plain", width: float = _WIDTH) -> Piece:
    return block(text, role, name=name, width=width)


def _point(name: str) -> Piece:
    return named(name, space(4))


def _plus(name: str) -> Piece:
    """Draw a sum as a circle with a plus, which the stream touches on both sides."""

    def paint(sheet: Sheet, x: float, y: float) -> None:
        sheet.remember(name, x, y, 16, 16)
        sheet.add("circle", cx=x + 8, cy=y + 8, r=7.5, class_="dial line-plain")
        sheet.add("path", d=f"M{x + 3:g} {y + 8:g}h10M{x + 8:g} {y + 3:g}v10", class_="axis")

    return Piece(16, 16, paint)


def _old_block() -> Piece:
    """Draw the block of 2017, with both norms on the stream."""
    lines = [
        [named("out17", words("x  (T, D)", size=12)), space()],
        [_part(say("LayerNorm"), "norm17b", width=86), space()],
        [_plus("add17b"), space()],
        [space(), _part(say("feed-forward\nReLU"), "ffn17", "context")],
        [_point("mid17"), space()],
        [_part(say("LayerNorm"), "norm17a", width=86), space()],
        [_plus("add17a"), space()],
        [space(), _part(say("self-attention\nH heads"), "att17", "query")],
        [_point("start17"), space()],
        [named("in17", words(say("x + positions\n(T, D)"), size=12)), space()],
    ]
    return column(words("2017", size=14, bold=True), grid(lines, gap=(12, 9)), gap=4)


def _new_block() -> Piece:
    """Draw the block of today, with the norms in the branches."""
    feed_forward = _part(say("feed-forward\nwith a gate"), "ffn", "context")
    attention = _part(say("self-attention, rotary\nfewer key heads"), "att", "query")
    lines = [
        [named("out", words("x  (T, D)", size=12)), space()],
        [_plus("addb"), space()],
        [space(), feed_forward],
        [space(), _part(say("RMSNorm"), "normb")],
        [_point("mid"), space()],
        [_plus("adda"), space()],
        [space(), attention],
        [space(), _part(say("RMSNorm"), "norma")],
        [_point("start"), space()],
        [named("in", words("x  (T, D)", size=12)), space()],
    ]
    return column(words(say("Today"), size=14, bold=True), grid(lines, gap=(12, 9)), gap=4)


def _stream(*names: str) -> list[Wire]:
    return [
        Wire(f"{a}.top", f"{b}.bottom", thick=True, head=b == names[-1]) for a, b in pairwise(names)
    ]


def _branch(start: str, *inside: str, end: str) -> list[Wire]:
    wires = [Wire(f"{start}.right", f"{inside[0]}.bottom", bent=True)]
    wires += [Wire(f"{a}.top", f"{b}.bottom") for a, b in pairwise(inside)]
    return [*wires, Wire(f"{inside[-1]}.top", f"{end}.right", bent=True)]


def two_blocks() -> Drawing:
    """Draw the block of 2017 beside the block of today; the stream is a thick line."""
    old = ("in17", "start17", "add17a", "norm17a", "mid17", "add17b", "norm17b", "out17")
    return Drawing(
        say("The block of 2017 beside the block of today"),
        say(
            "Left, the block of 2017: the stream passes an addition and a LayerNorm after "
            "self-attention, and again after the feed-forward network. Right, the block of today: "
            "the stream passes two additions and nothing else; an RMSNorm is at the beginning of "
            "each branch, in front of self-attention with rotary positions and fewer key heads, "
            "and in front of the feed-forward network with a gate."
        ),
        row(_old_block(), _new_block(), gap=60, align="bottom"),
        column(_old_block(), _new_block(), gap=18),
        wires=[
            *_stream(*old),
            *_branch("start17", "att17", end="add17a"),
            *_branch("mid17", "ffn17", end="add17b"),
            *_stream("in", "start", "adda", "mid", "addb", "out"),
            *_branch("start", "norma", "att", end="adda"),
            *_branch("mid", "normb", "ffn", end="addb"),
        ],
    )


def _dial(key: float, query: float, radius: float) -> Piece:
    """Draw the arrows of a key and a query, which have turned by angles in radians, in one dial."""
    room = radius + 15

    def paint(sheet: Sheet, x: float, y: float) -> None:
        cx, cy = x + room, y + room

        def at(turn: float, far: float) -> tuple[float, float]:
            return cx + far * math.cos(turn), cy - far * math.sin(turn)

        (x1, y1), (x2, y2) = at(key, 0.62 * radius), at(query, 0.62 * radius)
        sweep = int(query < key)
        arc = f"A{0.62 * radius:g} {0.62 * radius:g} 0 0 {sweep} {x2:.1f} {y2:.1f}"
        wedge = f"M{cx:g} {cy:g}L{x1:.1f} {y1:.1f}{arc}Z"
        sheet.add("path", d=wedge, class_="bar fill-weights", opacity=0.35)
        sheet.add("circle", cx=cx, cy=cy, r=radius, class_="dial line-plain")
        for letter, turn in (("key", key), ("query", query)):
            tip, beyond = at(turn, 0.92 * radius), at(turn, radius + 9)
            line = f"M{cx:g} {cy:g}L{tip[0]:.1f} {tip[1]:.1f}"
            sheet.add("path", d=line, class_=f"hand line-{letter}")
            sheet.write(letter[0], *beyond, SMALL, class_=f"b ink-{letter}")

    return Piece(2 * room, 2 * room, paint)


def arrows_that_turn_on(
    places: Mapping[str, int], arrows: Tensor, speed: float, moves: Sequence[int]
) -> Drawing:
    """Draw the arrows of a key and a query, and the angle between them, while the sentence moves.

    Args:
        places: the word of the key and that of the query, with their positions.
        arrows: a pair of components of the key and the same of the query, (2, 2).
        speed: the angle by which an arrow turns for each word, in radians.
        moves: by how many positions the sentence moves.
    """
    (key_word, key), (query_word, query) = places.items()
    key_own, query_own = torch.atan2(arrows[:, 1], arrows[:, 0]).tolist()
    lengths = arrows.norm(dim=1).prod().item()
    own = query_own - key_own
    between = own + speed * (query - key)
    score, unturned = lengths * math.cos(between), (arrows[0] @ arrows[1]).item()

    def dial(head: str, where: tuple[str, str], turns: tuple[float, float], radius: float) -> Piece:
        angle, product = (between, score) if any(turns) else (own, unturned)
        return column(
            words(head, size=12, bold=True),
            _dial(key_own + turns[0], query_own + turns[1], radius),
            words(f"k: {where[0]}", size=12, role="key"),
            words(f"q: {where[1]}", size=12, role="query"),
            words(say("angle {a:.2f}", a=abs(angle)), size=12),
            words(say("score {s}", s=listed([product], 3)), size=12),
            gap=2,
        )

    def dials(radius: float) -> list[Piece]:
        said = say(key_word), say(query_word)
        shown = [dial(say("not turned"), said, (0, 0), radius)]
        for by in moves:
            head = say("{n} words later", n=by) if by else say("turned")
            where = f"{said[0]}, {key + by}", f"{said[1]}, {query + by}"
            turns = speed * (key + by), speed * (query + by)
            shown.append(dial(head, where, turns, radius))
        return shown

    wide, tall = dials(40), dials(44)
    return Drawing(
        say("Both arrows turn on, the angle between them stays"),
        say(
            "Dials, each with the arrow of the key of {key} and the arrow of the query of {query}. "
            "Before they are turned, the angle between them is {own:.2f} radians. Turned by their "
            "positions, it is {between:.2f}. Then the sentence moves by {moves} positions, and "
            "both arrows turn on, but the angle between them stays {between:.2f}, and the score "
            "{score}.",
            key=say(key_word),
            query=say(query_word),
            moves=listed([by for by in moves if by]),
            own=abs(own),
            between=abs(between),
            score=listed([score], 3),
        ),
        row(*wide, gap=26),
        grid([tall[i : i + 2] for i in range(0, len(tall), 2)], gap=(30, 14)),
    )


def _sharing(kv_heads: int, num_heads: int) -> Piece:
    """Draw query heads above the heads of keys and values that they share."""
    queries = [block(str(i), "query", name=f"q{kv_heads}.{i}", width=30) for i in range(num_heads)]
    keys = [
        block(
            str(j) if kv_heads == num_heads else f"k, v {j}",
            "key",
            name=f"k{kv_heads}.{j}",
            width=30,
        )
        for j in range(kv_heads)
    ]
    gap = 4 if kv_heads == num_heads else 60
    return column(row(*queries, gap=4), space(0, 24), row(*keys, gap=gap), gap=2)


def shared_keys(shown: Sequence[int], num_heads: int) -> Drawing:
    """Draw which query heads share a head of keys and values.

    Args:
        shown: some numbers of heads of keys and values.
        num_heads: the number of query heads.
    """

    def caption(count: int) -> str:
        if count == num_heads:
            return say("2017: a head of keys for each")
        if count == 1:
            return say("multi-query: one for all")
        return say("grouped: one for {n}", n=num_heads // count)

    def drawn() -> list[Piece]:
        return [
            column(words(caption(n), size=12, bold=True), _sharing(n, num_heads), gap=4)
            for n in shown
        ]

    parts = drawn()
    return Drawing(
        say("Query heads that share heads of keys and values"),
        say(
            "Rows of {n} query heads. Neighbours share a head of keys and values: {shared}.",
            n=num_heads,
            shared=", ".join(say("{all} share {n}", all=num_heads, n=n) for n in shown),
        ),
        column(row(*parts[:2], gap=48), *parts[2:], gap=18),
        column(*drawn(), gap=18),
        wires=[
            Wire(f"q{n}.{i}.bottom", f"k{n}.{i * n // num_heads}.top", head=False)
            for n in shown
            for i in range(num_heads)
        ],
    )


def a_running_softmax(
    tiles: Sequence[Mapping[str, float]],
    states: Sequence[tuple[float, float, Tensor]],
    axes: Sequence[str],
) -> Drawing:
    """Draw what is kept of two tiles of scores: the first alone, shrunk, the second, and the sum.

    Args:
        tiles: for both tiles, their words and their scores.
        states: of each of the four lines the largest score, the total, and the mixed values, (Dv,).
        axes: of the Dv numbers.
    """
    context = states[-1][2] / states[-1][1]
    shrink = math.exp(states[0][0] - states[1][0])
    scores = [", ".join(f"{say(word)} {score:g}" for word, score in tile.items()) for tile in tiles]
    short = [
        say("tile {n}", n=1),
        f"× {shrink:.3f}",
        say("tile {n}", n=2),
        say("sum"),
        say("÷ total"),
    ]
    long = [f"{short[0]}: {scores[0]}", short[1], f"{short[2]}: {scores[1]}", *short[3:]]

    def arranged(labels: Sequence[str], wide: float) -> Piece:
        look = {"digits": 3, "cell": (wide, 26)}
        numbers = torch.stack([torch.tensor([float(t), *mixed]) for _, t, mixed in states])
        largest = matrix(
            torch.tensor([[float(one)] for one, _, _ in states]),
            "weights",
            rows=labels[:-1],
            columns=[say("largest")],
            cell=(wide, 26),
            limit=8,
        )
        kept = row(
            largest,
            matrix(
                numbers,
                "context",
                columns=[say("total"), *map(say, axes)],
                limit=3,
                lit=[len(states) - 1],
                **look,
            ),
            gap=4,
        )
        result = row(words(labels[-1], size=12), matrix(context[None], "context", **look), gap=6)
        return column(kept, result, gap=8, align="right")

    return Drawing(
        say("A softmax that runs over two tiles"),
        say(
            "Lines of the largest score, the total and the mixed values. {lines}. The last line "
            "divided by its total is the context of the full softmax, {context}.",
            lines="; ".join(
                f"{name}: {float(one):g}, {float(total):.3f}, {listed(mixed, 3)}"
                for name, (one, total, mixed) in zip(long, states, strict=False)
            ),
            context=listed(context, 3),
        ),
        arranged(long, 62),
        arranged(short, 48),
    )


def a_gate(
    names: Sequence[str], readings: Mapping[str, Tensor], units: Mapping[str, Tensor]
) -> Drawing:
    """Draw what hidden units read of each word, and what each of them puts out.

    Args:
        names: of the T words.
        readings: a title for each column of numbers that is read, (T,).
        units: a title for the output of each unit, (T,).
    """

    def arranged(wide: float) -> Piece:
        def part(columns: Mapping[str, Tensor], role: str, rows: Sequence[str] = ()) -> Piece:
            return matrix(
                torch.stack(tuple(columns.values()), dim=1),
                role,
                rows=rows,
                columns=list(map(say, columns)),
                digits=2,
                limit=4,
                cell=(wide, 26),
            )

        read = part(readings, "source", list(map(say, names)))
        return row(read, words("→", size=16), part(units, "context"), gap=6)

    return Drawing(
        say("A gate multiplies two readings of the same word"),
        say(
            "Rows are {names}. {columns}.",
            names=", ".join(map(say, names)),
            columns="; ".join(
                f"{say(title)}: {listed(numbers, 2)}"
                for title, numbers in {**readings, **units}.items()
            ),
        ),
        arranged(86),
        arranged(46),
    )


def neighbours_or_halves(names: Sequence[str], order: Sequence[int]) -> Drawing:
    """Draw the pairs of components in two layouts, and where each component goes.

    Args:
        names: of the components, neighbours paired.
        order: the same components with halves paired, by their numbers.
    """
    half = len(names) // 2

    def line(prefix: str, shown: Sequence[str], cell: float) -> Piece:
        cells = [
            named(f"{prefix}{i}", matrix([[name]], "query", cell=(cell, 26)))
            for i, name in enumerate(shown)
        ]
        return row(*cells, gap=2)

    def arranged(cell: float) -> Piece:
        return column(
            words(say("neighbours: Meta’s code and this book"), size=12, bold=True),
            space(0, 16),
            line("n", names, cell),
            space(0, 44),
            line("h", [names[i] for i in order], cell),
            space(0, 8 + 11 * half),
            words(say("halves: the transformers library"), size=12, bold=True),
            gap=0,
        )

    return Drawing(
        say("Which components make a pair"),
        say(
            "Above, the components {names}: each is paired with its neighbour. A wire leads each "
            "to its place below, {moved}, where the same pairs lie half a row apart.",
            names=", ".join(names),
            moved=", ".join(names[i] for i in order),
        ),
        arranged(44),
        arranged(32),
        wires=[
            *(
                Wire(f"n{i}.top", f"n{i + 1}.top", role="position", arc=-10, head=False)
                for i in range(0, len(names), 2)
            ),
            *(Wire(f"n{i}.bottom", f"h{place}.top") for place, i in enumerate(order)),
            *(
                Wire(
                    f"h{i}.bottom",
                    f"h{i + half}.bottom",
                    role="position",
                    arc=12 + 11 * i,
                    head=False,
                )
                for i in range(half)
            ),
        ],
    )


def _five_runs(
    runs: Mapping[str, Mapping[float, Sequence[float]]],
    shown: tuple[int, int],
    below: str,
    roles: Sequence[str],
) -> tuple[Piece, Piece]:
    """Draw a dot for each run and a line through the means, wide and narrow."""
    role = dict(zip(runs, roles, strict=False))
    places = list(next(iter(runs.values())))
    low, high = shown

    def drawn(wide: float, tall: float, room: float) -> Piece:
        lines, dots, ends = [], [], {}
        for name, shares in runs.items():
            points = [(i, 100 * sum(shares[r]) / len(shares[r])) for i, r in enumerate(places)]
            lines.append((role[name], points))
            own = [(i, 100 * share) for i, place in enumerate(places) for share in shares[place]]
            dots.append((role[name], own))
            ends[name] = points[-1][1]
        apart, height, notes = 15 * (high - low) / tall, -math.inf, []
        for name in sorted(ends, key=ends.get):
            height = max(ends[name], low + apart / 2, height + apart)
            notes.append((len(places) - 0.9, height, say(name), role[name]))
        ticks = [(i, f"{place:g}") for i, place in enumerate(places)]
        return chart(
            (-0.2, len(places) - 1 + room, ticks, below),
            (
                low,
                high,
                [(n, f"{n} %") for n in range(low, high + 1, 20)],
                say("unseen sentences right"),
            ),
            size=(wide, tall),
            lines=lines,
            dots=dots,
            notes=notes,
        )

    return drawn(480, 210, 0.2 * len(places)), drawn(250, 190, 0.45 * len(places))


def _told(runs: Mapping[str, Mapping[float, Sequence[float]]], one: Callable[..., str]) -> str:
    """Say the percentages between which each model's runs lie, place by place of the axis."""
    return " ".join(
        say(
            "{name}: {shares}.",
            name=say(name),
            shares="; ".join(
                one(place, low=100 * min(part), high=100 * max(part))
                for place, part in shares.items()
            ),
        )
        for name, shares in runs.items()
    )


def when_moved(
    runs: Mapping[str, Mapping[int, Sequence[float]]], shown: tuple[int, int]
) -> Drawing:
    """Draw what models get right of the same sentences, which begin at one position after another.

    Args:
        runs: for each of two models, the first positions and the shares of its runs at each.
        shown: the least and the greatest percentage of the axis.
    """
    wide, narrow = _five_runs(
        runs, shown, say("the position at which the sentences begin"), ("context", "position")
    )
    return Drawing(
        say("What is right of the same sentences, moved"),
        _told(
            runs,
            lambda first, **ends: say(
                "from {first}, {low:.0f} to {high:.0f} %", first=first, **ends
            ),
        ),
        wide,
        narrow,
    )


def step_parts(
    parts: Mapping[int, Mapping[str, Sequence[float]]], key_heads: Sequence[int]
) -> Drawing:
    """Draw what a decoding step needs with ever fewer heads of keys, as parts of the first.

    Args:
        parts: for each number of texts, titles such as "bytes" and a part for each number of heads.
        key_heads: the numbers of heads of keys.
    """
    roles = ("key", "weights")

    def texts_of(count: int) -> str:
        return say("1 text") if count == 1 else say("{n} texts", n=count)

    def drawn(wide: float) -> list[Piece]:
        return [
            column(
                words(texts_of(count), size=12, bold=True),
                row(
                    *(
                        bars(
                            torch.tensor(shares),
                            role,
                            labels=[str(n) for n in key_heads],
                            limit=1,
                            title=say(what),
                            size=(wide, 80),
                        )
                        for (what, shares), role in zip(each.items(), roles, strict=True)
                    ),
                    gap=14,
                ),
                words(say("heads of keys"), size=12),
                gap=4,
            )
            for count, each in parts.items()
        ]

    return Drawing(
        say("What a decoding step needs with fewer heads of keys"),
        " ".join(
            say(
                "{texts}, {what}: {shares} with {heads} heads of keys.",
                texts=texts_of(count),
                what=say(what),
                shares=listed(shares, 2),
                heads=listed(key_heads),
            )
            for count, each in parts.items()
            for what, shares in each.items()
        ),
        row(*drawn(44), gap=40),
        column(*drawn(44), gap=18),
    )


def at_each_rate(
    runs: Mapping[str, Mapping[float, Sequence[float]]], shown: tuple[int, int]
) -> Drawing:
    """Draw what each model gets right at each learning rate: a dot for a run, a line of the means.

    Args:
        runs: for each model, at most three, its learning rates and the shares of its runs at each.
        shown: the least and the greatest percentage of the axis.
    """
    roles = ("query", "position", "context")
    wide, narrow = _five_runs(runs, shown, say("highest learning rate"), roles)
    return Drawing(
        say("What each block learns in the same time at each learning rate"),
        _told(
            runs,
            lambda rate, **ends: say("at {rate:g}, {low:.0f} to {high:.0f} %", rate=rate, **ends),
        ),
        wide,
        narrow,
    )
