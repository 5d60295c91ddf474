"""The figures of chapter 16, in their order on the page: one batch through a step, and a run."""

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
    vector,
    words,
)
from attnsteps.figures.catalogue import say
from attnsteps.figures.shared import chart, listed


def _strip(tokens: Sequence[str], key: str, role: str, cell: tuple[float, float]) -> Piece:
    """Draw tokens as cells of their own, so that wires can begin and end at each."""
    cells = [
        vector([say(token)], "plain" if token == "<pad>" else role, name=f"{key}{t}", cell=cell)
        for t, token in enumerate(tokens)
    ]
    return row(*cells, gap=2)


def two_sentences_shifted(tgt_in: Sequence[Sequence[str]], tgt_out: Sequence[Sequence[str]]):
    """Draw each sentence of a batch as the decoder reads it, and what it is asked for below it."""

    def arranged(width: float, gap: float) -> Piece:
        pairs = []
        for n, (upper, lower) in enumerate(zip(tgt_in, tgt_out, strict=True)):
            lines = [
                words("tgt_in", size=13, role="target"),
                _strip(upper, f"in{n}.", "target", (width, 28)),
                space(0, 22),
                _strip(lower, f"out{n}.", "context", (width, 28)),
                words("tgt_out", size=13, role="context"),
            ]
            pairs.append(column(*lines, gap=5, align="left"))
        return column(*pairs, gap=gap)

    wires = [
        Wire(f"in{n}.{t + 1}.bottom", f"out{n}.{t}.top", role="target")
        for n, line in enumerate(tgt_in)
        for t in range(len(line) - 1)
        if line[t + 1] != "<pad>"
    ]
    return Drawing(
        say("A batch of two sentences, shifted by one"),
        say(
            "Two sentences, each twice. tgt_in: {read}. tgt_out: {asked}. An arrow leads from each "
            "word of tgt_in to the same word in tgt_out, one position to the left.",
            read="; ".join(" ".join(map(say, line)) for line in tgt_in),
            asked="; ".join(" ".join(map(say, line)) for line in tgt_out),
        ),
        arranged(84, 22),
        arranged(59, 22),
        wires=wires,
    )


def the_grid_of_questions(tgt_in: Sequence[str], tgt_out: Sequence[str]) -> Drawing:
    """Draw which words each position reads, and which one it is asked for."""
    count = len(tgt_in)
    hidden = torch.ones(count, count, dtype=torch.bool).triu(1)
    read, asked = [say(token) for token in tgt_in], [say(token) for token in tgt_out]

    def arranged(*, tall: bool) -> Piece:
        mark = "•" if tall else say("reads")
        seen = [["" if hidden[t, j] else mark for j in range(count)] for t in range(count)]
        table = matrix(
            seen,
            "target",
            label=say("reads of tgt_in"),
            rows=[f"{t + 1}" for t in range(count)],
            columns=[f"{t + 1}" for t in range(count)] if tall else read,
            crossed=hidden,
            cell=(34, 30) if tall else (70, 30),
        )
        answers = matrix(
            [[token] for token in asked],
            "context",
            label="tgt_out",
            columns=[say("asked for")],
            cell=(76, 30) if tall else (100, 30),
        )
        return row(table, answers, gap=14)

    return Drawing(
        say("The grid of teacher forcing"),
        say(
            "{count} rows, one for each position. Each reads the words up to its own, {read}, and "
            "is asked for the next one: {asked}. Later words are crossed out.",
            count=count,
            read=", ".join(read),
            asked=", ".join(asked),
        ),
        arranged(tall=False),
        arranged(tall=True),
    )


def what_it_got_and_should_get(got: Tensor, wanted: Tensor, names: Sequence[str]) -> Drawing:
    """Draw probabilities minus the wanted ones: the gradient of the loss for each logit."""
    names, gradient = [say(name) for name in names], got - wanted

    def arranged(cell: tuple[float, float], *, tall: bool) -> Piece:
        look = {"columns": names, "limit": 1, "cell": cell}
        plain = set(wanted.tolist()) <= {0.0, 1.0}
        parts = [
            vector(got, "target", label=say("what it got, p"), digits=3, **look),
            words("−"),
            vector(
                wanted,
                "context",
                label=say("what it should get") if plain else say("what it should get, q"),
                digits=0 if plain else 3,
                **look,
            ),
            words("="),
            vector(gradient, "plain", label=say("gradient"), digits=3, **look),
        ]
        return column(*parts, gap=8) if tall else row(*parts, gap=8)

    return Drawing(
        say("The gradient of the loss"),
        say(
            "The probabilities {got} minus what they should be, {wanted}, is the gradient of the "
            "loss for each logit: {gradient}. The words are {names}.",
            got=listed(got, 3),
            wanted=listed(wanted, 3),
            gradient=listed(gradient, 3),
            names=", ".join(names),
        ),
        arranged((48, 28), tall=False),
        arranged((62, 28), tall=True),
    )


