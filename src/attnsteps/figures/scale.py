"""The figures of chapter 20, in their order on the page: what an update keeps, takes and sends."""

import math
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from attnsteps.analysis.memory import TrainingBytes
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
    vector,
    word,
    words,
)
from attnsteps.figures.catalogue import say
from attnsteps.figures.shared import chart, listed

# What fills the memory ---------------------------------------------------------------------------

#: What an update keeps → its colour.
PARTS = {
    "weights": "key",
    "gradients": "query",
    "Adam": "position",
    "16-bit copies": "weights",
    "kept for backward": "context",
    "at the loss": "target",
}

#: A case → what its update has in memory.
Peaks = Mapping[str, TrainingBytes]


def one_small_layer(x: Tensor, w: Tensor, gradient: Tensor, averages: Sequence[Tensor]) -> Drawing:
    """Draw what an update of y = xW keeps, whatever the batch, and what the batch adds."""
    x, w = x.detach(), w.detach()
    fixed = [w, gradient, *averages]
    count, kept = sum(one.numel() for one in fixed), x.numel()
    size = [f"({one.shape[0]}, {one.shape[1]})" for one in (x, w)]

    def arranged(*, tall: bool) -> Piece:
        look = {"cell": (46, 26)}
        parts = [
            matrix(w, PARTS["weights"], label="W", shape=size[1], **look),
            matrix(gradient, PARTS["gradients"], label=say("gradient"), **look),
            matrix(averages[0], PARTS["Adam"], label=say("average"), digits=1, **look),
            matrix(averages[1], PARTS["Adam"], label=say("of squares"), digits=2, **look),
        ]
        text = say("for any batch: {n} numbers, {b} bytes", n=count, b=4 * count)
        held = row(*parts[:2], gap=22), row(*parts[2:], gap=22)
        stay = column(*held, gap=8) if tall else row(*held, gap=22)
        stay = column(stay, words(text, size=12, quiet=True), gap=8)
        inputs = matrix(x, PARTS["kept for backward"], label="x", shape=size[0], **look)
        text = say("grows with the batch:\n{n} numbers, {b} bytes", n=kept, b=4 * kept)
        grows = column(inputs, words(text, size=12, quiet=True), gap=8)
        return column(stay, grows, gap=16) if tall else row(stay, grows, gap=28, align="top")

    return Drawing(
        say("What an update of one small layer keeps"),
        say(
            "The weights W, {w}; their gradient, {g}; and Adam's two averages, of the gradient and "
            "of its square: {count} numbers for any batch. And the input x, {x}, kept for the "
            "backward pass: {kept} numbers, which grow with the batch.",
            w=listed(w.flatten()),
            g=listed(gradient.flatten()),
            count=count,
            x=listed(x.flatten()),
            kept=kept,
        ),
        arranged(tall=False),
        arranged(tall=True),
    )


#: What a token leaves in one sub-layer: its name, its pieces, and their colours.
Left = tuple[str, Sequence[str], Sequence[str]]


def _left_in_a_layer(title: str, layer: Sequence[Left], cell: tuple[float, float]) -> Piece:
    """Draw a layer's sub-layers from the bottom up; a source token's pieces have a thick frame."""
    lines = []
    for name, names, roles in reversed(layer):  # depth runs upward
        looks = ({"kind": "cached"} if r == "source" else {} for r in roles)
        drawn = [
            vector([n], r, cell=cell, **look)
            for n, r, look in zip(names, roles, looks, strict=True)
        ]
        pad = space(4 * cell[0] + 10 - row(*drawn, gap=2).width)
        count = words(f"{len(names)} D", size=13)
        lines.append([words(name, size=13), row(*drawn, pad, gap=2), count])
    widest = max(line[0].width for line in lines)
    for line in lines:
        line[0] = row(space(widest - line[0].width), line[0], gap=0)
    return column(words(title, size=13, bold=True), grid(lines, gap=(6, 8)), gap=10)


