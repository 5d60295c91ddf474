"""The figures of chapter 23, in their order on the page: a translator that reads anything."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from torch import Tensor

from attnsteps.diagrams import Drawing, Piece, block, column, grid, matrix, row, space, word, words
from attnsteps.figures.catalogue import say
from attnsteps.figures.shared import chart, listed

_PRINTED = [*range(33, 127), *range(161, 173), *range(174, 256)]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTED]
#: How the library writes a byte → the byte.
_BYTES = {chr(b): b for b in _PRINTED} | {chr(256 + n): b for n, b in enumerate(_OTHERS)}


def two_translators(rows: Sequence[tuple[str, str, str, str]]) -> Drawing:
    """Draw what two models make of the same sentences.

    Args:
        rows: the sentence, what it means, and what each model writes.
    """
    heads = (say("you type"), say("293 words"), say("everyday"))

    def typed(text: str, meaning: str) -> Piece:
        return word(text, say(meaning), role="source")

    wide = [[words(head, size=13, quiet=True) for head in heads]]
    tall = []
    for text, meaning, small, large in rows:
        answers = words(say(small), size=13), words(say(large), size=13, bold=True)
        wide.append([typed(text, meaning), *answers])
        pairs = [
            row(words(f"{head}:", size=12, quiet=True), answer, gap=6)
            for head, answer in zip(heads[1:], answers, strict=True)
        ]
        tall.append(column(typed(text, meaning), *pairs, gap=4))
    told = "; ".join(f"{say(large)}, {say(small)}" for _, _, small, large in rows)
    return Drawing(
        say("The same sentences in two translators"),
        say(
            "A table. Of each Chinese sentence, what the everyday model and then the model of "
            "293 words writes: {told}.",
            told=told,
        ),
        grid(wide, gap=(26, 12)),
        column(*tall, gap=18),
    )


def _shown(token: str) -> tuple[str, str]:
    """Return a token's text and its role, or its bytes where it is a part of a character."""
    raw = bytes(_BYTES[letter] for letter in token)
    try:
        return raw.decode().replace(" ", "␣"), "source"
    except UnicodeDecodeError:
        return raw.hex(" ").upper(), "plain"


def cut_into_pieces(cuts: Sequence[tuple[str, Sequence[str]]]) -> Drawing:
    """Draw sentences as the pieces that the model reads; a lone byte is written as a number.

    Args:
        cuts: what a sentence means, and its tokens.
    """

    def chips(tokens: Sequence[str]) -> Piece:
        return row(*(block(*_shown(token)) for token in tokens), gap=4)

    lines = [(words(say(meaning), size=13, quiet=True), chips(tokens)) for meaning, tokens in cuts]
    told = "; ".join(
        f"{say(meaning)}: {' | '.join(_shown(token)[0] for token in tokens)}"
        for meaning, tokens in cuts
    )
    both = column(*(column(*line, gap=4, align="left") for line in lines), gap=14, align="left")
    return Drawing(
        say("What becomes of a sentence"),
        say("Each sentence in its pieces, from left to right. {told}.", told=told),
        both,
        both,
    )


