"""The figures of chapter 6, in their order on the page: from scores to weights."""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn import functional

from attnsteps.diagrams import (
    Drawing,
    Piece,
    Wire,
    bars,
    block,
    column,
    curve,
    frame,
    grid,
    matrix,
    row,
    space,
    strip,
    vector,
    words,
)
from attnsteps.diagrams.cells import in_digits
from attnsteps.figures.catalogue import say
from attnsteps.figures.shared import listed

#: The word that is found, another, and the one that looks.
COLOURS = ("key", "plain", "query")
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def _shares(values: Tensor, width: float = 156, **look: object) -> Piece:
    """Draw the shares of three words, (3,), as a strip of length 1."""
    look = {"size": (width, 28)} | look
    return strip(values, COLOURS, **look)


def _names(names: Sequence[str]) -> Piece:
    """Say which colour is whose."""
    keys = [
        words(f"■ {say(n)}", size=13, role=role) for n, role in zip(names, COLOURS, strict=True)
    ]
    return row(*keys, gap=20)


def _given(scores: Tensor) -> Piece:
    """Draw three scores, (3,), each in its word's colour."""
    numbers = [f"{v:g}".replace("-", "−") for v in scores.tolist()]
    return matrix([numbers], "weights", bands=list(COLOURS), cell=(44, 26))


def _headed(title: str, piece: Piece, role: str = "") -> Piece:
    """Put a title above a piece."""
    return column(words(title, size=13, bold=True, role=role), piece, gap=8)


def two_ideas_that_fail(
    divided: Sequence[Tensor], chosen: Sequence[Tensor], names: Sequence[str]
) -> Drawing:
    """Draw what dividing by the sum makes of some scores, and what arg-max makes of others.

    Args:
        divided: rows of three scores, (3,), that are divided by their sum.
        chosen: rows of three scores, whose largest gets everything.
        names: of the three words.
    """

    def by_sum(scores: Tensor) -> Piece:
        if scores.sum() == 0:
            return block(say("divided by 0"), "wrong", width=156)
        shares = scores / scores.sum()
        if (shares >= 0).all():
            return _shares(shares)
        text = ", ".join(f"{in_digits(float(100 * v), 0)} %" for v in shares + 0.0)
        return block(text, "wrong", width=156)

    def by_arg_max(scores: Tensor) -> Piece:
        return _shares(functional.one_hot(scores.argmax(), 3).double())

    def idea(title: str, rows: Sequence[Tensor], answer: Callable[[Tensor], Piece]) -> Piece:
        lines = [[_given(scores), words("→"), answer(scores)] for scores in rows]
        return _headed(title, grid(lines, gap=(8, 9)))

    key = _names(names)
    first = idea(say("score ÷ sum"), divided, by_sum)
    second = idea(say("arg-max"), chosen, by_arg_max)
    return Drawing(
        say("Two ways to make shares, and where they fail"),
        say(
            "Rows of scores of {names}, and strips of shares. Dividing by the sum makes shares of "
            "the first row, {first}; with a score below zero one share is negative, and with the "
            "sum zero it cannot be done. Arg-max gives the whole strip to the largest score of "
            "each row, however small its lead.",
            names=", ".join(say(n) for n in names),
            first=listed(divided[0]),
        ),
        column(key, row(first, second, gap=20), gap=14),
        column(key, first, second, gap=22),
    )


