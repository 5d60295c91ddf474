"""The figures of chapter 22, in their order on the page: what has changed in the block."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import torch
from torch import Tensor

from attnsteps.diagrams import (
    Drawing,
    Piece,
    Wire,
    bars,
    block,
    clock,
    column,
    grid,
    matrix,
    named,
    row,
    space,
    words,
)
from attnsteps.figures.catalogue import say
from attnsteps.figures.shared import chart, listed

_WIDTH = 168  # of a part of a block


def _part(text: str, name: str, role: str = "plain", width: float = _WIDTH) -> Piece:
    return block(text, role, name=name, width=width)


def _point(name: str) -> Piece:
    return named(name, space(4, 4))


def _plus(name: str) -> Piece:
    return named(name, words("⊕", size=18))


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
    feed_forward = _part(say("gated feed-forward\nor experts"), "ffn", "context")
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
    return column(words(say("today"), size=14, bold=True), grid(lines, gap=(12, 9)), gap=4)


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
            "and in front of the gated feed-forward network or the experts."
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


def either_norm(tables: Mapping[str, Tensor], names: Sequence[str], axes: Sequence[str]) -> Drawing:
    """Draw some words before and after each norm.

    Args:
        tables: a title and (T, D) for each.
        names: of the T words.
        axes: of the D columns.
    """

    def drawn(cell: float) -> list[Piece]:
        look = {"rows": list(map(say, names)), "columns": list(map(say, axes))}
        return [
            column(
                words(say(title), size=12, bold=True),
                matrix(table, "source", **look, digits=1, limit=2, cell=(cell, 26)),
                gap=4,
            )
            for title, table in tables.items()
        ]

    return Drawing(
        say("Words after either norm"),
        say(
            "Rows are {names}, columns the axes. {tables}.",
            names=", ".join(map(say, names)),
            tables="; ".join(
                f"{say(title)}: " + " | ".join(listed(line, 1) for line in table)
                for title, table in tables.items()
            ),
        ),
        row(*drawn(38), gap=12),
        column(*drawn(46), gap=10),
    )


def hands_that_turn_on(places: Mapping[str, int], moved: int) -> Drawing:
    """Draw the hands of a key and a query, and the angle between them, before and after a move.

    Args:
        places: the word of the key and that of the query, with their positions.
        moved: by how many positions the sentence moves.
    """
    (key_word, key), (query_word, query) = places.items()

    def hands(first: int) -> list[Piece]:
        turns = [
            (key + first, "key", f"{say(key_word)}, {key + first}"),
            (query + first, "query", f"{say(query_word)}, {query + first}"),
            (query - key, "weights", say("between: {n}", n=query - key)),
        ]
        return [clock(float(n), role, label=label, radius=30) for n, role, label in turns]

    heads = (say("where they are"), say("{n} words later", n=moved))
    lines = (hands(0), hands(moved))
    tall = [
        column(words(head, size=12, bold=True), row(*clocks, gap=18), gap=6)
        for head, clocks in zip(heads, lines, strict=True)
    ]
    return Drawing(
        say("Both hands turn on, the angle between them stays"),
        say(
            "Two rows of three clocks. First row: the key of {key} has turned {a} steps, the query "
            "of {query} {b} steps, and the angle between them is {between} steps. Second row: "
            "{c} and {d} steps, and the third clock shows the same.",
            key=say(key_word),
            query=say(query_word),
            a=key,
            b=query,
            between=query - key,
            c=key + moved,
            d=query + moved,
        ),
        grid([list(line) for line in lines], labels=heads, gap=(34, 12)),
        column(*tall, gap=14),
    )


def while_the_sentence_moves(
    added: Mapping[int, float], turned: Mapping[int, float], pair: tuple[int, int]
) -> Drawing:
    """Draw the score of two words where their sentence begins at several positions.

    Args:
        added: the first position, and the score with added positions.
        turned: the same with rotary ones.
        pair: the places of the query and the key in the sentence.
    """

    def drawn(title: str, scores: Mapping[int, float], role: str) -> Piece:
        labels = [say("from {n}", n=first) for first in scores]
        return bars(
            list(scores.values()), role, labels=labels, limit=16, title=title, size=(84, 90)
        )

    def both() -> list[Piece]:
        return [
            drawn(say("positions added"), added, "wrong"),
            drawn(say("positions turned"), turned, "position"),
        ]

    return Drawing(
        say("The score of two words while the sentence moves"),
        say(
            "Bars for the score of word {q} against word {k} where the sentence begins at position "
            "{firsts}. With added positions: {added}; with turned ones: {turned}.",
            q=pair[0],
            k=pair[1],
            firsts=listed(added),
            added=listed(added.values(), 1),
            turned=listed(turned.values(), 1),
        ),
        row(*both(), gap=40),
        column(*both(), gap=14),
    )


def _sharing(kv_heads: int, num_heads: int, width: float) -> Piece:
    """Draw query heads above the heads of keys and values that they share."""
    queries = [
        block(str(i), "query", name=f"q{kv_heads}.{i}", width=width) for i in range(num_heads)
    ]
    keys = [
        block(
            str(j) if kv_heads == num_heads else f"k, v {j}",
            "key",
            name=f"k{kv_heads}.{j}",
            width=width,
        )
        for j in range(kv_heads)
    ]
    gap = 4 if kv_heads == num_heads else 60
    return column(row(*queries, gap=4), space(0, 22), row(*keys, gap=gap), gap=2)


def shared_keys(held: Mapping[int, float], num_heads: int) -> Drawing:
    """Draw which query heads share a head of keys and values, and the size of the cache.

    Args:
        held: some numbers of heads of keys and values, and what the cache holds, in KiB.
        num_heads: the number of query heads.
    """

    def caption(count: int) -> str:
        if count == num_heads:
            return say("2017: a head of keys for each")
        if count == 1:
            return say("multi-query: one for all")
        return say("grouped: one for {n}", n=num_heads // count)

    def drawn() -> list[Piece]:
        heads = [
            column(words(caption(n), size=12, bold=True), _sharing(n, num_heads, 30), gap=4)
            for n in held
        ]
        chart_of_bars = bars(
            list(held.values()),
            "key",
            labels=[say("{n} of k, v", n=n) for n in held],
            digits=0,
            title=say("cache in KiB"),
            size=(66, 110),
        )
        return [column(*heads, gap=16), chart_of_bars]

    return Drawing(
        say("Query heads that share heads of keys and values"),
        say(
            "Rows of {n} query heads. Neighbours share a head of keys and values: {shared}. Bars: "
            "the cache takes {held} KiB.",
            n=num_heads,
            shared=", ".join(say("{all} share {n}", all=num_heads, n=n) for n in held),
            held=listed(held.values()),
        ),
        row(*drawn(), gap=50),
        column(*drawn(), gap=18),
        wires=[
            Wire(f"q{n}.{i}.bottom", f"k{n}.{i * n // num_heads}.top", head=False)
            for n in held
            for i in range(num_heads)
        ],
    )


def a_window(mask: Tensor, names: Sequence[str]) -> Drawing:
    """Draw the mask of a sliding window.

    Args:
        mask: (T, T), True where a word may attend.
        names: of the T words.
    """
    said = list(map(say, names))

    def table(cell: tuple[float, float]) -> Piece:
        return matrix(
            mask.double(),
            "weights",
            label=say("queries ↓   keys →"),
            rows=said,
            columns=[name[:3] for name in said],
            crossed=~mask,
            cell=cell,
        )

    return Drawing(
        say("A sliding window"),
        say(
            "Rows are queries, columns are keys. Each of {names} may attend to itself and {before} "
            "before it; all other cells are crossed out.",
            names=", ".join(said),
            before=int(mask[-1].sum()) - 1,
        ),
        table((46, 26)),
        table((36, 26)),
    )


def a_running_softmax(
    tiles: Sequence[Mapping[str, float]],
    kept: Sequence[tuple[float, float, Tensor]],
    axes: Sequence[str],
) -> Drawing:
    """Draw the scores of one query in two tiles, and what is kept after each.

    Args:
        tiles: for each tile its words and their scores.
        kept: after each tile the largest score, the total, and the mixed values, (Dv,).
        axes: of the Dv numbers.
    """
    states = torch.stack([torch.tensor([a, b, *c]) for a, b, c in kept])
    context = kept[-1][2] / kept[-1][1]
    shown = list(map(say, axes))
    columns = [say("largest"), say("total"), *shown]

    def scores(cell: tuple[float, float]) -> Piece:
        drawn = [
            matrix([list(tile.values())], "weights", columns=list(map(say, tile)), cell=cell)
            for tile in tiles
        ]
        title = words(say("scores, in two tiles"), size=12, bold=True)
        return column(title, row(*drawn, gap=14), gap=4)

    def state(cell: tuple[float, float]) -> Piece:
        lines = [say("after tile {n}", n=n) for n in range(1, len(kept) + 1)]
        look = {"rows": lines, "columns": columns, "digits": 2, "limit": 4, "cell": cell}
        title = words(say("what is kept"), size=12, bold=True)
        return column(title, matrix(states, "context", **look), gap=4)

    def result(cell: tuple[float, float]) -> Piece:
        look = {"columns": shown, "digits": 2, "limit": 1, "cell": cell}
        title = words(say("mixed / total"), size=12, bold=True)
        return column(title, matrix(context[None], "context", **look), gap=4)

    below = row(state((58, 26)), result((58, 26)), gap=16)
    return Drawing(
        say("A softmax that runs over two tiles"),
        say(
            "{scores}. {kept}. Mixed divided by total gives the context of the full softmax, "
            "{context}.",
            scores="; ".join(
                say("tile {n}: ", n=n) + ", ".join(f"{say(w)} {s:g}" for w, s in tile.items())
                for n, tile in enumerate(tiles, start=1)
            ),
            kept="; ".join(
                say("after tile {n}: largest {a:g}, total {b:.2f}", n=n, a=a, b=float(b))
                for n, (a, b, _) in enumerate(kept, start=1)
            ),
            context=listed(context, 2),
        ),
        column(scores((58, 26)), below, gap=12),
        column(scores((58, 26)), state((44, 26)), result((58, 26)), gap=12),
    )


def tile_after_tile(count: int, line: int, now: int) -> Drawing:
    """Draw a table of weights in tiles: what is held now, and what is forgotten.

    Args:
        count: tiles to a side.
        line: the row of tiles that is at work.
        now: the tile that is held, of that row.
    """
    lit = torch.zeros(count, count)
    lit[line, :now] = 0.35
    lit[line, now] = 1.0

    def table(cell: float) -> Piece:
        return matrix(
            lit,
            "weights",
            label=say("queries ↓   keys →"),
            digits=None,
            limit=1,
            crossed=lit == 0,
            cell=(cell, cell),
        )

    text = say(
        "dark: the tile held now\npale: forgotten, its sums are kept\ncrossed: not yet computed,"
        "\nor of other queries"
    )
    return Drawing(
        say("Tile after tile along a row of queries"),
        say(
            "A grid of {n} by {n} tiles, rows are queries and columns are keys. In one row {done} "
            "tiles are done and pale, and the next is held now. All others are crossed out.",
            n=count,
            done=now,
        ),
        row(table(26), words(text, size=12), gap=26),
        column(table(30), words(text, size=12), gap=10),
    )


def where_words_are_sent(names: Sequence[str], probabilities: Tensor) -> Drawing:
    """Draw the expert of each word's largest probability, and all the probabilities.

    Args:
        names: of the T words.
        probabilities: (T, E), of the router.
    """
    chosen = probabilities.argmax(dim=-1).tolist()
    experts = range(probabilities.shape[1])
    load = [chosen.count(e) for e in experts]

    def parts(cell: tuple[float, float]) -> list[Piece]:
        inputs = [
            block(say(name), "source", name=f"word{i}", width=58) for i, name in enumerate(names)
        ]
        boxes = [
            block(
                say("expert {e}\n{n} of {all}", e=e + 1, n=load[e], all=len(names)),
                "context",
                name=f"expert{e}",
                width=72,
            )
            for e in experts
        ]
        table = matrix(
            probabilities.T,
            "weights",
            label=say("p of each expert"),
            rows=[say("expert {e}", e=e + 1) for e in experts],
            columns=list(map(say, names)),
            digits=2,
            limit=0.6,
            cell=cell,
        )
        return [column(row(*boxes, gap=8), space(0, 46), row(*inputs, gap=4), gap=2), table]

    return Drawing(
        say("The router sends words to experts"),
        say(
            "Each of {names} is joined by a wire to the expert of its largest probability. The "
            "experts get {load} of the {all} words.",
            names=", ".join(map(say, names)),
            load=listed(load),
            all=len(names),
        ),
        row(*parts((46, 24)), gap=22),
        column(*parts((44, 24)), gap=14),
        wires=[
            Wire(f"word{i}.top", f"expert{e}.bottom", role="context") for i, e in enumerate(chosen)
        ],
    )


def each_change_five_times(runs: Mapping[str, Mapping[str, Sequence[float]]]) -> Drawing:
    """Draw a dot for each run of each change; two upright lines mark the range of the first.

    Args:
        runs: a title for each panel, and in it the shares of each change's runs, the baseline
            first.
    """

    def panel(title: str, wide: float, *, labelled: bool) -> Piece:
        changes = runs[title]
        last = len(changes) - 1
        shares = [share for each in changes.values() for share in each]
        low, high = (0, 60) if max(shares) < 0.6 else (40, 100)
        names = [say(name) if labelled else "" for name in changes]
        base = next(iter(changes.values()))
        return chart(
            (low, high, [(n, f"{n} %") for n in range(low, high + 1, 20)], ""),
            (-0.6, last + 0.6, [(last - i, name) for i, name in enumerate(names)], say(title)),
            size=(wide, 20 * len(changes)),
            lines=[
                ("plain", [(100 * edge, -0.6), (100 * edge, last + 0.6)])
                for edge in (min(base), max(base))
            ],
            dots=[
                (
                    "query" if name in {*list(changes)[:1], *list(changes)[-1:]} else "context",
                    [(100 * share, last - i) for share in each],
                )
                for i, (name, each) in enumerate(changes.items())
            ],
        )

    titles = list(runs)
    pairs = [
        row(panel(a, 210, labelled=True), panel(b, 210, labelled=False), gap=14)
        for a, b in zip(titles[::2], titles[1::2], strict=True)
    ]
    return Drawing(
        say("Each change, five runs"),
        " ".join(
            say("{title}.", title=say(title))
            + " "
            + "; ".join(
                say(
                    "{name}: {low:.0f} to {high:.0f} %",
                    name=say(name),
                    low=100 * min(each),
                    high=100 * max(each),
                )
                for name, each in changes.items()
            )
            + "."
            for title, changes in runs.items()
        ),
        column(*pairs, gap=18, align="left"),
        column(*(panel(title, 190, labelled=True) for title in titles), gap=18, align="left"),
    )