def what_a_token_leaves(d_model: int, d_ff: int) -> Drawing:
    """Draw what a token leaves in an encoder and a decoder layer, in pieces of D numbers."""
    hidden = d_ff // d_model
    pieces = ["q", "k", "v", say("heads")]
    norm = say("add & norm"), [say("sum"), say("norm")], ["plain"] * 2
    network = say("network"), [say("hidden")] * hidden, ["weights"] * hidden
    itself = say("self-attention"), pieces, ["query", "key", "value", "context"]
    across = say("cross-attention"), pieces, ["query", "source", "source", "context"]
    encoder = [itself, norm, network, norm]
    decoder = [itself, norm, across, norm, network, norm]
    source, every = (sum(len(names) for _, names, _ in layer) for layer in (encoder, decoder))

    def arranged(cell: tuple[float, float], *, tall: bool) -> Piece:
        layers = (
            _left_in_a_layer(say("encoder layer: {n} D", n=source), encoder, cell),
            _left_in_a_layer(say("decoder layer: {n} D", n=every), decoder, cell),
        )
        side = column(*layers, gap=22) if tall else row(*layers, gap=20, align="bottom")
        key = vector([""], "source", kind="cached", cell=(15, 15))
        note = row(key, words(say("a source token leaves these"), size=12), gap=6)
        return column(side, note, gap=12)

    return Drawing(
        say("What one token leaves in one encoder layer and in one decoder layer"),
        say(
            "Cells of D numbers in lines, one line for each sub-layer, from the bottom up. Encoder "
            "layer: self-attention leaves q, k, v and the merged heads, 4 D; add & norm leaves the "
            "sum and the norm of it, 2 D; the network its hidden units, {hidden} D; the second add "
            "& norm 2 D; together {source} D. Decoder layer: the same, and between them "
            "cross-attention, 4 D, with its own add & norm, 2 D; together {every} D. "
            "Cross-attention's k and v are framed: a source token leaves them.",
            hidden=hidden,
            source=source,
            every=every,
        ),
        arranged((46, 26), tall=False),
        arranged((42, 26), tall=True),
    )


def _legend(names: Sequence[str], *, tall: bool) -> Piece:
    keys = [
        row(matrix([[""]], PARTS[n], cell=(15, 15)), words(say(n), size=12), gap=5) for n in names
    ]
    if not tall:
        return row(*keys, gap=18)
    pairs = [row(*keys[n : n + 2], gap=14) for n in range(0, len(keys), 2)]
    return column(*pairs, gap=6, align="left")


def _memory_bars(cases: Peaks, pixels: float, *, tall: bool, card: float = 0.0) -> Piece:
    """Draw a bar for each case, to one scale of pixels for a GB, and above them a card's memory."""
    bars, seen = {}, []
    for label, kept in cases.items():
        sizes = kept.weights, kept.gradients, kept.adam, kept.copies
        sizes = (*sizes, kept.activations + kept.attention, kept.loss)
        pieces = []
        for name, size in zip(PARTS, sizes, strict=True):
            width = pixels * size / 1e9
            if width > 1:
                seen.append(name)
                shown = say(name) if name == "kept for backward" and width > 120 else ""
                pieces.append(matrix([[shown]], PARTS[name], cell=(width, 26)))
        bars[label] = row(*pieces, gap=-2), kept.total
    if card:
        outline = matrix([[""]], "plain", kind="cached", cell=(pixels * card / 1e9, 26))
        bars = {say("your card"): (outline, card), **bars}
    labels, lines = [words(label, size=13) for label in bars], []
    widest = max(label.width for label in labels)
    for label, (bar, size) in zip(labels, bars.values(), strict=True):
        total = words(say("{size:.1f} GB", size=size / 1e9), size=13, bold=True)
        drawn = row(bar, total, gap=8)
        if tall:
            lines.append(column(label, drawn, gap=3, align="left"))
        else:
            lines.append(row(label, space(widest - label.width), drawn, gap=4))
    names = [name for name in PARTS if name in seen]
    return column(*lines, _legend(names, tall=tall), gap=12, align="left")