def the_losses_of_the_batch(losses: Tensor, targets: Sequence[Sequence[str]]) -> Drawing:
    """Draw the loss of each word that is asked for, (B, T), and leave out the padding."""
    real = torch.tensor([[token != "<pad>" for token in line] for line in targets])
    count = int(real.sum())
    total = sum(round(loss, 2) for loss in losses[real].tolist())  # of the numbers as they are read

    def arranged(cell: tuple[float, float]) -> Piece:
        tables = [
            matrix(
                losses[n : n + 1],
                "wrong",
                columns=[say(token) for token in line],
                digits=2,
                crossed=~real[n : n + 1],
                limit=float(losses.max()) * 1.3,
                cell=cell,
            )
            for n, line in enumerate(targets)
        ]
        mean = say(
            "{total} / {count} = {mean}",
            total=f"{total:.2f}",
            count=count,
            mean=f"{total / count:.2f}",
        )
        return column(*tables, words(mean, bold=True), gap=10, align="left")

    return Drawing(
        say("The losses of the batch"),
        say(
            "Each word that is asked for has a loss: {losses}. They add up to {total}; divided by "
            "{count} that is {mean}. The padding is crossed out.",
            losses=listed(losses[real], 2),
            total=f"{total:.2f}",
            count=count,
            mean=f"{total / count:.2f}",
        ),
        arranged((84, 28)),
        arranged((61, 28)),
    )


def one_step_of_training(pairs: int, parameters: int) -> Drawing:
    """Draw how a batch becomes a move of every parameter."""

    def arranged(*, tall: bool) -> Piece:
        amount = f"{parameters:,}"
        source = block(say("{n} sentence\npairs", n=pairs), "source", name="pairs", width=96)
        model = block(say("model, {n}\nparameters", n=amount), "target", name="model", width=122)
        loss = block(say("loss,\n1 number"), "wrong", name="loss", width=88)
        back = block(say("gradient, {n}\nnumbers", n=amount), "plain", name="back", width=128)
        clip = block(say("clip to length 1"), "plain", name="clip", width=116)
        adam = block(say("Adam, × rate"), "plain", name="adam", width=104)
        if tall:
            left = column(model, adam, gap=176)
            right = column(loss, back, clip, gap=44)
            return column(source, row(left, right, gap=50), gap=58)
        upper = [source, model, space(), loss]
        return grid([upper, [space(), adam, clip, back]], gap=(56, 52))

    shared = [
        Wire("model", "loss", say("logits")),
        Wire("loss", "back", say("backward")),
        Wire("back", "clip"),
        Wire("clip", "adam"),
        Wire("adam", "model", say("moves"), role="target", thick=True),
    ]
    return Drawing(
        say("One step of training"),
        say(
            "{pairs} sentence pairs: the model reads src_ids and tgt_in and gives logits; the loss "
            "compares them with tgt_out. Backward, the loss gives a gradient with a number for "
            "each of the {parameters} parameters; it is clipped to length 1, and Adam, times the "
            "rate, moves the parameters. Then the next batch.",
            pairs=pairs,
            parameters=f"{parameters:,}",
        ),
        column(space(0, 48), arranged(tall=False), gap=0),
        arranged(tall=True),
        wires=[
            Wire("pairs", "model", "tgt_in", role="target"),
            Wire("pairs.top", "loss.top", "tgt_out", role="context", arc=-30),
            *shared,
        ],
        tall_wires=[
            Wire("pairs.bottom", "model.top", "tgt_in", role="target"),
            Wire("pairs.bottom", "loss.top", "tgt_out", role="context"),
            *shared,
        ],
    )


