"""The figures of chapter 14, in their order on the page: the decoder."""

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor

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
    vector,
    word,
    words,
)
from attnsteps.diagrams.cells import in_digits
from attnsteps.figures.catalogue import gloss, say
from attnsteps.figures.shared import listed, with_axes
from attnsteps.running_example import Word

# The opening -------------------------------------------------------------------------------------


def what_each_side_tells(page: Sequence[str], source: Sequence[Word]) -> Drawing:
    """Draw what could come next for somebody who sees the page only, or the source only."""

    def chips(shown: Sequence[str], role: str, *, covered: bool = False) -> Piece:
        parts = [word("▒▒" if covered else one, role="plain" if covered else role) for one in shown]
        return row(*parts, gap=5)

    english, chinese = [say(one) for one in page], [one.zh for one in source]
    open_ends = say("tired? wide? late?"), say("the? animal? … too? tired?")
    lines = [
        (chips(chinese, "source", covered=True), chips(english, "target"), open_ends[0]),
        (chips(chinese, "source"), chips(english, "target", covered=True), open_ends[1]),
    ]
    asked = [words(text, size=13, bold=True) for *_, text in lines]
    heads = [
        words(say(text), size=12, quiet=True) for text in ("source", "page", "what comes next?")
    ]
    wide = [[*heads], *([a, b, c] for (a, b, _), c in zip(lines, asked, strict=True))]
    tall = [column(a, b, c, gap=7) for (a, b, _), c in zip(lines, asked, strict=True)]
    return Drawing(
        say("One of the two covered"),
        say(
            "Twice the end of the Chinese sentence, {source}, and of the page, {page}. With the "
            "source covered, what comes next may be: {one} With the page covered, it may be any "
            "word of the translation: {two}",
            source=", ".join(gloss(one) for one in source),
            page=" ".join(english),
            one=open_ends[0],
            two=open_ends[1],
        ),
        grid(wide, gap=(26, 14)),
        column(*tall, gap=26),
    )


# Two looks, with a pencil ------------------------------------------------------------------------


def who_may_attend(page: Sequence[str], source: Sequence[Word], back: Tensor) -> Drawing:
    """Draw what some words on the page may attend to: back, (T, T), and across, (T, S)."""
    names, keys = [say(one) for one in page], [gloss(one) for one in source]

    def may(mask: Tensor, role: str, columns: list[str], label: str) -> Piece:
        signs = [["✓"] * mask.shape[1] for _ in names]
        table = matrix(
            signs, role, rows=names, columns=columns, crossed=~mask, label=label, cell=(56, 26)
        )
        return with_axes(table)

    everything = torch.ones(len(names), len(keys), dtype=torch.bool)
    pair = (
        may(back, "target", names, say("looking back")),
        may(everything, "source", keys, say("looking across")),
    )
    return Drawing(
        say("What each word may attend to"),
        say(
            "Two tables with the queries {page}. Looking back at the page, each may attend to "
            "itself and to the words before it. Looking across at {source} of the source, each "
            "may attend to all.",
            page=", ".join(names),
            source=", ".join(keys),
        ),
        row(*pair, gap=40),
        column(*pair, gap=18),
    )


