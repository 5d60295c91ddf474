"""The figures of chapter 4, in their order on the page: queries, keys and values."""

from collections.abc import Sequence

from torch import Tensor

from attnsteps.diagrams import (
    Drawing,
    Piece,
    Wire,
    bars,
    block,
    column,
    grid,
    matrix,
    named,
    row,
    space,
    vector,
    word,
    words,
)
from attnsteps.diagrams.cells import in_digits
from attnsteps.figures.catalogue import gloss, say
from attnsteps.figures.shared import listed, with_axes
from attnsteps.running_example import Word
from attnsteps.toy import AXES


def _chip(shown: Word, **settings: object) -> Piece:
    """Draw a Chinese word with its meaning."""
    return word(shown.zh, say(shown.gloss), **settings)


# Why not just compare the words? -----------------------------------------------------------------


def one_adjective_two_nouns(
    tired: Sequence[Word], wide: Sequence[Word], nouns: tuple[int, int] = (0, 3), adjective: int = 6
) -> Drawing:
    """Draw two sentences that differ in one adjective, and an arrow from it to its noun.

    Args:
        tired: the words of the first sentence, eight of them.
        wide: the words of the second.
        nouns: where the noun lies that each adjective describes.
        adjective: where the adjective lies in both.
    """

    def chips(sentence: Sequence[Word], key: str, noun: int) -> list[Piece]:
        roles = {noun: "key", adjective: "query"}
        return [
            _chip(one, name=f"{key}{i}", role=roles.get(i, "plain"), lit=i in roles)
            for i, one in enumerate(sentence)
        ]

    lines = [chips(tired, "one", nouns[0]), chips(wide, "two", nouns[1])]
    across = [column(row(*line, gap=9), space(0, 48), gap=4) for line in lines]
    folded = [column(row(*line[:4], gap=10), row(*line[4:], gap=10), gap=30) for line in lines]
    asked = [say("what was {what}?", what=gloss(line[adjective])) for line in (tired, wide)]
    ends = [(f"one{adjective}", f"one{nouns[0]}"), (f"two{adjective}", f"two{nouns[1]}")]
    return Drawing(
        say("One adjective, two nouns"),
        say(
            "The Chinese sentence twice, word by word. Ending in {one}, an arrow runs from {one} "
            "back to {its}; ending in {two}, an arrow runs from {two} back to {other}.",
            one=gloss(tired[adjective]),
            its=gloss(tired[nouns[0]]),
            two=gloss(wide[adjective]),
            other=gloss(wide[nouns[1]]),
        ),
        column(*across, gap=10),
        column(*folded, gap=34),
        wires=[
            Wire(f"{start}.bottom", f"{end}.bottom", text, arc=34)
            for (start, end), text in zip(ends, asked, strict=True)
        ],
        tall_wires=[
            Wire(f"{start}.top", f"{end}.bottom", text)
            for (start, end), text in zip(ends, asked, strict=True)
        ],
    )


def words_as_vectors(x: Tensor, shown: Sequence[Word]) -> Drawing:
    """Draw the vectors of some words, (T, D), with the meaning of each entry."""
    names, axes = [gloss(one) for one in shown], [say(axis) for axis in AXES]
    few = len(shown) < 6
    digits = 0 if bool((x == x.round()).all()) else 1
    vectors = [
        say("{word} is {numbers}", word=name, numbers=listed(line, digits))
        for name, line in zip(names, x, strict=True)
    ]
    return Drawing(
        say("Words as vectors: {words}", words=", ".join(names)),
        say(
            "{vectors}. The entries mean: {axes}.",
            vectors="; ".join(vectors),
            axes=", ".join(axes),
        ),
        matrix(x, "source", rows=names, columns=axes, digits=digits, cell=(66, 28)),
        matrix(
            x.T,
            "source",
            rows=axes,
            columns=names if few else [one.zh for one in shown],
            digits=digits,
            cell=(56, 28) if few else (30, 28),
        ),
    )