def _totals(cases: Peaks) -> str:
    return "; ".join(
        say("{name}, {size:.1f} GB", name=name, size=kept.total / 1e9)
        for name, kept in cases.items()
    )


def memory_against_the_batch(batches: Mapping[int, TrainingBytes]) -> Drawing:
    """Draw an update's memory where it is highest, to scale, for each number of sentences."""
    cases = {
        say("{n} sentences", n=n) if n > 1 else say("1 sentence"): peak
        for n, peak in batches.items()
    }
    fixed = next(iter(batches.values()))
    return Drawing(
        say("The memory of one update of the base model"),
        say(
            "A bar to scale for each batch: {totals}. The weights, their gradients and Adam's "
            "averages take {fixed} GB in each bar; all the rest grows with the batch: what is kept "
            "for the backward pass, and at the end two tables at the loss.",
            totals=_totals(cases),
            fixed=f"{sum(fixed[:3]) / 1e9:.1f}",
        ),
        _memory_bars(cases, 21, tall=False),
        _memory_bars(cases, 10.5, tall=True),
    )


# Cut the batch -----------------------------------------------------------------------------------


def three_micro_batches(tokens: Mapping[str, int]) -> Drawing:
    """Draw three sentences that pass one by one; their gradients add up to one step."""
    names, total = [say(name) for name in tokens], sum(tokens.values())

    def arranged(*, tall: bool) -> Piece:
        passes = [
            say("{n}. forward,\nbackward", n=n) if tall else say("{n}. forward, backward", n=n)
            for n in range(1, 4)
        ]
        counts = zip(names, tokens.values(), strict=True)
        lines = [
            [
                word(name, say("{n} tokens", n=n), name=f"s{i}", role="source"),
                block(passes[i], name=f"run{i}"),
                block(text, "query", name=f"sum{i}"),
            ]
            for i, ((name, n), text) in enumerate(
                zip(counts, ("g₁", "g₁ + g₂", "g₁ + g₂ + g₃"), strict=True)
            )
        ]
        divide = block(say("÷ {n} tokens", n=total), "query", name="divide")
        step = block(say("Adam: one step"), "position", name="step")
        if tall:
            ends = row(divide, step, gap=30)
            return column(grid(lines, gap=(16, 30)), ends, gap=34, align="right")
        return column(grid(lines, gap=(36, 26)), row(divide, step, gap=44), gap=34, align="right")

    wires = [Wire(f"s{i}.right", f"run{i}.left") for i in range(3)]
    wires += [Wire(f"run{i}.right", f"sum{i}.left") for i in range(3)]
    wires += [Wire(f"sum{i}.bottom", f"sum{i + 1}.top", role="query") for i in range(2)]
    return Drawing(
        say("Three micro-batches, one step"),
        say(
            "Time runs downward. {first} goes forward and back and leaves its gradient g₁; then "
            "{second} adds g₂ and {third} adds g₃. Only then is the sum divided by all {total} "
            "tokens, and Adam takes one step.",
            first=names[0],
            second=names[1],
            third=names[2],
            total=total,
        ),
        arranged(tall=False),
        arranged(tall=True),
        wires=[*wires, Wire("sum2.bottom", "divide.top"), Wire("divide.right", "step.left")],
    )


# Fewer bits --------------------------------------------------------------------------------------

RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def number_formats(formats: Mapping[str, torch.dtype]) -> Drawing:
    """Draw how each format spends its bits: on the sign, the exponent and the digits."""
    found, drawn, roles = [], [], ("plain", "query", "key")
    for name, kind in formats.items():
        info = torch.finfo(kind)
        digits = round(-math.log2(info.eps))
        bits = (1, info.bits - 1 - digits, digits)
        mantissa, power = f"{info.max:.1e}".split("e+")
        high = f"{mantissa} · 10{power.translate(RAISED)}"
        high = high if int(power) > 9 else f"{info.max:,.0f}"
        after = f"{1 + info.eps:.{7 if digits > 10 else 4}f}"
        found.append((say(name), bits, high, after))

    def arranged(pixels: float, *, tall: bool) -> Piece:
        drawn.clear()
        for name, bits, high, after in found:
            texts = "", f"{bits[1]}", f"{bits[2]}"
            parts = [
                matrix([[text]], role, cell=(pixels * n, 26))
                for text, role, n in zip(texts, roles, bits, strict=True)
            ]
            told = say("largest {high}; after 1 comes {after}", high=high, after=after)
            bar, told = row(*parts, gap=-2), words(told, size=12, quiet=True)
            drawn.append((words(name, size=13, bold=True), bar, told))
        widest = max(label.width for label, _, _ in drawn)
        lines = [
            column(*line, gap=2, align="left")
            if tall
            else row(
                line[0],
                space(widest - line[0].width),
                column(*line[1:], gap=2, align="left"),
                gap=6,
            )
            for line in drawn
        ]
        names = zip((say("sign"), say("exponent"), say("digits")), roles, strict=True)
        keys = [row(matrix([[""]], r, cell=(13, 13)), words(n, size=12), gap=5) for n, r in names]
        return column(*lines, row(*keys, gap=16), gap=12, align="left")

    return Drawing(
        say("Three number formats, bit by bit"),
        say(
            "Bits for the sign, the exponent and the digits; the largest number; the number after "
            "1. {all}.",
            all="; ".join(
                f"{name}: {listed(bits)}; {high}; {after}" for name, bits, high, after in found
            ),
        ),
        arranged(15, tall=False),
        arranged(8.5, tall=True),
    )


def ways_to_fit(ways: Peaks, card: float) -> Drawing:
    """Draw the memory of the same update in several ways, to scale, below that of a card."""
    cases = {say(name): peak for name, peak in ways.items()}
    return Drawing(
        say("Four ways to run the same update of the base model"),
        say(
            "Bars to scale: {totals}; and your card, {card} GB. The weights, gradients and Adam's "
            "averages stay as they are in all of them.",
            totals=_totals(cases),
            card=f"{card / 1e9:.0f}",
        ),
        _memory_bars(cases, 18, tall=False, card=card),
        _memory_bars(cases, 10.5, tall=True, card=card),
    )


def losses_in_two_formats(ends: Mapping[str, Sequence[float]]) -> Drawing:
    """Draw the loss at the end of each run, a column for each seed, and how far the two differ."""
    formats, losses = [say(name) for name in ends], list(ends.values())
    count = len(losses[0])
    pairs = [(round(a, 3), round(b, 3)) for a, b in zip(*losses, strict=True)]
    apart = [f"{b - a:+.3f}".replace("-", "−") for a, b in pairs]
    table = [*([f"{loss:.3f}" for loss in some] for some in losses), apart]

    def arranged(cell: tuple[float, float], heads: Sequence[str]) -> Piece:
        rows = [*formats, say("difference")]
        return matrix(table, "target", rows=rows, columns=heads, cell=cell, lit=[len(formats)])

    return Drawing(
        say("The same training in 32 and in 16 bits"),
        say(
            "The training loss of a token at the end, a column for each of {count} seeds and a row "
            "for each of {formats}; below, how much the second adds to the first: {apart}.",
            count=count,
            formats=", ".join(formats),
            apart=", ".join(apart),
        ),
        arranged((78, 28), [say("seed {n}", n=n) for n in range(count)]),
        arranged((47, 28), [say("seed {n}", n=n) for n in range(count)]),
    )


def _power(base: int, power: float) -> str:
    """Write a power with its raised exponent: 2⁻⁶."""
    return f"{base}{'⁻' if power < 0 else ''}{str(abs(round(power))).translate(RAISED)}"


