"""The figures of chapter 9, in their order on the page: what each word may attend to."""

from collections.abc import Sequence

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
    row,
    space,
    words,
)
from attnsteps.figures.catalogue import say
from attnsteps.figures.shared import listed, with_axes


def _mark(text: str) -> Piece:
    """Write a small label beside cells."""
    return words(text, size=12, quiet=True)


# The opening -------------------------------------------------------------------------------------


def the_leak(read: Sequence[str], wanted: Sequence[str]) -> Drawing:
    """Draw which of the words that are read each guess can see, without a mask and with it.

    Args:
        read: the words that are read, in their order.
        wanted: what is to be guessed at all of them but the last: the next word.
    """

    def panel(key: str, title: str, width: float) -> Piece:
        lines = []
        for letter, line, role, label in (
            ("g", wanted, "context", say("to guess")),
            ("r", read, "target", say("to read")),
        ):
            blocks = [
                block(text, role, name=f"{key}{letter}{t}", width=width)
                for t, text in enumerate(line)
            ]
            blocks += [space()] * (len(read) - len(line))
            lines.append([_mark(label), *blocks])
        return column(words(title, size=13, bold=True), grid(lines, gap=(5, 64)), gap=12)

    def panels(width: float) -> list[Piece]:
        return [
            panel("a", say("without a mask: the answer is in sight"), width),
            panel("b", say("with the mask of this chapter"), width),
        ]

    seen = [
        Wire(f"{key}r{i}.top", f"{key}g{t}.bottom")
        for key in "ab"
        for t in range(len(wanted))
        for i in range(len(read))
        if (i != t + 1 if key == "a" else i <= t)
    ]
    cheats = [
        Wire(f"ar{t + 1}.top", f"ag{t}.bottom", role="wrong", thick=True)
        for t in range(len(wanted))
    ]
    return Drawing(
        say("The leak, and what is to remain"),
        say(
            "Twice the words {read}, to be read; above each the word to be guessed there: "
            "{wanted}. Without a mask, arrows run from every word that is read to every guess, and "
            "a red one to each guess from the same word among those that are read, one place to "
            "the right. With the mask, arrows come from the left and from straight below only.",
            read=", ".join(read),
            wanted=", ".join(wanted),
        ),
        row(*panels(57), gap=30),
        column(*panels(54), gap=24),
        wires=seen + cheats,
    )


# A model that reads the answer -------------------------------------------------------------------


def where_it_looks(weights: Tensor, rolls: Sequence[int]) -> Drawing:
    """Draw the weights of a model of dice, (T, T), and beside each row the roll to be guessed.

    Args:
        weights: of T queries on T keys.
        rolls: the T that are read, and one more.
    """
    count = len(weights)
    faces = [str(roll) for roll in rolls]

    def table(width: float) -> Piece:
        looks = matrix(
            weights,
            "wrong",
            rows=[
                say("place {place}: {roll}", place=t, roll=face)
                for t, face in enumerate(faces[:-1])
            ],
            columns=faces[:-1],
            digits=None,
            limit=1,
            cell=(width, 24),
        )
        wanted = matrix(
            [[face] for face in faces[1:]], "context", columns=[say("to guess")], cell=(50, 24)
        )
        return row(with_axes(looks), wanted, gap=8, align="bottom")

    return Drawing(
        say("Where the model of the dice looks"),
        say(
            "Weights of {count} queries, the rows, on {count} keys, the columns, which are the "
            "rolls {rolls}; the darker, the more. In each row but the last, one cell is dark: the "
            "one to the right of the query's own place, which holds the roll to guess. The last "
            "row is pale all along.",
            count=count,
            rolls=", ".join(faces[:-1]),
        ),
        table(32),
        table(21),
    )


# One sentence, as many exercises as words --------------------------------------------------------


def staircase(read: Sequence[str], wanted: Sequence[str]) -> Drawing:
    """Draw one row for each place: what the causal mask lets it see, and what it has to guess."""
    count = len(read)

    def stairs(width: float) -> Piece:
        lines = []
        for place in range(count):
            seen = [
                matrix([[text]], "target", crossed=[[t > place]], cell=(width, 26))
                for t, text in enumerate(read)
            ]
            guess = matrix([[wanted[place]]], "context", cell=(width, 26))
            lines.append([*seen, words("→"), guess])
        heads = [_mark(say("sees")), *[space()] * count, _mark(say("guesses"))]
        return grid([heads, *lines], gap=(2, 3))

    return Drawing(
        say("One sentence as a staircase of exercises"),
        say(
            "A row for each of the words {read}. The first sees {first} alone and guesses {guess}; "
            "each next row sees one word more, and the last sees all of them and guesses {last}. "
            "All later words are crossed out.",
            read=", ".join(read),
            first=read[0],
            guess=wanted[0],
            last=wanted[-1],
        ),
        stairs(68),
        stairs(52),
    )


