"""The figures of chapter 7, in their order on the page: attention in one function."""

from collections.abc import Sequence

import torch
from torch import Tensor

from attnsteps.diagrams import (
    Drawing,
    Piece,
    Wire,
    bars,
    block,
    column,
    matrix,
    row,
    space,
    words,
)
from attnsteps.diagrams.cells import in_digits
from attnsteps.figures.catalogue import say
from attnsteps.figures.shared import listed, with_axes

# Two sentences in one tensor ---------------------------------------------------------------------


def one_table_for_each_sentence(weights: Tensor, batch: Sequence[Sequence[str]]) -> Drawing:
    """Draw the weights of a batch, (B, T, T): for each sentence a table of its own.

    Args:
        weights: the weights.
        batch: the words of each sentence, paddings included.
    """
    names = [[say(word) for word in sentence] for sentence in batch]

    def tables(cell: tuple[float, float]) -> list[Piece]:
        return [
            column(
                words(say("sentence {number}", number=number), size=13, bold=True),
                with_axes(
                    matrix(table, "weights", rows=own, columns=own, digits=3, limit=1, cell=cell)
                ),
                gap=6,
            )
            for number, (table, own) in enumerate(zip(weights, names, strict=True), start=1)
        ]

    return Drawing(
        say("One table of weights for each sentence"),
        say(
            "Two tables of three queries by three keys. In the second, the padding has a row and "
            "a column like any word, and gets {share:.3f} from {word}.",
            share=float(weights[-1, 0, -1]),
            word=names[-1][0],
        ),
        row(*tables((54, 28)), gap=50),
        column(*tables((54, 28)), gap=20),
    )


# The padding takes a share -----------------------------------------------------------------------


def what_company_does(found: Sequence[float], counts: Sequence[int], word: str) -> Drawing:
    """Draw what a word brings home from its neighbour, with different numbers of paddings."""
    labels = [say("{count} paddings", count=count) for count in counts]

    def panel(width: float) -> Piece:
        return bars(
            torch.tensor(found, dtype=torch.float64),
            "context",
            labels=labels if width > 80 else [str(count) for count in counts],
            digits=3,
            limit=1,
            title=say("what “{word}” brings home: paved", word=say(word)),
            size=(width, 90),
        )

    below = words(say("paddings behind the sentence"), size=12, quiet=True)
    return Drawing(
        say("The more padding, the less is left of the answer"),
        say(
            "Bars of what {word} brings home with {counts} paddings behind its sentence: {found}.",
            word=say(word),
            counts=listed(counts),
            found=listed(found, 3),
        ),
        panel(110),
        column(panel(70), below, gap=4),
    )


# The future leaks --------------------------------------------------------------------------------


def two_masks_together(real: Tensor, causal: Tensor, names: Sequence[str]) -> Drawing:
    """Draw a padding mask, (1, T), a causal mask, (T, T), and what both leave open."""
    own = [say(name) for name in names]

    def table(title: str, mask: Tensor) -> Piece:
        whole = mask.expand(len(own), len(own))
        marks = [["✓"] * len(own)] * len(own)
        cells = matrix(
            marks, "weights", rows=own, columns=own, crossed=~whole, cell=(48, 26), label=title
        )
        return with_axes(cells)

    first, second, both = (
        table(say("padding"), real),
        table(say("causal"), causal),
        table(say("both"), real & causal),
    )
    return Drawing(
        say("What two masks leave open"),
        say(
            "Three tables of queries by keys for {words}. The padding mask closes the column of "
            "the padding, the causal mask everything above the diagonal; together they close both.",
            words=", ".join(own),
        ),
        row(first, words("&"), second, words("="), both, gap=8),
        column(first, words("&"), second, words("="), both, gap=6),
    )


# Forgetting on purpose ---------------------------------------------------------------------------


def before_and_after_dropout(before: Tensor, after: Tensor, names: Sequence[str]) -> Drawing:
    """Draw weights, (T, T), before and after a toss of dropout, with the sums of their rows."""
    own = [say(name) for name in names]
    hit = (after == 0) & (before > 0)
    (where, what) = hit.nonzero()[0].tolist()

    def with_sums(table: Tensor, title: str) -> Piece:
        shared = {"digits": 3, "cell": (50, 26)}
        weights = matrix(table, "weights", rows=own, columns=own, label=title, limit=1.2, **shared)
        sums = matrix(
            table.sum(-1, keepdim=True), "plain", columns=[say("sum")], label=" ", **shared
        )
        return row(weights, sums, gap=8)

    pair = (with_sums(before, say("before dropout")), with_sums(after, say("after dropout")))
    return Drawing(
        say("Weights before and after dropout"),
        say(
            "Before dropout {query} gives {share:.3f} to {key}, and every row adds up to 1. After "
            "it that cell is 0 and its row adds up to {left:.3f}, the others to {more:.3f}.",
            query=own[where],
            key=own[what],
            share=float(before[where, what]),
            left=float(after[where].sum()),
            more=float(after[where - 1].sum()),
        ),
        row(*pair, gap=24),
        column(*pair, gap=16),
    )


