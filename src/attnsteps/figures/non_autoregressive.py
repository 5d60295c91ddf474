"""The figures of chapter 18, in their order on the page: all words at once."""

from collections.abc import Sequence

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
    word,
    words,
)
from attnsteps.figures.catalogue import say
from attnsteps.figures.shared import listed


def which_choices_each_word_knows() -> Drawing:
    """Draw four words of a translation, chosen one by one and all at once."""

    def panel(title: str, key: str) -> Piece:
        source = block(say("source"), "source", name=f"{key}s", width=100)
        chips = [
            matrix([[f"y{'₁₂₃₄'[n]}"]], "target", name=f"{key}{n}", cell=(40, 28)) for n in range(4)
        ]
        head = column(words(title, bold=True, size=13), source, gap=10)
        return column(head, row(*chips, gap=22), space(0, 10), gap=44)

    panels = (
        panel(say("word by word: 4 steps"), "a"),
        panel(say("all at once: 1 step"), "b"),
    )
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    return Drawing(
        say("Which choices each word knows"),
        say(
            "An arrow says what a choice can depend on. Arrows run from the source to each of four "
            "words. Word by word, one also runs from each word to every later one. All at once, "
            "there are no others."
        ),
        row(*panels, gap=70, align="top"),
        column(*panels, gap=18),
        wires=[
            *(Wire(f"{k}s.bottom", f"{k}{n}.top", role="source") for k in "ab" for n in range(4)),
            *(
                Wire(f"a{i}.bottom", f"a{j}.bottom", role="target", arc=9 * (j - i))
                for i, j in pairs
            ),
        ],
    )


def all_words_in_one_step() -> Drawing:
    """Draw how the source gives a length, and the length as many blanks for the decoder."""

    def arranged(*, tall: bool) -> Piece:
        source = word(say("动物没有…"), say("S ids"), name="src", role="source")
        encoder = block(say("encoder"), "source", name="enc", width=90)
        length = block(say("length\npredictor"), "plain", name="len", state="lit", width=90)
        blanks = word("<mask>", say("T of them"), name="bl", role="target")
        decoder = block(say("decoder,\nno causal mask"), "target", name="dec", width=110)
        best = block(say("best word\nof each row"), "plain", name="best", width=90)
        if tall:
            rows = [[source, space()], [encoder, length], [decoder, blanks], [best, space()]]
            return grid(rows, gap=(64, 44))
        return grid([[source, encoder, length], [best, decoder, blanks]], gap=(96, 46))

    return Drawing(
        say("All words in one step"),
        say(
            "The encoder turns S ids into the memory, (S, D). A length predictor reads it and says "
            "T. T masks enter a decoder without a causal mask, which also reads the memory and "
            "gives logits, (T, V). The best word of each row is the translation."
        ),
        arranged(tall=False),
        arranged(tall=True),
        wires=[
            Wire("src", "enc"),
            Wire("enc", "len", "(S, D)", role="source"),
            Wire("enc.bottom", "dec.top", say("memory (S, D)"), role="source"),
            Wire("len.bottom", "bl.top", "T"),
            Wire("bl.left", "dec.right", "(T)"),
            Wire("dec", "best", "(T, V)"),
        ],
    )


def words_that_each_word_brings(brought: Tensor, source: Sequence[str]) -> Drawing:
    """Draw how many target words each source word brings along, (S,)."""

    def line(cell: tuple[float, float]) -> Piece:
        label = say("words brought")
        look = {"columns": list(source), "digits": 1, "limit": 3, "label": label}
        return matrix(brought[None], "source", **look, cell=cell)

    shares = "; ".join(f"{w} {b:.1f}" for w, b in zip(source, brought.tolist(), strict=True))
    return Drawing(
        say("How many English words each Chinese word brings"),
        say(
            "Chinese words, and below each how many English words it brings along: {shares}; "
            "together {total:.1f}.",
            shares=shares,
            total=brought.sum().item(),
        ),
        line((56, 30)),
        line((34, 28)),
    )


