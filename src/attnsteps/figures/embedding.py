"""The figures of chapter 3, in their order on the page: from an id to a vector."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional

from attnsteps.diagrams import (
    Drawing,
    Piece,
    Wire,
    column,
    matrix,
    row,
    vector,
    words,
)
from attnsteps.diagrams.sheet import Sheet
from attnsteps.figures.catalogue import say
from attnsteps.figures.shared import chart, listed

# Picking a row, with a pencil --------------------------------------------------------------------


def one_hot_lifts_a_row(
    table: Tensor, names: Sequence[str], axes: Sequence[str], id_: int
) -> Drawing:
    """Draw a one-hot vector times a table, (V, D), which is one of the table's rows.

    Args:
        table: a row for each word.
        names: the words.
        axes: what the entries of a row mean.
        id_: of the word that is looked up.
    """
    one_hot = functional.one_hot(torch.tensor(id_), len(table)).to(table.dtype)

    def parts(cell: tuple[float, float]) -> list[Piece]:
        return [
            vector(one_hot, "plain", label=say("one-hot"), cell=cell),
            words("×"),
            matrix(
                table,
                "source",
                label="E",
                shape="(V, D)",
                rows=[f"{i} {name}" for i, name in enumerate(names)],
                columns=axes,
                digits=1,
                lit=[id_],
                kind="parameter",
                cell=cell,
            ),
            words("="),
            vector(one_hot @ table, "source", label=names[id_], digits=1, cell=cell),
        ]

    return Drawing(
        say("A one-hot vector lifts a row out of the table"),
        say(
            "The one-hot vector {one_hot} times the table E with a row for each of the words "
            "{names} gives the row of {word}: {row}.",
            one_hot=listed(one_hot),
            names=", ".join(names),
            word=names[id_],
            row=listed(table[id_], 1),
        ),
        row(*parts((40, 26)), gap=12),
        column(*parts((38, 26)), gap=8),
    )


def several_look_ups(table: Tensor, names: Sequence[str], ids: Sequence[int]) -> Drawing:
    """Draw how the ids of a phrase become one-hot rows, and these times the table its vectors."""
    said = [names[i] for i in ids]
    one_hot = functional.one_hot(torch.tensor(ids), len(table)).to(table.dtype)
    cell = (34, 26)

    def picture(*, tall: bool) -> Piece:
        first = matrix(
            torch.tensor(ids)[:, None],
            "plain",
            label=say("ids"),
            shape="(T,)",
            rows=said,
            cell=cell,
            name="ids",
        )
        second = matrix(
            one_hot, "plain", label=say("one-hot"), shape="(T, V)", cell=cell, name="one"
        )
        third = matrix(
            table,
            "source",
            label="E",
            shape="(V, D)",
            rows=[f"{i} {name}" for i, name in enumerate(names)],
            digits=1,
            kind="parameter",
            cell=cell,
        )
        last = matrix(
            one_hot @ table,
            "source",
            label="X",
            shape="(T, D)",
            rows=said if tall else (),
            digits=1,
            cell=cell,
        )
        if tall:
            parts = (row(first, second, gap=40), words("×"), third, words("="), last)
            return column(*parts, gap=10)
        left = row(first, row(second, words("×"), third), gap=36)
        return row(left, words("="), last, gap=18)

    return Drawing(
        say("A phrase as several look-ups"),
        say(
            "The ids {ids} of {words} become as many one-hot rows. Times E, they give X, a row of "
            "E for each word; a word that occurs twice has the same row both times.",
            ids=listed(ids),
            words=", ".join(said),
        ),
        picture(tall=False),
        picture(tall=True),
        wires=[Wire("ids.right", "one.left")],
    )


# The company a word keeps ------------------------------------------------------------------------

#: The hues of words that are drawn as arrows, in their order.
WORDS_HUES = ("source", "query", "value", "target")


def _arrow(
    sheet: Sheet,
    start: tuple[float, float],
    tip: tuple[float, float],
    role: str,
    *,
    thin: bool = False,
) -> None:
    """Draw a straight arrow from one point of the sheet to another."""
    dx, dy = tip[0] - start[0], tip[1] - start[1]
    length = (dx * dx + dy * dy) ** 0.5 or 1.0
    ux, uy, side = dx / length, dy / length, 3.5 if thin else 5
    head_length = min(9, length / 2) if thin else 9
    bare = 1 - (head_length - 1) / length
    line = f"M{start[0]:.1f} {start[1]:.1f}l{bare * dx:.1f} {bare * dy:.1f}"
    weight = "stroke-width:1.2" if thin else None
    sheet.add("path", d=line, class_=f"hand line-{role}", style=weight)
    back = (tip[0] - head_length * ux, tip[1] - head_length * uy)
    sides = [(back[0] + t * uy, back[1] - t * ux) for t in (side, -side)]
    head = "L".join(f"{px:.1f} {py:.1f}" for px, py in (tip, *sides))
    sheet.add("path", d=f"M{head}Z", class_=f"head fill-{role}", style="fill:var(--h)")


def which_words_occur_near(shares: Tensor, rows: Sequence[str], columns: Sequence[str]) -> Drawing:
    """Draw what share of some words' neighbours some other words are, as percentages."""
    percent = 100 * shares

    def table(width: float) -> Piece:
        return matrix(
            percent,
            "source",
            rows=rows,
            columns=columns,
            label=say("percentage of its neighbours that are …"),
            cell=(width, 26),
        )

    return Drawing(
        say("Which words occur near which"),
        say(
            "Rows are {rows}; columns are the neighbours {columns}. {lines}.",
            rows=", ".join(rows),
            columns=", ".join(columns),
            lines="; ".join(
                f"{name}: {listed(line)}" for name, line in zip(rows, percent, strict=True)
            ),
        ),
        table(64),
        table(42),
    )


