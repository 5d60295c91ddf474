"""The figures of chapter 2, in their order on the page: from a text to a rectangle of numbers."""

from collections.abc import Callable, Sequence
from itertools import pairwise

from attnsteps.diagrams import (
    Drawing,
    Piece,
    Wire,
    block,
    column,
    grid,
    named,
    row,
    space,
    vector,
    word,
    words,
)
from attnsteps.figures.catalogue import say
from attnsteps.text.byte_pairs import TokenPair, merge
from attnsteps.text.vocab import SPECIALS

Gloss = Callable[[str], str]


def _id_row(ids: Sequence[int], width: int, cell: tuple[float, float]) -> Piece:
    """Draw a sentence's ids as a row of cells, filled up with grey zeros."""
    padding = width - len(ids)
    bands = ["source"] * len(ids) + ["plain"] * padding
    return vector([*map(str, ids), *["0"] * padding], "source", bands=bands, cell=cell)


def text_to_rectangle(
    text: str, sentences: Sequence[Sequence[str]], ids: Sequence[Sequence[int]], gloss: Gloss
) -> Drawing:
    """Draw a text, its tokens with their ids, and the batch of all sentences' ids.

    Args:
        text: the first sentence as it is written.
        sentences: the tokens of each sentence; those of the first are drawn.
        ids: the ids of each, as many as tokens.
        gloss: gives a token's meaning.
    """
    tokens, width = sentences[0], max(map(len, ids))
    chips = [
        word(token, say(gloss(token)), role="source", name=f"t{n}")
        for n, token in enumerate(tokens)
    ]
    numbers = [
        vector([str(i)], "source", cell=(46, 28), name=f"i{n}") for n, i in enumerate(ids[0])
    ]
    written = word(text, name="text", role="source")

    def batch(cell: tuple[float, float]) -> Piece:
        return named("batch", column(*(_id_row(line, width, cell) for line in ids), gap=0))

    pairs = named("pairs", grid([chips, numbers], gap=(8, 30)))
    sides = [say("text"), say("tokens\n\n\n\nids"), say("a batch:\nthree sentences\nof ids")]
    across = grid(
        [
            [words(side, size=13, quiet=True), piece]
            for side, piece in zip(sides, [written, pairs, batch((46, 28))], strict=True)
        ],
        gap=(16, 40),
    )
    half = (len(tokens) + 1) // 2
    folded = column(
        words(say("text"), size=13, quiet=True),
        written,
        words(say("tokens, and an id for each"), size=13, quiet=True),
        *(grid([chips[p], numbers[p]], gap=(7, 26)) for p in (slice(half), slice(half, None))),
        words(say("a batch: three sentences of ids"), size=13, quiet=True),
        batch((34, 28)),
        gap=14,
    )
    down = [Wire(f"t{n}", f"i{n}", role="source") for n in range(len(tokens))]
    return Drawing(
        say("From a text to a rectangle of numbers"),
        say(
            "The text is cut into {count} tokens, and each gets a number, its id. The ids of "
            "{sentences} sentences, {lengths} of them, are filled up with zeros and make a "
            "rectangle with {width} columns.",
            count=len(tokens),
            sentences=len(ids),
            lengths=", ".join(str(len(line)) for line in ids),
            width=width,
        ),
        across,
        folded,
        wires=[
            *(Wire("text.bottom", f"t{n}.top") for n in range(len(tokens))),
            *down,
            Wire("pairs.bottom", "batch.top"),
        ],
        tall_wires=down,
    )


def same_ids(
    names: Sequence[str],
    sentences: Sequence[Sequence[str]],
    ids: Sequence[Sequence[int]],
    unk_id: int,
    gloss: Gloss,
) -> Drawing:
    """Draw sentences above their ids; what is unknown, and its id, is in the colour of a mistake.

    Args:
        names: what each sentence is about.
        sentences: the tokens of each.
        ids: their ids.
        unk_id: the id of an unknown token.
        gloss: gives a token's meaning.
    """

    def lines(gap: float) -> list[Piece]:
        drawn = []
        for name, tokens, line in zip(names, sentences, ids, strict=True):
            chips, cells = [], []
            for token, i in zip(tokens, line, strict=True):
                role, meaning = ("wrong", "?") if i == unk_id else ("source", say(gloss(token)))
                chips.append(word(token, meaning, role=role))
                cells.append(vector([str(i)], role, cell=(46, 28)))
            title = words(say("with a {name}", name=say(name)), size=13, quiet=True)
            drawn.append(column(title, grid([chips, cells], gap=(gap, 8)), gap=6))
        return drawn

    return Drawing(
        say("Two sentences, one row of numbers"),
        say(
            "The sentences about {names} differ only in characters that the list doesn't have. "
            "All of these get the id {unknown}, so each sentence becomes the same row: {ids}.",
            names=say(" and ").join(say(name) for name in names),
            unknown=unk_id,
            ids=", ".join(map(str, ids[0])),
        ),
        row(*lines(8), gap=36),
        column(*lines(6), gap=20),
    )