def in_turn_and_both_at_once(
    in_turn: Tensor, alone: Tensor, first: Sequence[str], second: Sequence[str]
) -> Drawing:
    """Draw the probabilities of pairs of words, (2, 2), drawn in turn and both at once."""

    def chances(table: Tensor, label: str) -> Piece:
        names = {"rows": list(map(say, first)), "columns": list(map(say, second))}
        return matrix(table, "target", **names, digits=2, limit=0.5, label=label, cell=(66, 30))

    two = chances(in_turn, say("word by word")), chances(alone, say("both at once"))
    return Drawing(
        say("Two words, in turn and both at once"),
        say(
            "Rows are first words, columns second words. Word by word: {in_turn}. Both at once: "
            "{alone}.",
            in_turn=listed(in_turn.flatten(), 2),
            alone=listed(alone.flatten(), 2),
        ),
        row(*two, gap=60),
        column(*two, gap=20),
    )


def woven_from_two(orders: Sequence[Sequence[str]], said: Sequence[str]) -> Drawing:
    """Draw two right orders and a sentence; a frame marks the order that each word comes from."""
    titles = [say("time first"), say("time last"), say("said")]

    def chip(line: int, place: int, text: str) -> Piece:
        framed = line < 2 and tuple(said[place : place + 1]) == (text,)
        look = {"lit": [0] if framed else [], "cell": (82, 26)}
        return matrix([[text]], "plain" if line < 2 else "target", **look)

    lines = [
        [words(titles[n], size=13, bold=True), space(6)]
        + [chip(n, place, text) for place, text in enumerate(line)]
        for n, line in enumerate((*orders, said))
    ]
    longest = max(map(len, lines))
    lines = [line + [space()] * (longest - len(line)) for line in lines]
    return Drawing(
        say("A sentence woven from two right ones"),
        say(
            "The right translations are: {first}, and: {last}. The model said: {said}.",
            first=" ".join(orders[0]),
            last=" ".join(orders[1]),
            said=" ".join(said),
        ),
        grid(lines, gap=(10, 12)),
        grid([list(line) for line in zip(*lines, strict=True)], gap=(14, 6)),
    )


def pass_by_pass(
    passes: Sequence[tuple[Sequence[str], Sequence[bool], Sequence[float]]],
) -> Drawing:
    """Draw mask-predict: for each pass its words, which were masked, and their probabilities."""

    def at_place(text: str, p: float, wide: float, *, hidden: bool) -> Piece:
        read = matrix([[text]], "plain", crossed=[[hidden]], cell=(wide, 24))
        found = matrix([[text]], "target", cell=(wide, 24)) if hidden else space(wide, 24)
        return column(read, found, words(f"{p:.3f}", size=12, quiet=not hidden), gap=1)

    def lines(wide: float, titles: Sequence[str]) -> list[list[Piece]]:
        return [
            [
                words(titles[n], size=13, bold=True),
                *(
                    at_place(text, p, wide, hidden=hidden)
                    for text, hidden, p in zip(*one, strict=True)
                ),
            ]
            for n, one in enumerate(passes)
        ]

    masked = [sum(hidden) for _, hidden, _ in passes]
    long = [say("i = {n}: {m} masked", n=n, m=m) for n, m in enumerate(masked)]
    flush = [
        column(title, row(*places, gap=4, align="top"), gap=6, align="left")
        for title, *places in lines(82, long)
    ]
    upright = zip(*lines(66, [say("i = {n}", n=n) for n in range(len(passes))]), strict=True)
    return Drawing(
        say("Mask-predict, pass by pass"),
        say("Each pass fills the masked places anew. ")
        + ". ".join(f"{title}: {' '.join(one[0])}" for title, one in zip(long, passes, strict=True))
        + ".",
        column(*flush, gap=16, align="left"),
        grid([list(line) for line in upright], gap=(8, 6)),
    )