def from_scores_to_weights(scores: Tensor, names: Sequence[str]) -> Drawing:
    """Draw three scores, (3,), and the powers of e on one scale, and the weights as a strip."""
    powers, names = scores.exp(), [say(n) for n in names]
    weights, divisor = powers / powers.sum(), f"÷ {powers.sum():.2f}"

    def bars_of(values: Tensor, digits: int, title: str, name: str) -> Piece:
        look = {"digits": digits, "limit": float(powers.max()), "size": (54, 130)}
        each = [bars(values[i : i + 1], COLOURS[i], labels=[names[i]], **look) for i in range(3)]
        total = say("sum {total}", total=in_digits(float(values.sum()), digits))
        return frame(column(row(*each, gap=0), words(total, size=13), gap=4), title, name=name)

    def cut(width: float, digits: int) -> Piece:
        whole = _shares(weights, digits=digits, labels=names, size=(width, 34))
        return frame(whole, say("weights: powers ÷ their sum"), name="w")

    low = bars_of(scores, 0, say("scores"), "s")
    high = bars_of(powers, 2, say("e to the power of each"), "p")
    return Drawing(
        say("From scores to weights"),
        say(
            "Bars for {names} on one scale: the scores {scores} are low, their powers of e, "
            "{powers}, tower over them. A strip of length 1 is cut in proportion to the powers: "
            "{weights}.",
            names=", ".join(names),
            scores=listed(scores),
            powers=listed(powers, 2),
            weights=listed(weights, 3),
        ),
        column(row(low, high, gap=60), cut(500, 3), gap=50),
        column(low, high, cut(290, 2), gap=34),
        wires=[Wire("s", "p", say("exp")), Wire("p.bottom", "w.top", divisor)],
        tall_wires=[Wire("s", "p"), Wire("p", "w", divisor)],
    )


def which_fits_best_and_not_how_well(rows: Sequence[Tensor], names: Sequence[str]) -> Drawing:
    """Draw rows of three scores, (3,), that differ by a shift, and what softmax makes of them."""

    def lines(width: float) -> Piece:
        each = [[_given(scores), words("→"), _shares(scores.softmax(-1), width)] for scores in rows]
        return column(_names(names), grid(each, gap=(8, 9)), gap=14)

    return Drawing(
        say("Which word fits best, and not how well"),
        say(
            "Strips with the weights of {names}, one for each row of scores: {rows}. The rows have "
            "the same leads, and the strips are the same: {weights}.",
            names=", ".join(say(n) for n in names),
            rows="; ".join(listed(scores) for scores in rows),
            weights=listed(rows[0].softmax(-1), 3),
        ),
        lines(300),
        lines(156),
    )


def from_arg_max_to_equal_shares(
    scores: Tensor, taus: Sequence[float], names: Sequence[str]
) -> Drawing:
    """Draw the weights of three scores, (3,), at several temperatures, with the base of each."""
    weights = [(scores / tau).softmax(-1) for tau in taus]

    def lines(width: float) -> Piece:
        each = [
            [
                words(f"τ = {tau:g}", size=13),
                _shares(line, width),
                words(say("base {base:.1f}", base=math.exp(1 / tau)), size=13, quiet=True),
            ]
            for tau, line in zip(taus, weights, strict=True)
        ]
        return column(_names(names), grid(each, gap=(12, 8)), gap=12)

    return Drawing(
        say("From arg-max to equal shares"),
        say(
            "Strips with the weights of {names}, at the temperatures {taus}. The share of the "
            "first is {first}. Beside each strip stands its base, lower and lower.",
            names=", ".join(say(n) for n in names),
            taus=", ".join(f"{tau:g}" for tau in taus),
            first=listed([float(line[0]) for line in weights], 2),
        ),
        lines(380),
        lines(170),
    )


def _tick(text: str, width: float) -> Piece:
    """Write below an axis, centred in a width."""
    piece = words(text, size=12)
    pad = space((width - piece.width) / 2)
    return row(pad, piece, pad, gap=0)