def comparisons_to_scale(few: int, many: int) -> Drawing:
    """Draw one square of comparisons for few tokens, and one for as many times more."""
    side = 30  # of the small square

    def square(times: int, text: str) -> Piece:
        small = [vector([1], "target", digits=None, cell=(side, side))]
        lines = [row(*small * times, gap=0) for _ in range(times)]
        return column(column(*lines, gap=0), words(text, size=13), gap=6)

    def squares(gap: float) -> Piece:
        each = [
            (1, say("{n} words:", n=few), few),
            (many // few, say("{n} characters:", n=many), many),
        ]
        drawn = [square(t, f"{text}\n{n} × {n} = {n**2:,}") for t, text, n in each]
        return row(*drawn, gap=gap, align="bottom")

    return Drawing(
        say("Comparisons, to scale"),
        say(
            "Two squares whose sides are the number of tokens: a small one for {few} words, and "
            "one for {many} characters, {times} times as wide and as high. The large one is made "
            "of {squared} small ones.",
            few=few,
            many=many,
            times=many // few,
            squared=(many // few) ** 2,
        ),
        squares(70),
        squares(10),
    )


def _levels(text: str, merges: Sequence[TokenPair]) -> list[tuple[int, TokenPair, list[str]]]:
    """Return the splits of a text: (number of the merge, its pair, tokens), the letters first."""
    levels = [(0, ("", ""), list(text))]
    for number, pair in enumerate(merges, start=1):
        tokens = merge(levels[-1][2], pair)
        if tokens != levels[-1][2]:
            levels.append((number, pair, tokens))
    return levels


def word_from_letters(text: str, merges: Sequence[TokenPair]) -> Drawing:
    """Draw a word's letters and above them, merge by merge, the tokens that they become."""
    levels, gap = _levels(text, merges), 6

    def tree(unit: float) -> list[Piece]:
        rows = []
        for number, pair, tokens in levels:
            pieces, start = [], 0
            for token in tokens:
                new = token == "".join(pair)
                pieces.append(
                    block(
                        token,
                        "source" if new or not number else "plain",
                        name=f"{number}-{start}",
                        state="lit" if new else "built",
                        width=unit * len(token) + gap * (len(token) - 1),
                    )
                )
                start += len(token)
            rows.append([row(*pieces, gap=gap)])
        return rows[::-1]

    steps = [
        say("merge {n}: {left} + {right}", n=number, left=pair[0], right=pair[1])
        for number, pair, _ in levels[1:]
    ]
    labels = [*steps[::-1], say("letters")]
    short = [f"{number}: {' + '.join(pair)}" for number, pair, _ in levels[:0:-1]]
    wires = []
    for (below, _, _), (number, pair, tokens) in pairwise(levels):
        start = 0
        for token in tokens:
            if token == "".join(pair):
                parts = (start, start + len(pair[0]))
                wires += [Wire(f"{below}-{at}.top", f"{number}-{start}.bottom") for at in parts]
            start += len(token)
    return Drawing(
        say("How {word} is put together", word=text),
        say(
            "From the bottom up: the letters {letters}; {steps}. At the top: {tokens}.",
            letters=" ".join(text),
            steps="; ".join(steps),
            tokens=" · ".join(levels[-1][2]),
        ),
        grid(tree(54), labels=labels, gap=(24, 24)),
        grid(tree(32 if len(text) > 5 else 40), labels=[*short, say("letters")], gap=(6, 24)),
        wires=wires,
    )


def after_merges(
    splits: dict[int, Sequence[str]],
    gloss: Gloss | None = None,
    with_spaces: Sequence[str] = (),
) -> Drawing:
    """Draw a sentence's tokens after some numbers of merges; a space is drawn as ␣.

    Args:
        splits: the tokens for each number of merges.
        gloss: gives the meaning of each token of the last split.
        with_spaces: the tokens after as many merges as the last split has, if all words are written
            with spaces between them; drawn below the others.
    """
    given = [*splits.values(), *([with_spaces] if with_spaces else [])]
    shown = [[token.replace(" ", "␣") for token in tokens] for tokens in given]
    labels = [say("{n} merges: {count} tokens", n=n, count=len(splits[n])) for n in splits]
    lines = [
        say("{n} merges: {tokens}.", n=n, tokens=" · ".join(tokens))
        for n, tokens in zip(splits, shown, strict=False)
    ]
    if with_spaces:
        labels.append(say("with spaces: {count} tokens", count=len(with_spaces)))
        lines.append(say("With spaces between words: {tokens}.", tokens=" · ".join(shown[-1])))

    def stages(unit: float, height: float) -> list[tuple[Piece, Piece]]:
        drawn = []
        for at, (label, tokens) in enumerate(zip(labels, shown, strict=True)):
            pieces = []
            for token, plain in zip(tokens, given[at], strict=True):
                role = "source" if len(token) > 1 else "plain"
                letters = sum(min(unit, 12) if char == "␣" else unit for char in token)
                width = letters + 3 * (len(token) - 1) + (0 if gloss else 5)
                piece = vector([token], role, cell=(width, height))
                if gloss and at == len(splits) - 1:
                    meaning = words(say(gloss(plain)), size=12, quiet=True)
                    piece = column(piece, meaning, gap=4)
                pieces.append(piece)
            drawn.append((words(label, size=13), pieces))
        return drawn

    def line(pieces: Sequence[Piece], room: float) -> Piece:
        """Put the tokens side by side, in as many lines as they need."""
        lines, width = [[]], 0.0
        for piece in pieces:
            if lines[-1] and width + piece.width > room:
                lines.append([])
                width = 0.0
            lines[-1].append(piece)
            width += piece.width + 1
        rows = [row(*each, gap=1) for each in lines]
        return column(*rows, space(room, 0), gap=4, align="left")

    wide_unit, tall_unit = (34, 21) if gloss else (8.2, 8.2)
    wide = [[label, line(pieces, 500)] for label, pieces in stages(wide_unit, 28)]
    tall = [
        column(label, line(pieces, 312), gap=4, align="left")
        for label, pieces in stages(tall_unit, 28)
    ]
    return Drawing(
        say("A sentence after {numbers} merges", numbers=", ".join(map(str, splits))),
        say(
            "One sentence, cut into tokens in each line. {lines}",
            lines=" ".join(lines),
        ),
        grid(wide, gap=(20, 14)),
        column(*tall, gap=16, align="left"),
    )


def characters_and_bytes(texts: dict[str, str]) -> Drawing:
    """Draw the bytes of some short texts; where the last two differ, in another colour.

    Args:
        texts: each with what it means, at most two characters long.
    """
    one, other = list(texts)[-2:]
    differ = {
        i for i, (a, b) in enumerate(zip(one.encode(), other.encode(), strict=True)) if a != b
    }

    def lines(width: float) -> Piece:
        drawn = []
        for n, (text, meaning) in enumerate(texts.items()):
            cells, start = [], 0
            for letter in text:
                codes = letter.encode()
                bands = [
                    "target" if text in (one, other) and start + i in differ else "source"
                    for i in range(len(codes))
                ]
                cells.append(
                    vector([str(c) for c in codes], "source", bands=bands, cell=(width, 28))
                )
                start += len(codes)
            line = named(f"bytes{n}", row(*cells, gap=8))
            room = 6 * width + 12 - line.width
            chip = word(text, say(meaning), role="source", name=f"text{n}")
            drawn.append([chip, row(line, space(room), gap=0)])
        return grid(drawn, gap=(34, 12))

    return Drawing(
        say("Characters and their bytes"),
        say(
            "{bytes}. The bytes in which the last two differ have another colour.",
            bytes="; ".join(
                f"{text}, {say(meaning)}: {', '.join(map(str, text.encode()))}"
                for text, meaning in texts.items()
            ),
        ),
        lines(46),
        lines(33),
        wires=[Wire(f"text{n}.right", f"bytes{n}.left") for n in range(len(texts))],
    )


def what_lists_miss(lists: Sequence[tuple[str, int, str, float]]) -> Drawing:
    """Draw how long some lists of tokens are, what they miss, and how they cut a sentence.

    Args:
        lists: each with its name, its number of entries, the share of new tokens that it misses in
            percent, and the mean number of tokens of a sentence.
    """
    longest = max(entries for _, entries, _, _ in lists)

    def line(one: tuple[str, int, str, float], width: float) -> tuple[Piece, Piece, Piece]:
        name, entries, missed, tokens = one
        bar = block(
            say("{n:,} entries", n=entries), "source", width=width * entries / longest, height=30
        )
        found = [
            say("misses {share} %", share=missed),
            say("{tokens:.1f} tokens a sentence", tokens=tokens),
        ]
        return (
            words(say(name), size=13),
            row(bar, space(width - bar.width, 0), gap=0),
            words("\n".join(found), size=13),
        )

    wide = [[name, bar, found] for name, bar, found in (line(one, 230) for one in lists)]
    tall = [column(*line(one, 280), gap=5, align="left") for one in lists]
    return Drawing(
        say("How long a list is, and what it misses"),
        say(
            "Bars as long as the lists. {lines}.",
            lines="; ".join(
                say(
                    "{name}: {n:,} entries, misses {share} %, {tokens:.1f} tokens a sentence",
                    name=say(name),
                    n=entries,
                    share=missed,
                    tokens=tokens,
                )
                for name, entries, missed, tokens in lists
            ),
        ),
        grid(wide, gap=(18, 12)),
        column(*tall, gap=18, align="left"),
    )


def special_tokens(
    tgt_in: Sequence[str], tgt_out: Sequence[str], src: Sequence[str], gloss: Gloss
) -> Drawing:
    """Draw a pair of a batch: the source, the target as it is read and as it is to be written.

    Args:
        tgt_in: what the decoder reads, with its special tokens.
        tgt_out: what should come next, as many tokens.
        src: what the encoder reads.
        gloss: gives a source token's meaning.
    """

    def target(tokens: Sequence[str], key: str, width: float) -> Piece:
        cells = [
            vector(
                [token],
                "plain" if token == SPECIALS[0] else "target",
                cell=(width, 30),
                name=f"{key}{n}",
                lit=[0] if token in SPECIALS[1:] else [],
            )
            for n, token in enumerate(tokens)
        ]
        return row(*cells, gap=3)

    def source() -> Piece:
        chips = [
            block(token, height=46)
            if token in SPECIALS
            else word(token, say(gloss(token)), role="source")
            for token in src
        ]
        return row(*chips, gap=3)

    def lines(width: float) -> list[tuple[str, str, Piece]]:
        return [
            ("tgt_out", say("what should come next"), target(tgt_out, "out", width)),
            ("tgt_in", say("what the decoder reads"), target(tgt_in, "in", width)),
            ("src_ids", say("what the encoder reads"), source()),
        ]

    wide, tall = lines(72), lines(48)
    widest = max(line.width for _, _, line in wide)
    across = [
        row(
            words(f"{name}\n{said}", size=12),
            row(line, space(widest - line.width), gap=0),
            gap=12,
        )
        for name, said, line in wide
    ]
    down = []
    for n, (name, said, line) in enumerate(tall):
        label = words(f"{name}: {said}", size=12, quiet=True)
        down.append(column(*((label, line) if n == 0 else (line, label)), gap=5, align="left"))
    steps = sum(token != SPECIALS[0] for token in tgt_out)
    return Drawing(
        say("The special tokens in place"),
        say(
            "Three rows. tgt_in is {given}. tgt_out, above it, is {wanted}. Arrows lead up from "
            "each token of tgt_in to the one that should come next. src_ids is {source}.",
            given=", ".join(tgt_in),
            wanted=", ".join(tgt_out),
            source=", ".join(src),
        ),
        column(*across, gap=26, align="right"),
        column(*down, gap=26, align="left"),
        wires=[Wire(f"in{n}", f"out{n}", role="target") for n in range(steps)],
    )


def words_change_places(
    src: Sequence[str], tgt: Sequence[str], links: Sequence[tuple[int, int]], gloss: Gloss
) -> Drawing:
    """Draw a sentence above its translation, and lines from each word to the ones it comes from.

    Args:
        src: the tokens of the source.
        tgt: the tokens of the target.
        links: (place in the source, place in the target) of the words that belong together.
        gloss: gives a source token's meaning.
    """
    linked_src, linked_tgt = {i for i, _ in links}, {j for _, j in links}
    above = [
        word(t, say(gloss(t)), role="source" if i in linked_src else "plain", name=f"zh{i}")
        for i, t in enumerate(src)
    ]
    below = [
        word(t, role="target" if j in linked_tgt else "plain", name=f"en{j}")
        for j, t in enumerate(tgt)
    ]
    return Drawing(
        say("Words that change places"),
        say(
            "The words of a Chinese sentence, {src}, and of its translation, {tgt}, joined by "
            "lines. Many lines cross, and some words have no line.",
            src=", ".join(say(gloss(t)) for t in src),
            tgt=" ".join(tgt),
        ),
        column(row(*above, gap=14), row(*below, gap=12), gap=80),
        row(column(*above, gap=8), space(60), column(*below, gap=21), gap=20),
        wires=[Wire(f"zh{i}.bottom", f"en{j}.top", role="source", head=False) for i, j in links],
        tall_wires=[
            Wire(f"zh{i}.right", f"en{j}.left", role="source", head=False) for i, j in links
        ],
    )