# The whole function ------------------------------------------------------------------------------


def line_by_line(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, names: Sequence[str]) -> Drawing:
    """Draw attention for one sentence, from queries, (T, Dk), to contexts, with a mask, (T, T)."""
    own = [say(name) for name in names]
    scores = q @ k.T / k.shape[-1] ** 0.5
    hidden = scores.masked_fill(~mask, -torch.inf)
    weights = hidden.softmax(-1)
    context = weights @ v
    root = in_digits(k.shape[-1] ** 0.5, 0)

    def whole(*, tall: bool) -> Piece:
        small, share = ((20, 24), (42, 24)) if tall else ((24, 26), (46, 26))

        def table(numbers: Tensor, role: str, label: str, shape: str, **settings) -> Piece:
            return matrix(
                numbers, role, label=label, shape=shape, **{"cell": small, "name": label} | settings
            )

        square = {"crossed": ~mask, "rows": own}
        compare = row(
            table(q, "query", "Q", "(T, dₖ)", rows=own),
            words("×"),
            table(k.T, "key", "Kᵀ", "(dₖ, T)"),
            words(f"÷ {root} ="),
            table(scores, "weights", say("scores"), "" if tall else "(T, T)", name="scores"),
            gap=4 if tall else 14,
        )

        def title(text: str, role: str) -> Piece:
            return words(text, size=12, role=role, bold=True)

        def titled(piece: Piece, text: str, role: str) -> Piece:
            """Write the title where no arrow runs: beside the piece, above or below it."""
            beside = title(text, role)
            if tall and role == "weights":
                return row(space(beside.width), piece, beside, gap=6)
            if text == say("weights"):
                return column(beside, piece, gap=4)
            return column(piece, beside, gap=4)

        masked = titled(
            table(hidden, "weights", "", "", name="masked", **square), say("masked"), "weights"
        )
        precise = {"digits": 3, "limit": 1, "cell": share}
        shares = titled(
            table(
                weights,
                "weights",
                "",
                "",
                name="weights",
                **({"rows": own} if tall else {}),
                **precise,
            ),
            say("weights"),
            "weights",
        )
        result = titled(
            table(context, "context", "", "", name="c", **precise),
            f"{say('context')} (T, dᵥ)",
            "context",
        )
        softmax = block(say("softmax of\neach row"), name="softmax")
        values = titled(table(v, "value", "", "", name="V"), "V (T, dᵥ)", "value")
        fetch = (words("×"), values, words("="), result)
        if tall:
            return column(
                compare,
                masked,
                softmax,
                shares,
                row(*fetch, gap=10),
                gap=26,
            )
        decide = row(masked, softmax, shares, gap=30)
        return column(compare, decide, row(*fetch, gap=14), gap=46)

    wires = [Wire("scores.bottom", "masked.top", say("mask")), Wire("masked", "softmax")]
    onward = Wire("softmax", "weights")
    return Drawing(
        say("Attention line by line, for {words}", words=", ".join(own)),
        say(
            "Queries times the transpose of the keys, divided by {root}, are the scores. The mask "
            "closes the future and the padding. The softmax of each row makes weights of what is "
            "left: {first} has only itself; {second} gives {w0:.3f} to {first} and {w1:.3f} to "
            "itself. The weights times the values are the contexts.",
            root=root,
            first=own[0],
            second=own[1],
            w0=float(weights[1, 0]),
            w1=float(weights[1, 1]),
        ),
        whole(tall=False),
        whole(tall=True),
        wires=[*wires, onward, Wire("weights.bottom", "c.right", bent=True, role="weights")],
        tall_wires=[*wires, onward, Wire("weights.bottom", "V.top", role="weights")],
    )


# What it costs -----------------------------------------------------------------------------------


def one_table_to_scale(lengths: Sequence[int], side: float = 200) -> Drawing:
    """Draw the table of weights for some lengths of text as squares; the last has the side."""

    def square(length: int) -> Piece:
        edge = side * length / lengths[-1]
        return column(
            matrix([[f"{length:,}²"]], "weights", cell=(edge, edge)),
            words(say("{length:,} words", length=length), size=13),
            words(say("{size:g} MiB", size=_mebibytes(length)), size=13, bold=True),
            gap=3,
        )

    squares = [square(length) for length in lengths]
    return Drawing(
        say("One table of weights, drawn to scale"),
        say(
            "Squares, each with twice the side of the one before. {first:,} words make a table of "
            "{small:g} MiB, {last:,} words one of {large:g} MiB.",
            first=lengths[0],
            small=_mebibytes(lengths[0]),
            last=lengths[-1],
            large=_mebibytes(lengths[-1]),
        ),
        row(*squares, gap=30, align="bottom"),
        column(row(*squares[:-1], gap=30, align="bottom"), squares[-1], gap=14),
    )


def _mebibytes(length: int) -> float:
    """Return the size of a table of weights in float32."""
    return length * length * 4 / 2**20
