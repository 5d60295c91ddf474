"""The figures of chapter 23, in their order on the page: a translator that reads anything."""

from collections.abc import Sequence

from torch import Tensor

from attnsteps.diagrams import Drawing, Piece, block, column, grid, matrix, row, space, word, words
from attnsteps.figures.catalogue import say
from attnsteps.figures.shared import listed

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

    def lines(width: float, name: float, answer: float, names: Sequence[str]) -> Piece:
        return column(
            *(
                row(
                    left(words(place, size=12), name),
                    left(bar(count, width), width + 34),
                    left(sign(written, right), answer),
                    gap=6,
                )
                for place, (_, _, count, written, right) in zip(names, rows, strict=True)
            ),
            gap=3,
            align="left",
        )

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
        lines(240, 130, 200, [f"{zh} {say(en)}" for zh, en, *_ in rows]),
        lines(40, 84, 100, [say(en) for _, en, *_ in rows]),
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
            matrix(read, "key", label=say("read again"), digits=3, cell=cell),
        ]

    def before(cell: tuple[float, float]) -> Piece:
        return matrix(weights, "key", label=say("weights"), digits=3, cell=cell)

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
            weights=listed(weights.flatten(), 3),
            rows=listed(by_row[0].flatten()),
            read=listed(by_row[1].flatten(), 3),
            codes=listed(by_matrix[0].flatten()),
            lost=listed(by_matrix[1].flatten(), 3),
        ),
        wide,
        tall,
    )
