"""The figures of chapter 3, in their order on the page: from an id to a vector."""

from collections.abc import Mapping, Sequence

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
from attnsteps.figures.catalogue import say
from attnsteps.figures.shared import listed

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
    roles = ("source", "query", "value", "target")

    def plane(width: float) -> Piece:
        scale, high = (width - 70) / float(points.max()), 0.72 * width + 16

        def paint(sheet, x: float, y: float) -> None:
            left, base = x + 30, y + high - 42
            sheet.add("path", d=f"M{left} {y + 20}V{base}H{left + width - 32:g}", class_="axis")
            sheet.write(say("{word}, % →", word=columns[0]), left + width - 80, base + 35, 12)
            sheet.write(say("↑ {word}, %", word=columns[1]), left + 4, y + 8, 12)
            tips = []
            for (a, b), name, role in zip(points.tolist(), names, roles, strict=False):
                dx, dy = scale * a, -scale * b
                length = (dx * dx + dy * dy) ** 0.5
                ux, uy, tip = dx / length, dy / length, (left + dx, base + dy)
                line = f"M{left} {base:g}l{dx - 8 * ux:.1f} {dy - 8 * uy:.1f}"
                sheet.add("path", d=line, class_=f"hand line-{role}")
                sides = [(tip[0] - 9 * ux + t * uy, tip[1] - 9 * uy - t * ux) for t in (5, -5)]
                head = "L".join(f"{px:.1f} {py:.1f}" for px, py in (tip, *sides))
                style = {"class_": f"head fill-{role}", "style": "fill:var(--h)"}
                sheet.add("path", d=f"M{head}Z", **style)
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
            points="; ".join(
                say("{word} at {place}", word=name, place=listed(point))
                for name, point in zip(names, points, strict=True)
            ),
        ),
        plane(400),
        plane(308),
    )


# Learning the table ------------------------------------------------------------------------------


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


# Where people go wrong ---------------------------------------------------------------------------


def sizes_of_word_and_place(sizes: Mapping[str, float], place: float) -> Drawing:
    """Draw the typical size of an entry of a word's row, for several starts, beside its place's.

    Args:
        sizes: root mean squares, by the name of the start.
        place: that of a position's vector.
    """
    table = torch.tensor([[size, place] for size in sizes.values()], dtype=torch.float64)

    def picture(width: float) -> Piece:
        return matrix(
            table,
            "source",
            rows=list(sizes),
            columns=[say("word"), say("place")],
            bands=["source", "position"],
            label=say("typical size of an entry"),
            digits=2,
            cell=(width, 28),
        )

    return Drawing(
        say("How large a word's entries are, and those of its place"),
        say(
            "A row for each start, with the typical size of an entry of the word's vector and of "
            "its place's: {lines}.",
            lines="; ".join(
                f"{name}: {listed(line, 2)}" for name, line in zip(sizes, table, strict=True)
            ),
        ),
        picture(70),
        picture(52),
    )