def from_the_corpus_to_the_student(
    source: str, orders: Sequence[Sequence[str]], taught: Sequence[str]
) -> Drawing:
    """Draw distillation: a teacher learns from two orders, and a student from what it says."""

    def arranged(*, tall: bool) -> Piece:
        def texts(*lines: Sequence[str]) -> Piece:
            targets = [words(" ".join(line), size=13, role="target") for line in lines]
            return column(words(source, size=14), *targets, gap=6)

        corpus = frame(texts(*orders), say("the corpus"), name="corpus")
        answers = frame(texts(taught), say("the teacher's corpus"), name="answers")
        teacher = block(say("teacher,\nword by word"), "context", name="teacher", width=110)
        student = block(say("student,\nall at once"), "context", name="student", width=110)
        if tall:
            return column(corpus, teacher, answers, student, gap=40)
        return grid([[corpus, teacher], [student, answers]], gap=(96, 44))

    shared = [
        Wire("corpus", "teacher", say("learns")),
        Wire("teacher", "answers", say("translates")),
        Wire("answers", "student", say("learns")),
    ]
    return Drawing(
        say("From the corpus to the teacher, and from the teacher to the student"),
        say(
            "The corpus has two translations of {source}: {first}, and: {last}. The teacher, which "
            "writes word by word, learns from both. Then it translates the same sources, once "
            "each: {taught}. The student, which says all at once, learns from these alone.",
            source=source,
            first=" ".join(orders[0]),
            last=" ".join(orders[1]),
            taught=" ".join(taught),
        ),
        arranged(tall=False),
        arranged(tall=True),
        wires=shared,
    )


def waits_and_works(racers: Sequence[tuple[str, int, int, Sequence[float]]]) -> Drawing:
    """Draw each way of writing as a block: as wide as its passes, as many cells as its work.

    Args:
        racers: for each its name, how many passes it makes, how many places it sends through the
            decoder in each of them, and what its runs get right, in percent.
    """
    widest = max(passes for _, passes, _, _ in racers)

    def arranged(cell: tuple[float, float], gap: float) -> Piece:
        def cells(passes: int, places: int) -> Piece:
            rest = space(1 + (widest - passes) * cell[0], 2)
            return row(
                matrix([[1] * passes] * places, "target", digits=None, cell=cell), rest, gap=0
            )

        heads = ("", say("passes →"), say("right, %"))
        lines = [[words(head, size=13, bold=True) for head in heads]]
        for name, passes, places, shares in racers:
            result = words(_between(shares), size=14)
            title = "\n".join(map(say, name.split("\n")))
            lines.append([words(title, size=13), cells(passes, places), result])
        return grid(lines, gap=(gap, 14))

    return Drawing(
        say("What each way waits, works and gets right"),
        "; ".join(
            say(
                "{name}: passes {passes}, places in each {places}, right {right} %",
                name=" ".join(map(say, name.split("\n"))),
                passes=passes,
                places=places,
                right=_between(shares),
            )
            for name, passes, places, shares in racers
        )
        + ".",
        arranged((34, 13), 24),
        arranged((16, 12), 10),
    )


def the_length_between(orders: Sequence[Sequence[str]], said: Sequence[str]) -> Drawing:
    """Draw two right translations of lengths two apart, and what is said at the length between."""
    shorter, longer = sorted(([*one, "<eos>"] for one in orders), key=len)
    lines = (shorter, [*said, "<eos>"], longer)
    titles = [
        words(title, size=13, bold=True)
        for title in (
            say("{n}: right", n=len(shorter)),
            say("{n}: said", n=len(lines[1])),
            say("{n}: right", n=len(longer)),
        )
    ]

    def places(wide: float) -> list[list[Piece]]:
        chips = [
            [matrix([[text]], "target" if n == 1 else "plain", cell=(wide, 26)) for text in line]
            for n, line in enumerate(lines)
        ]
        return [line + [space()] * (len(longer) - len(line)) for line in chips]

    flush = [[title, space(6), *line] for title, line in zip(titles, places(60), strict=True)]
    upright = [[title, *line] for title, line in zip(titles, places(84), strict=True)]
    return Drawing(
        say("Two right lengths, and the one between"),
        say(
            "Two right translations of a sentence: {shorter}, and: {longer}. At the length "
            "between, of {n} places, the model said: {said}.",
            shorter=" ".join(shorter),
            longer=" ".join(longer),
            n=len(lines[1]),
            said=" ".join(lines[1]),
        ),
        grid(flush, gap=(6, 12)),
        grid([list(line) for line in zip(*upright, strict=True)], gap=(14, 6)),
    )


def _between(shares: Sequence[float]) -> str:
    low, high = (f"{share:.0f}" for share in (min(shares), max(shares)))
    return low if low == high else f"{low}–{high}"
