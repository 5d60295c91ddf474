"""The figures of chapter 11, in their order on the page: residual connections and norms."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from torch import Tensor

from attnsteps.diagrams import (
    Drawing,
    Piece,
    Wire,
    block,
    column,
    frame,
    grid,
    matrix,
    named,
    row,
    space,
    vector,
    words,
)
from attnsteps.diagrams.cells import in_digits
from attnsteps.figures.catalogue import gloss, say
from attnsteps.figures.shared import chart, listed
from attnsteps.running_example import Word
from attnsteps.toy import AXES


def _size(x: Tensor) -> float:
    """Return the root of the mean square."""
    return float(x.square().mean().sqrt())


def _axes() -> list[str]:
    return [say(axis) for axis in AXES]


# How alike have the words become? ----------------------------------------------------------------


def how_alike(tables: Mapping[str, Tensor], shown: Sequence[Word]) -> Drawing:
    """Draw two tables of cosines, each (T, T), between the same words."""
    glosses = [gloss(one) for one in shown]

    def both(cell: tuple[float, float]) -> list[Piece]:
        return [
            matrix(
                cosines,
                "source",
                label=say(label),
                rows=glosses,
                columns=glosses,
                limit=1,
                digits=2,
                cell=cell,
            )
            for label, cosines in tables.items()
        ]

    ranges = [
        say(
            "{label}, every two different words have between {low:.2f} and {high:.2f}",
            label=say(label),
            low=float((cosines + 9 * cosines.new_ones(len(cosines)).diag()).min()),
            high=float((cosines - 9 * cosines.new_ones(len(cosines)).diag()).max()),
        )
        for label, cosines in tables.items()
    ]
    return Drawing(
        say("How alike the words are"),
        say(
            "Two tables of cosines between {words}: {ranges}.",
            words=", ".join(glosses),
            ranges="; ".join(ranges),
        ),
        row(*both((50, 26)), gap=30),
        column(*both((44, 24)), gap=16),
    )


# Keep the word -----------------------------------------------------------------------------------


def without_and_with_a_road(x: Tensor, found: Tensor, name: str) -> Drawing:
    """Draw what is left of a word, (D,), that found something, with and without its own vector."""

    def entries(values: Tensor, role: str, label: str, key: str, **settings) -> Piece:
        return vector(values, role, label=label, name=key, cell=(43, 26), limit=1, **settings)

    def below(key: str) -> Piece:
        started = words(say("x, {word}", word=say(name)), size=12, role="source")
        return column(entries(x, "source", "", key), started, gap=2)

    without = frame(
        column(
            entries(found, "context", say("f(x): all that is left"), "out", columns=_axes()),
            block(say("attention"), "context", name="only"),
            below("in"),
            gap=24,
        ),
        say("without"),
    )
    plus = column(space(0, 38), block("+", name="plus", width=20), gap=0)
    kept = frame(
        grid(
            [
                [space(20), entries(x + found, "source", "x + f(x)", "sum", columns=_axes())],
                [plus, entries(found, "context", say("f(x): what it found"), "side")],
                [space(20), block(say("attention"), "context", name="branch")],
                [space(20), below("word")],
            ],
            gap=(10, 22),
        ),
        say("with a residual connection"),
    )
    return Drawing(
        say("What attention hands on, without and with a residual connection"),
        say(
            "Left: {word}, {x}, goes through attention and comes out as {found}. Right: the same, "
            "but a thick line carries {word} past attention to a plus, and the sum is {total}.",
            word=say(name),
            x=listed(x),
            found=listed(found),
            total=listed(x + found),
        ),
        row(without, kept, gap=16, align="bottom"),
        column(without, kept, gap=16),
        wires=(
            Wire("in.top", "only.bottom"),
            Wire("only.top", "out.bottom"),
            Wire("word.top", "branch.bottom"),
            Wire("branch.top", "side.bottom"),
            Wire("side.left", "plus.right"),
            Wire("word.left", "plus.bottom", role="source", thick=True, bent=True),
            Wire("plus.top", "sum.left", role="source", thick=True, bent=True),
        ),
    )


# How large is the sum? ---------------------------------------------------------------------------


def unrelated_vectors_add_up(x: Tensor, found: Tensor) -> Drawing:
    """Draw two unrelated vectors, (D,), their products entry by entry, and their sum."""
    lines = [
        ("x", x, "source", say("size {size:.3g}", size=_size(x))),
        ("f(x)", found, "context", say("size {size:.3g}", size=_size(found))),
        ("x · f(x)", x * found, "plain", say("mean {mean:.3g}", mean=float((x * found).mean()))),
        (
            "x + f(x)",
            x + found,
            "source",
            say(
                "size √{square:.3g} = {size:.3f}",
                square=_size(x + found) ** 2,
                size=_size(x + found),
            ),
        ),
    ]

    def drawn(cell: tuple[float, float], gap: float) -> Piece:
        return grid(
            [
                [words(name), vector(values, role, cell=cell, limit=2), words(note, size=12)]
                for name, values, role, note in lines
            ],
            gap=(gap, 8),
        )

    return Drawing(
        say("Two unrelated vectors of size 1 make one of size √2"),
        say(
            "x is {x}, and f(x) is {found}. Their products, entry by entry, are {products}: as "
            "often 1 as −1. The sum is {total}, of size {size:.3f}.",
            x=listed(x),
            found=listed(found),
            products=listed(x * found),
            total=listed(x + found),
            size=_size(x + found),
        ),
        drawn((52, 28), 18),
        drawn((34, 28), 8),
    )


# Back to size one --------------------------------------------------------------------------------


def layer_norm_by_hand(x: Tensor) -> Drawing:
    """Draw the four steps from a vector, (D,), to the normalised one."""
    deviations = x - x.mean()
    variance = float(deviations.square().mean())
    normed = deviations / variance**0.5
    lines = [
        ("x + f(x)", x, "source", say("mean {mean:.3g}", mean=float(x.mean()))),
        (say("minus the mean"), deviations, "source", ""),
        (
            say("its square"),
            deviations.square(),
            "plain",
            say("mean {mean:.3g}, so σ = {root:.3g}", mean=variance, root=variance**0.5),
        ),
        (say("divided by σ"), normed, "context", say("mean 0, standard deviation 1")),
    ]

    def shown(values: Tensor) -> list[str]:
        whole = bool((values == values.round()).all())
        return [in_digits(value, 0 if whole else 2) for value in values.tolist()]

    def drawn(*, tall: bool) -> Piece:
        rows = []
        for i, (name, values, role, note) in enumerate(lines):
            line = matrix(
                [shown(values)],
                role,
                columns=() if i else _axes(),
                cell=(50 if tall else 58, 26),
            )
            head = space(0, 0 if i or tall else 18)
            texts = [column(head, words(text, size=12), gap=0) for text in (name, note or " ")]
            if tall:
                rows.append(column(row(*texts, gap=14), line, gap=2))
            else:
                rows.append([texts[0], line, texts[1]])
        return column(*rows, gap=8) if tall else grid(rows, gap=(12, 6))

    return Drawing(
        say("Layer normalisation by hand"),
        say(
            "Over the entries {axes}: the sum is {x}, with mean {mean:.3g}. Minus the mean: "
            "{deviations}. The squares have the mean {variance:.3g}, so sigma is {sigma:.3g}. The "
            "second row divided by sigma: {normed}.",
            axes=", ".join(_axes()),
            x=listed(x),
            mean=float(x.mean()),
            deviations=listed(deviations, 2),
            variance=variance,
            sigma=variance**0.5,
            normed=listed(normed),
        ),
        drawn(tall=False),
        drawn(tall=True),
    )


def whose_mean(x: Tensor, names: Sequence[str]) -> Drawing:
    """Draw some words, (T, D), with the mean of each word, and with that of each entry."""
    shown = [say(name) for name in names]
    stats = {  # a little more, so that halves are rounded up, as by pencil
        role: (x.mean(at, keepdim=True) + 1e-9, x.std(at, correction=0, keepdim=True) + 1e-9)
        for role, at in (("context", 1), ("target", 0))
    }

    def table(values: Tensor, role: str, cell: tuple[float, float], **settings) -> Piece:
        return matrix(values, role, cell=cell, limit=1, **settings)

    def beside(role: str, cell: tuple[float, float]) -> Piece:
        """One mean and one σ for each row."""
        each = [values if values.shape[1] == 1 else values.T for values in stats[role]]
        return row(
            *(
                table(values, role, cell, columns=[letter], digits=2)
                for letter, values in zip("μσ", each, strict=True)
            ),
            gap=4,
        )

    def under(role: str, cell: tuple[float, float], above: Piece) -> Piece:
        """One mean and one σ for each column, below the columns of the table above."""
        each = [values if values.shape[0] == 1 else values.T for values in stats[role]]
        lines = [
            table(values, role, cell, rows=[letter], digits=2)
            for letter, values in zip("μσ", each, strict=True)
        ]
        pads = [space(max(0, above.width - line.width)) for line in lines]
        return column(
            *(row(pad, line, gap=0) for pad, line in zip(pads, lines, strict=True)), gap=4
        )

    names_of = {
        "context": say("layer norm:\neach word’s own"),
        "target": say("batch norm: each entry’s,\nover all words of the batch"),
    }
    texts = {role: words(text, size=12, role=role) for role, text in names_of.items()}
    wide = table(x, "source", (58, 26), rows=shown, columns=_axes(), digits=1)
    tall = table(x.T, "source", (42, 24), rows=_axes(), columns=shown, digits=1)
    return Drawing(
        say("Whose mean is it?"),
        say(
            "A table of the words {words} and their entries {axes}. Layer norm takes one mean and "
            "one sigma for each word: means {own}. Batch norm takes one of each for every entry, "
            "over all words: means {across}.",
            words=", ".join(shown),
            axes=", ".join(_axes()),
            own=listed(stats["context"][0][:, 0], 2),
            across=listed(stats["target"][0][0], 2),
        ),
        column(
            row(
                column(wide, under("target", (58, 26), wide), gap=8),
                column(beside("context", (50, 26)), space(0, 70), gap=0),
                gap=10,
                align="top",
            ),
            row(texts["target"], texts["context"], gap=60),
            gap=8,
        ),
        column(
            row(
                column(tall, under("context", (42, 24), tall), gap=8),
                column(beside("target", (32, 24)), space(0, 66), gap=0),
                gap=6,
                align="top",
            ),
            row(texts["context"], texts["target"], gap=24),
            gap=8,
        ),
    )


# Where does the norm go? -------------------------------------------------------------------------


def _lane(kind: str, end: str) -> Piece:
    text = say("gradient") if end == "top" else ""
    return named(f"{kind}-{end}", words(text, size=12, role="target"))


def _road(kind: str) -> Piece:
    """Draw one layer: the gradient's lane, the word's road and the side branch."""
    post = kind == "post"

    def norm(number: int) -> Piece:
        return block(say("norm"), "weights", name=f"{kind}-norm{number}", width=64)

    def half(number: int, text: str) -> list[list[Piece]]:
        """From the top: what is met on the way down through one function."""
        plus = block("+", name=f"{kind}-plus{number}", width=30)
        lines = [[space(86), plus, space(108)]]
        if post:
            slope = block("÷ σ", "target", name=f"{kind}-slope{number}", width=50)
            lines = [[slope, norm(number), space(108)], *lines]
        part = block(text, "context", name=f"{kind}-f{number}", width=108)
        lines.append([space(86), space(30), part])
        if not post:
            lines.append([space(86), space(30), norm(number)])
        fork = named(f"{kind}-fork{number}", space(1, 1))
        return [*lines, [space(86), fork, space(108)]]

    shape = words("(B, T, D)", size=12)
    out = block("x", "source", name=f"{kind}-out", width=64)
    start = block("x", "source", name=f"{kind}-in", width=64)
    rows = [
        [_lane(kind, "top"), out, shape],
        *half(2, say("feed-forward")),
        *half(1, say("attention")),
        [named(f"{kind}-bottom", space(86, 1)), start, shape],
    ]
    if not post:
        last = block(say("norm"), "weights", name="last", width=64, state="coming")
        rows.insert(0, [space(86), last, words(say("once, at the\nvery top"), size=12)])
    title = say("post-norm: norm on the road") if post else say("pre-norm: norm on the branch")
    return frame(grid(rows, gap=(10, 12)), title)


def _road_wires(kind: str) -> list[Wire]:
    post = kind == "post"
    thick = {"role": "source", "thick": True}
    wires, below = [], f"{kind}-in"
    for number in (1, 2):
        fork, plus = f"{kind}-fork{number}", f"{kind}-plus{number}"
        inner = f"{kind}-f{number}"
        first = inner if post else f"{kind}-norm{number}"
        wires += [
            Wire(f"{below}.top", f"{plus}.bottom", **thick),
            Wire(f"{fork}.right", f"{first}.bottom", bent=True),
            Wire(f"{inner}.top", f"{plus}.right", bent=True),
        ]
        if not post:
            wires.append(Wire(f"{first}.top", f"{inner}.bottom"))
        below = plus
        if post:
            below = f"{kind}-norm{number}"
            wires.append(Wire(f"{plus}.top", f"{below}.bottom", **thick))
    wires.append(Wire(f"{below}.top", f"{kind}-out.bottom", **thick))
    down = {"role": "target"}
    stops = ["top", "slope2", "slope1", "bottom"] if post else ["top", "bottom"]
    wires += [
        Wire(f"{kind}-{a}.bottom", f"{kind}-{b}.top", "" if post else "× 1", **down)
        for a, b in pairwise(stops)
    ]
    return wires if post else [*wires, Wire(f"{kind}-out.top", "last.bottom")]


def two_roads() -> Drawing:
    """Draw one layer of post-norm and one of pre-norm."""
    roads = _road("post"), _road("pre")
    return Drawing(
        say("Two roads: post-norm and pre-norm"),
        say(
            "One layer of each, read from the bottom. In post-norm x forks to attention, the two "
            "are added, then comes a norm on the road itself; the same for feed-forward. The "
            "gradient that comes down the road is divided by sigma at each norm. In pre-norm the "
            "norm is on the side branch, before the function. The road holds nothing but two plus "
            "signs, and the gradient on it is multiplied by 1. One more norm, dashed, is at the "
            "very top of the stack."
        ),
        row(*roads, gap=20, align="bottom"),
        column(*roads, gap=16),
        wires=[*_road_wires("post"), *_road_wires("pre")],
    )


def gradient_in_each_layer(post: Tensor, pre: Tensor) -> Drawing:
    """Draw how large the gradients of the parameters are, (layers, draws), in both arrangements."""
    count = len(post)
    top = math.ceil(float(max(post.max(), pre.max())))
    across = (0.8, count + 0.2, [(n, str(n)) for n in range(1, count + 1)], say("layer"))
    up = (0, top, [(n, str(n)) for n in range(top + 1)], say("size of the parameters’ gradient"))

    def drawn(size: tuple[float, float]) -> Piece:
        kinds = (("target", say("post-norm"), post, 0.3), ("source", say("pre-norm"), pre, -0.65))
        return chart(
            across,
            up,
            size=size,
            lines=[
                (role, list(enumerate(values.median(1).values.tolist(), 1)))
                for role, _, values, _ in kinds
            ],
            dots=[
                (role, [(n, g) for n, line in enumerate(values.tolist(), 1) for g in line])
                for role, _, values, _ in kinds
            ],
            notes=[
                (count - 1.3, float(values[-2:].max()) + above, name, role)
                for role, name, values, above in kinds
            ],
        )

    return Drawing(
        say("The gradient that reaches each layer’s parameters"),
        say(
            "Layers 1 to {count}, a dot for each draw of the weights, a line through the medians. "
            "Post-norm: {post}. Pre-norm: {pre}.",
            count=count,
            post=listed(post.median(1).values, 1),
            pre=listed(pre.median(1).values, 1),
        ),
        drawn((430, 170)),
        drawn((270, 170)),
    )


# Does it hold after training? --------------------------------------------------------------------


def where_training_breaks(
    rates: Sequence[float],
    shares: Mapping[str, tuple[Tensor, Tensor]],
    blind: tuple[float, float],
) -> Drawing:
    """Draw how much is right at the end for each learning rate, a dot for each seed.

    Args:
        rates: the learning rates, each twice the one before.
        shares: for each arrangement what is right without warm-up and with it, (rates, seeds).
        blind: the shares of two guesses that ignore the list, one number everywhere and the
            most common number of each place.
    """
    across = (
        -0.3,
        len(rates) - 0.6,
        [(i, f"{rate:g}") for i, rate in enumerate(rates)],
        say("learning rate"),
    )
    roles = "wrong", "source"
    ticks = [(share, f"{100 * share:.0f}") for share in (*blind, 0.5, 1)]
    pair = row(
        words(say("no warm-up"), size=12, role=roles[0], bold=True),
        words(say("warm-up"), size=12, role=roles[1], bold=True),
        gap=18,
    )
    dashed = words(
        say(
            "dashed: guesses that ignore the list, {one} and {each} %",
            one=ticks[0][1],
            each=ticks[1][1],
        ),
        size=12,
    )

    def panel(name: str, size: tuple[float, float]) -> Piece:
        return chart(
            across,
            (0, 1.05, ticks, say("{name}: % right", name=say(name))),
            size=size,
            lines=[
                (role, list(enumerate(values.median(1).values.tolist())))
                for role, values in zip(roles, shares[name], strict=True)
            ],
            dots=[
                (role, [(i + shift, n) for i, line in enumerate(values.tolist()) for n in line])
                for role, shift, values in zip(roles, (-0.06, 0.06), shares[name], strict=True)
            ],
            levels=[(share, "") for share in blind],
        )

    def worst(values: Tensor) -> str:
        return listed(100 * values.amin(1))

    return Drawing(
        say("How large a learning rate each arrangement bears"),
        say(
            "Learning rates {rates}; right in the worst of {seeds} runs, in percent. {all}. Dashed "
            "lines mark two guesses that ignore the list: one number everywhere, {one} percent, "
            "and the most common number of each place, {each} percent.",
            rates=", ".join(f"{rate:g}" for rate in rates),
            seeds=next(iter(shares.values()))[0].shape[1],
            all="; ".join(
                say(
                    "{name} without warm-up {without}, with it {with_it}",
                    name=say(name),
                    without=worst(without),
                    with_it=worst(with_it),
                )
                for name, (without, with_it) in shares.items()
            ),
            one=ticks[0][1],
            each=ticks[1][1],
        ),
        column(
            row(pair, dashed, gap=18),
            *(
                row(*(panel(name, (250, 150)) for name in [*shares][at : at + 2]), gap=24)
                for at in range(0, len(shares), 2)
            ),
            gap=12,
        ),
        column(pair, dashed, *(panel(name, (260, 140)) for name in shares), gap=12),
    )