# Shift and mask ----------------------------------------------------------------------------------


def four_ways(right: Tensor) -> Drawing:
    """Draw how often four models are right at each place, (4, T), as shares.

    Args:
        right: with shift and mask, with the shift alone, with the mask alone, with neither.
    """
    names = [say("shift and mask"), say("shift, no mask"), say("mask, no shift"), say("neither")]
    percent = 100 * right

    def table(width: float) -> Piece:
        places = [str(place) for place in range(right.shape[1])]
        return matrix(
            percent,
            "weights",
            label=say("right at places 0 to {last}, in percent", last=right.shape[1] - 1),
            rows=names,
            columns=places,
            lit=[0],
            limit=100,
            cell=(width, 28),
        )

    return Drawing(
        say("Shift and mask, in all four combinations"),
        say(
            "Four rows of percentages, a column for each place. {rows}.",
            rows="; ".join(
                f"{name}: {listed(line)}" for name, line in zip(names, percent, strict=True)
            ),
        ),
        table(44),
        table(25),
    )


# Which mask goes where ---------------------------------------------------------------------------


def three_masks(source: Tensor, target: Tensor) -> Drawing:
    """Draw the masks of a Transformer's three kinds of attention; a filled cell is open.

    Args:
        source: (S,), True where the source isn't padding.
        target: (T,), the same for the target; the padding comes last.
    """
    names = {}
    for letter, real in (("S", source), ("T", target)):
        numbered = [f"{letter.lower()}{place + 1}" for place in range(int(real.sum()))]
        names[letter] = numbered + [say("pad")] * (len(real) - len(numbered))
    causal = torch.ones(len(target), len(target), dtype=torch.bool).tril()
    kinds = (
        (say("encoder, self-attention"), source.expand(len(source), -1), "SS", "(B, 1, 1, S)"),
        (say("decoder, self-attention"), causal & target, "TT", "(B, 1, T, T)"),
        (say("cross-attention"), source.expand(len(target), -1), "TS", "(B, 1, 1, S)"),
    )
    panels = []
    for title, open_cells, (queries, keys), shape in kinds:
        table = matrix(
            torch.ones(open_cells.shape),
            {"S": "source", "T": "target"}[keys],
            rows=names[queries],
            columns=names[keys],
            digits=None,
            crossed=~open_cells,
            cell=(29, 25),
        )
        panels.append(
            column(
                words(title, size=13, bold=True),
                with_axes(table),
                _mark(say("mask {shape}", shape=shape)),
                gap=6,
            )
        )
    return Drawing(
        say("Two masks for three kinds of attention"),
        say(
            "Rows are queries, columns keys; open cells are filled. Encoder, {s} by {s}: "
            "everything but the padding's column. Decoder, {t} by {t}: the lower triangle without "
            "the padding's column. Cross-attention, {t} rows by {s} columns: everything but the "
            "padding's column.",
            s=len(source),
            t=len(target),
        ),
        row(*panels, gap=26, align="top"),
        column(*panels, gap=22),
    )


# Where people go wrong ---------------------------------------------------------------------------


def which_test_finds_what(finds: Tensor) -> Drawing:
    """Draw which of four tests finds which of five mistakes, and none where there is none.

    Args:
        finds: (6, 4), True where a test finds something. Rows: no mistake, no mask, the mask
            inverted, the mask in training only, no shift, two shifts. Columns: the detector, the
            look at the shift, dice, writing.
    """
    mistakes = [
        say("no mistake"),
        say("no mask"),
        say("True as hide"),
        say("in training only"),
        say("no shift"),
        say("two shifts"),
    ]
    tests = [say("detector"), say("shift"), say("dice"), say("writing")]

    def table(width: float) -> Piece:
        found = matrix([[say("found")]], "plain", cell=(width, 26))
        missed = matrix([[0]], "plain", digits=None, cell=(width, 26))
        lines = [[found if mark else missed for mark in line] for line in finds.tolist()]
        return grid([[_mark(test) for test in tests], *lines], labels=["", *mistakes], gap=(2, 3))

    return Drawing(
        say("Which test finds which mistake"),
        say(
            "A row for each mistake, a column for each of the tests {tests}. Found are: {found}.",
            tests=", ".join(tests),
            found="; ".join(
                say(
                    "{mistake} by {tests}",
                    mistake=mistake,
                    tests=", ".join(t for t, mark in zip(tests, line, strict=True) if mark)
                    or say("none"),
                )
                for mistake, line in zip(mistakes, finds.tolist(), strict=True)
            ),
        ),
        table(76),
        table(47),
    )
