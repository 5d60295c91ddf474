"""The figures of chapter 7, in their order on the page: attention in one function."""

import math
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
    grid,
    matrix,
    row,
    space,
    vector,
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


# A row with nothing left -------------------------------------------------------------------------


def one_nan_spoils_the_next_layer(weights: Tensor, values: Tensor, names: Sequence[str]) -> Drawing:
    """Draw one query's weights, (T,), times values, (T, Dv), of which a row is NaN, and the sum."""
    own = [say(name) for name in names]
    context = weights @ values

    def cells(numbers: Tensor, role: str, width: float) -> Piece:
        shown = [say("NaN") if math.isnan(v) else in_digits(v, 3) for v in numbers.tolist()]
        role = "wrong" if bool(numbers.isnan().any()) else role
        return vector(shown, role, cell=(width, 26))

    def added(width: float, gap: float) -> Piece:
        lines = [
            [
                words(name, size=12),
                vector([in_digits(share, 3)], "weights", cell=(width, 26)),
                words("×", size=13),
                cells(value, "value", width),
            ]
            for name, share, value in zip(own, weights.tolist(), values, strict=True)
        ]
        heads = [
            space(1),
            words(say("weight"), size=12, role="weights", bold=True),
            space(1),
            words(say("value"), size=12, role="value", bold=True),
        ]
        total = [words(say("sum"), size=13), space(1), space(1), cells(context, "context", width)]
        return grid([heads, *lines, total], gap=(gap, 6))

    return Drawing(
        say("One row of NaN spoils the next layer"),
        say(
            "For the query of {query}: the weights {weights} of {words}, each times its value. The "
            "value of {spoiled} is NaN and its weight 0, and the sum is NaN.",
            query=own[-1],
            weights=listed(weights, 3),
            words=", ".join(own),
            spoiled=own[int(values.isnan().any(-1).int().argmax())],
        ),
        added(58, 12),
        added(52, 8),
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
    weights = hidden.softmax(-1).where(mask.any(-1, keepdim=True), 0)  # an empty row gets zeros
    context = weights @ v
    root = in_digits(k.shape[-1] ** 0.5, 0)

    def whole(*, tall: bool) -> Piece:
        small, share = ((20, 24), (38, 24)) if tall else ((24, 26), (46, 26))

        def table(
            numbers: Tensor, role: str, label: str, name: str, *, below: bool = False, **settings
        ) -> Piece:
            drawn = matrix(numbers, role, name=name, **{"cell": small} | settings)
            parts = [words(label, size=12, role=role, bold=True), drawn]
            return column(*(reversed(parts) if below else parts), gap=4)

        compare = row(
            table(q, "query", "Q (T, dₖ)", "Q", rows=own),
            words("×"),
            table(k.T, "key", "Kᵀ (dₖ, T)", "K"),
            words(f"÷ {root} ="),
            table(scores, "weights", say("scores"), "scores"),
            gap=4 if tall else 14,
        )
        rows = {} if tall else {"rows": own}
        masked = matrix(hidden, "weights", crossed=~mask, cell=small, name="masked")
        softmax = block(say("softmax of each row,\nzeros for an empty one"), name="softmax")
        precise = {"digits": 3, "limit": 1, "cell": share, "below": True}
        fetch = row(
            table(weights, "weights", say("weights"), "weights", **precise, **rows),
            words("×"),
            table(v, "value", "V (T, dᵥ)", "V", below=True),
            words("="),
            table(context, "context", f"{say('context')} (T, dᵥ)", "c", **precise),
            gap=6 if tall else 14,
        )
        if tall:
            return column(compare, row(space(170), masked), softmax, fetch, gap=30)
        return column(compare, row(softmax, masked, gap=40), fetch, gap=46, align="right")

    wires = [Wire("scores.bottom", "masked.top", say("mask")), Wire("masked", "softmax")]
    first, second = (
        ", ".join(
            say("{weight:.3f} to {name}", weight=weight, name=name)
            for weight, name in zip(line, own, strict=True)
        )
        for line in weights[-2:].tolist()
    )
    return Drawing(
        say("Attention line by line, for {words}", words=", ".join(own)),
        say(
            "Queries times the transpose of the keys, divided by {root}, are the scores. The mask "
            "closes the future and the padding. The softmax of each row makes weights of what is "
            "left, and zeros where nothing is left: {one} gives {first}; {two} gives {second}. "
            "The weights times the values are the contexts.",
            root=root,
            one=own[-2],
            two=own[-1],
            first=first,
            second=second,
        ),
        whole(tall=False),
        whole(tall=True),
        wires=[*wires, Wire("softmax.left", "weights.top", bent=True)],
        tall_wires=[*wires, Wire("softmax.bottom", "weights.top")],
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