def comparing_finds_the_wrong_one(x: Tensor, shown: Sequence[Word]) -> Drawing:
    """Draw the dot products of the last word's vector with those of all, (T, D), and the best."""
    asking, likeness = x[-1], x @ x[-1]
    names = [gloss(one) for one in shown]
    most = float(likeness[:-1].max())
    best = names[int(likeness[:-1].argmax())]

    def compare(cell: tuple[float, float], gap: float) -> Piece:
        above = vector(
            asking, "source", columns=[say(a) for a in AXES] if gap > 9 else (), cell=cell
        )
        lines = [[words(names[-1], size=13, bold=True), above, space(), space()]]
        for number, name in enumerate(names):
            score = likeness[number : number + 1]
            wins = float(score) == most and number < len(names) - 1
            result = vector(score, "wrong" if wins else "weights", limit=2, cell=(46, cell[1]))
            dot = words(say("· {word}", word=name), size=13)
            lines.append([dot, vector(x[number], "source", cell=cell), words("="), result])
        return grid(lines, gap=(gap, 8))

    return Drawing(
        say("Comparing words finds the wrong one"),
        say(
            "The vector of {asking}, and below it those of {words}, each with its dot product with "
            "{asking}: {products}. Apart from {asking} itself the best match, in red, is {best}.",
            asking=names[-1],
            words=", ".join(names),
            products=listed(likeness),
            best=best,
        ),
        compare((62, 27), 14),
        compare((26, 25), 7),
    )


# Query, key and value ----------------------------------------------------------------------------


def a_row_times_a_matrix(x: Tensor, w: Tensor, letter: str, *, name: str = "tired") -> Drawing:
    """Draw how a matrix makes a word's query, key or value; the rows that it uses are outlined.

    Args:
        x: the word's vector, (D,).
        w: the matrix, (D, Dk).
        letter: "q", "k" or "v".
        name: the word.
    """
    role = {"q": "query", "k": "key", "v": "value"}[letter]
    axes = [say(axis) for axis in AXES]
    used = x.nonzero().flatten().tolist()

    def product(cell: tuple[float, float], gap: float, *, tall: bool) -> Piece:
        start = vector(x, "source", label=say(name), cell=cell)
        turned = matrix(
            w, role, rows=axes, label=f"W_{letter}", kind="parameter", lit=used, cell=cell
        )
        end = vector(x @ w, role, label=f"{letter}: {say(role)}", cell=cell)
        if not tall:
            return row(start, words("×"), turned, words("="), end, gap=gap)
        made_of = row(start, words("×"), gap=gap)
        return column(made_of, row(turned, words("="), end, gap=gap), gap=6)

    return Drawing(
        say("The {role} of {name}", role=say(role), name=say(name)),
        say(
            "The vector of {name}, {vector}, times the matrix {matrix} is its {role}, {made}. The "
            "rows that count are outlined: {rows}.",
            name=say(name),
            vector=listed(x),
            matrix=f"W_{letter}",
            role=say(role),
            made=listed(x @ w),
            rows=", ".join(axes[i] for i in used),
        ),
        product((34, 23), 12, tall=False),
        product((26, 23), 8, tall=True),
    )


# Six steps with a pencil -------------------------------------------------------------------------


def _three_columns(shown: Sequence[Word], best: int, lines: dict[str, list], tall: bool) -> Piece:
    """Put a line of pieces below each of three words: the last asks, the best answers."""
    colours = _colours(best)
    chips = [
        _chip(one, role=colour, lit=colour != "plain")
        for one, colour in zip(shown, colours, strict=True)
    ]
    lines = {"": chips, **lines}
    if not tall:
        return grid(list(lines.values()), labels=list(lines), gap=(22, 18))
    thirds = [space(95)] * 3
    parts = [
        column(
            words(label, size=12, quiet=True),
            grid([pieces, thirds], gap=(6, 0)),
            gap=4,
            align="left",
        )
        for label, pieces in lines.items()
    ]
    return column(*parts, gap=12, align="left")