def the_same_curve_in_three_places(
    highest: int, lead: int, shift: int, names: Sequence[str]
) -> Drawing:
    """Draw e to the s around two scores as they are, shifted up, and with the largest at 0.

    Args:
        highest: the larger of the two scores.
        lead: how much smaller the other is.
        shift: is added to both in the middle.
        names: of the two words.
    """
    tenfold = f"{(highest + shift) / math.log(10):.0f}"

    def window(top: int, power: str, title: str, role: str) -> Piece:
        steps = torch.linspace(-3, 0.2, 41).tolist()
        panel = curve(
            [(s, math.exp(s)) for s in steps],
            role,
            label=title,
            limits=(-3, 0.2, 0, math.exp(0.2)),
            marks=[(-lead, math.exp(-lead)), (0, 1)],
            size=(160, 90),
        )
        left = f"{top - lead}\n{say(names[1])}".replace("-", "−")
        right = f"{top}\n{say(names[0])}"
        ticks = row(space(20), _tick(left, 60), space(40), _tick(right, 60), gap=0)
        told = say("highest power: {power}", power=power)
        return column(panel, ticks, words(told, size=13, role=role), gap=4, align="left")

    windows = [
        window(highest, f"{math.exp(highest):.1f}", say("the scores as they are"), "key"),
        window(
            highest + shift,
            say("10{power}, lost", power=tenfold.translate(RAISED)),
            say("plus {shift}", shift=shift),
            "wrong",
        ),
        window(0, "1", say("minus the largest"), "key"),
    ]
    return Drawing(
        say("The same curve in three places"),
        say(
            "Three windows on the curve of e to the s, with dots for {low} and {high}, {lead} "
            "apart. The curve and the dots look the same in all three. The highest power is "
            "{power:.1f} in the first; in the second it is 10 to the {tenfold} and cannot be "
            "stored; in the third it is 1.",
            low=say(names[1]),
            high=say(names[0]),
            lead=lead,
            power=math.exp(highest),
            tenfold=tenfold,
        ),
        row(*windows, gap=30),
        column(*windows, gap=18),
    )


# Slopes ------------------------------------------------------------------------------------------


def a_nudge_moves_every_weight(before: Tensor, after: Tensor, names: Sequence[str]) -> Drawing:
    """Draw the weights of three words, (3,), before and after the first score is raised by ½."""

    def lines(width: float) -> Piece:
        label = say("{name} + 0.5", name=say(names[0]))
        each = [
            [words(say("before"), size=13), _shares(before, width)],
            [words(label, size=13), _shares(after, width)],
        ]
        return column(_names(names), grid(each, gap=(12, 8)), gap=12)

    return Drawing(
        say("A nudge moves every weight"),
        say(
            "Two strips, the weights of {names}. Before: {before}. With the first score raised by "
            "a half: {after}.",
            names=", ".join(say(n) for n in names),
            before=listed(before, 2),
            after=listed(after, 2),
        ),
        lines(380),
        lines(210),
    )


def nine_slopes(slopes: Tensor, weights: Tensor) -> Drawing:
    """Draw the slope of every weight along every score, (3, 3)."""
    long = [
        say("weight {number} = {weight:g}", number=i + 1, weight=w)
        for i, w in enumerate(weights.tolist())
    ]
    short = [f"w{'₁₂₃'[i]} = {w:g}" for i, w in enumerate(weights.tolist())]
    columns = [say("score {number}", number=i + 1) for i in range(3)]

    def table(rows: Sequence[str], width: float) -> Piece:
        return matrix(slopes, "weights", rows=rows, columns=columns, digits=2, cell=(width, 30))

    return Drawing(
        say("Nine slopes"),
        say(
            "Rows are weights, columns are scores: {rows}.",
            rows="; ".join(listed(line, 2) for line in slopes),
        ),
        table(long, 72),
        table(short, 62),
    )


def softmax_listens_where_it_is_undecided(sure: float) -> Drawing:
    """Draw the weight of the first of two scores over its lead, and the slope of that weight.

    Args:
        sure: the weight that is marked beside one half.
    """
    leads = torch.linspace(-8, 8, 81, dtype=torch.float64).tolist()

    def panel(function: Callable[[float], float], label: str, role: str) -> Piece:
        drawn = curve(
            [(lead, function(1 / (1 + math.exp(-lead)))) for lead in leads],
            role,
            label=label,
            limits=(-8, 8, 0, 1),
            marks=[(0.0, function(0.5)), (math.log(sure / (1 - sure)), function(sure))],
            size=(240, 120),
        )
        ticks = row(*(_tick(text, 60) for text in ("−8", "−4", "0", "4", "8")), gap=0)
        height = column(words("1", size=12), space(0, 88), words("0", size=12), gap=0)
        return column(
            row(height, drawn, space(6), gap=6, align="bottom"),
            ticks,
            words(say("lead of the first score"), size=13),
            gap=5,
        )

    pair = (
        panel(lambda w: w, say("weight w"), "key"),
        panel(lambda w: w * (1 - w), say("its slope, w (1 − w)"), "context"),
    )
    return Drawing(
        say("Softmax listens where it is undecided"),
        say(
            "Two curves over the lead of the first of two scores, from −8 to 8. The weight rises "
            "in an S from 0 to 1 and is one half at a lead of 0. Its slope, on the same scale, is "
            "a low hill, 0.25 high at a lead of 0 and almost flat beyond −5 and 5. Dots mark the "
            "lead 0 and the lead at which the weight is {sure:g}.",
            sure=sure,
        ),
        row(*pair, gap=24),
        column(*pair, gap=24),
    )