def rows_as_arrows(points: Tensor, names: Sequence[str], columns: tuple[str, str]) -> Drawing:
    """Draw words as arrows in the plane of two columns of a table, (T, 2), as percentages."""

    def plane(width: float) -> Piece:
        scale, high = (width - 70) / float(points.max()), 0.72 * width + 16

        def paint(sheet, x: float, y: float) -> None:
            left, base = x + 30, y + high - 42
            sheet.add("path", d=f"M{left} {y + 20}V{base}H{left + width - 32:g}", class_="axis")
            sheet.write(say("{word}, % →", word=columns[0]), left + width - 80, base + 35, 12)
            sheet.write(say("↑ {word}, %", word=columns[1]), left + 4, y + 8, 12)
            tips = []
            for (a, b), name, role in zip(points.tolist(), names, WORDS_HUES, strict=False):
                tip = (left + scale * a, base - scale * b)
                _arrow(sheet, (left, base), tip, role)
                tips.append((*tip, f"{name} ({a:g}, {b:g})", role, b > a))
            level = base  # of the flat arrows the lowest has its name below, the others above
            flat = sorted((t for t in tips if not t[4]), key=lambda tip: -tip[1])
            for n, (tip_x, tip_y, name, role, _) in enumerate(flat):
                level = min(level - 20, tip_y - 14) if n else base + 15
                sheet.write(name, tip_x - 6, level, 13, "end", class_=f"halo ink-{role}")
            for tip_x, tip_y, name, role, _ in (t for t in tips if t[4]):
                sheet.write(name, tip_x + 10, tip_y + 6, 13, "start", class_=f"ink-{role}")

        return Piece(width, high, paint)

    return Drawing(
        say("Words as arrows, by two of their neighbours"),
        say(
            "To the right, the percentage of a word's neighbours that are {first}; upwards, the "
            "percentage that are {second}. {points}.",
            first=columns[0],
            second=columns[1],
            points=_located(names, points.tolist(), 0),
        ),
        plane(400),
        plane(308),
    )


# Learning the table ------------------------------------------------------------------------------