def _colours(best: int) -> list[str]:
    """Give the word that answers best the keys' colour, and the last one the queries'."""
    return ["key" if i == best else "query" if i == 2 else "plain" for i in range(3)]


def _cells(letter: str, table: Sequence[Tensor], role: str, cell: tuple, **settings) -> list[Piece]:
    """Draw each line of a table by itself, under the names letter0, letter1, and so on."""
    return [
        vector(line.reshape(-1), role, name=f"{letter}{i}", cell=cell, **settings)
        for i, line in enumerate(table)
    ]


def first_three_steps(shown: Sequence[Word], q: Tensor, k: Tensor) -> Drawing:
    """Draw how the last of three words' query, (Dk,), scores their keys, (3, Dk)."""
    scores = k @ q
    scaled = scores / k.shape[-1] ** 0.5
    names = [gloss(one) for one in shown]
    width = in_digits(k.shape[-1], 0)

    def steps(*, tall: bool) -> Piece:
        narrow, single = ((23, 24), (44, 24)) if tall else ((38, 26), (46, 26))
        lines = {
            say("1. keys"): _cells("k", k, "key", narrow),
            say("1. query of “{word}”", word=names[-1]): _cells("q", [q] * 3, "query", narrow),
            say("2. score: q · k"): _cells("s", scores, "weights", single, limit=8),
            say("3. divide by √{width}", width=width): _cells(
                "d", scaled, "weights", single, limit=8
            ),
        }
        return _three_columns(shown, int(scores.argmax()), lines, tall)

    return Drawing(
        say("The first three steps: scaled scores for the word {word}", word=names[-1]),
        say(
            "A column for each of {one}, {two} and {word}: its key, below it the query of {word}, "
            "{query}, the same each time, then the score of the two, {s0}, {s1} and {s2}, and the "
            "score divided by the root of {width}: {d0}, {d1} and {d2}.",
            one=names[0],
            two=names[1],
            word=names[2],
            query=listed(q),
            width=width,
            **{f"s{i}": in_digits(float(score), 0) for i, score in enumerate(scores)},
            **{f"d{i}": in_digits(float(score), 0) for i, score in enumerate(scaled)},
        ),
        steps(tall=False),
        steps(tall=True),
        wires=[Wire(f"{a}{i}", f"{b}{i}") for a, b in (("q", "s"), ("s", "d")) for i in range(3)],
    )


def last_three_steps(shown: Sequence[Word], scaled: Tensor, v: Tensor) -> Drawing:
    """Draw how three scaled scores, (3,), weigh three values, (3, Dv), and make a context."""
    weights = scaled.softmax(-1)
    weighted = weights[:, None] * v
    context = weighted.sum(0)
    names = [gloss(one) for one in shown]
    colours = _colours(int(weights.argmax()))
    shares = {"digits": 3, "limit": 1}

    def steps(*, tall: bool) -> Piece:
        narrow, single = ((23, 24), (44, 24)) if tall else ((38, 26), (46, 26))
        fifth = (42, 24) if tall else (50, 26)
        columns = [
            bars(weights[i : i + 1], colours[i], digits=3, limit=1, name=f"w{i}", size=(60, 70))
            for i in range(3)
        ]
        result = vector(context, "context", name="c", cell=fifth, **shares)
        lines = {
            say("3. scaled scores"): _cells("d", scaled, "weights", single, limit=8),
            say("4. softmax: weights"): columns,
            say("1. values"): _cells("v", v, "value", narrow),
            say("5. weight × value"): _cells("u", weighted, "value", fifth, **shares),
            say("6. sum: context"): [space(), space(), result],
        }
        return _three_columns(shown, int(weights.argmax()), lines, tall)

    return Drawing(
        say(
            "The last three steps: from scaled scores to the context of {word}",
            word=names[-1],
        ),
        say(
            "The scaled scores {d0}, {d1} and {d2} become weights, drawn as bars: {w0} for {one}, "
            "{w1} for {two}, {w2} for {word}. Each weight multiplies its word's value, and the "
            "three products add up to the context, in the column of {word}: {context}.",
            one=names[0],
            two=names[1],
            word=names[2],
            context=listed(context, 3),
            **{f"d{i}": in_digits(float(score), 0) for i, score in enumerate(scaled)},
            **{f"w{i}": in_digits(float(weight), 3) for i, weight in enumerate(weights)},
        ),
        steps(tall=False),
        steps(tall=True),
        wires=[
            *(
                Wire(f"{a}{i}.bottom", f"{b}{i}.top")
                for a, b in (("d", "w"), ("w", "v"), ("v", "u"))
                for i in range(3)
            ),
            Wire("u0.bottom", "c.left", role="context", bent=True),
            Wire("u1.bottom", "c.left", role="context", bent=True),
            Wire("u2", "c", role="context"),
        ],
    )