def error_against_the_factor(errors: Mapping[float, float], coarse: float) -> Drawing:
    """Draw the gradient's error in float16 against the loss's factor; a NaN is an overflow."""
    found = {math.log2(factor): error for factor, error in errors.items()}
    line = [(power, error) for power, error in found.items() if not math.isnan(error)]
    over = [power for power, error in found.items() if math.isnan(error)]
    low, high, top = min(found), max(found), 40 * math.ceil(max(e for _, e in line) / 40)

    def arranged(size: tuple[float, float], step: int) -> Piece:
        ticks = [(p, _power(2, p)) for p in list(found)[::step]]
        return chart(
            (low, high, ticks, say("factor of the loss")),
            (
                0,
                top,
                [(n, f"{n}") for n in range(0, top + 1, 40)],
                say("error of the gradient (%)"),
            ),
            size=size,
            lines=[("query", line), ("key", [(low, coarse), (high, coarse)])],
            dots=[("query", line), ("wrong", [(power, 0) for power in over])],
            notes=[
                (low + 5, 0.6 * top, say("float16"), "query"),
                (low + 14, coarse + 0.08 * top, say("bfloat16, no factor"), "key"),
                (over[0] - 4, 0.32 * top, say("infinite"), "wrong"),
            ],
        )

    return Drawing(
        say("What a factor of the loss does for float16"),
        say(
            "In float16 the gradient's error is larger than the gradient at the smallest factor, "
            "{low}. It falls to a few per cent and stays there over a wide range, until at the "
            "right end the gradient is infinite. A level line above it is bfloat16, which needs "
            "no factor.",
            low=_power(2, low),
        ),
        arranged((520, 170), 2),
        arranged((250, 170), 3),
    )


# Several machines --------------------------------------------------------------------------------


def _around(vectors: Sequence[Sequence[int]]) -> tuple[list[list[list[int]]], list[list[int]]]:
    """Return what each process of a ring holds after each round, and which part it sends in it."""
    count = len(vectors)
    held = [list(numbers) for numbers in vectors]
    states, sent = [[list(numbers) for numbers in held]], []
    for adds, first in ((True, 0), (False, 1)):
        for r in range(count - 1):
            places = [(m + first - r) % count for m in range(count)]
            posted = [held[m][places[m]] for m in range(count)]
            for m in range(count):
                right, place = (m + 1) % count, places[m]
                held[right][place] = posted[m] + (held[right][place] if adds else 0)
            states.append([list(numbers) for numbers in held])
            sent.append(places)
    return states, sent


def a_ring_adds_up(vectors: Sequence[Sequence[int]], names: Sequence[str]) -> Drawing:
    """Draw the rounds in which a ring of processes adds up its vectors, part by part."""
    states, sent = _around(vectors)
    count, total = len(vectors), [sum(numbers) for numbers in zip(*vectors, strict=True)]
    adds = [say("pass 1: add")] * (count - 1)
    rounds = [say("at first"), *adds, *[say("pass 2: copy")] * (count - 1)]

    def cell(r: int, m: int, p: int, size: tuple[float, float]) -> Piece:
        number, kind = states[r][m][p], "activation"
        role = "source" if number == vectors[m][p] else "value"
        if number == total[p]:
            role, kind = "context", "cached"
        return vector([f"{number}"], role, kind=kind, name=f"{r}.{m}.{p}", cell=size)

    def arranged(size: tuple[float, float], gap: float, *, tall: bool) -> Piece:
        every = range(count)
        lines = [
            [row(*(cell(r, m, p, size) for p in every), gap=0) for m in every]
            for r in range(len(states))
        ]
        heads = [
            words(say("process {m}\n{name}", m=m, name=say(name)), size=12)
            for m, name in enumerate(names)
        ]
        texts = [text.replace(": ", ":\n") for text in rounds] if tall else rounds
        labels = [words(text, size=12, quiet=True) for text in texts]
        widest = max(label.width for label in labels)
        labels = [row(space(widest - one.width), one, gap=0) for one in labels]
        table = [[label, *line] for label, line in zip(labels, lines, strict=True)]
        return grid([[space(), *heads], *table], gap=(gap, 30))

    wires = [
        Wire(f"{r}.{m}.{p}.bottom", f"{r + 1}.{(m + 1) % count}.{p}.top", role="query")
        for r, places in enumerate(sent)
        for m, p in enumerate(places)
    ]
    done = [p for m in range(count) for p in range(count) if states[count - 1][m][p] == total[p]]
    return Drawing(
        say("A ring of three processes adds up a gradient"),
        say(
            "Rows from the start to the end. In each round of the first pass every process sends "
            "one part to its right neighbour, the last to the first, which adds it to its own; "
            "after it each holds one part of the sum, outlined: {parts}. In the second pass the "
            "finished parts go around and are copied, until all hold {total}.",
            parts=listed([total[p] for p in done]),
            total=listed(total),
        ),
        arranged((46, 26), 34, tall=False),
        arranged((26, 26), 4, tall=True),
        wires=wires,
    )