def two_schedules(rates: dict[str, Sequence[tuple[float, float]]], peak: float) -> Drawing:
    """Draw learning rates against the step, one line each; the peak is marked.

    Args:
        rates: the name of each schedule → its points, (step, rate).
        peak: the highest rate.
    """
    last = max(step for line in rates.values() for step, _ in line)
    roles = ("query", "key")

    def arranged(size: tuple[float, float], ticks: int) -> Piece:
        marks = [(last * n / ticks, f"{last * n / ticks:,.0f}") for n in range(ticks + 1)]
        names, (slow, straight) = [say(name) for name in rates], rates.values()
        here, there = slow[7 * len(slow) // 10], straight[38 * len(straight) // 100]
        notes = [
            (here[0], here[1] + peak / 7, names[0], roles[0]),
            (there[0], there[1] - peak / 2, names[1], roles[1]),
        ]
        return chart(
            (0, last, marks, say("step")),
            (0, 1.1 * peak, [(0, "0"), (peak, f"{peak:.4f}")], say("learning rate")),
            size=size,
            lines=[(role, line) for role, line in zip(roles, rates.values(), strict=True)],
            notes=notes,
        )

    return Drawing(
        say("Two learning rates"),
        say(
            "Two rates against the step, up to {last}: {names}. Both climb in a straight line to "
            "{peak}. The first falls slowly, the second straight to 0.",
            last=f"{last:,.0f}",
            names=", ".join(say(name) for name in rates),
            peak=f"{peak:.4f}",
        ),
        arranged((520, 150), 4),
        arranged((240, 150), 2),
    )


def a_run_and_five_others(
    rates: Sequence[float],
    batches: Sequence[tuple[float, float]],
    unseen: dict[str, Sequence[float]],
    others: Sequence[dict],
    floor: float,
) -> Drawing:
    """Draw a training run: its rate, its smoothed loss, and what it translates rightly.

    Args:
        rates: the learning rate of each step.
        batches: (step, loss) of the batches that it trained on.
        unseen: "loss" and "right" of unseen sentences, at evenly spaced steps.
        others: recorded runs from other seeds, with the same two lists.
        floor: the least that a smoothed loss can be.
    """
    last, peak = len(rates), max(rates)
    top = rates.index(peak) + 1
    at = [last * (n + 1) / len(unseen["loss"]) for n in range(len(unseen["loss"]))]

    def points(values: Sequence[float], factor: float = 1) -> list[tuple[float, float]]:
        return [(step, factor * value) for step, value in zip(at, values, strict=True)]

    def arranged(width: float, *, tall: bool) -> Piece:
        ticks = [(last * n / 5, f"{last * n / 5:.0f}") for n in range(6)]
        across = (0, last, ticks, "")
        named = (0, last, ticks, say("step"))
        rate = chart(
            across,
            (0, 1.4 * peak, [(0, "0"), (peak, f"{peak:g}")], say("learning rate")),
            size=(width, 70),
            lines=[("query", [(n + 1, value) for n, value in enumerate(rates)])],
            notes=[(top, 1.2 * peak, say("warm-up ends at step {n}", n=top), "query")],
        )
        numbers = [(n, str(n)) for n in range(0, 7, 2)]
        loss = chart(
            across,
            (0, 6.6, numbers, say("smoothed loss (nats a token)")),
            size=(width, 150),
            lines=[("target", batches)],
            dots=[("source", points(run["loss"])) for run in [unseen, *others]],
            levels=[(floor, say("the floor, {n}", n=f"{floor:.2f}"))],
            notes=[
                (last * 0.17, 5.2, say("line: batches"), "target"),
                (last * 0.4, 3.4, say("dots: unseen sentences"), "source"),
            ],
        )
        right = chart(
            named,
            (0, 100, [(0, "0"), (50, "50"), (100, "100")], say("right translations (%)")),
            size=(width, 110),
            dots=[("source", points(run["right"], 100)) for run in [unseen, *others]],
        )
        return column(rate, loss, right, gap=14, align="right")

    return Drawing(
        say("A training run, and five from other seeds"),
        say(
            "Three charts over {last} steps. The learning rate climbs to {peak} at step {top} and "
            "falls to 0. The smoothed loss of the batches falls from above 5 towards its floor of "
            "{floor}. The dots of unseen sentences are those of this run and of {count} others, "
            "which have a mean loss of {losses} and {rights} % right translations on the way.",
            last=last,
            peak=f"{peak:g}",
            top=top,
            floor=f"{floor:.2f}",
            count=len(others),
            losses=listed(_means([run["loss"] for run in others]), 1),
            rights=listed([100 * value for value in _means([run["right"] for run in others])]),
        ),
        arranged(560, tall=False),
        arranged(262, tall=True),
    )


def _means(runs: Sequence[Sequence[float]]) -> list[float]:
    """Return the mean over the runs at each moment."""
    return [sum(values) / len(values) for values in zip(*runs, strict=True)]


def one_head_at_three_moments(
    maps: dict[int, Tensor], source: Sequence[str], asked: Sequence[str]
) -> Drawing:
    """Draw the cross-attention of one head while a model learns.

    Args:
        maps: the step of each moment → the weights then, (T, S).
        source: the S words that are looked at.
        asked: the T words that are asked for.
    """
    wanted = [say(token) for token in asked]

    def panel(step: int, cell: tuple[float, float], *, named: bool) -> Piece:
        heads = row(
            *(column(*_letters(token), space(cell[0], 0), gap=0) for token in source),
            gap=0,
            align="bottom",
        )
        table = matrix(
            maps[step],
            "source",
            rows=wanted if named else (),
            digits=None,
            limit=1,
            cell=cell,
        )
        title = words(say("after {n} steps", n=step), size=13, bold=True)
        return column(column(title, heads, gap=6), table, gap=3, align="right")

    steps = list(maps)
    return Drawing(
        say("One head's cross-attention at three moments"),
        say(
            "Rows are the words asked for, {asked}; columns the source words. After {first} steps "
            "most rows are pale and alike; after {last} many have one dark cell: {pairs}.",
            asked=", ".join(wanted),
            first=steps[0],
            last=steps[-1],
            pairs=", ".join(
                f"{wanted[t]} – {source[s]}"
                for t, s in enumerate(maps[steps[-1]].argmax(-1).tolist())
                if maps[steps[-1]][t, s] > 0.8
            ),
        ),
        row(
            *(panel(step, (20, 20), named=n == 0) for n, step in enumerate(steps)),
            gap=24,
            align="bottom",
        ),
        column(*(panel(step, (26, 20), named=True) for step in steps), gap=20),
    )


def _letters(token: str) -> list[Piece]:
    """Write a short word from top to bottom, so that it needs the width of one letter."""
    return [words(letter, size=12) for letter in token]


def a_target_that_is_not_shifted(tgt_out: Sequence[str]) -> Drawing:
    """Draw a decoder that reads the very words it is asked for."""

    def arranged(width: float) -> Piece:
        return column(
            words(say("reads"), size=13, role="wrong"),
            _strip(tgt_out, "in", "target", (width, 28)),
            space(0, 22),
            _strip(tgt_out, "out", "context", (width, 28)),
            words(say("is asked for"), size=13, role="context"),
            gap=5,
            align="left",
        )

    return Drawing(
        say("A target that is not shifted"),
        say(
            "The decoder reads {words} and is asked for the same words. An arrow leads straight "
            "down from each word to itself: it can copy.",
            words=" ".join(map(say, tgt_out)),
        ),
        arranged(84),
        arranged(59),
        wires=[
            Wire(f"in{t}.bottom", f"out{t}.top", role="wrong", thick=True)
            for t in range(len(tgt_out))
        ],
    )


def dropout_on_and_off(numbers: Tensor, draws: Sequence[Tensor]) -> Drawing:
    """Draw one vector's numbers under two draws of dropout, and without it."""
    table = torch.stack([*draws, numbers])
    gone = table == 0

    def arranged(cell: tuple[float, float], names: Sequence[str], digits: int | None) -> Piece:
        look = {"limit": float(table.abs().max()), "cell": cell}
        return matrix(table, "source", rows=list(names), digits=digits, crossed=gone, **look)

    return Drawing(
        say("Dropout on and off"),
        say(
            "{count} numbers of a vector. With train(), {first} of them are crossed out the first "
            "time, {second} the second, and the rest are scaled up; with eval() all are there.",
            count=len(numbers),
            first=int(gone[0].sum()),
            second=int(gone[1].sum()),
        ),
        arranged((50, 28), (say("on, once"), say("on, again"), say("off")), 2),
        arranged((24, 28), (say("on, once"), say("on, again"), say("off")), None),
    )
