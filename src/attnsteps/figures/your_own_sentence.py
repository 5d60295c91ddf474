"""The figures of chapter 23, in their order on the page: a translator that reads anything."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log10
from statistics import fmean
from typing import NamedTuple

from attnsteps.diagrams import Drawing, Piece, block, column, grid, row, space, word, words
from attnsteps.diagrams.sheet import SMALL, text_width
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


def what_a_leak_is_worth(known: Sequence[float], new: Sequence[float], sentences: int) -> Drawing:
    """Draw the scores of two halves of a test, a dot for each draw.

    Args:
        known: BLEU of the pairs that share a side with training.
        new: BLEU of the pairs that share none.
        sentences: in each half.
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
            (0, most, ticks, say("BLEU of {n} sentences", n=sentences)),
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


def more_pairs_and_a_larger_model(
    scores: Mapping[int, Sequence[float]], larger: Mapping[str, tuple[int, float]], sentences: int
) -> Drawing:
    """Draw the scores of a small model over the number of pairs, and larger models' beside them.

    Args:
        scores: number of pairs → BLEU of each run of the small model.
        larger: name → number of pairs and BLEU of a larger model.
        sentences: in the test.
    """
    low, high = log10(min(scores)) - 0.1, log10(max(scores)) + 0.15
    ticks = [(log10(n), f"{n:,}") for n in scores]
    most = 10 * (int(max(score for _, score in larger.values())) // 10 + 1)
    heights = [(n, str(n)) for n in range(0, most + 1, 10)]
    curve = [(log10(n), fmean(some)) for n, some in scores.items()]
    dots = [(log10(n), one) for n, some in scores.items() for one in some]
    marks = {say(name): (log10(n), score) for name, (n, score) in larger.items()}

    def field(size: tuple[float, float]) -> Piece:
        unit = (high - low) / size[0]
        return chart(
            (low, high, ticks, say("real pairs in training")),
            (0, most, heights, say("BLEU of {n} sentences", n=sentences)),
            size=size,
            lines=[("key", curve)],
            dots=[("key", dots), ("value", list(marks.values()))],
            notes=[
                (low + 0.12 * (high - low), 0.3 * most, say("small model"), "key"),
                *(
                    (x - (text_width(name, SMALL) + 12) * unit, y, name, "value")
                    for name, (x, y) in marks.items()
                ),
            ],
        )

    told = "; ".join(
        say("{n:,} pairs {scores}", n=n, scores=listed(some, 1)) for n, some in scores.items()
    )
    beside = "; ".join(
        say("{name}: {n:,} pairs {score:.1f}", name=say(name), n=n, score=score)
        for name, (n, score) in larger.items()
    )
    return Drawing(
        say("More pairs, and a larger model"),
        say(
            "BLEU over the number of pairs, a dot for each run of the small model: {told}. Larger "
            "models, {beside}.",
            told=told,
            beside=beside,
        ),
        field((520, 150)),
        field((236, 170)),
    )


class Verdicts(NamedTuple):
    """How the translations of one kind were judged, and one of them."""

    kind: str
    right: int
    just: int
    wrong: int
    mark: str
    text: str
    meaning: str
    found: str


def verdicts_by_kind(kinds: Sequence[Verdicts]) -> Drawing:
    """Draw a mark for each translation, and an example of each kind.

    Args:
        kinds: each with its numbers.
    """

    def marks(one: Verdicts) -> Piece:
        counted = (("✓", one.right, "value"), ("~", one.just, "key"), ("✗", one.wrong, "wrong"))
        each = [words(mark, size=13, role=role) for mark, n, role in counted for _ in range(n)]
        return row(*each, gap=4)

    def example(one: Verdicts) -> list[Piece]:
        lines = f"{one.mark} {one.text}", f"({say(one.meaning)})"
        typed = [words(line, size=13, quiet=True) for line in lines]
        return [*typed, words(one.found, size=13, bold=True)]

    def flush(piece: Piece, width: float) -> Piece:
        return row(piece, space(width - piece.width), gap=0)

    beside = [column(marks(one), row(*example(one), gap=6), gap=3, align="left") for one in kinds]
    widest = max(piece.width for piece in beside)
    tall = [
        column(words(say(one.kind), bold=True), marks(one), *example(one), gap=3, align="left")
        for one in kinds
    ]
    told = "; ".join(
        say(
            "{kind}: {right} right, {just} only just, {wrong} wrong, such as {typed}, {found}",
            kind=say(one.kind),
            right=one.right,
            just=one.just,
            wrong=one.wrong,
            typed=one.text,
            found=one.found,
        )
        for one in kinds
    )
    return Drawing(
        say("How they were judged"),
        say("A mark for each translation: right, only just, wrong. {told}", told=told),
        grid(
            [[flush(piece, widest)] for piece in beside],
            labels=[say(one.kind) for one in kinds],
            gap=(12, 10),
        ),
        column(*tall, gap=14, align="left"),
    )


def places_by_pairs(found: Mapping[str, Sequence[int]]) -> Drawing:
    """Draw how many training pairs name each of some places, a row for each way it went.

    Args:
        found: how it went → the number of pairs that name each place; three ways at most.
    """
    count = len(found)
    heights = [(float(count - i), say(name)) for i, name in enumerate(found)]
    none = log10(0.4)  # where a place without a pair lies
    ticks = [(none, "0"), *((log10(n), str(n)) for n in (1, 3, 9, 30, 100))]
    groups = []
    for (height, _), numbers, role in zip(
        heights, found.values(), ("value", "key", "wrong"), strict=False
    ):
        points = []
        for number, times in sorted(Counter(numbers).items()):
            across = log10(number) if number else none
            points += [(across, height + 0.11 * (k - (times - 1) / 2)) for k in range(times)]
        groups.append((role, points))

    def field(size: tuple[float, float]) -> Piece:
        return chart(
            (none - 0.1, 2.2, ticks, say("real pairs that name it")),
            (0.4, count + 0.6, heights, say("A place comes out …")),
            size=size,
            dots=groups,
        )

    return Drawing(
        say("How often a place is named, and whether it comes out right"),
        say(
            "A dot for each place, by the number of real pairs that name it. {told}.",
            told="; ".join(
                f"{say(name)}: {', '.join(map(str, sorted(numbers)))}"
                for name, numbers in found.items()
            ),
        ),
        field((430, 180)),
        field((190, 180)),
    )


class NameInPieces(NamedTuple):
    """What the model reads of a name, and what it makes of it."""

    meaning: str
    becomes: str
    tokens: Sequence[str]
    pairs: Sequence[int]  #: that have each piece
    known: Sequence[str]  #: those pieces that training shows in another word
    company: Sequence[tuple[str, str, int, int]]  #: part, word, pairs with both, with it


def names_in_pieces(names: Sequence[NameInPieces]) -> Drawing:
    """Draw names as their pieces, how many pairs have each, and where training shows some of them.

    Args:
        names: each with its pieces; those that it shares with another word are lit.
    """

    def chips(name: NameInPieces) -> Piece:
        boxes = [
            column(
                block(*_shown(token), state="lit" if token in name.known else "built"),
                words(str(number), size=12, quiet=True),
                gap=2,
            )
            for token, number in zip(name.tokens, name.pairs, strict=True)
        ]
        return row(*boxes, gap=4)

    def told(name: NameInPieces) -> list[str]:
        return [
            say(
                "{part} in {word}: {shown} of {total} pairs",
                part=part,
                word=say(word),
                shown=shown,
                total=total,
            )
            for part, word, shown, total in name.company
        ]

    heads = (
        say("you type"),
        say("it reads (pairs with each)"),
        say("training shows"),
        say("it writes"),
    )
    wide = [[words(head, size=13, quiet=True) for head in heads]]
    tall, texts = [], []
    for name in names:
        typed, becomes = words(say(name.meaning)), words(say(name.becomes), bold=True)
        beside = column(*(words(line, size=13) for line in told(name)), gap=4, align="left")
        wide.append([typed, chips(name), beside, becomes])
        tall.append(
            column(
                row(typed, words("→", quiet=True), becomes, gap=8),
                chips(name),
                beside,
                gap=5,
                align="left",
            )
        )
        pieces = zip(name.tokens, name.pairs, strict=True)
        texts.append(
            say(
                "{meaning}: {pieces}; {beside}; it writes {becomes}",
                meaning=say(name.meaning),
                pieces=", ".join(f"{_shown(token)[0]} {number}" for token, number in pieces),
                beside=", ".join(told(name)),
                becomes=say(name.becomes),
            )
        )
    return Drawing(
        say("Names, as the model reads them"),
        say(
            "Of each name its pieces, with the number of training pairs that have each; the other "
            "words in which training shows those that are lit; and what the model writes. {told}.",
            told=". ".join(texts),
        ),
        grid(wide, gap=(26, 14)),
        column(*tall, gap=20, align="left"),
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
