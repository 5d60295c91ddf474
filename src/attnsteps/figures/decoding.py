"""The figures of chapter 17, in their order on the page: one word after another."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

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
    word,
    words,
)
from attnsteps.diagrams.cells import in_digits
from attnsteps.diagrams.sheet import SMALL, Sheet
from attnsteps.figures.catalogue import say
from attnsteps.figures.shared import listed


def the_loop_of_decoding() -> Drawing:
    """Draw how one word after another is chosen and joins the words so far."""

    def arranged(*, tall: bool) -> Piece:
        source = word(say("昨天她…"), say("S ids"), name="src", role="source")
        encoder = block(say("encoder\n(once)"), "source", name="enc", width=104)
        so_far = word(say("<bos> she"), say("t ids so far"), name="tgt", role="target")
        decoder = block(say("decoder\n(each step)"), "target", name="dec", width=104)
        soft = block(say("softmax of\nthe last row"), "weights", name="soft", width=104)
        choose = block(say("choose"), "plain", name="pick", state="lit", width=84)
        if tall:
            again = words(say("then append"), size=13, role="target")
            right = column(so_far, decoder, soft, choose, again, gap=40)
            left = column(source, encoder, space(0, 30), gap=40)
            return row(left, space(52), right, gap=0, align="top")
        steps = [[source, encoder, space(), space()], [so_far, decoder, soft, choose]]
        return column(grid(steps, gap=(62, 44)), space(0, 52), gap=0)

    shared = [Wire("src", "enc"), Wire("tgt", "dec")]
    shared += [Wire("dec", "soft", "(t, V)"), Wire("soft", "pick", "(V)")]
    memory = Wire("enc.bottom", "dec.top", say("memory (S, D)"), role="source")
    again = Wire("pick.bottom", "tgt.bottom", say("append the word"), role="target", arc=24)
    return Drawing(
        say("The loop of decoding"),
        say(
            "The encoder reads the source once and gives the memory, (S, D). At each step the "
            "decoder reads the t target words so far and the memory and gives logits, (t, V). The "
            "softmax of the last row is V probabilities. One word is chosen and joins the words "
            "so far."
        ),
        arranged(tall=False),
        arranged(tall=True),
        wires=[*shared, memory, again],
        tall_wires=[*shared, Wire("enc.right", "dec.left", "(S, D)", role="source")],
    )


def word_by_word(sentences: Sequence[tuple[Sequence[str], Tensor]]) -> Drawing:
    """Draw sentences, each word over its probability after those before it, and the product.

    Args:
        sentences: the words of each, and their probabilities, (n).
    """

    def line(parts: Sequence[str], chances: Tensor, per_line: int) -> Piece:
        chips = [
            block(f"{part}\n{p:.3f}", "target", width=68)
            for part, p in zip(parts, chances.tolist(), strict=True)
        ]
        chips.append(words(f"= {float(chances.prod()):.3f}", bold=True))
        rows = [row(*chips[n : n + per_line], gap=5) for n in range(0, len(chips), per_line)]
        return column(*rows, gap=5, align="left")

    def arranged(per_line: int, gap: float) -> Piece:
        return column(*(line(*each, per_line) for each in sentences), gap=gap, align="left")

    def told(parts: Sequence[str], chances: Tensor) -> str:
        each = [f"{part} {p:.3f}" for part, p in zip(parts, chances.tolist(), strict=True)]
        return f"{', '.join(each)}, = {float(chances.prod()):.3f}"

    return Drawing(
        say("Word by word, with probabilities"),
        say(
            "Each word stands over its probability after the words before it, and the product of "
            "all at the end: {sentences}.",
            sentences="; ".join(told(*each) for each in sentences),
        ),
        arranged(9, 14),
        arranged(4, 22),
    )


def a_tree_that_is_pruned(first: Tensor, second: Tensor, names: Sequence[str]) -> Drawing:
    """Draw a beam of width 2 over two words; the last of names is the end.

    Args:
        first: the probability of each first word, (V,).
        second: of each word after each first one that isn't the end, (V − 1, V).
        names: of the V words.
    """
    names = [say(name) for name in names]
    count, end = len(names), len(names) - 1
    both = first[:end, None] * second  # (V − 1, V)
    kept_first = first.topk(2).indices.tolist()
    kept = both.flatten().topk(2).indices.tolist()

    def leaf(key: str, text: str, chance: float, *, place: bool, best: bool = False) -> Piece:
        look = {"name": key, "width": 86}
        if not place:
            return block(
                say("{words}\n{p} cut", words=text, p=f"{chance:.2f}"), state="coming", **look
            )
        number = say("{p} best", p=f"{chance:.2f}") if best else f"{chance:.2f}"
        return block(f"{text}\n{number}", "context" if best else "target", **look)

    def tree(gap: float) -> Piece:
        left = [
            leaf(f"1{i}", names[i], float(first[i]), place=i in kept_first) for i in range(count)
        ]
        right = [
            leaf(
                f"2{i}",
                f"{names[i // count]} {names[i % count]}",
                float(both.flatten()[i]),
                place=i in kept,
                best=i == kept[0],
            )
            for i in range(both.numel())
        ]
        firsts = column(left[0], space(0, 70), left[1], space(0, 16), *left[2:], gap=12)
        begin = block(say("begin\n{p}", p="1.00"), name="0", width=64)
        return row(begin, firsts, column(*right, gap=8), gap=gap)

    def wire(start: str, key: str, *, place: bool) -> Wire:
        return Wire(f"{start}.right", f"{key}.left", role="target" if place else "")

    wires = [wire("0", f"1{i}", place=i in kept_first) for i in range(count)]
    wires += [wire(f"1{i // count}", f"2{i}", place=i in kept) for i in range(both.numel())]
    return Drawing(
        say("A beam of width 2 as a tree that is pruned"),
        say(
            "The first words have {first}, and the two best are kept. Continued by each word they "
            "have {second}. Of these the two best are kept, and both have ended.",
            first=listed(first, 2),
            second=listed(both.flatten(), 2),
        ),
        tree(110),
        tree(22),
        wires=wires,
    )


def from_an_index_to_its_parent(sums: Tensor, names: Sequence[str]) -> Drawing:
    """Draw the chances of each beginning with each word, (W, V), and their flattened indices."""
    names = [say(name) for name in names]
    count, beginnings = sums.shape[1], names[: len(sums)]

    def arranged(*, tall: bool) -> Piece:
        look = {"cell": (38, 26)}
        rows = [say("row {n}: {name}", n=n, name=name) for n, name in enumerate(beginnings)]
        table = matrix(
            sums, "target", rows=rows, columns=list(names), digits=2, label="(W, V)", **look
        )
        indices = range(sums.numel())
        line = matrix(
            sums.flatten()[None],
            "target",
            rows=[say("sum")],
            columns=[str(index) for index in indices],
            digits=2,
            label=say("flattened (W · V), by index"),
            **look,
        )
        origin = [[str(i // count) for i in indices], [str(i % count) for i in indices]]
        below = matrix(origin, "plain", rows=[f"// {count}", f"% {count}"], **look)
        right = column(line, below, gap=4, align="right")
        return column(table, right, gap=18) if tall else row(table, right, gap=40, align="top")

    return Drawing(
        say("From an index among the sums to its parent and its word"),
        say(
            "A row of sums for each beginning, written as probabilities: {sums}. Flattened, they "
            "have indices from 0. The index divided by {count} gives the parent's row, and the "
            "remainder the new word.",
            sums="; ".join(listed(each, 2) for each in sums),
            count=count,
        ),
        arranged(tall=False),
        arranged(tall=True),
    )


def a_beam_word_by_word(steps: Sequence[Sequence[tuple[str, float]]]) -> Drawing:
    """Draw which beginnings hold the places of a beam after each word.

    Args:
        steps: after each word, the text that each place holds, from its start, and its probability.
            A sentence that has ended stands unchanged in the steps after it.
    """

    def last(text: str) -> str:
        parts = [say("end") if part == "<eos>" else part for part in text.split()]
        return f"{parts[0]} … {parts[-1]}" if text in first else f"… {' '.join(parts[-3:])}"

    first = {text for text, _ in steps[0]}
    before: set[str] = set()
    pieces, wires, told = [], [], []
    for n, places in enumerate(steps):
        chips = []
        for k, (text, p) in enumerate(places):
            goes_on = n + 1 == len(steps) or any(t.startswith(text) for t, _ in steps[n + 1])
            kept = text in before
            note = say("keeps its place") if kept else f"{p:.4f}"
            state = "built" if goes_on else "coming"
            role = "context" if text.endswith("<eos>") else "target"
            look = {"name": f"p{n}{k}", "width": 108, "state": state}
            chips.append(block(f"{last(text)}\n{note}", role, **look))
            told.append(f"{last(text)} {note}")
            parents = [m for m, (old, _) in enumerate(steps[n - 1]) if n and text.startswith(old)]
            wires += [(f"p{n - 1}{m}", f"p{n}{k}") for m in parents]
        pieces.append(chips)
        before = {text for text, _ in places if text.endswith("<eos>")}
    return Drawing(
        say("A beam of two places, word by word"),
        say("After each word, from the start of the picture: {steps}.", steps="; ".join(told)),
        row(*(column(*chips, gap=14) for chips in pieces), gap=30),
        column(*(row(*chips, gap=30) for chips in pieces), gap=34),
        wires=[Wire(f"{a}.right", f"{b}.left", role="target") for a, b in wires],
        tall_wires=[Wire(f"{a}.bottom", f"{b}.top", role="target") for a, b in wires],
    )


def runs_that_are_shared(candidates: Sequence[str], reference: str) -> Drawing:
    """Draw which runs of one to four words of each candidate the reference has."""
    goal, lengths = reference.split(), range(1, 5)

    def found(parts: list[str], cell: tuple[float, float], *, tall: bool) -> Piece:
        count = len(parts)
        missing = torch.tensor([[i + n > count for i in range(count)] for n in lengths])
        table = torch.tensor(
            [[parts[i : i + n] == goal[i : i + n] for i in range(count)] for n in lengths]
        ).float()
        names, shown = [f"n = {n}" for n in lengths], [say(part) for part in parts]
        return matrix(
            table.T if tall else table,
            "target",
            rows=shown if tall else names,
            columns=names if tall else shown,
            crossed=missing.T if tall else missing,
            cell=cell,
        )

    texts = [candidate.split() for candidate in candidates]
    return Drawing(
        say("The runs that a translation shares with its reference"),
        say(
            "A table for each translation: rows for runs of one to four words, by the word where a "
            "run begins. A 1 says that the reference has the run. {texts}.",
            texts="; ".join(map(say, candidates)),
        ),
        column(*(found(parts, (51, 26), tall=False) for parts in texts), gap=20),
        column(*(found(parts, (46, 24), tall=True) for parts in texts), gap=26),
    )


#: What may become of a translation, and its colour.
OUTCOMES = {"right": "value", "search errors": "wrong", "model errors": "weights"}


def _counted(parts: Sequence[int], width: float) -> Piece:
    """Draw what became of translations as a bar to scale; what the search lost is counted above."""
    high, above, whole = 24, 16, sum(parts)

    def paint(sheet: Sheet, x: float, y: float) -> None:
        for count, role in zip(parts, OUTCOMES.values(), strict=True):
            wide = width * count / whole
            if count:
                rect = {"x": x, "y": y + above, "width": wide, "height": high}
                sheet.add("rect", **rect, class_=f"c fill-{role}", style="--a:0.9")
            lost = role == "wrong"
            at = y + above / 2 if lost else y + above + high / 2
            look = {"class_": "b ink-wrong halo"} if lost else {}
            sheet.write(str(count), x + wide / 2, at, SMALL, **look)
            x += wide

    return Piece(width, above + high, paint)


def _gained(gains: Sequence[float], title: str, width: float) -> Piece:
    """Draw a dot for each gain in BLEU over one axis; its height only keeps the dots apart."""
    high, head, low, top = 40, 22, -3.0, 11.0

    def paint(sheet: Sheet, x: float, y: float) -> None:
        def across(gain: float) -> float:
            return x + width * (gain - low) / (top - low)

        floor = y + head + high
        sheet.write(title, x, y + 8, SMALL, "start", class_="b")
        sheet.add("path", d=f"M{x:.1f} {floor:.1f}h{width:.1f}", class_="axis")
        for tick, text in ((0, "0"), (5, "+5"), (10, "+10")):
            sheet.add("path", d=f"M{across(tick):.1f} {floor:.1f}v4", class_="axis")
            sheet.write(text, across(tick), floor + 13, SMALL)
        zero = f"M{across(0):.1f} {floor:.1f}v{-high}"
        sheet.add("path", d=zero, class_="axis", stroke_dasharray="4 3")
        for place, gain in enumerate(gains):
            height = floor - high * (place + 0.5) / len(gains)
            sheet.add("circle", cx=across(gain), cy=height, r=3.5, class_="dot fill-context")

    return Piece(width, head + high + 20, paint)


def right_and_wrong(
    counts: Mapping[int, Mapping[str, Sequence[int]]],
    gains: Mapping[int, Sequence[float]],
    better: Mapping[int, int],
) -> Drawing:
    """Draw what becomes of the translations of each search, and the BLEU that the beam gains.

    Args:
        counts: for each number of training steps and each search how many translations are right,
            how many search errors and how many model errors there are.
        gains: for each number of steps the beam's BLEU minus that of greedy search, by translator.
        better: in how many translators the beam has more right.
    """
    signs = {n: [f"{g:+.1f}".replace("-", "−") for g in sorted(of)] for n, of in gains.items()}

    def stage(n: int, width: float, field: float, *, tall: bool) -> Piece:
        more = {"n": better[n], "all": len(gains[n])}
        heads = (
            words(say("after {n} steps:", n=n), size=13, bold=True),
            words(say("the beam has more right in {n} of {all} translators", **more), size=12),
        )
        names = [words(say(name), size=13) for name in counts[n]]
        widest = max(name.width for name in names)
        lines = [
            row(
                column(space(widest, 16), name, gap=0, align="right"),
                _counted(parts, width),
                gap=8,
            )
            for name, parts in zip(names, counts[n].values(), strict=True)
        ]
        head = column(*heads, gap=0, align="left") if tall else row(*heads, gap=5)
        bars = column(head, *lines, gap=2, align="left")
        title = say("BLEU gained: {low} to {high}", low=signs[n][0], high=signs[n][-1])
        dots = _gained(gains[n], title, field)
        if tall:
            return column(bars, row(space(widest), dots, gap=8), gap=6, align="left")
        return row(bars, dots, gap=22, align="top")

    def arranged(width: float, field: float, *, tall: bool) -> Piece:
        keys = [
            row(matrix([[""]], role, cell=(15, 15)), words(say(name), size=12), gap=5)
            for name, role in OUTCOMES.items()
        ]
        stages = [stage(n, width, field, tall=tall) for n in counts]
        return column(row(*keys, gap=14), *stages, gap=24 if tall else 16, align="left")

    def told(n: int) -> str:
        searches = "; ".join(
            say(
                "{search} {right} right, {lost} search errors, {own} model errors",
                search=say(name),
                right=parts[0],
                lost=parts[1],
                own=parts[2],
            )
            for name, parts in counts[n].items()
        )
        return say(
            "After {n} steps: {searches}; the beam has more right in {better} of {all} "
            "translators, and changes BLEU by {gains}.",
            n=n,
            searches=searches,
            better=better[n],
            all=len(gains[n]),
            gains=", ".join(signs[n]),
        )

    return Drawing(
        say("What becomes of 1,000 translations, by greedy search and by a beam"),
        say(
            "Two bars for each number of training steps, cut into right translations, search "
            "errors and model errors, and a dot for each translator's change in BLEU. {stages}",
            stages=" ".join(told(n) for n in counts),
        ),
        arranged(372, 176, tall=False),
        arranged(256, 200, tall=True),
    )


def a_slip_with_a_teacher_and_without(reference: str, forced: str, free: str) -> Drawing:
    """Draw three sentences; words that differ from the reference are framed."""
    goal, longest = reference.split(), 12
    lines = {
        say("reference"): goal,
        say("teacher-forced: it reads the reference"): forced.split(),
        say("free-running: it reads its own words"): free.split(),
    }
    cut = {name: [*p[:longest], "…"] if len(p) > longest else p for name, p in lines.items()}

    def chip(n: int, part: str) -> Piece:
        wrong = n >= len(goal) or part != goal[n]
        return word(part, role="wrong" if wrong else "target", lit=wrong)

    def ladder(per_line: int) -> Piece:
        shown = []
        for name, parts in cut.items():
            chips = [chip(n, part) for n, part in enumerate(parts)]
            chunks = [chips[n : n + per_line] for n in range(0, len(chips), per_line)]
            rows = [row(*chunk, gap=5) for chunk in chunks]
            shown.append(column(words(name, size=13), *rows, gap=5, align="left"))
        return column(*shown, gap=14, align="left")

    return Drawing(
        say("A slip with a teacher and without"),
        "; ".join(f"{name}: {' '.join(parts)}" for name, parts in cut.items()) + ".",
        ladder(8),
        ladder(3),
    )


def words_that_may_follow(chances: Mapping[str, Tensor], names: Sequence[str]) -> Drawing:
    """Draw the probabilities of the next word, (n), in a row for each way to draw it."""
    ways = [say(way) for way in chances]
    table, columns = torch.stack([*chances.values()]), [say(name) for name in names]

    def told(way: str, of: Tensor) -> str:
        each = zip(columns, of.tolist(), strict=True)
        return f"{way}: " + ", ".join(f"{name} {in_digits(p, 3)}" for name, p in each)

    upright = [way.replace(" ", "\n", 1) for way in ways]
    look = {"digits": 3, "limit": 1.0}
    return Drawing(
        say("What may follow “I”, by three ways of drawing"),
        say(
            "A row for each way, with the probability of each next word. {ways}.",
            ways="; ".join(told(*each) for each in zip(ways, table, strict=True)),
        ),
        matrix(table, "target", rows=ways, columns=columns, cell=(62, 28), **look),
        matrix(table.T, "target", rows=columns, columns=upright, cell=(82, 28), **look),
    )


def the_cache_as_it_fills(
    queries: Tensor, keys: Tensor, values: Tensor, names: Sequence[str]
) -> Drawing:
    """Draw steps of decoding: the new query, and keys and values with the new row below.

    Args:
        queries: the first numbers of each step's query, (t, n).
        keys: of each key.
        values: of each value.
        names: of the words that come in.
    """
    names = [say(str(name)) for name in names]
    top = float(max(part.abs().max() for part in (queries, keys, values)))

    def step(t: int, cell: tuple[float, float], shown: int, *, tall: bool) -> Piece:
        look = {"digits": 1, "limit": top, "cell": cell}

        def filled(table: Tensor, role: str, label: str, *, named: bool) -> Piece:
            rows = names[: t + 1] if named else ()
            return matrix(table[: t + 1, :shown], role, rows=rows, lit=[t], label=label, **look)

        query = matrix(queries[t : t + 1, :shown], "query", lit=[0], label=say("q (1, Dk)"), **look)
        return column(
            words(say("step {n}: “{name}” comes in", n=t + 1, name=names[t]), bold=True),
            row(
                query,
                words("→", size=16),
                filled(keys, "key", say("K ({n}, Dk)", n=t + 1), named=True),
                filled(values, "value", say("V ({n}, Dk)", n=t + 1), named=not tall),
                gap=8 if tall else 22,
                align="bottom",
            ),
            gap=6,
        )

    def steps(cell: tuple[float, float], shown: int, *, tall: bool) -> Piece:
        return column(*(step(t, cell, shown, tall=tall) for t in range(len(names))), gap=26)

    return Drawing(
        say("The cache as it fills"),
        say(
            "{count} steps. In each, one word comes in and makes one query, one key and one value. "
            "The key and the value, framed, join those of the words before, which come from the "
            "cache. The query meets all keys and is then forgotten.",
            count=len(names),
        ),
        steps((44, 26), 3, tall=False),
        steps((36, 24), 2, tall=True),
    )


def rows_change_places(steps: Sequence[Sequence[tuple[str, float]]]) -> Drawing:
    """Draw steps of a beam: an arrow to each beginning from its parent.

    Args:
        steps: after each word, the beginnings and their probabilities in their order; each
            continues one of the step before.
    """
    parents = [
        [
            next(n for n, (old, _) in enumerate(before) if new.startswith(f"{old} "))
            for new, _ in after
        ]
        for before, after in pairwise(steps)
    ]

    def chips(step: int, *, tall: bool) -> Piece:
        goes_on = parents[step] if step < len(parents) else range(len(steps[step]))
        pieces = []
        for n, (text, p) in enumerate(steps[step]):
            cut = n not in goes_on
            chance = say("{p}, cut", p=f"{p:.2f}") if cut else f"{p:.2f}"
            label = chance if tall else say("row {n}: {note}", n=n, note=chance)
            pieces.append(
                block(
                    label + "\n" + " ".join(map(say, text.split())),
                    "target",
                    name=f"{step}-{n}",
                    state="coming" if cut else "built",
                    width=92 if tall else 150,
                )
            )
        return column(*pieces, gap=14)

    def arranged(gap: float, *, tall: bool) -> Piece:
        return row(*(chips(step, tall=tall) for step in range(len(steps))), gap=gap)

    return Drawing(
        say("The beam's first steps: rows change places"),
        say(
            "From left to right the beginnings after each word. The parents are first the rows "
            "{first}, then the rows {then}. Words, score and cache of each row come from its "
            "parent.",
            first=listed(parents[0]),
            then=listed(parents[-1]),
        ),
        arranged(70, tall=False),
        arranged(15, tall=True),
        wires=[
            Wire(f"{step}-{p}.right", f"{step + 1}-{n}.left", role="target")
            for step, of in enumerate(parents)
            for n, p in enumerate(of)
        ],
    )