# Words that must not be looked at ----------------------------------------------------------------


def not_a_candidate(scores: Tensor, names: Sequence[str]) -> Drawing:
    """Draw how the last of three scores, (3,), is hidden: wrongly with 0, rightly with −∞."""
    hidden = torch.tensor([False, False, True])
    names, titles = [say(n) for n in names], (say("hidden with 0"), say("hidden with −∞"))
    ways = [scores.masked_fill(hidden, fill) for fill in (0.0, -math.inf)]

    def hiding(kept: Tensor, role: str, width: float, whole: float) -> Piece:
        bands, powers = [*COLOURS[:2], role], kept.exp()
        look = {"bands": bands, "cell": (width, 28)}
        lines = [
            [matrix(kept[None], "weights", columns=names, **look)],
            [matrix(powers[None], "weights", digits=2, **look)],
            [strip(powers / powers.sum(), bands, digits=3, size=(whole, 28))],
        ]
        sides = [say("scores"), say("powers of e"), say("weights")]
        return grid(lines, labels=sides, gap=(12, 12))

    def pair(width: float, whole: float) -> list[Piece]:
        roles = ("wrong", "wrong"), ("key", "query")
        return [
            _headed(title, hiding(kept, role, width, whole), above)
            for title, kept, (above, role) in zip(titles, ways, roles, strict=True)
        ]

    leak, right = ways[0].softmax(-1), ways[1].softmax(-1)
    return Drawing(
        say("A word that is not a candidate"),
        say(
            "Left, the last score is 0 and its power 1: the weights are {leak}, and the last word "
            "keeps a thin red slice of the strip. Right, the last score is minus infinity and its "
            "power 0: the weights are {right}, and nothing is left for it.",
            leak=listed(leak, 3),
            right=listed(right, 3),
        ),
        row(*pair(62, 190), gap=36),
        column(*pair(56, 172), gap=24),
    )


def one_nan_spoils_every_value(weights: Tensor, names: Sequence[str]) -> Drawing:
    """Draw a query's weights, (3,), plus zero times a row of NaN: what three values get."""
    names, total = [say(n) for n in names], 1 * weights + 0 * torch.full((3,), math.nan)
    sides = [say("query 1"), say("query 2"), say("gradient")]

    def numbers(values: Sequence[float]) -> list[str]:
        return [say("NaN") if math.isnan(v) else f"{v:.3f}" for v in values]

    def added(width: float, gap: float) -> Piece:
        cell = (width, 28)
        first = [numbers(weights.tolist())]
        lines = [
            [
                words("1 ×", size=13),
                matrix(first, "weights", bands=list(COLOURS), columns=names, cell=cell),
            ],
            [words("0 ×", size=13), vector(numbers([math.nan] * 3), "wrong", cell=cell)],
            [words(say("sum"), size=13), vector(numbers(total.tolist()), "wrong", cell=cell)],
        ]
        return grid(lines, labels=sides, gap=(gap, 8))

    return Drawing(
        say("One row of NaN spoils the gradient of every value"),
        say(
            "Once the weights of query 1, {weights}, plus zero times those of query 2, three "
            "times NaN: the gradient of the values of {names} is NaN in every place.",
            weights=listed(weights, 3),
            names=", ".join(names),
        ),
        added(58, 12),
        added(46, 6),
    )