def loss_of_a_guess(real: float, marked: Sequence[float]) -> Drawing:
    """Draw the loss of every guess for one of two neighbours, with dots on some.

    Args:
        real: the real share of this neighbour.
        marked: the guesses with a dot; at the last the loss is lowest.
    """

    def loss(guess: float) -> float:
        return -real * math.log(guess) - (1 - real) * math.log(1 - guess)

    guesses = [n / 100 for n in range(2, 91)]
    dots = [(guess, loss(guess)) for guess in marked]
    texts = [f"{at:.2f}" for _, at in dots]
    texts[-1] = say("{loss}, the lowest", loss=texts[-1])

    def field(width: float) -> Piece:
        return chart(
            (0, 1, [(n, f"{n:g}") for n in (0, *marked, 0.5, 0.7, 0.9)], say("guess")),
            (0, 1.7, [(n, f"{n:g}") for n in (0, 0.5, 1, 1.5)], say("loss")),
            size=(width, 130),
            lines=[("source", [(guess, loss(guess)) for guess in guesses])],
            dots=[("source", dots)],
            notes=[
                (guess + 0.02, at + (-0.16 if n == len(dots) - 1 else 0.14), text, "source")
                for n, ((guess, at), text) in enumerate(zip(dots, texts, strict=True))
            ],
        )

    return Drawing(
        say("The loss of every guess"),
        say(
            "To the right, the guess for the neighbour whose real share is {real}; upwards, the "
            "loss. The curve is a bowl: {points}.",
            real=f"{real:g}",
            points="; ".join(
                say("at {guess} it's {loss}", loss=text, guess=f"{guess:g}")
                for (guess, _), text in zip(dots, texts, strict=True)
            ),
        ),
        field(380),
        field(240),
    )


_Point = tuple[float, float]


def _plane(
    title: str,
    bounds: tuple[float, float, float, float],
    width: float,
    arrows: Sequence[tuple[_Point, _Point, str, bool]],
    notes: Sequence[tuple[float, float, str, str, str]],
) -> Piece:
    """Draw arrows and texts in a part of the plane, with the same unit to the right and upwards.

    Args:
        title: stands above.
        bounds: the least and the greatest value to the right, then upwards.
        width: in pixels.
        arrows: from where, to where, in which hue, and whether it is a thin one.
        notes: where, (x, y), a text, its anchor and its hue.
    """
    left, right, low, high = bounds
    unit = width / (right - left)

    def paint(sheet: Sheet, x: float, y: float) -> None:
        def at(point: _Point) -> _Point:
            return x + unit * (point[0] - left), y + 22 + unit * (high - point[1])

        sheet.write(title, x + width / 2, y + 8, 12, class_="b")
        for start, tip, role, thin in arrows:
            _arrow(sheet, at(start), at(tip), role, thin=thin)
        for px, py, text, anchor, role in notes:
            sheet.write(text, *at((px, py)), 12, anchor, class_=f"halo ink-{role}")

    return Piece(width, 22 + unit * (high - low), paint)