def across_by_hand(
    q: Tensor, keys: Tensor, values: Tensor, source: Sequence[Word], asking: str
) -> Drawing:
    """Draw cross-attention for one query, (Dk,), three keys, (3, Dk), and values, (3, Dv)."""
    scores = keys @ q
    scaled = scores / keys.shape[-1] ** 0.5
    weights = scaled.softmax(-1)
    weighted = weights[:, None] * values
    context = weighted.sum(0)
    name = say(asking)
    names = [gloss(one) for one in source]
    root = in_digits(keys.shape[-1], 0)

    def steps(*, tall: bool) -> Piece:
        single = (48, 24) if tall else (52, 26)
        narrow = (22, 24) if tall else (30, 26)
        shares = {"digits": 3, "limit": 1}

        def cells(letter: str, table: Tensor, role: str, cell: tuple = single, **rest) -> list:
            return [
                vector(line.reshape(-1), role, name=f"{letter}{i}", cell=cell, **rest)
                for i, line in enumerate(table)
            ]

        pair = (44, 24) if tall else (48, 26)
        chips = [
            word(one.zh, gloss(one), name=f"c{i}", role="source") for i, one in enumerate(source)
        ]
        found = vector(context, "context", name="sum", cell=pair, **shares)
        asking = [space(), vector(q, "query", name="q", cell=narrow), space()]
        lines = [
            (say("page: the query of “{word}”", word=name), asking),
            ("" if tall else say("the source"), chips),
            (say("memory: keys"), cells("k", keys, "key", narrow)),
            (say("score: q · k"), cells("s", scores, "weights", limit=8)),
            (say("divide by √{width}", width=root), cells("d", scaled, "weights", limit=8)),
            (say("softmax: weights"), cells("w", weights, "weights", **shares)),
            (say("memory: values"), cells("v", values, "value", narrow)),
            (say("weight × value"), cells("u", weighted, "value", pair, **shares)),
        ]
        end = say("sum: context of “{word}”", word=name)
        if not tall:
            lines.append((end, [space(), found, space()]))
            return grid(
                [pieces for _, pieces in lines], labels=[one for one, _ in lines], gap=(20, 16)
            )
        thirds = [space(98)] * 3

        short = [lines[0][0], "", say("keys"), "q · k", f"÷ √{root}", say("softmax"), say("values")]
        short.append(say("w · value"))

        def beside(text: str) -> Piece:
            """Draw a label to the right of the first word's wire."""
            return row(space(57, 0), words(text, size=12, quiet=True), gap=0)

        parts = [
            column(
                *([beside(label)] if label else []),
                grid([pieces, thirds], gap=(4, 0)),
                gap=4,
                align="left",
            )
            for label, (_, pieces) in zip(short, lines, strict=True)
        ]
        last = grid([[space(), found, space()], thirds], gap=(4, 0))
        below = row(space(95, 0), words(end, size=12, quiet=True), gap=0)
        return column(*parts, column(last, below, gap=4, align="left"), gap=12, align="left")

    return Drawing(
        say("Cross-attention, step by step, for {word}", word=name),
        say(
            "The query of {word}, {q}, comes from the page; the keys of {source} come from the "
            "memory. The scores are {scores}, divided by the root of {width} they are {scaled}, "
            "and the weights are {weights}. Each weight multiplies a value from the memory, and "
            "the sum is the context, {context}.",
            word=name,
            q=listed(q),
            source=", ".join(names),
            scores=listed(scores),
            width=root,
            scaled=listed(scaled),
            weights=listed(weights, 3),
            context=listed(context, 3),
        ),
        steps(tall=False),
        steps(tall=True),
        wires=[
            *(Wire("q.bottom", f"c{i}.top", role="query") for i in range(3)),
            *(
                Wire(f"{a}{i}", f"{b}{i}")
                for a, b in ("ck", "ks", "sd", "dw", "wv", "vu")
                for i in range(3)
            ),
            *(Wire(f"u{i}.bottom", "sum.top", role="context") for i in range(3)),
        ],
    )


# One layer, drawn whole --------------------------------------------------------------------------


def one_layer() -> Drawing:
    """Draw a decoder layer: a residual stream and three parts that branch off it."""

    def whole(*, tall: bool) -> Piece:
        line = "\n" if tall else " "

        def part(text: str, name: str, role: str, state: str = "built") -> Piece:
            return block(text, role, name=name, width=124, state=state)

        parts = {
            1: part(say("masked{line}self-attention\nweights (T, T)", line=line), "a1", "target"),
            2: part(say("cross-attention\nweights (T, S)"), "a2", "source", "lit"),
            3: part(say("feed-forward"), "a3", "context"),
        }
        memory = block(say("memory\n(S, D)"), "source", name="memory")
        names = {1: "Q, K, V", 2: "Q", 3: "x″"}

        def fed(number: int) -> Piece:
            """Draw what goes into a part, to the right of its wire."""
            text = names[number] + ("" if tall else "  (T, D)")
            name = words(text, size=12, role="query" if number == 2 else "target")
            return row(space(name.width + 16, 0), name, gap=0)

        def end(text: str, name: str) -> list[Piece]:
            return [space(), space(), block(text, "target", name=name, width=66)]

        lines = [end(say("output\n(T, D)"), "out")]
        for n in (3, 2, 1):
            norm = block(say("norm {number}", number=n), name=f"n{n}", width=66, height=26)
            plus = block("+", "target", name=f"p{n}", width=36, height=26)
            lines += [
                [space(), space(), norm],
                [space(), space(), plus],
                [memory if n == 2 else space(), parts[n], space()],
                [space(), fed(n), space()],
            ]
        return grid([*lines, end("x\n(T, D)", "x")], gap=(28 if tall else 80, 8))

    wires = []
    for n, below, role in ((1, "x", "target"), (2, "n1", "query"), (3, "n2", "target")):
        wires += [
            Wire(f"{below}.top", f"p{n}.bottom", role="target", thick=True),
            Wire(f"p{n}.top", f"n{n}.bottom", role="target", thick=True, head=False),
            Wire(f"a{n}.top", f"p{n}.left", role="context", bent=True),
            Wire(f"{below}.left", f"a{n}.bottom", role=role, bent=True),
        ]
    wires.append(Wire("n3.top", "out.bottom", role="target", thick=True))
    ends = {"start": "memory.right", "end": "a2.left", "role": "key", "thick": True}
    return Drawing(
        say("One decoder layer and its residual stream"),
        say(
            "From x, of shape T by D, a thick line goes up to the output, T by D. Three parts "
            "branch off it and are added back, each followed by a norm: masked self-attention "
            "with weights T by T, cross-attention with weights T by S, and the feed-forward "
            "network. The memory, S by D, sends its arrow, keys and values, into cross-attention."
        ),
        whole(tall=False),
        whole(tall=True),
        wires=[*wires, Wire(label="K, V (S, D)", **ends)],
        tall_wires=[*wires, Wire(label="K, V", **ends)],
    )