def what_a_leak_is_worth(known: Sequence[float], new: Sequence[float]) -> Drawing:
    """Draw the scores of two halves of a test, a dot for each draw.

    Args:
        known: BLEU of the pairs that share a side with training.
        new: BLEU of the pairs that share none.
    """
    most = 5 * (int(max(*known, *new)) // 5 + 1)
    ticks = [(n, str(n)) for n in range(0, most + 1, 5 if most < 40 else 10)]
    halves = [(2.0, say("a side in training")), (1.0, say("no side in training"))]

    def field(size: tuple[float, float]) -> Piece:
        dots = [
            (role, [(score, height) for score in scores])
            for role, height, scores in (("wrong", 2, known), ("key", 1, new))
        ]
        return chart(
            (0, most, ticks, say("BLEU of {n} sentences", n=300)),
            (0.4, 2.6, halves, say("Of the test pairs, …")),
            size=size,
            dots=dots,
        )

    return Drawing(
        say("One model, two halves of a test"),
        say(
            "A dot for each of the draws. Pairs with a side in training get BLEU {known}; "
            "pairs without get {new}.",
            known=listed(known, 1),
            new=listed(new, 1),
        ),
        field((430, 84)),
        field((160, 96)),
    )


def more_and_more_pairs(
    runs: Mapping[int, Sequence[tuple[int, Sequence[float], Sequence[float]]]],
) -> Drawing:
    """Draw the losses on unseen and on seen sentences over the updates, a field for each size.

    Args:
        runs: number of pairs → for each run the updates between two looks, and both losses.
    """
    every = [loss for some in runs.values() for _, *both in some for one in both for loss in one]
    top, low = int(max(every)) + 1, int(min(every))
    heights = [(n, str(n)) for n in range(low, top + 1, 2)]

    def field(pairs: int, size: tuple[float, float]) -> Piece:
        last = max(step * len(unseen) for step, unseen, _ in runs[pairs])
        lines, notes = [], []
        for step, unseen, seen in runs[pairs]:
            for role, losses in (("key", unseen), ("wrong", seen)):
                lines.append((role, [(step * (k + 1), loss) for k, loss in enumerate(losses)]))
        _, unseen, seen = runs[pairs][0]
        if pairs == min(runs):
            notes = [
                (0.42 * last, unseen[-1] + 1.1, say("unseen"), "key"),
                (0.3 * last, seen[-1] - 0.5, say("seen"), "wrong"),
            ]
        return chart(
            (0, last, [(0, "0"), (last, f"{last:,}")], ""),
            (low, top, heights, say("{n:,} pairs", n=pairs)),
            size=size,
            lines=lines,
            notes=notes,
        )

    def fields(size: tuple[float, float]) -> list[Piece]:
        return [field(pairs, size) for pairs in runs]

    told = "; ".join(
        say(
            "{n:,} pairs: unseen {unseen:.1f}, seen {seen:.1f} at the end, on average",
            n=pairs,
            unseen=fmean(unseen[-1] for _, unseen, _ in some),
            seen=fmean(seen[-1] for _, _, seen in some),
        )
        for pairs, some in runs.items()
    )
    name = words(say("loss per piece (up) over updates (across)"), size=12, bold=True)
    small = fields((110, 110))
    return Drawing(
        say("The loss on seen and on unseen sentences, for more and more pairs"),
        say("A field for each number of pairs, a line for each run. {told}.", told=told),
        column(row(*fields((124, 150)), gap=14), name, gap=6),
        column(grid([small[:2], small[2:]], gap=(14, 14)), name, gap=8),
    )


def redrawn_scores(scores: Sequence[float], low: float, high: float) -> Drawing:
    """Draw how often a redrawn test gives which score, and what 95 % of the scores lie between.

    Args:
        scores: one for each draw.
        low: 2.5 % are below.
        high: 2.5 % are above.
    """
    first, last = int(min(scores)), int(max(scores)) + 1
    width = 0.5
    edges = [first + width * k for k in range(int((last - first) / width) + 1)]
    counts = [sum(a <= one < a + width for one in scores) for a in edges[:-1]]
    most = 50 * (max(counts) // 50 + 1)
    steps = [(first, 0.0)]
    for edge, count in zip(edges, counts, strict=False):
        steps += [(edge, count), (edge + width, count)]
    steps.append((last, 0.0))
    inside = [("wrong", [(end, 0.0), (end, 0.8 * most)]) for end in (low, high)]

    def field(size: tuple[float, float]) -> Piece:
        return chart(
            (first, last, [(n, str(n)) for n in range(first, last + 1)], say("BLEU")),
            (0, most, [(0, "0"), (most, str(most))], say("draws")),
            size=size,
            lines=[("key", steps), *inside],
            notes=[
                (low, 0.9 * most, f"{low:.1f}", "wrong"),
                (high, 0.9 * most, f"{high:.1f}", "wrong"),
            ],
        )

    return Drawing(
        say("The same test, redrawn {n:,} times", n=len(scores)),
        say(
            "A hill of scores from {first} to {last}; 95 percent lie between {low:.1f} and "
            "{high:.1f}.",
            first=first,
            last=last,
            low=low,
            high=high,
        ),
        field((560, 110)),
        field((280, 110)),
    )


def places_and_pairs(rows: Sequence[tuple[str, str, int, str, bool]]) -> Drawing:
    """Draw how often training names each place, and what the model writes for it.

    Args:
        rows: the place, its name in English, how many pairs name it, what is written, and
            whether it is right.
    """
    most = max(count for _, _, count, _, _ in rows)

    def bar(count: int, width: float) -> Piece:
        length = width * count / most
        full = matrix([[""]], "key", cell=(max(length, 2), 14)) if count else space(2, 14)
        return row(full, words(str(count), size=12), space(width - length), gap=5)

    def sign(written: str, is_right: bool) -> Piece:
        text = f"{'✓' if is_right else '✗'} {say(written)}"
        return words(text, size=12, role="" if is_right else "wrong")

    def left(piece: Piece, width: float) -> Piece:
        return row(piece, space(max(width - piece.width, 0)), gap=0)

    def lines(name: float, names: Sequence[str]) -> list[Piece]:
        return [
            row(
                left(words(place, size=12), name),
                left(bar(count, 40), 74),
                left(sign(written, right), 100),
                gap=6,
            )
            for place, (_, _, count, written, right) in zip(names, rows, strict=True)
        ]

    wide = lines(122, [f"{zh} {say(en)}" for zh, en, *_ in rows])
    half = (len(rows) + 1) // 2

    told = "; ".join(
        f"{say(en)} {count} {say('right') if right else say('wrong')}"
        for _, en, count, _, right in rows
    )
    return Drawing(
        say("Places by how many training pairs name them"),
        say(
            "A bar and an answer for each place, the most frequent first, how many pairs name it "
            "and whether the translation is right: {told}.",
            told=told,
        ),
        row(
            *(column(*some, gap=3, align="left") for some in (wide[:half], wide[half:])),
            gap=14,
            align="top",
        ),
        column(*lines(84, [say(en) for _, en, *_ in rows]), gap=3, align="left"),
    )


def as_sure_as_right(bins: Sequence[tuple[int, float, float]]) -> Drawing:
    """Draw how often the favourite next piece is right against how likely the model finds it.

    Args:
        bins: how many pieces, how likely on average, and what share of them is right.
    """
    points = [(100 * sure, 100 * right) for _, sure, right in bins]
    ticks = [(n, str(n)) for n in (0, 50, 100)]

    def field(size: tuple[float, float]) -> Piece:
        return chart(
            (0, 100, ticks, say("% sure, on average")),
            (0, 100, ticks, say("% right")),
            size=size,
            lines=[("plain", [(0, 0), (100, 100)]), ("key", points)],
            dots=[("key", points)],
            notes=[(8, 62, say("as sure as right"), "plain"), (60, 30, say("too sure"), "key")],
        )

    return Drawing(
        say("Is it right as often as it is sure?"),
        say(
            "A point for each tenth of the scale. How sure, in percent: {sure}; how often right: "
            "{right}. The diagonal says as sure as right.",
            sure=listed(100 * one for _, one, _ in bins),
            right=listed(100 * one for *_, one in bins),
        ),
        field((540, 190)),
        field((270, 200)),
    )


def the_least_sure_piece(found: Mapping[str, Sequence[float]]) -> Drawing:
    """Draw how sure the model is of each translation's least sure piece, a row for each verdict.

    Args:
        found: a verdict → how likely the model found that piece, for each translation.
    """
    count = len(found)
    rows = {say(verdict): sorted(sure) for verdict, sure in found.items()}
    heights = [(float(count - i), name) for i, name in enumerate(rows)]
    ticks = [(0.0, "0"), (0.5, "½"), (1.0, "1")]

    def field(size: tuple[float, float]) -> Piece:
        return chart(
            (0, 1, ticks, say("how likely its least sure piece was")),
            (0.4, count + 0.6, heights, say("A translation is …")),
            size=size,
            lines=[("plain", [(0.5, 0.4), (0.5, count + 0.6)])],
            dots=[
                (role, [(one, height) for one in sure])
                for (height, _), sure, role in zip(
                    heights, rows.values(), ("value", "key", "wrong"), strict=True
                )
            ],
        )

    return Drawing(
        say("The least sure piece of each translation"),
        say(
            "A dot for each translation, by how likely the model found its least sure piece. "
            "{told}.",
            told="; ".join(f"{name}: {listed(sure, 2)}" for name, sure in rows.items()),
        ),
        field((470, 110)),
        field((200, 110)),
    )


def one_scale_or_two(
    weights: Tensor, by_row: tuple[Tensor, Tensor], by_matrix: tuple[Tensor, Tensor]
) -> Drawing:
    """Draw a matrix, its whole numbers with either kind of scale, and what is read again.

    Args:
        weights: (R, C).
        by_row: the whole numbers and what they are read as, with a scale for each row.
        by_matrix: the same with one scale for all.
    """

    def line(title: str, pair: tuple[Tensor, Tensor], cell: tuple[float, float]) -> list[Piece]:
        codes, read = pair
        return [
            matrix(codes, "weights", label=say("stored, {title}", title=title), cell=cell),
            matrix(read, "key", label=say("read again"), digits=4, cell=cell),
        ]

    def before(cell: tuple[float, float]) -> Piece:
        return matrix(weights, "key", label=say("weights"), digits=4, cell=cell)

    kinds = [(say("a scale a row"), by_row), (say("one scale"), by_matrix)]
    wide = row(
        before((58, 28)),
        column(*(row(*line(*kind, (58, 28)), gap=24) for kind in kinds), gap=16),
        gap=34,
    )
    small = (50, 28)
    tall = column(before(small), *(column(*line(*kind, small), gap=8) for kind in kinds), gap=16)
    return Drawing(
        say("One scale for each row, or one for all"),
        say(
            "The weights {weights}. With a scale for each row they are stored as {rows} and read "
            "as {read}; with one scale as {codes} and read as {lost}.",
            weights=listed(weights.flatten(), 4),
            rows=listed(by_row[0].flatten()),
            read=listed(by_row[1].flatten(), 4),
            codes=listed(by_matrix[0].flatten()),
            lost=listed(by_matrix[1].flatten(), 4),
        ),
        wide,
        tall,
    )
