"""The figures of chapter 21, in their order on the page: one block, and what masks make of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor

from attnsteps.diagrams import (
    Drawing,
    Piece,
    column,
    grid,
    matrix,
    row,
    space,
    vector,
    words,
)
from attnsteps.diagrams.cells import in_digits
from attnsteps.diagrams.sheet import Sheet, text_width
from attnsteps.figures.catalogue import say
from attnsteps.figures.shared import chart, listed
from attnsteps.text.vocab import BOS, EOS, MASK

_GREYS = 8  # shades of a picture's pixels


@dataclass(frozen=True)
class _Member:
    """A way to use the block: what it reads, what each place may attend to, what it must guess.

    Args:
        title: its name.
        use: one line on when to choose it.
        read: the T tokens that go in.
        mask: (T, T), True = may attend.
        wanted: the T tokens to guess; "" where the loss doesn't count.
        note: a line below it.
        source: how many of the first tokens a stack of their own reads.
    """

    title: str
    use: str
    read: Sequence[str]
    mask: Tensor
    wanted: Sequence[str]
    note: str
    source: int = 0


# The opening -------------------------------------------------------------------------------------


def who_hears_of_a_change(changed: Mapping[str, Mapping[int, Sequence[int]]]) -> Drawing:
    """Draw which outputs change with one token, for each mask.

    Args:
        changed: for each mask, the place of the token that was replaced, and for it a 1 for each
            output that changes and a 0 for each that stays.
    """
    places = [place for each in changed.values() for place in each]
    rows = [
        (name, place, list(line)) for name, each in changed.items() for place, line in each.items()
    ]

    def tables(cell: float) -> list[Piece]:
        pieces = []
        for at in dict.fromkeys(places):
            lines = [(say(name), line) for name, place, line in rows if place == at]
            table = matrix(
                [line for _, line in lines],
                "context",
                rows=[name for name, _ in lines],
                columns=[str(n) for n in range(len(lines[0][1]))],
                digits=None,
                cell=(cell, 26),
            )
            title = words(say("token {place} is replaced", place=at), size=14, bold=True)
            heads = words(say("output →"), size=12, bold=True, role="context")
            pieces.append(column(column(title, heads, gap=4), table, gap=2, align="right"))
        return pieces

    look = {"digits": None, "limit": 1, "cell": (26, 20)}
    legend = row(
        *(vector([1], "context", **look), words(say("it changes"), size=12)),
        *(space(10, 1), vector([0], "context", **look), words(say("it stays the same"), size=12)),
        gap=6,
    )
    return Drawing(
        say("Which outputs change with one token"),
        " ".join(
            say(
                "{name}, token {place} replaced: outputs {outputs} change.",
                name=say(name),
                place=place,
                outputs=", ".join(str(n) for n, one in enumerate(line) if one),
            )
            for name, place, line in rows
        ),
        column(row(*tables(32), gap=30), legend, gap=12),
        column(*tables(32), legend, gap=14),
    )


# The family --------------------------------------------------------------------------------------


def _panel(one: _Member) -> Piece:
    """Draw one member: a mask between what is read and what is to be guessed."""
    size, first, cell, last = len(one.read), 58, 33, 46
    read = [say(token) for token in one.read]
    wanted = [say(token) if token else "–" for token in one.wanted]
    roles = ["source" if i < one.source else "context" for i in range(size)]
    heads = [
        space(first, 18),
        *(_fixed(words(str(j), size=12, role="key"), cell) for j in range(size)),
        _fixed(words(say("guess"), size=12, bold=True), last),
    ]
    lines = [heads]
    for i in range(size):
        look = {"digits": None, "cell": (cell, 22), "limit": 2}
        cells = [
            vector([1.0], roles[i], crossed=[[not bool(one.mask[i, j])]], **look)
            for j in range(size)
        ]
        guess = (
            vector([wanted[i]], "target", cell=(last, 22))
            if one.wanted[i]
            else _fixed(words("–", size=12, quiet=True), last)
        )
        number = _fixed(words(str(i), size=12, role="query"), 12)
        query = row(number, _fixed(words(read[i], size=12), first - 12), gap=0)
        lines.append([query, *cells, guess])
    count = sum(bool(guess) for guess in one.wanted)
    title = say("{name}: {count} guesses", name=one.title, count=count)
    return column(
        words(title, size=14, bold=True),
        words(one.use, size=12),
        grid(lines, gap=(0, 0)),
        words(one.note, size=12),
        gap=3,
    )


def _fixed(piece: Piece, width: float) -> Piece:
    """Give a piece this width, whatever it needs itself."""

    def paint(sheet: Sheet, x: float, y: float) -> None:
        piece.paint(sheet, x + (width - piece.width) / 2, y)

    return Piece(width, piece.height, paint)


def four_members(
    said: Sequence[str],
    causal: Tensor,
    prefix: Tensor,
    source: Tensor,
    hidden: Sequence[int],
) -> Drawing:
    """Draw the members of the family over one sentence: masks, and the guesses that count.

    Args:
        said: the T - 1 words of the sentence.
        causal: the mask of GPT, (T, T).
        prefix: that of a prefix model.
        source: that of an encoder–decoder, whose encoder reads one word less than the prefix.
        hidden: the places that BERT hides, counted with the start symbol.
    """
    given = int(prefix[0].sum())
    whole, after = [*said, EOS], [""] * (given - 1) + [*said[given - 1 :], EOS]
    read = [BOS, *said]
    members = (
        _Member(
            say("GPT"),
            say("to write on from any text"),
            read,
            causal,
            whole,
            say("the loss counts every next token"),
        ),
        _Member(
            say("prefix model"),
            say("to answer what is given, in one stack"),
            read,
            prefix,
            after,
            say("the loss counts what follows the prefix"),
        ),
        _Member(
            say("BERT"),
            say("to judge a text that is all there"),
            [MASK if place in hidden else token for place, token in enumerate(read)],
            causal | ~causal,
            [token if place in hidden else "" for place, token in enumerate(read)],
            say("the loss counts the hidden tokens"),
        ),
        _Member(
            say("encoder–decoder"),
            say("to turn one sequence into another"),
            [*said[: given - 1], BOS, *said[given - 1 :]],
            source,
            after,
            say("first rows: the encoder’s own weights"),
            source=given - 1,
        ),
    )
    panels = [_panel(one) for one in members]
    return Drawing(
        say("One sentence, four arrangements"),
        " ".join(
            say(
                "{title}, {use}: reads {read}. {cells} of {all} cells of the mask are filled. The "
                "{count} guesses that count are {wanted}; {note}.",
                count=sum(bool(token) for token in one.wanted),
                title=one.title,
                use=one.use,
                read=" ".join(map(say, one.read)),
                cells=int(one.mask.sum()),
                all=one.mask.numel(),
                wanted=", ".join(say(token) for token in one.wanted if token),
                note=one.note,
            )
            for one in members
        ),
        column(
            row(*panels[:2], gap=24, align="top"), row(*panels[2:], gap=24, align="top"), gap=20
        ),
        column(*panels, gap=22),
    )


# One format --------------------------------------------------------------------------------------


def one_format(tasks: Mapping[str, tuple[Sequence[str], Sequence[str]]]) -> Drawing:
    """Draw tasks as rows of tokens, each with what is given and, after an arrow, what is written.

    Args:
        tasks: for each task the tokens that are given, and those that are to be written.
    """

    def flow(given: Sequence[str], written: Sequence[str], limit: float) -> Piece:
        pieces = [_token(token, "source") for token in given]
        pieces.append(words("→", size=14, bold=True))
        pieces.extend(_token(token, "target") for token in written)
        lines, used = [[]], 0.0
        for piece in pieces:
            if used + piece.width > limit and lines[-1]:
                lines.append([])
                used = 0.0
            lines[-1].append(piece)
            used += piece.width + 3
        return column(*(row(*line, gap=3) for line in lines), gap=4, align="left")

    def drawn(limit: float) -> Piece:
        look = {"digits": None, "limit": 1, "cell": (24, 16)}
        legend = row(
            *(vector([0.5], "source", **look), words(say("given: the prompt"), size=12)),
            *(space(6, 1), vector([0.5], "target", **look)),
            words(say("written by the model"), size=12),
            gap=6,
        )
        if legend.width > limit:
            legend = column(
                row(vector([0.5], "source", **look), words(say("given: the prompt"), size=12)),
                row(
                    vector([0.5], "target", **look),
                    words(say("written by the model"), size=12),
                ),
                gap=4,
                align="left",
            )
        parts = [
            column(
                words(say(name), size=13, bold=True),
                flow(given, written, limit),
                gap=5,
                align="left",
            )
            for name, (given, written) in tasks.items()
        ]
        return column(*parts, legend, gap=14, align="left")

    return Drawing(
        say("Tasks as rows of tokens"),
        " ".join(
            say(
                "{task}: given are {given}; to be written are {written}.",
                task=say(name),
                given=" ".join(map(say, given)),
                written=" ".join(map(say, written)),
            )
            for name, (given, written) in tasks.items()
        ),
        drawn(630),
        drawn(290),
    )


def _token(token: str, role: str) -> Piece:
    """Draw a token in a cell that is as wide as it needs."""
    return vector([say(token)], role, cell=(max(24.0, text_width(say(token), 12) + 12), 24))


# What five runs show -----------------------------------------------------------------------------


def translators(runs: Mapping[str, Sequence[float]]) -> Drawing:
    """Draw the share of sentences that each of five runs translates; a line joins a seed's runs.

    Args:
        runs: for each arrangement the shares of its runs; equal places are one seed.
    """
    return Drawing(
        say("Unseen sentences translated word for word, five runs each"),
        _ranges(runs),
        _dots(runs, (400, 120), say("% of unseen sentences right"), high=98),
        _dots(runs, (170, 130), say("% of unseen sentences right"), high=98),
    )


def known_and_new(panels: Mapping[str, Mapping[str, Sequence[float]]], chance: float) -> Drawing:
    """Draw the share of right answers in two tests of the same models; a line joins a run's dots.

    Args:
        panels: a title for each test, and in it each model's runs.
        chance: the share that one answer for all gets.
    """

    def drawn(size: tuple[float, float], *, named_once: bool) -> list[Piece]:
        return [
            _dots(
                each,
                size,
                say(title),
                level=chance,
                named=n == 0 or not named_once,
                low=40,
            )
            for n, (title, each) in enumerate(panels.items())
        ]

    return Drawing(
        say("Does a label for one adjective serve another?"),
        " ".join(say("{title}.", title=say(t)) + " " + _ranges(e) for t, e in panels.items()),
        row(*drawn((230, 80), named_once=True), gap=24),
        column(*drawn((160, 80), named_once=False), gap=14, align="left"),
    )


def _ranges(runs: Mapping[str, Sequence[float]]) -> str:
    """Say the least and the greatest share of each line of dots."""
    return " ".join(
        say(
            "{name}: {low:.1f} to {high:.1f} %.",
            name=say(name),
            low=100 * min(each),
            high=100 * max(each),
        )
        for name, each in runs.items()
    )


def _dots(
    runs: Mapping[str, Sequence[float]],
    size: tuple[float, float],
    title: str,
    *,
    level: float | None = None,
    named: bool = True,
    low: int | None = None,
    high: int = 100,
) -> Piece:
    """Draw a line of dots for each model, one dot a run, and an upright line at the level.

    Equal places are one seed, and a line joins them.
    """
    names, last = list(runs), len(runs) - 1
    shares = [100 * share for each in runs.values() for share in each]
    step = 20 if low else 2
    low = low or step * int((min(shares) - 0.5) // step)
    points = [[(100 * share, last - n) for share in runs[name]] for n, name in enumerate(names)]
    lines = [("plain", list(way)) for way in zip(*points, strict=True)]
    top = last + 0.6
    if level is not None:
        lines.append(("weights", [(100 * level, -0.5), (100 * level, top - 0.1)]))
    return chart(
        (low, high, [(n, f"{n} %") for n in range(low, high + 1, step)], ""),
        (
            -0.6,
            top,
            [(last - n, say(name) if named else "") for n, name in enumerate(names)],
            title,
        ),
        size=size,
        lines=lines,
        dots=[("context", line) for line in points * 2],  # drawn twice, they cover the lines
    )


# Pictures ----------------------------------------------------------------------------------------


def _pixels(picture: Tensor, side: float, *, cut: int = 0) -> Piece:
    """Draw a grey picture, (Y, X), from 0 to 1; with cut, in patches of that many pixels a side."""
    high, wide = picture.shape
    apart = 4.0 if cut else 0.0
    gaps = [apart * (n // cut) if cut else 0.0 for n in range(max(high, wide))]
    width, height = wide * side + gaps[wide - 1], high * side + gaps[high - 1]

    def paint(sheet: Sheet, x: float, y: float) -> None:
        x, y = float(round(x)), float(round(y))
        for top in range(0, high, cut or high):
            for left in range(0, wide, cut or wide):
                edge = side * (cut or wide)
                sheet.add(
                    "rect",
                    x=x + left * side + gaps[left] - 0.5,
                    y=y + top * side + gaps[top] - 0.5,
                    width=edge + 1,
                    height=(side * (cut or high)) + 1,
                    class_="frame line-plain",
                )
        shades: dict[int, list[str]] = {}
        for r in range(high):
            tints = [round(_GREYS * min(1.0, max(0.0, float(one)))) for one in picture[r]]
            c = 0
            while c < wide:  # one bar for neighbours of one shade
                end = next(
                    (n for n in range(c + 1, wide) if tints[n] != tints[c] or gaps[n] != gaps[c]),
                    wide,
                )
                if tints[c]:
                    at = f"M{x + c * side + gaps[c]:g} {y + r * side + gaps[r]:g}"
                    bar = f"{at}h{(end - c) * side:g}v{side:g}H{x + c * side + gaps[c]:g}z"
                    shades.setdefault(tints[c], []).append(bar)
                c = end
        for shade, parts in sorted(shades.items()):
            sheet.add("path", d="".join(parts), class_="bar fill-weights", opacity=shade / _GREYS)

    return Piece(width, height, paint)


def cut_into_patches(picture: Tensor, patches: Tensor, shown: int) -> Drawing:
    """Draw a picture in patches, and the first of them larger.

    Args:
        picture: (8, 8).
        patches: the squares that it is cut into, (16, 4).
        shown: how many of the first patches are drawn.
    """

    def first(side: float) -> Piece:
        squares = [_pixels(patch.view(2, 2), side) for patch in patches[:shown]]
        return column(
            words(say("the first patches: 2 × 2"), size=12, bold=True, role="context"),
            row(*squares, gap=12),
            gap=6,
            align="left",
        )

    cut = column(
        words(say("a zero in {n} patches", n=len(patches)), size=12, bold=True),
        _pixels(picture, 15, cut=2),
        gap=6,
    )
    return Drawing(
        say("A digit cut into squares"),
        say(
            "A handwritten zero, cut into {n} patches of two by two pixels. The first {shown} "
            "patches are the squares of its upper row.",
            n=len(patches),
            shown=shown,
        ),
        row(cut, first(24), gap=50),
        column(cut, first(22), gap=16),
    )


def the_nearest_entry(patch: Tensor, entries: Tensor, numbers: Sequence[int]) -> Drawing:
    """Draw a patch, some entries of a codebook, and how far away each is.

    Args:
        patch: (P,).
        entries: those that are drawn, (n, P).
        numbers: of these entries in the codebook.
    """
    gaps = (entries - patch).square()
    totals = gaps.sum(dim=1)
    best = int(totals.argmin())

    def drawn(width: float, digits: int) -> Piece:
        look = {"digits": digits, "limit": 1, "cell": (width, 26)}
        lines = [
            [
                words(say("patch"), size=12, bold=True),
                _pixels(patch.view(2, 2), 13),
                vector(patch, "source", **look),
                words(say("distance²"), size=12, bold=True),
            ]
        ]
        for n, (entry, total) in enumerate(zip(entries, totals, strict=True)):
            role = "context" if n == best else "plain"
            lines.append(
                [
                    words(say("entry {n}", n=numbers[n]), size=12, role=role, bold=n == best),
                    _pixels(entry.view(2, 2), 13),
                    vector(entry, role, **look),
                    words(in_digits(float(total), 2), size=13, role=role, bold=n == best),
                ]
            )
        return grid(lines, gap=(14 if width > 40 else 8, 8))

    return Drawing(
        say("The nearest entry of the codebook"),
        say("The patch is {patch}.", patch=listed(patch, 2))
        + " "
        + " ".join(
            say(
                "Entry {n} is {entry}, at a squared distance of {total:.2f}.",
                n=numbers[n],
                entry=listed(entry, 2),
                total=float(totals[n]),
            )
            for n, entry in enumerate(entries)
        )
        + " "
        + say("Entry {n} is the nearest.", n=numbers[best]),
        drawn(52, 2),
        drawn(38, 2),
    )


def in_codes(pictures: Tensor, coded: Tensor, labels: Sequence[int]) -> Drawing:
    """Draw some digits, (n, 8, 8), above what is left of them in codes."""

    def drawn(side: float, gap: float) -> Piece:
        heads = [words(str(label), size=12, bold=True) for label in labels]
        return grid(
            [
                [space(), *heads],
                [words(say("pixels"), size=12), *(_pixels(one, side) for one in pictures)],
                [words(say("codes"), size=12), *(_pixels(one, side) for one in coded)],
            ],
            gap=(gap, 8),
        )

    return Drawing(
        say("Digits in pixels and in codes"),
        say(
            "The digits {labels}. Above, their pixels; below, the same pictures put together from "
            "the entries of the codebook. They are coarser and can still be read.",
            labels=", ".join(map(str, labels)),
        ),
        drawn(8, 14),
        drawn(4, 8),
    )


def written_and_nearest(written: Tensor, nearest: Tensor, labels: Sequence[int]) -> Drawing:
    """Draw pictures that a model wrote, (n, 8, 8), above the nearest ones that it has seen."""

    def lines(side: float, places: range) -> Piece:
        return grid(
            [
                [space(), *(words(str(labels[n]), size=12, bold=True) for n in places)],
                [words(say("written"), size=12), *(_pixels(written[n], side) for n in places)],
                [words(say("nearest"), size=12), *(_pixels(nearest[n], side) for n in places)],
            ],
            gap=(9, 7),
        )

    half = (len(labels) + 1) // 2
    return Drawing(
        say("Digits that the model wrote"),
        say(
            "A picture for each of the words {labels}, written code by code, and below it the most "
            "similar training picture. They resemble each other; some of those that were written "
            "can't be told from another digit.",
            labels=", ".join(map(str, labels)),
        ),
        lines(6, range(len(labels))),
        column(lines(5, range(half)), lines(5, range(half, len(labels))), gap=14),
    )