def six_layers_one_memory(keys: Sequence[Tensor]) -> Drawing:
    """Draw six encoder and six decoder layers; keys are a few parameters of each W_k."""

    def strip(n: int) -> Piece:
        cells = {"digits": None, "name": f"w{n}", "cell": (14, 26)}
        return matrix(keys[n][None], "key", kind="parameter", **cells)

    def layer(n: int, key: str, role: str) -> Piece:
        return block(say("layer {number}", number=n + 1), role, name=f"{key}{n}")

    def stacks(gap: float) -> Piece:
        memory = block(say("memory\n(S, D)"), "source", name="m")
        dots = [named("edots", words("⋮")), space(), words("⋮"), named("ddots", words("⋮"))]
        last = [
            word(say("source"), "(S, D)", role="source", name="src"),
            space(),
            words("W_k, W_v", size=12, role="key"),
            word(say("page"), "(T, D)", role="target", name="tgt"),
        ]
        lines = [
            [
                layer(n, "e", "source"),
                memory if n == 5 else space(),
                strip(n),
                layer(n, "d", "target"),
            ]
            for n in (5, 1, 0)
        ]
        return grid([lines[0], dots, *lines[1:], last], gap=(gap, 26))

    chains = (
        ("source", ["src", "e0", "e1", "edots", "e5"]),
        ("target", ["tgt", "d0", "d1", "ddots", "d5"]),
    )
    return Drawing(
        say("Six encoder layers, one memory, six decoder layers"),
        say(
            "Left, the source goes up through the encoder's layers 1 to 6. The last one gives the "
            "memory. From the memory an arrow goes to every decoder layer, each time through that "
            "layer's own matrices W_k and W_v. Right, the page goes up through the decoder's "
            "layers."
        ),
        stacks(60),
        stacks(20),
        wires=[
            *(
                Wire(f"{a}.top", f"{b}.bottom", role=role)
                for role, chain in chains
                for a, b in pairwise(chain)
            ),
            Wire("e5.right", "m.left", role="source", thick=True),
            Wire("m.right", "w5.left", role="key"),
            Wire("m.bottom", "w1.left", role="key", bent=True),
            Wire("m.bottom", "w0.left", role="key", bent=True),
            *(Wire(f"w{n}.right", f"d{n}.left", role="key") for n in (5, 1, 0)),
        ],
    )


# What is choosing worth? -------------------------------------------------------------------------


def where_the_translator_looks(
    weights: Tensor,
    page: Sequence[str],
    source: Sequence[str],
    meanings: Sequence[str],
    lit: Sequence[int],
) -> Drawing:
    """Draw cross-attention weights, (T, S), some rows lit; the page has one word more than rows."""
    weights = weights.double().round(decimals=2)
    names, glosses = [say(one) for one in page], [say(one) for one in meanings]
    settings = {"digits": None, "limit": 1, "lit": lit}
    rows = [say("{read} → {next}", read=a, next=b) for a, b in pairwise(names)]
    return Drawing(
        say("Where the trained decoder looks in the Chinese sentence"),
        say(
            "A row for each word on the page, the query, and a column for each Chinese word, the "
            "key. Outlined, with their darkest cells: {found}.",
            found="; ".join(f"{rows[i]}: {glosses[int(weights[i].argmax())]}" for i in lit),
        ),
        with_axes(matrix(weights, "source", rows=rows, columns=glosses, cell=(52, 22), **settings)),
        with_axes(
            matrix(weights, "source", rows=names[:-1], columns=source, cell=(27, 22), **settings)
        ),
    )
