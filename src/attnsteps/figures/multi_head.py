"""The figures of chapter 8, in their order on the page: several heads."""

from collections.abc import Sequence

import torch
from torch import Tensor

from attnsteps.diagrams import (
    Drawing,
    Piece,
    Wire,
    block,
    column,
    frame,
    grid,
    matrix,
    row,
    space,
    vector,
    word,
    words,
)
from attnsteps.diagrams.cells import in_digits
from attnsteps.figures.catalogue import gloss, say
from attnsteps.figures.shared import listed
from attnsteps.running_example import Word

#: The colours of head 1 and head 2.
HEADS = ("position", "target")


def _halves(table: Tensor) -> tuple[Tensor, ...]:
    """Cut the columns of a table in two: head 1, head 2."""
    return table.chunk(2, dim=-1)


def _bands(width: int) -> list[str]:
    return [HEADS[0]] * (width // 2) + [HEADS[1]] * (width // 2)


def _tabs(width: float) -> Piece:
    """Draw the tabs of both heads, each as wide as its slice."""
    long = width > 50
    both = [
        vector([say("head {n}", n=n) if long else str(n)], role, cell=(width, 21))
        for n, role in enumerate(HEADS, start=1)
    ]
    return row(*both, gap=-2)


def _titled(text: str, role: str, piece: Piece) -> Piece:
    return column(words(text, size=13, role=role, bold=True), piece, gap=3)


# The opening -------------------------------------------------------------------------------------


def one_word_two_questions(
    sentence: Sequence[Word], asking: int = 2, doer: int = 0, target: int = 3
) -> Drawing:
    """Draw a sentence of eight words, in which one asks for two others.

    Args:
        sentence: its words.
        asking: where the verb lies.
        doer: where the noun lies that answers its first question.
        target: where the noun lies that answers its second.
    """
    roles = {asking: "query", doer: "key", target: "key"}
    chips = [
        word(
            one.zh,
            say(one.gloss),
            name=f"w{i}",
            role=roles.get(i, "plain"),
            lit=i in roles,
        )
        for i, one in enumerate(sentence)
    ]
    folded = (row(*chips[:4], gap=10), space(0, 58), row(*chips[4:], gap=10))
    return Drawing(
        say("One word, two questions"),
        say(
            "The Chinese sentence, word by word. One arrow runs from {verb} back to {doer}, and "
            "asks who crosses; another runs from {verb} to {target}, and asks what is crossed.",
            verb=gloss(sentence[asking]),
            doer=gloss(sentence[doer]),
            target=gloss(sentence[target]),
        ),
        column(space(0, 44), row(*chips, gap=9), space(0, 50), gap=2),
        column(space(0, 44), *folded, gap=2),
        wires=[
            Wire(f"w{asking}.bottom", f"w{doer}.bottom", say("who crosses?"), arc=30),
            Wire(f"w{asking}.top", f"w{target}.top", say("what is crossed?"), arc=-24),
        ],
    )


def one_sum_two_scenes(
    scenes: Sequence[tuple[tuple[str, str], Tensor]], shares: Tensor, entries: Sequence[str]
) -> Drawing:
    """Draw the weighted sums of two values in several scenes, one below the other as on paper.

    Args:
        scenes: for each, the names of two things, and their values, (2, Dv).
        shares: the weight of the first and of the second, (2,).
        entries: what each entry of a value means.
    """
    axes = [say(entry) for entry in entries]
    sums = [shares.to(values.dtype) @ values for _, values in scenes]
    weights = [in_digits(float(share), 1) for share in shares]

    def digits(line: Tensor) -> list[str]:
        return [f"{float(number):g}" for number in line]

    def scene(names: tuple[str, str], values: Tensor, total: Tensor) -> Piece:
        cell = (52, 26)
        first, second = (say(name) for name in names)
        tops = [words(axis, size=12) for axis in axes]
        head = row(*tops, gap=cell[0] - sum(top.width for top in tops) / len(tops))
        lines = [[space(), head, space()]]
        for name, line, weight in zip((first, second), values, weights, strict=True):
            lines.append(
                [
                    words(name, size=13),
                    vector(digits(line), "value", cell=cell),
                    words(f"× {weight}", size=13),
                ]
            )
        end = words(say("“cross” receives"), size=13, bold=True)
        lines.append([end, vector(digits(total), "context", cell=cell), space()])
        return grid(lines, gap=(10, 7))

    pieces = [
        scene(names, values, total) for (names, values), total in zip(scenes, sums, strict=True)
    ]
    return Drawing(
        say("Two scenes, one sum"),
        say(
            "Each time two values, as {entries}, are weighed with {weights} and added. {lines}.",
            entries=", ".join(axes),
            weights=", ".join(weights),
            lines="; ".join(
                f"{say(names[0])} {', '.join(digits(values[0]))}, "
                f"{say(names[1])} {', '.join(digits(values[1]))}: {', '.join(digits(total))}"
                for (names, values), total in zip(scenes, sums, strict=True)
            ),
        ),
        row(*pieces, gap=48, align="bottom"),
        column(*pieces, gap=26),
    )


# Two questions in one query ----------------------------------------------------------------------


def cut_in_two(
    x: Tensor,
    matrices: tuple[Tensor, Tensor, Tensor],
    shown: Sequence[Word],
    entries: Sequence[str],
    asking: int = 1,
) -> Drawing:
    """Draw how a query, a key and a value are made and cut into the slices of two heads.

    Args:
        x: the vectors of three words, (3, D).
        matrices: w_q, w_k and w_v, (D, 4) each.
        shown: the three words; the key and the value are those of the first.
        entries: what each entry of a word's vector means.
        asking: which of them asks.
    """
    axes = [say(entry) for entry in entries]
    made = (("q", "query", asking), ("k", "key", 0), ("v", "value", 0))
    results = [x[which] @ w for w, (_, _, which) in zip(matrices, made, strict=True)]

    def lines(cell: tuple[float, float], *, tall: bool) -> Piece:
        wide = (cell[0] + 6, cell[1])
        every = []
        for w, (letter, role, which), result in zip(matrices, made, results, strict=True):
            name = gloss(shown[which])
            digits = 1 if bool((x[which] % 1).any()) else 0
            start = vector(x[which], "source", label=name, digits=digits, cell=wide)
            middle = matrix(
                w, "plain", rows=axes, kind="parameter", bands=_bands(w.shape[1]), cell=cell
            )
            slices = column(
                words(f"W_{letter}", size=13, role=role, bold=True),
                column(_tabs(2 * cell[0]), middle, gap=1, align="right"),
                gap=3,
                align="right",
            )
            end = _titled(
                say("{what} of {word}", what=say(role), word=name),
                role,
                column(
                    _tabs(2 * cell[0]), vector(result, "plain", bands=_bands(4), cell=cell), gap=1
                ),
            )
            if tall:
                every.append(
                    column(
                        row(start, words("×"), gap=8), row(slices, words("="), end, gap=6), gap=6
                    )
                )
            else:
                every.append([start, words("×"), slices, words("="), end])
        return column(*every, gap=24) if tall else grid(every, gap=(14, 18))

    return Drawing(
        say("Query, key and value, each cut into two heads"),
        say(
            "The vector of {verb} times W_q is its query, {q}: {q1} for head 1, {q2} for head 2. "
            "The vector of {noun} times W_k is its key, {k}, and times W_v its value, {v}, cut in "
            "the same place. Each slice of a matrix has all six rows.",
            verb=gloss(shown[asking]),
            noun=gloss(shown[0]),
            q=listed(results[0]),
            q1=listed(_halves(results[0])[0]),
            q2=listed(_halves(results[0])[1]),
            k=listed(results[1]),
            v=listed(results[2]),
        ),
        lines((29, 23), tall=False),
        lines((23, 23), tall=True),
    )


# Two heads with a pencil -------------------------------------------------------------------------


def two_heads_by_hand(
    q: Tensor, k: Tensor, v: Tensor, shown: Sequence[Word], asking: int
) -> Drawing:
    """Draw the six steps of one word through two heads.

    Args:
        q: the query of that word, (4,): two entries for each head.
        k: the keys of three words, (3, 4).
        v: their values, (3, 4).
        shown: the three words.
        asking: which of them asks.
    """
    names = [gloss(one) for one in shown]
    scores = [kh @ qh for qh, kh in zip(_halves(q), _halves(k), strict=True)]
    scaled = [s / 2**0.5 for s in scores]
    weights = [s.softmax(-1) for s in scaled]
    contexts = [w @ vh for w, vh in zip(weights, _halves(v), strict=True)]
    share = {"digits": 3, "limit": 1}
    most = float(torch.cat(scores).max())

    def lane(head: int, cell: tuple[float, float]) -> list[tuple[str, list[Piece] | Piece]]:
        """Draw one head's steps: a label, and three pieces or one in their middle."""
        single = (50, cell[1])

        def each(table: Tensor, role: str, letter: str, size: tuple = cell, **settings) -> list:
            return [
                vector(line.reshape(-1), role, name=f"{letter}{head}{i}", cell=size, **settings)
                for i, line in enumerate(table)
            ]

        here = {"name": f"q{head}", "cell": cell}
        there = {"name": f"c{head}", "cell": (46, cell[1])}
        softmax = block(say("softmax of all three"), name=f"softmax{head}", width=212, height=26)
        return [
            ("", [words(name, size=13) for name in names]),
            (
                say("1. query of “{word}”", word=names[asking]),
                vector(_halves(q)[head], "query", **here),
            ),
            (say("key of each word"), each(_halves(k)[head], "key", "k")),
            (say("2. score: q · k"), each(scores[head], "weights", "s", single, limit=most)),
            (
                say("3. divided by √2"),
                each(scaled[head], "weights", "d", single, limit=most, digits=3),
            ),
            (say("4. softmax"), softmax),
            ("", each(weights[head], "weights", "w", single, **share)),
            (say("value of each word"), each(_halves(v)[head], "value", "v")),
            (
                say("5, 6. weigh and add"),
                vector(contexts[head], "context", **there, **share),
            ),
        ]

    def whole(*, tall: bool) -> Piece:
        cell = (30, 25)
        third = [space(66)] * 3
        lanes, labels, heights = [], [], []
        for head in range(2):
            name = say("head {n}", n=head + 1)
            lines = [vector([name], HEADS[head], cell=(222, 23))]
            for label, pieces in lane(head, cell):
                line = grid([pieces, third], gap=(8, 0)) if isinstance(pieces, list) else pieces
                if tall and label:
                    text = words(label, size=12, quiet=True)
                    lines.append(row(text, space(222 - text.width), gap=0))
                lines.append(line)
                labels.append(label)
                heights.append(line.height)
            lanes.append(column(*lines, gap=8 if tall else 15))
        ends = [
            vector(c, HEADS[h], name=f"m{h}", cell=(52, 27), **share)
            for h, c in enumerate(contexts)
        ]
        note = words(say("merged: 2 heads · 2 entries = 4"), size=12, quiet=True)
        ending = column(row(*ends, gap=-1), note, gap=4)
        if tall:
            return column(*lanes, ending, gap=22)
        half = len(labels) // 2
        texts = [
            row(words(label or " ", size=13), space(0, height), gap=0)
            for label, height in zip(labels[:half], heights[:half], strict=True)
        ]
        side = column(space(0, 25), *texts, gap=15, align="left")
        return column(
            row(side, *lanes, gap=18, align="top"), row(space(150), ending, gap=0), gap=26
        )

    down = [
        wire
        for h in range(2)
        for i in range(3)
        for wire in (
            Wire(f"q{h}.bottom", f"k{h}{i}.top", role="query"),
            Wire(f"k{h}{i}.bottom", f"s{h}{i}.top"),
            Wire(f"s{h}{i}.bottom", f"d{h}{i}.top"),
            Wire(f"w{h}{i}.bottom", f"v{h}{i}.top"),
            Wire(f"v{h}{i}.bottom", f"c{h}.top", role="context"),
        )
    ]
    merging = [Wire(f"c{h}.bottom", f"m{h}.top", role=HEADS[h]) for h in range(2)]
    told = [
        say(
            "Head {n}: the query {q} scores {s}; divided by the root of 2 that is {d}, and the "
            "softmax makes the weights {w}. The context is {c}.",
            n=h + 1,
            q=listed(_halves(q)[h]),
            s=listed(scores[h]),
            d=listed(scaled[h], 3),
            w=listed(weights[h], 3),
            c=listed(contexts[h], 3),
        )
        for h in range(2)
    ]
    return Drawing(
        say("The word {word} through two heads, step by step", word=names[asking]),
        say(
            "The words are {names}. {told} Side by side, the two contexts are the result.",
            names=", ".join(names),
            told=" ".join(told),
        ),
        whole(tall=False),
        whole(tall=True),
        wires=[*down, *merging],
        tall_wires=(),
    )


# All words, all heads ----------------------------------------------------------------------------


def split_attend_merge(
    parts: tuple[Tensor, Tensor, Tensor], w: Tensor, shown: Sequence[Word], lit: int
) -> Drawing:
    """Draw a whole layer with two heads.

    Args:
        parts: q, k and v of three words, (3, 4) each.
        w: the first column of the last matrix, (4,).
        shown: the three words.
        lit: the word whose rows are outlined.
    """
    names = [gloss(one) for one in shown]
    trio = [
        (letter, part, role)
        for letter, part, role in zip("qkv", parts, ("query", "key", "value"), strict=True)
    ]
    weights = [
        (qh @ kh.T / qh.shape[-1] ** 0.5).softmax(-1)
        for qh, kh in zip(_halves(parts[0]), _halves(parts[1]), strict=True)
    ]
    contexts = [w @ vh for w, vh in zip(weights, _halves(parts[2]), strict=True)]
    output = torch.cat(contexts, dim=1) @ w[:, None]
    own = {"lit": [lit]}

    def touching(table: Tensor, letter: str, cell: tuple[float, float], **settings) -> Piece:
        """Draw a table as two slices that touch, each named for the wires."""
        slices = [
            column(
                vector([str(h + 1)], HEADS[h], cell=(2 * cell[0], 21)),
                matrix(half, HEADS[h], name=f"{letter}{h}", cell=cell, **own, **settings),
                gap=1,
            )
            for h, half in enumerate(_halves(table))
        ]
        return row(*slices, gap=0)

    def one_head(h: int, *, tall: bool) -> Piece:
        small = (20, 22) if tall else (24, 24)
        share = {"digits": 3, "limit": 1, "cell": (46, 24)}
        inputs = row(
            *(
                column(
                    matrix(_halves(part)[h], HEADS[h], name=f"{letter}in{h}", cell=small, **own),
                    words(letter, size=13, role=role, bold=True),
                    gap=2,
                )
                for letter, part, role in trio
            ),
            gap=4 if tall else 12,
        )
        table = matrix(
            weights[h], "weights", rows=() if tall else names, name=f"a{h}", **own, **share
        )
        found = matrix(contexts[h], HEADS[h], rows=() if tall else names, **own, **share)
        return frame(
            column(
                words(say("head {n}", n=h + 1), size=13, role=HEADS[h], bold=True),
                inputs,
                _titled(say("weights (T, T)"), "weights", table),
                _titled(say("context (T, dᵥ)"), "context", found),
                gap=12,
            ),
            role=HEADS[h],
            name=f"f{h}",
            pad=5 if tall else 9,
        )

    def whole(*, tall: bool) -> Piece:
        cell = (24, 23) if tall else (28, 24)
        start = row(
            *(
                _titled(letter, role, touching(part, letter, cell if not tall else (22, 23)))
                for letter, part, role in trio
            ),
            gap=12 if tall else 40,
        )
        heads = row(*(one_head(h, tall=tall) for h in range(2)), gap=8 if tall else 40)
        end_cell = (46, 24)
        merged = _titled(
            say("merged (T, 4)"),
            "context",
            row(
                *(
                    column(
                        vector([str(h + 1)], HEADS[h], name=f"t{h}", cell=(2 * end_cell[0], 21)),
                        matrix(c, HEADS[h], digits=3, limit=1, cell=end_cell, **own),
                        gap=1,
                    )
                    for h, c in enumerate(contexts)
                ),
                gap=0,
            ),
        )
        times = row(
            words("×"),
            _titled(
                say("W_o, column 1"),
                "plain",
                matrix(w[:, None], "plain", kind="parameter", digits=1, limit=1, cell=end_cell),
            ),
            words("="),
            _titled(
                say("output, column 1"),
                "context",
                matrix(output, "context", digits=3, limit=1, cell=end_cell, **own),
            ),
            gap=8,
        )
        finish = column(merged, times, gap=12) if tall else row(merged, times, gap=12)
        split = say("↓ split: two slices of two columns")
        merge = say("↓ merge: side by side again")
        return column(
            start,
            words(split, size=12, quiet=True),
            heads,
            words(merge, size=12, quiet=True),
            finish,
            gap=14,
        )

    return Drawing(
        say("Split, attend, merge, for {words}", words=", ".join(names)),
        say(
            "q, k and v, three rows of four, are each cut into a left slice, head 1, and a right "
            "slice, head 2. Each head makes weights and a context of its own. The row of {word}, "
            "outlined: head 1 finds {c0}, head 2 finds {c1}. The contexts, side by side, are three "
            "rows of four again; times the first column of W_o, {column}, they give {result}.",
            word=names[lit],
            c0=listed(contexts[0][lit], 3),
            c1=listed(contexts[1][lit], 3),
            column=listed(w, 1),
            result=listed(output[:, 0], 3),
        ),
        whole(tall=False),
        whole(tall=True),
    )


# Going deeper: what lies in memory ---------------------------------------------------------------


def memory_before_and_after(
    stored: dict[str, Sequence[int]], heads: Tensor, d_model: int
) -> Drawing:
    """Draw tensors' memory as rows of numbers, in the colours of their two heads.

    Args:
        stored: for each state, the numbers in the order in which they lie.
        heads: the split tensor, (H, T, Dk), which reads the first of them.
        d_model: the width of a word; the numbers are counted through from 0.
    """
    texts = [say(name) for name in stored]

    def line(numbers: Sequence[int], width: float) -> Piece:
        bands = [HEADS[number % d_model * 2 // d_model] for number in numbers]
        return vector([str(n) for n in numbers], "plain", bands=bands, cell=(width, 27))

    def layout(width: float) -> Piece:
        reads = [
            _titled(
                say("head {n} reads", n=h + 1),
                HEADS[h],
                matrix([[str(int(n)) for n in r] for r in part], HEADS[h], cell=(32, 25)),
            )
            for h, part in enumerate(heads)
        ]
        strips = [
            column(words(text, size=13, bold=True), line(numbers, width), gap=5)
            for text, numbers in zip(texts, stored.values(), strict=True)
        ]
        return column(strips[0], row(*reads, gap=40), *strips[1:], gap=14)

    return Drawing(
        say("The memory before and after attention"),
        say(
            "Rows of numbers as they lie in memory. {lines}.",
            lines="; ".join(
                f"{text}: {listed(numbers)}"
                for text, numbers in zip(texts, stored.values(), strict=True)
            ),
        ),
        layout(40),
        layout(25),
    )


# What do trained heads look for? -----------------------------------------------------------------


def where_the_verb_looks(
    looks: Tensor, tops: Sequence[tuple[str, float]], names: Sequence[str], nouns: tuple[str, str]
) -> Drawing:
    """Draw what a verb gives to two nouns in each head, (heads, 2), and to which word most.

    Args:
        looks: the weights for the two nouns.
        tops: for each head, the word with the largest weight, and that weight.
        names: of the heads.
        nouns: the two nouns; rows whose largest weight goes to one of them are outlined.
    """
    own = [say(noun) for noun in nouns]
    lit = [i for i, (top, _) in enumerate(tops) if top in nouns]

    def table(width: float, most: float) -> Piece:
        settings = {"lit": lit, "limit": 1}
        left = matrix(
            looks, "weights", rows=names, columns=own, digits=3, cell=(width, 26), **settings
        )
        right = matrix(
            [[f"{say(top)} {in_digits(share, 3)}"] for top, share in tops],
            "key",
            columns=[say("most to")],
            cell=(most, 26),
            lit=lit,
        )
        return row(left, right, gap=10)

    return Drawing(
        say("What the verb gives to the two nouns, in every head"),
        say(
            "A row for each of {count} heads: the weight for {one}, for {two}, and the word that "
            "gets most. Outlined, because that word is one of the two nouns: {lit}.",
            count=len(names),
            one=own[0],
            two=own[1],
            lit=", ".join(names[i] for i in lit),
        ),
        table(80, 150),
        table(62, 128),
    )


def exchanged_nouns(outcomes: Tensor, names: Sequence[str], total: int, lit: int) -> Drawing:
    """Draw which of its two nouns a verb prefers when they change places, counted for each head.

    Args:
        outcomes: (3, heads): in how many sentences the verb gives more to the doer in both orders,
            to the object in both, and to the same noun in both.
        names: of the heads.
        total: the number of sentences.
        lit: the head on trial, whose row is outlined.
    """
    best = outcomes.max(dim=1)
    luck = [total / 4, total / 4, total / 2]
    counts = [[str(int(n)) for n in line] for line in outcomes.T]
    tosses = [[in_digits(toss, 1) for toss in luck]]
    title = words(
        say("where the verb gives more, of {total} sentences", total=total), size=13, bold=True
    )

    def table(tops: list[str], width: float) -> Piece:
        cell = (width, 26)
        heads = matrix(counts, "key", rows=names, columns=tops, cell=cell, lit=[lit])
        coins = matrix(tosses, "plain", rows=[say("coin tosses")], cell=cell)
        return column(title, column(heads, coins, gap=6, align="right"), gap=8)

    return Drawing(
        say("Which noun the verb prefers when the nouns change places"),
        say(
            "For each of {heads} heads, in how many of {total} sentences the verb gives more to "
            "the doer in both orders, at most {doer} in {first}; to the object in both, at most "
            "{target} in {second}; or to the same noun in both. Outlined, {name}: {own}. Coin "
            "tosses would give {luck}.",
            heads=len(names),
            total=total,
            doer=int(best.values[0]),
            first=names[int(best.indices[0])],
            target=int(best.values[1]),
            second=names[int(best.indices[1])],
            name=names[lit],
            own=listed(outcomes[:, lit]),
            luck=listed(luck, 1),
        ),
        table(
            [
                say("the doer, both times"),
                say("the object, both times"),
                say("the same noun, both times"),
            ],
            164,
        ),
        table([say("doer"), say("object"), say("same noun")], 70),
    )


# Where people go wrong ---------------------------------------------------------------------------


def right_cut_and_wrong_cut(numbers: Tensor) -> Drawing:
    """Draw four words of four numbers, (4, 4), cut between numbers, and cut across words."""
    names = [say("word {n}", n=n) for n in range(1, len(numbers) + 1)]

    def part(table: Tensor, role: str, rows: Sequence[str] = ()) -> Piece:
        cells = [[str(int(number)) for number in line] for line in table]
        return matrix(cells, role, rows=rows, cell=(30, 25))

    left, right = _halves(numbers)
    half = len(numbers) // 2
    wrong = numbers[:half].reshape(len(numbers), -1)

    def reads(table: Tensor) -> Piece:
        return _titled(say("head 1 reads"), HEADS[0], part(table, HEADS[0], names))

    def case(title: str, role: str, cut: Piece, table: Tensor) -> Piece:
        return _titled(title, role, row(cut, reads(table), gap=14, align="bottom"))

    pair = [
        case(
            say("cut between numbers"),
            "plain",
            row(part(left, HEADS[0], names), part(right, HEADS[1]), gap=-1),
            left,
        ),
        case(
            say("cut across words"),
            "wrong",
            column(
                part(numbers[:half], HEADS[0], names[:half]),
                part(numbers[half:], HEADS[1], names[half:]),
                gap=-1,
            ),
            wrong,
        ),
    ]
    return Drawing(
        say("The right cut and the wrong one"),
        say(
            "Two blocks of four words with four numbers each. In the right one, head 1 has the "
            "left half of every word, {right}. In the wrong one, head 1 has all of words 1 and 2, "
            "{wrong}, in four rows of two: the row of word 2 is the right half of word 1.",
            right=listed(left.flatten()),
            wrong=listed(numbers[:half].flatten()),
        ),
        row(*pair, gap=50),
        column(*pair, gap=18),
    )
