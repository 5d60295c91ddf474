"""The figures of chapter 5, in their order on the page: scores that are divided."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from attnsteps.diagrams import (
    Drawing,
    Piece,
    bars,
    column,
    grid,
    matrix,
    words,
)
from attnsteps.figures.catalogue import gloss, say
from attnsteps.figures.shared import listed, with_axes
from attnsteps.running_example import Word


def before_it_has_learned(undivided: Tensor, divided: Tensor, shown: Sequence[Word]) -> Drawing:
    """Draw an untrained query's weights, (T,), before and after the division."""
    names, both = [gloss(one) for one in shown], (undivided, divided)
    titles, first = [say("not divided"), say("divided\nby √512")], int(undivided.argmax())

    def line(weights: Tensor) -> Piece:
        return bars(weights, "weights", labels=names, limit=1, size=(44, 70))

    across = [[words(title, size=13), line(w)] for title, w in zip(titles, both, strict=True)]
    down = matrix(
        torch.stack(both, dim=1),
        "weights",
        rows=names,
        columns=[titles[0], say("÷ √512")],
        digits=2,
        limit=1,
        cell=(84, 26),
    )
    return Drawing(
        say("Where tired looks before it has learned anything"),
        say(
            "The attention weights of tired on its eight words. Not divided, {first} has "
            "{most:.2f} and every other word almost nothing. Divided by the root of 512, the "
            "largest weight is {largest:.2f}, and {animal} has {share:.2f}.",
            first=names[first],
            most=float(undivided[first]),
            largest=float(divided.max()),
            animal=names[0],
            share=float(divided[0]),
        ),
        grid(across, gap=(14, 16)),
        down,
    )


def all_dot_products(vectors: Tensor) -> Drawing:
    """Draw the dot products of all sign vectors with one another, (N, Dk)."""
    signs = ["".join("+" if one > 0 else "−" for one in line) for line in vectors.tolist()]
    table = matrix(vectors @ vectors.T, "weights", rows=signs, columns=signs, cell=(48, 28))
    return Drawing(
        say("All dot products of two sign vectors"),
        say(
            "A row for each query and a column for each key: {signs}. The first row holds {first}, "
            "and every other row holds the same numbers in another order.",
            signs=", ".join(signs),
            first=listed(vectors @ vectors[0]),
        ),
        with_axes(table),
        with_axes(table),
    )


# What softmax does with large scores -------------------------------------------------------------


def _histogram(scores: Tensor, dots: Tensor, title: str) -> Piece:
    """Draw scores as a distribution from −65 to 65, and some of them as dots below it."""
    high = torch.histc(scores, bins=65, min=-65, max=65)
    high = (0.5 + 44 * high / high.max()).tolist()

    def paint(sheet, x: float, y: float) -> None:
        floor, middle = y + 66, x + 90
        steps = "".join(f"V{floor - h:.1f}h2.6" for h in high)
        path = f"M{x + 5:g} {floor:g}{steps}V{floor:g}z"
        sheet.add("path", d=path, class_="bar fill-plain")
        sheet.add("path", d=f"M{x:g} {floor:g}h180", class_="axis")
        for tick in (-50, 0, 50):
            label = str(tick).replace("-", "−")
            sheet.write(label, middle + 1.3 * tick, floor + 22, 12)
        for score in dots.tolist():
            across = round(middle + 1.3 * score, 1)
            sheet.add("circle", cx=across, cy=floor + 7, r=3.5, class_="dot fill-key")
        sheet.write(title, x, y + 9, 13, "start", class_="b")

    return Piece(180, 96, paint)