# Twelve hours ------------------------------------------------------------------------------------


def roofline(points: Mapping[int, tuple[float, float]], memory: float, peak: float) -> Drawing:
    """Draw a product's speed against its operations per byte, below two limits.

    Args:
        points: number of words → (operations for each byte, operations a second).
        memory: the most bytes a second.
        peak: the most operations a second.
    """

    def tens(*numbers: float) -> tuple[float, ...]:
        return tuple(math.log10(n) for n in numbers)

    bend, left, right = peak / memory, 0.2, 700
    low = left * memory / 2
    roof = [tens(left, left * memory), tens(bend, peak), tens(right, peak)]
    dots = [tens(*point) for point in points.values()]

    def arranged(size: tuple[float, float], *, tall: bool) -> Piece:
        marks = [(math.log10(n), f"{n:g}") for n in (0.2, 1, 10, 100)]
        up = [n for n in (1, 2, 5, 10, 20, 50, 100, 200) if low < n * 1e9 < 1.5 * peak]
        ticks = [(math.log10(n * 1e9), f"{n}") for n in up]
        names = [say("{n} words", n=n) if n > 1 else say("1 word") for n in points]
        if tall:
            names = [names[0], *(f"{n}" for n in list(points)[1:-1]), names[-1]]
        notes = [
            (x + 0.06, y - (0.13 if tall else 0.1), text, "key")
            for (x, y), text in zip(dots, names, strict=True)
        ]
        y = math.log10(1.25 * peak)
        notes.append((math.log10(1.2 * bend), y, say("limit of the arithmetic"), "plain"))
        high = math.log10((15 if tall else 5.5) * left * memory)
        for n, text in enumerate(say("limit of\nthe memory").split("\n")):
            notes.append((math.log10(1.12 * left), high - 0.12 * n, text, "plain"))
        return chart(
            (*tens(left, right), marks, say("operations for each byte that travels")),
            (math.log10(low), math.log10(1.6 * peak), ticks, say("10⁹ operations a second")),
            size=size,
            lines=[("plain", roof), ("key", dots)],
            dots=[("key", dots)],
            notes=notes,
        )

    told = "; ".join(f"{n}: {i:.1f}, {s / 1e9:.0f}" for n, (i, s) in points.items())
    return Drawing(
        say("The roofline of one product"),
        say(
            "Both axes are logarithmic. A slanted line, the speed of memory, meets a level line, "
            "the speed of arithmetic, at {bend:.0f} operations for each byte. A product of n words "
            "lies below this roof, far left for few words and at the right for many. Words: "
            "operations for each byte, 10⁹ operations a second. {told}.",
            bend=bend,
            told=told,
        ),
        arranged((540, 210), tall=False),
        arranged((258, 220), tall=True),
    )