def where_two_look(
    weights: Tensor, queries: tuple[Word, Word], shown: Sequence[Word], itself: int
) -> Drawing:
    """Draw the weights of two queries, (2, T); one key is each query's own word."""
    rows = [gloss(one) for one in queries]

    def table(width: float, columns: list[str], digits: int) -> Piece:
        cells = {"columns": columns, "digits": digits, "limit": 1, "cell": (width, 28)}
        return with_axes(matrix(weights, "weights", rows=rows, **cells))

    first, second = (gloss(shown[int(line.argmax())]) for line in weights)
    return Drawing(
        say("Where {one} and {two} look", one=rows[0], two=rows[1]),
        say(
            "Two queries, {one} and {two}, and eight keys. {one} gives most to {first}, {two} "
            "gives most to {second}; every other word gets at most a tenth.",
            one=rows[0],
            two=rows[1],
            first=first,
            second=second,
        ),
        table(56, [say("itself") if i == itself else gloss(w) for i, w in enumerate(shown)], 3),
        table(30, [say("self") if i == itself else w.zh for i, w in enumerate(shown)], 2),
    )


# All words at once -------------------------------------------------------------------------------


def whole_of_attention(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> Drawing:
    """Draw attention from three words' vectors, (3, D), to their contexts; the last is outlined."""
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    scores = q @ k.T
    weights = (scores / k.shape[-1] ** 0.5).softmax(-1)
    context = weights @ v

    def whole(*, tall: bool) -> Piece:
        share = {"cell": (30, 24), "digits": 2} if tall else {"cell": (42, 26), "digits": 3}
        share["limit"] = 1

        def table(
            numbers: Tensor, role: str, label: str, shape: str, *, name: str = "", **settings
        ) -> Piece:
            settings = {"cell": (20, 24) if tall else (20, 26), **settings}
            last = [len(numbers) - 1]
            piece = matrix(numbers, role, label=label, shape=shape, lit=last, **settings)
            return named(name or label, piece)

        start = table(x, "source", "X", "(T, D)")
        queries = table(q, "query", "Q", "(T, dₖ)")
        keys = table(k, "key", "K", "(T, dₖ)")
        values = table(v, "value", "V", "(T, dᵥ)")
        scored = table(scores, "weights", "QKᵀ", "(T, T)", cell=(26, 24))
        found = table(weights, "weights", say("weights"), "(T, T)", name="weights", **share)
        end = table(
            context,
            "context",
            say("context"),
            "" if tall else "(T, dᵥ)",  # on a phone they don't fit on one line
            name="context",
            **share,
        )
        by_q = block("× W_q", "query", name="W_q")
        by_k = block("× W_k", "key", name="W_k")
        by_v = block("× W_v", "value", name="W_v")
        softmax = block(say("÷ √dₖ\nsoftmax of\neach row"), name="softmax")
        none = space()
        if tall:
            rows = [
                [none, start, none],
                [by_q, by_k, by_v],
                [queries, keys, values],
                [scored, none, none],
                [softmax, none, none],
                [found, none, column(end, words("(T, dᵥ)", size=12), gap=2)],
            ]
            return grid(rows, gap=(9, 24))
        rows = [
            [none, by_q, queries, none, none, none],
            [start, by_k, keys, scored, softmax, found],
            [none, by_v, values, none, none, end],
        ]
        return grid(rows, gap=(20, 22))

    joined = [
        Wire("W_q", "Q", role="query"),
        Wire("W_k", "K", role="key"),
        Wire("W_v", "V", role="value"),
    ]
    return Drawing(
        say("The whole of attention"),
        say(
            "X, three words by six entries, times W_q, W_k and W_v is Q, K and V. Q times the "
            "transpose of K is the scores, three by three. Divided by the root of dₖ and through "
            "the softmax, row by row, they are the weights. The weights times V are the context. "
            "The last row of each table, outlined, is that of tired: query {query}; scores "
            "{scores}; context {context}.",
            query=listed(q[-1]),
            scores=listed(scores[-1]),
            context=listed(context[-1], 3),
        ),
        whole(tall=False),
        whole(tall=True),
        wires=[
            *(Wire("X.right", f"W_{i}.left", role=r) for i, r in _PROJECTED),
            *joined,
            Wire("Q.right", "QKᵀ.top", role="query", bent=True),
            Wire("K.right", "QKᵀ.left", role="key"),
            Wire("QKᵀ", "softmax"),
            Wire("softmax", "weights"),
            Wire("weights.bottom", "context.top"),
            Wire("V.right", "context.left", role="value"),
        ],
        tall_wires=[
            *(Wire("X.bottom", f"W_{i}.top", role=r) for i, r in _PROJECTED),
            *joined,
            Wire("Q.bottom", "QKᵀ.top", role="query"),
            Wire("K.bottom", "QKᵀ.right", role="key", bent=True),
            Wire("QKᵀ", "softmax"),
            Wire("softmax", "weights"),
            Wire("weights.right", "context.left"),
            Wire("V.bottom", "context.top", role="value"),
        ],
    )


_PROJECTED = (("q", "query"), ("k", "key"), ("v", "value"))


def what_becomes_of_the_context(asking: Word, x: Tensor, context: Tensor, w_o: Tensor) -> Drawing:
    """Draw how a word's context is brought back to the word's width and added to its vector.

    Args:
        asking: the word.
        x: its vector, (D,).
        context: what attention found for it, (Dv,).
        w_o: the matrix that brings the context back, (Dv, D); it fills the last entries.
    """
    back = context @ w_o
    kept = len(x) - len(context)  # entries that the context leaves as they were
    axes = [say(axis) for axis in AXES]
    total = f"{listed(x[:kept])}, {listed((x + back)[kept:], 3)}"

    def onward(width: float, gap: float, heads: Sequence[str]) -> Piece:
        cell = (width, 26)
        found = {"digits": 3, "limit": 1, "cell": cell}
        start = vector(x, "source", label=gloss(asking), columns=heads, name="in", cell=cell)
        narrow = named("found", vector(context, "context", label=say("context"), **found))
        parts = (
            vector(x[:kept], "source", cell=cell),
            vector((x + back)[kept:], "context", **found),
        )
        end = say("{word} + what it found", word=gloss(asking))
        result = column(named("out", row(*parts, gap=0)), words(end, size=12, bold=True), gap=5)
        lines = [
            [start, space()],
            [block(say("attention"), "context", name="attention"), space()],
            [narrow, space()],
            [block(say("× a matrix: width D again"), name="back"), space()],
            [
                vector(back, "context", name="wide", **found),
                block("+", "source", name="plus", width=34, height=28),
            ],
            [result, space()],
        ]
        return grid(lines, gap=(gap, 20))

    return Drawing(
        say("What becomes of the context"),
        say(
            "The vector of {word}, {vector}, goes two ways: straight on, and through attention, "
            "which finds the context {context}. A matrix brings the context back to width D, and "
            "the sum of both goes on: {sum}.",
            word=gloss(asking),
            vector=listed(x),
            context=listed(context, 3),
            sum=total,
        ),
        onward(62, 40, axes),
        onward(42, 16, ()),
        wires=[
            Wire("in.right", "plus.top", role="source", thick=True, bent=True),
            Wire("in", "attention"),
            Wire("attention", "found"),
            Wire("found", "back"),
            Wire("back", "wide"),
            Wire("wide", "plus", role="context"),
            Wire("plus.bottom", "out.right", role="source", thick=True, bent=True),
        ],
    )


# Why not share? ----------------------------------------------------------------------------------


def one_matrix_for_both(
    x: Tensor, w_q: Tensor, w_k: Tensor, shared: Tensor, shown: tuple[Word, Word]
) -> Drawing:
    """Draw what two words score with two matrices, and with one for both queries and keys.

    A line of scores is red where a word scores itself highest.

    Args:
        x: the words' vectors, (2, D).
        w_q: makes the queries, (D, Dk).
        w_k: makes the keys, (D, Dk).
        shared: makes both, (D, Dk).
        shown: the words.
    """
    names = [gloss(one) for one in shown]
    one = x @ shared

    def scored(q: Tensor, k: Tensor, cell: tuple[float, float]) -> Piece:
        lines = []
        for i, line in enumerate(q @ k.T):
            role = "wrong" if int(line.argmax()) == i else "weights"
            heads = {"label": say("scores"), "columns": names} if i == 0 else {}
            lines.append(vector(line, role, rows=names[i : i + 1], cell=cell, **heads))
        return column(*lines, gap=0, align="right")

    def panel(label: str, lists: dict[str, tuple[Tensor, str]], *, tall: bool) -> Piece:
        cell = (26, 26) if tall else (30, 28)
        parts = [
            matrix(numbers, role, label=name, rows=names, cell=cell)
            for name, (numbers, role) in lists.items()
        ]
        made = [numbers for numbers, _ in lists.values()]
        parts.append(scored(made[0], made[-1], (56, cell[1])))
        tables = column(*parts, gap=12) if tall else row(*parts, gap=18, align="bottom")
        return column(words(label, size=13, bold=True), tables, gap=8, align="left")

    def both(*, tall: bool) -> Piece:
        apart = {say("queries"): (x @ w_q, "query"), say("keys"): (x @ w_k, "key")}
        tied = {say("queries and keys"): (one, "key")}
        return column(
            panel(say("two matrices"), apart, tall=tall),
            panel(say("one matrix for both"), tied, tall=tall),
            gap=24,
            align="left",
        )

    ours, same = x @ w_q @ (x @ w_k).T, one @ one.T
    return Drawing(
        say("What is lost if queries share with keys"),
        say(
            "With two matrices, {first} scores itself {a0} and {last} {a1}, and {last} scores "
            "{first} {b0} and itself {b1}: each prefers the other. With one for both, {first} is "
            "{a} and {last} is {b}. Now {first} scores itself {c0} and {last} {c1}, and {last} "
            "scores {first} {d0} and itself {d1}: {first} prefers itself.",
            first=names[0],
            last=names[1],
            a=f"({listed(one[0])})",
            b=f"({listed(one[1])})",
            **{f"a{i}": in_digits(float(score), 0) for i, score in enumerate(ours[0])},
            **{f"b{i}": in_digits(float(score), 0) for i, score in enumerate(ours[1])},
            **{f"c{i}": in_digits(float(score), 0) for i, score in enumerate(same[0])},
            **{f"d{i}": in_digits(float(score), 0) for i, score in enumerate(same[1])},
        ),
        both(tall=False),
        both(tall=True),
    )


# Training finds three that work ------------------------------------------------------------------


def what_training_finds(
    before: Tensor,
    after: Tensor,
    queries: Tensor,
    pairs: Sequence[tuple[Word, Word]],
) -> Drawing:
    """Draw what trained matrices find, a row for each start.

    Args:
        before: (S, P), how much each pair's first word takes from its second, without training.
        after: (S, P), the same after training.
        queries: (S, Dk), the trained query of the first pair's first word.
        pairs: P pairs of words, each the query's and the key's.
    """
    starts = [say("start {n}", n=i + 1) for i in range(len(before))]
    ends = [(gloss(one), gloss(other)) for one, other in pairs]
    heads = [f"{one} →\n{other}" for one, other in ends]
    asking = say("trained query of “{word}”", word=ends[0][0])

    def titled(label: str, *parts: Piece) -> Piece:
        return column(words(label, size=13, bold=True), column(*parts, gap=0), gap=8)

    def shares(numbers: Tensor, rows: list[str]) -> Piece:
        settings = {"columns": heads, "digits": 2, "limit": 1, "cell": (50, 26)}
        return matrix(numbers, "weights", rows=rows, **settings)

    def tables() -> list[Piece]:
        return [
            titled(say("before training"), shares(before, starts)),
            titled(say("after training"), shares(after, starts)),
            titled(asking, matrix(queries, "query", rows=starts, digits=1, cell=(40, 26))),
        ]

    def told(numbers: Tensor) -> str:
        each = zip(ends, numbers.T, strict=True)
        return "; ".join(f"{one} → {other} {listed(line, 2)}" for (one, other), line in each)

    return Drawing(
        say("What training finds from {count} starts", count=len(before)),
        say(
            "A row for each start. The weights before training: {before}. After it: {after}. The "
            "trained queries differ in every start.",
            before=told(before),
            after=told(after),
        ),
        row(*tables(), gap=18, align="bottom"),
        column(*tables(), gap=20),
    )


# Where people go wrong ---------------------------------------------------------------------------


def right_and_three_wrong(
    right: Tensor, wrong: tuple[Tensor, Tensor, Tensor], shown: Sequence[Word], query: int
) -> Drawing:
    """Draw one query's row of weights in four tables, each (T, T).

    Args:
        right: the table as it should be.
        wrong: those with queries and keys swapped, the softmax of the columns, and the wrong root.
        shown: the T words.
        query: whose row.
    """
    swapped, columns, wrong_root = wrong

    def line(table: Tensor, label: str, role: str, heads: list[str], width: float) -> Piece:
        total = say("row sum {total:.2f}", total=float(table[query].sum()))
        return matrix(
            table[query : query + 1],
            role,
            label=f"{label}, {total}",
            columns=heads,
            digits=3 if width > 40 else 2,
            limit=1,
            cell=(width, 28),
        )

    def rows(width: float, heads: list[str]) -> Piece:
        return column(
            line(right, say("right"), "weights", heads, width),
            line(swapped, say("queries and keys swapped"), "wrong", heads, width),
            line(columns, say("softmax of the columns"), "wrong", heads, width),
            line(wrong_root, say("the wrong root"), "wrong", heads, width),
            gap=14,
        )

    first, name = gloss(shown[0]), gloss(shown[query])
    return Drawing(
        say("The row of {word}, right and in three wrong versions", word=name),
        say(
            "Right: {right:.2f} for {first}, and the row adds up to 1. With queries and keys "
            "swapped: {swapped:.2f} for {first} and {itself:.2f} for {word}, adding up to 1, too. "
            "With the softmax of the columns: {columns:.2f} for {first}, and the row adds up to "
            "{total:.2f}. With the wrong root: {flat:.2f} for {first}, adding up to 1.",
            first=first,
            word=name,
            right=float(right[query, 0]),
            swapped=float(swapped[query, 0]),
            itself=float(swapped[query, query]),
            columns=float(columns[query, 0]),
            total=float(columns[query].sum()),
            flat=float(wrong_root[query, 0]),
        ),
        rows(60, [gloss(one) for one in shown]),
        rows(36, [one.zh for one in shown]),
    )