def one_softmax_four_widths(
    scores: Mapping[str, Tensor], query: int, shown: Sequence[Word]
) -> Drawing:
    """Draw distributions of scores, one query's scores as dots, and its weights.

    Args:
        scores: for each title, scores of many queries with T keys, (N, T).
        query: whose scores and weights are shown.
        shown: the T words of its keys.
    """
    weights = {title: some[query].softmax(-1) for title, some in scores.items()}

    def panels(labels: Sequence[str]) -> list[list[Piece]]:
        return [
            [
                _histogram(some, some[query], say(title)),
                bars(weights[title], "weights", labels=labels, limit=1, size=(37, 48)),
            ]
            for title, some in scores.items()
        ]

    heads = [
        words(say("scores"), size=12, quiet=True),
        words(say("softmax: the weights of tired"), size=12, quiet=True),
    ]
    names, short = [gloss(one) for one in shown], [one.zh for one in shown]
    largest = "; ".join(f"{say(title)} {float(w.max()):.2f}" for title, w in weights.items())
    return Drawing(
        say("One softmax, four distributions of scores"),
        say(
            "Rows of two pictures. On the left a histogram of all scores with the eight of tired "
            "as dots, on the right the weights that softmax makes of the eight. The wider the "
            "histogram, the larger the largest weight: {largest}.",
            largest=largest,
        ),
        grid([heads, *panels(names)], gap=(34, 12)),
        column(*(column(*pair, gap=4) for pair in panels(short)), gap=18),
    )


# Does training mend it? --------------------------------------------------------------------------


def _dots(works: Mapping[int, Tensor], rates: Tensor, title: str, step: float) -> Piece:
    """Draw a row of dots for each width, one for each rate, full where the rate works."""
    left, right = 50, 50
    high = 26 + 22 * len(works)

    def paint(sheet, x: float, y: float) -> None:
        sheet.write(title, x, y + 9, 13, "start", class_="b")
        for row, (width, good) in enumerate(works.items()):
            middle = y + 37 + 22 * row
            sheet.write(str(width), x + left - 16, middle, 13, "end")
            for i, full in enumerate(good.tolist()):
                style = "dot fill-context" if full else "axis"
                across = x + left + step * i
                sheet.add("circle", cx=across, cy=middle, r=5 if full else 3, class_=style)
            smallest = _rate(rates[good][0]) if good.any() else say("none")
            end = x + left + step * (len(rates) - 1) + right
            sheet.write(smallest, end, middle, 13, "end")

    return Piece(left + step * (len(rates) - 1) + right, high, paint)


def _rate(rate: Tensor) -> str:
    """Write a learning rate with its first digit, or a large one in full."""
    return f"{float(rate):.1g}" if rate < 5 else f"{float(rate):,.0f}"


def rates_that_work(works: Mapping[str, Mapping[int, Tensor]], rates: Tensor) -> Drawing:
    """Draw which learning rates work, for each divisor and width.

    Args:
        works: for each divisor's name, and each width, whether a rate works, (rates,).
        rates: the learning rates, (rates,).
    """

    def panels(step: float) -> Piece:
        def paint(sheet, x: float, y: float) -> None:
            sheet.write(say("width"), x + 34, y + 8, 12, "end", class_="quiet")
            middle = x + 50 + step * (len(rates) - 1) / 2
            sheet.write(say("learning rate"), middle, y + 8, 12, class_="quiet")
            end = x + 100 + step * (len(rates) - 1)
            sheet.write(say("smallest"), end, y + 8, 12, "end", class_="quiet")
            for i in range(0, len(rates), 5):
                sheet.write(_rate(rates[i]), x + 50 + step * i, y + 28, 12)

        head = Piece(100 + step * (len(rates) - 1), 36, paint)
        each = (_dots(some, rates, say(title), step) for title, some in works.items())
        return column(head, *each, gap=8)

    told = "; ".join(
        f"{say(title)} "
        + ", ".join(_rate(rates[good][0]) if good.any() else say("none") for good in some.values())
        for title, some in works.items()
    )
    widths = next(iter(works.values()))
    return Drawing(
        say("Which learning rates work"),
        say(
            "A row of dots for each of the widths {widths}, one dot for each learning rate from "
            "{least} to {most}, full where the rate works. The smallest that work: {told}.",
            widths=listed(list(widths)),
            least=_rate(rates[0]),
            most=_rate(rates[-1]),
            told=told,
        ),
        panels(30),
        panels(14),
    )