def pushes_in_a_plane(
    c: Tensor,
    neighbours: Sequence[str],
    misses: Tensor,
    names: Sequence[str],
    again: Tensor,
) -> Drawing:
    """Draw the first push on some rows of E, and two pushes on the first of them part by part.

    Args:
        c: the rows of the neighbours, (N, 2), along the axes.
        neighbours: their words.
        misses: for each word the real less the guessed shares at the first step, (W, N).
        names: the words.
        again: the same of the first word at its second step, (N,).
    """
    pushes, origin = (misses @ c).tolist(), (0.0, 0.0)
    arrows = [(origin, tuple(tip), "plain", True) for tip in c.tolist()]
    notes = []
    for (a, b), word in zip(c.tolist(), neighbours, strict=True):
        text = f"{word} ({listed((a, b))})"
        if b:
            notes.append((a + 0.05, b - 0.03, text, "start", "plain"))
        else:
            notes.append((a, b + 0.09, text, "end" if a > 0 else "start", "plain"))
    for (a, b), word, role in zip(pushes, names, WORDS_HUES, strict=False):
        arrows.append((origin, (a, b), role, False))
        if b < 0 and a < max(pushed[0] for pushed in pushes):  # another arrow is to its right
            notes.append((a, b - 0.1, word, "middle", role))
        else:
            notes.append((a + 0.05, b - 0.01, word, "start", role))

    parts, labels, totals, at = [], [], [], origin
    for step, missed in enumerate((misses[0], again)):
        start = at
        for n, (share, row_of_c) in enumerate(zip(missed.tolist(), c.tolist(), strict=True)):
            tip = (at[0] + share * row_of_c[0], at[1] + share * row_of_c[1])
            if abs(share) > 0.01:  # a shorter arrow would be a dot
                parts.append((at, tip, "plain", True))
            text = f"{'+' if share > 0 else '−'} {listed([abs(share)], 3)} {neighbours[n]}"
            if row_of_c[1]:
                label = (at[0] + 0.02, at[1] + 0.4 * (tip[1] - at[1]), text, "start", "plain")
            else:
                height = at[1] + (0.03 if n == 0 else -0.045)
                middle = (at[0] + tip[0]) / 2 - (0 if n == 0 else 0.06)
                label = (middle, height, text, "middle", "plain")
            labels += [label] if step == 0 else []
            at = tip
        totals.append((start, at, WORDS_HUES[0], False))
    first, second = totals[0][1], totals[1][1]
    labels += [
        (first[0] + 0.02, first[1] + 0.045, say("after step 1"), "start", WORDS_HUES[0]),
        (second[0] + 0.02, second[1], say("after step 2"), "start", WORDS_HUES[0]),
    ]

    enlarged = (-0.04, second[0] + 0.3, second[1] - 0.05, 0.1)

    def planes(width: float) -> list[Piece]:
        title = say("two pushes on “{word}”, enlarged", word=names[0])
        return [
            _plane(say("one push on each word"), (-1.1, 1.1, -0.4, 1.1), width, arrows, notes),
            _plane(title, enlarged, width, [*parts, *totals], labels),
        ]

    return Drawing(
        say("Pushes in the plane"),
        say(
            "Left, the rows of the neighbours as thin arrows, {rows}, and the pushes on the words "
            "as thick ones: {pushes}. Right, enlarged, how {word} moves: three parts, {parts}, "
            "make the first push, to {first}; the second, which is shorter, leads to {second}.",
            rows=_located(neighbours, c.tolist(), 0),
            pushes=_located(names, pushes, 3),
            word=names[0],
            parts=", ".join(label[2] for label in labels[: len(neighbours)]),
            first=listed(first, 3),
            second=listed(second, 3),
        ),
        row(*planes(320), gap=20),
        column(*planes(316), gap=14),
    )


def _located(names: Sequence[str], points: Sequence[Sequence[float]], digits: int) -> str:
    """Say where each word is."""
    return "; ".join(
        say("{word} at {place}", word=name, place=listed(point, digits))
        for name, point in zip(names, points, strict=True)
    )


def nearest_in_each_run(found: Sequence[Sequence[str]], asked: Sequence[str]) -> Drawing:
    """Draw for each word that was asked for the nearest one in each run."""
    runs = [str(run + 1) for run in range(len(found[0]))]
    across = matrix(
        found,
        "source",
        label=say("nearest in run"),
        rows=asked,
        columns=runs,
        cell=(66, 26),
    )
    turned = [list(line) for line in zip(*found, strict=True)]
    return Drawing(
        say("The nearest word in each of {count} runs", count=len(runs)),
        say(
            "A row for each of the words {asked}, a column for each run. {lines}.",
            asked=", ".join(asked),
            lines="; ".join(
                f"{word}: {', '.join(line)}" for word, line in zip(asked, found, strict=True)
            ),
        ),
        across,
        matrix(turned, "source", rows=runs, columns=asked, cell=(66, 26)),
    )
