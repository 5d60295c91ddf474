"""The figures of chapter 1, in page order: the whole from outside, attention, its evidence."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from torch import Tensor

from attnsteps.corpora.generated.corpus import Pair
from attnsteps.diagrams import (
    Drawing,
    Piece,
    Wire,
    bars,
    block,
    column,
    frame,
    grid,
    matrix,
    named,
    row,
    space,
    vector,
    word,
    words,
)
from attnsteps.figures.catalogue import say
from attnsteps.figures.shared import chart, listed

Glosses = Mapping[str, str]


def _meaning(pair: Pair, glosses: Glosses, key: str, decides: int, *, tall: bool) -> Piece:
    """Draw the English words above the Chinese ones; outlined is what the wires join."""
    place, noun = pair.referents[0]
    english = [
        word(say(text), role="target", name=f"{key}it" if i == place else "", lit=i == place)
        for i, text in enumerate(pair.tgt)
    ]
    chinese = [
        word(
            text,
            say(glosses.get(text, "")),
            role="source",
            name=f"{key}zh{i}",
            lit=i in {noun, decides},
        )
        for i, text in enumerate(pair.src)
    ]
    if not tall:
        below = column(row(*chinese, gap=9), space(0, 46), gap=0)
        return column(row(*english, gap=4), below, gap=44)
    lines = [row(*english[a:b], gap=4) for a, b in ((0, 5), (5, 8), (8, len(english)))]
    below = [row(*chinese[:5], gap=6), row(*chinese[5:], gap=6)]
    return column(
        column(*lines, gap=5, align="left"),
        column(*below, gap=26, align="left"),
        gap=44,
        align="left",
    )


def what_it_means(pairs: Sequence[Pair], glosses: Glosses) -> Drawing:
    """Draw the two sentences of the opening; lines say which noun *it* means, and what decides.

    Args:
        pairs: two pairs of the generated corpus, the same but for one adjective.
        glosses: the meaning of each Chinese word.
    """
    first, second = (pair.src for pair in pairs)
    (decides,) = (i for i, (a, b) in enumerate(zip(first, second, strict=True)) if a != b)

    def wires(*, tall: bool) -> list[Wire]:
        drawn = []
        for key, pair in zip("ab", pairs, strict=True):
            noun = pair.referents[0][1]
            adjective = f"{key}zh{decides}.{'top' if tall else 'bottom'}"
            arc, label = (0, "") if tall else (22, say("decides"))
            drawn += [
                Wire(f"{key}it.bottom", f"{key}zh{noun}.top", role="target", thick=True),
                Wire(adjective, f"{key}zh{noun}.bottom", label, role="source", arc=arc),
            ]
        return drawn

    def both(*, tall: bool) -> list[Piece]:
        return [
            _meaning(pair, glosses, key, decides, tall=tall)
            for key, pair in zip("ab", pairs, strict=True)
        ]

    lines = [
        say(
            "Ending in {adjective}, a line leads from the English word it to the Chinese word "
            "for {noun}.",
            adjective=say(glosses[pair.src[decides]]),
            noun=say(glosses[pair.src[pair.referents[0][1]]]),
        )
        for pair in pairs
    ]
    return Drawing(
        say("What it means"),
        say(
            "The English sentence above the Chinese one, twice. {lines} An arrow from the Chinese "
            "adjective leads to that noun.",
            lines=" ".join(lines),
        ),
        column(*both(tall=False), gap=28),
        column(*both(tall=True), gap=40, align="left"),
        wires=wires(tall=False),
        tall_wires=wires(tall=True),
    )


def encoder_and_decoder(
    source: tuple[Sequence[str], Sequence[int], Glosses],
    memory: Tensor,
    written: Sequence[str],
    best: Mapping[str, float],
    known: int,
) -> Drawing:
    """Draw the translator at work: ids, memory, the scores of the next word, and the loop.

    Args:
        source: the tokens of the source, their ids, and their meanings.
        memory: (S, D), a row for each of them.
        written: the words so far, ``<bos>`` first.
        best: the best next words and their scores, the best first.
        known: how many words have a score.
    """
    tokens, ids, glosses = source
    turned, following = tokens.index("累"), next(iter(best))

    def tables(cell: tuple[float, float], columns: int, wide: float, gap: float) -> Piece:
        left = matrix(
            [[i] for i in ids],
            "source",
            name="ids",
            label=say("ids"),
            shape=f"({len(ids)},)",
            rows=[f"{zh} {say(glosses.get(zh, ''))}".strip() for zh in tokens],
            cell=(40, 22),
            limit=400,
        )
        right = matrix(
            memory[:, :columns],
            "context",
            name="memory",
            label=say("memory"),
            shape=str(tuple(memory.shape)),
            digits=1,
            cell=cell,
            lit=[turned],
        )
        box = frame(space(wide, 176), say("encoder"), role="source", name="encoder")
        note = say("{some} of {all} columns", some=columns, all=memory.shape[1])
        notes = space(0, 15), space(0, 15), words(note, size=12, quiet=True)
        parts = zip((left, box, right), notes, strict=True)
        return row(*(column(part, below, gap=4) for part, below in parts), gap=gap)

    def writer() -> tuple[Piece, ...]:
        table = bars(
            list(best.values()),
            "target",
            name="scores",
            title=say("the best {some} of {all} scores", some=len(best), all=known),
            labels=[say(text) for text in best],
            digits=1,
            size=(36, 46),
        )
        wrapped = "\n".join(
            " ".join(map(say, written[i : i + 3])) for i in range(0, len(written), 3)
        )
        box = block(say("decoder"), "target", name="decoder", width=166, height=44)
        text = named("so_far", words(wrapped, size=13, role="target"))
        new = word(say(following), name="next", role="target", lit=True)
        return new, table, box, text, words(say("read again"), size=12, quiet=True)

    def wide() -> Piece:
        new, table, box, text, again = writer()
        right = grid([[new, space()], [table, again], [box, text]], gap=(20, 24))
        return row(tables((34, 22), 3, 60, 10), right, gap=40)

    def tall() -> Piece:
        new, table, box, text, again = writer()
        right = grid([[space(), new], [again, table], [text, box]], gap=(24, 24))
        return column(right, tables((33, 22), 3, 36, 8), gap=34)

    inside = [
        *(
            Wire(f"ids[{r}].right", f"memory[{turned}].left", role="source", head=False)
            for r in range(len(ids))
        ),
        Wire("decoder.top", "scores.bottom", role="target"),
        Wire("scores.top", "next.bottom", role="target"),
    ]
    return Drawing(
        say("Encoder, memory, decoder, and the loop"),
        say(
            "{count} Chinese words as ids enter the encoder, which makes the memory: a row of "
            "{width} numbers for each, of which some are shown. Lines from all words lead to the "
            "row of {turned}. The decoder takes from all rows of the memory and from the words so "
            "far, {written}, and gives a score for each of {known} English words. The best is "
            "{best}, and an arrow carries it back to the words so far.",
            count=len(ids),
            width=memory.shape[1],
            turned=say(glosses[tokens[turned]]),
            written=" ".join(map(say, written[1:])),
            known=known,
            best=say(following),
        ),
        wide(),
        tall(),
        wires=[
            *inside,
            *(
                Wire(f"memory[{r}].right", "decoder.left", role="context", head=False)
                for r in range(len(ids))
            ),
            Wire("so_far.left", "decoder.right", role="target"),
            Wire("next.right", "so_far.top", role="target", bent=True),
        ],
        tall_wires=[
            *inside,
            Wire("memory.top", "decoder.bottom", role="context"),
            Wire("so_far.right", "decoder.left", role="target"),
            Wire("next.left", "so_far.top", role="target", bent=True),
        ],
    )


def one_vector_for_all(tokens: Sequence[str], glosses: Glosses) -> Drawing:
    """Draw a recurrent encoder: each word changes the vector, and the last one is handed on.

    Args:
        tokens: of the source, at most nine.
        glosses: the meanings of some.
    """
    last, half = len(tokens) - 1, (len(tokens) + 1) // 2

    def part(indices: range, *, tall: bool) -> Piece:
        chips = [
            word(tokens[i], say(glosses.get(tokens[i], "")), name=f"w{i}", role="source")
            for i in indices
        ]
        states = [
            vector(
                [1, 1, 1],
                "source",
                name=f"s{i}",
                digits=None,
                cell=(13 if tall else 15, 15),
                lit=[0] if i == last else [],
            )
            for i in indices
        ]
        return grid([states, chips], gap=(8 if tall else 11, 20))

    def with_decoder(before: Piece, gap: float) -> Piece:
        box = block(say("decoder"), "target", name="decoder", height=36)
        return row(before, column(box, space(0, 50), gap=0), gap=gap)

    upward = [Wire(f"w{i}.top", f"s{i}.bottom") for i in range(last + 1)]
    along = [Wire(f"s{i}.right", f"s{i + 1}.left") for i in range(last)]
    out = Wire(f"s{last}.right", "decoder.left", role="target")
    return Drawing(
        say("An encoder that keeps one vector"),
        say(
            "{count} tokens, left to right. Each makes a new vector from itself and the vector "
            "before it. Only the last vector, outlined, goes to the decoder.",
            count=len(tokens),
        ),
        with_decoder(part(range(last + 1), tall=False), 16),
        column(
            part(range(half), tall=True),
            with_decoder(part(range(half, last + 1), tall=True), 8),
            gap=30,
            align="left",
        ),
        wires=[*upward, *along, out],
        tall_wires=[
            *upward,
            *(wire for i, wire in enumerate(along) if i != half - 1),
            Wire(f"w{half - 1}.bottom", f"s{half}.top"),
            out,
        ],
    )


def squeezed_into_one(names: Sequence[str], vectors: Tensor, tags: Tensor) -> Drawing:
    """Draw words multiplied by the tags of their places, number by number, and their sum.

    Args:
        names: of the words.
        vectors: (S, D), one for each.
        tags: (S, D), one for each place.
    """
    tagged = vectors * tags
    total = tagged.sum(dim=0)

    def lines(cell: tuple[float, float]) -> Piece:
        drawn = [
            [
                vector(tags[t], "position", label=say("tag {n}", n=t + 1), cell=cell),
                words("×"),
                vector(vectors[t], "source", label=say(name), cell=cell),
                words("="),
                vector(tagged[t], "source", label=say("tagged"), cell=cell),
            ]
            for t, name in enumerate(names)
        ]
        end = vector(total, "context", label=say("one vector"), cell=cell)
        drawn.append([space(), space(), space(), words(say("sum")), end])
        return grid(drawn, gap=(8 if cell[0] > 30 else 3, 12))

    return Drawing(
        say("Words squeezed into one vector"),
        say(
            "{names}, each multiplied by the tag of its place, number by number. Their sum is "
            "({total}).",
            names=", ".join(map(say, names)),
            total=listed(total),
        ),
        lines((38, 26)),
        lines((20, 24)),
    )


def attention_by_hand(tags: Tensor, values: Tensor, names: Sequence[str]) -> Drawing:
    """Draw attention that asks for the last place, from the dot products down to what it finds.

    Args:
        tags: (S, D), one for each place; they are the keys, and the last is the query.
        values: (S, D).
        names: of the S words.
    """
    count, query = len(names), tags[-1]
    scores = tags @ query
    halved = scores / math.sqrt(query.shape[-1])
    weights = halved.softmax(dim=-1)
    found = weights @ values

    def lines(*, tall: bool) -> dict[str, list[Piece]]:
        narrow = (22, 24) if tall else (34, 26)
        single = (44, 24) if tall else (46, 26)

        def cells(letter: str, table: Tensor, role: str, cell: tuple, **settings) -> list[Piece]:
            return [
                vector(line.reshape(-1), role, name=f"{letter}{i}", cell=cell, **settings)
                for i, line in enumerate(table)
            ]

        end = vector(
            found,
            "context",
            name="c",
            cell=(28, 24) if tall else (44, 26),
            digits=2 if tall else 3,
        )
        return {
            "": [word(say(name), role="source") for name in names],
            say("query: the tag of place {n}", n=count): [
                *[space()] * (count - 1),
                vector(query, "query", name="q", cell=narrow),
            ],
            say("key: its tag"): cells("k", tags, "key", narrow),
            say("score: query · key"): cells("s", scores, "weights", single, limit=4),
            say("halved"): cells("d", halved, "weights", single, limit=4),
            say("weight (softmax)"): cells("w", weights, "weights", single, digits=3, limit=1),
            say("value: the word"): cells("v", values, "value", narrow),
            say("weight × value, added up"): [*[space()] * (count - 1), end],
        }

    wide, places = lines(tall=False), [space(95)] * count
    folded = [
        column(
            words(label, size=12, quiet=True),
            grid([pieces, places], gap=(6, 0)),
            gap=4,
            align="left",
        )
        for label, pieces in lines(tall=True).items()
    ]
    each = range(count)
    return Drawing(
        say("What was at place {n}?", n=count),
        say(
            "{names}, each with its place's tag as key. The tag of place {n} is the query and is "
            "compared with all keys. The scores are {scores}; halved {halved}; the weights "
            "{weights}. Each word's value is taken with its weight, and the sum is {found}.",
            names=", ".join(map(say, names)),
            n=count,
            scores=listed(scores),
            halved=listed(halved),
            weights=listed(weights, 3),
            found=listed(found, 3),
        ),
        grid(list(wide.values()), labels=list(wide), gap=(18, 15)),
        column(*folded, gap=12, align="left"),
        wires=[
            *(Wire("q.bottom", f"k{i}.top", role="query") for i in each),
            *(Wire(f"{a}{i}", f"{b}{i}") for a, b in ("ks", "sd", "dw", "wv") for i in each),
            *(Wire(f"v{i}.bottom", "c.top", role="context") for i in each),
        ],
    )


def who_asks_whom(tokens: Sequence[str], written: Sequence[str], following: str) -> Drawing:
    """Draw the decoder's query to the keys of all rows of the memory, and their values' way back.

    Args:
        tokens: of the source, at most nine.
        written: the words so far.
        following: the next word.
    """

    def rows_of_memory(key: str) -> Piece:
        return grid(
            [
                [vector([1, 1], key, name=f"{key}{i}", digits=None, cell=(12, 15)) for i in places],
                [words(token, size=13) for token in tokens],
            ],
            gap=(4, 4),
        )

    def panel(key: str, role: str, above: str, beside: Piece, below: str) -> Piece:
        box = block(say("decoder"), "target", name=f"{key}-decoder", width=110)
        top = column(beside, box, gap=20)
        return column(
            words(above, size=13, role=role, bold=True),
            column(space(0, 76 - top.height), top, gap=0) if top.height < 76 else top,
            space(0, 34),
            rows_of_memory(key),
            words(below, size=13, role=key, bold=True),
            gap=8,
        )

    places = range(len(tokens))
    lines = [" ".join(map(say, written[i : i + 5])) for i in range(0, len(written), 5)]
    so_far = named("so_far", words("\n".join(lines), size=13, role="target"))
    panels = [
        panel(
            "key",
            "query",
            say("query: from the words so far"),
            so_far,
            say("keys: from the memory's rows"),
        ),
        panel(
            "value",
            "context",
            say("weighted sum: for the next word"),
            word(say(following), role="target", name="next", lit=True),
            say("values: from the memory's rows"),
        ),
    ]
    return Drawing(
        say("Whose query meets whose keys and values"),
        say(
            "Left: the words so far, {written}, enter the decoder, and its query goes to the keys "
            "of all {count} rows of the memory. Right: the values of all {count} rows go to the "
            "decoder, which writes the next word, {following}.",
            written=" ".join(map(say, written)),
            count=len(tokens),
            following=say(following),
        ),
        row(*panels, gap=44, align="bottom"),
        column(*panels, gap=34),
        wires=[
            Wire("so_far.bottom", "key-decoder.top", role="target"),
            Wire("value-decoder.top", "next.bottom", role="target"),
            *(Wire("key-decoder.bottom", f"key{i}.top", role="query") for i in places),
            *(
                Wire(f"value{i}.top", "value-decoder.bottom", role="value", head=False)
                for i in places
            ),
        ],
    )


def words_ask_words(names: Sequence[str], keys: Tensor, queries: Mapping[str, Tensor]) -> Drawing:
    """Draw a sentence's last word, which asks all of its words, for each word that it may be.

    Args:
        names: of the other words.
        keys: (S, D), the last one that of the word that asks.
        queries: of each word that asks, (D,).
    """
    shares = {
        name: (keys @ query / math.sqrt(len(query))).softmax(dim=-1)
        for name, query in queries.items()
    }

    lines = [say("query"), "", say("keys"), "", say("weights")]

    def panel(name: str, *, labels: Sequence[str], cell: tuple[float, float]) -> Piece:
        query, weights, before = queries[name], shares[name], [space()] * len(names)
        asked = [word(say(other), role="source") for other in names]
        return grid(
            [
                [*before, vector(query, "query", name=f"{name}-q", cell=cell)],
                [space(0, 8)] * len(keys),
                [vector(key, "key", name=f"{name}-k{i}", cell=cell) for i, key in enumerate(keys)],
                [*asked, word(say(name), role="source", lit=True)],
                [
                    vector(weight.reshape(1), "weights", cell=(46, 26), digits=2)
                    for weight in weights
                ],
            ],
            labels=labels,
            gap=(12, 14),
        )

    def wires() -> Iterator[Wire]:
        for name, weights in shares.items():
            for i, weight in enumerate(weights):
                thick = bool(weight == weights.max())
                yield Wire(f"{name}-q.bottom", f"{name}-k{i}.top", role="query", thick=thick)

    told = [
        say(
            "{name} asks with {query} and gives the weights {weights}.",
            name=say(name),
            query=listed(query),
            weights=listed(shares[name], 2),
        )
        for name, query in queries.items()
    ]
    return Drawing(
        say("Words ask words"),
        say(
            "The last word's query goes to the keys of all words, its own among them. {told}",
            told=" ".join(told),
        ),
        row(
            *(
                panel(name, labels=[""] * len(lines) if n else lines, cell=(20, 24))
                for n, name in enumerate(queries)
            ),
            gap=16,
        ),
        column(*(panel(name, labels=lines, cell=(18, 24)) for name in queries), gap=26),
        wires=list(wires()),
    )


def mixed_memories(
    strips: Sequence[tuple[Sequence[str], str]], places: Mapping[int, str]
) -> Drawing:
    """Draw mixed memories as strips, a cell for each row, and the word that each of them brings.

    Args:
        strips: for each mixture the sentence that each row comes from, in two words, and the word,
            or "?" where the reader is asked for it.
        places: the names of the places that matter.
    """
    hues = ("plain", "source", "position", "context")
    # the sentence of the most rows first
    every = [sentence for rows, _ in strips for sentence in rows]
    sentences = sorted(dict.fromkeys(every), key=every.count, reverse=True)
    role_of = dict(zip(sentences, hues, strict=False))

    def letters(sentence: str) -> str:
        first, *_, last = sentence.split()
        return first[0] + last[0]

    def legend(columns: int) -> Piece:
        entries = [
            row(
                vector([letters(sentence)], role, cell=(28, 22)),
                words(sentence, size=13),
                gap=6,
            )
            for sentence, role in role_of.items()
        ]
        lines = [entries[i : i + columns] for i in range(0, len(entries), columns)]
        return column(*(row(*line, gap=18) for line in lines), gap=8, align="left")

    def drawn(cell: tuple[float, float], gap: float) -> Piece:
        lines = []
        for n, (rows, following) in enumerate(strips):
            first = n == 0
            heads = [f"{places.get(i, '')}\n{i}" for i in range(len(rows))] if first else []
            strip = vector(
                list(map(letters, rows)),
                "plain",
                name=f"strip{n}",
                bands=[role_of[sentence] for sentence in rows],
                columns=heads,
                cell=cell,
            )
            chip = word(say(following), name=f"next{n}", role="target", lit=following == "she")
            ends = [words(f"{n + 1}", size=13, bold=True), row(words("→"), chip, gap=8)]
            drop = space(0, 32 if first else 0)
            number, brings = (column(drop, end, gap=0) for end in ends)
            lines.append([number, strip, brings])
        return grid(lines, gap=(gap, 10))

    def told(n: int, rows: Sequence[str], following: str) -> str:
        sources = ", ".join(
            say("{place} from {sentence}", place=name, sentence=rows[place])
            for place, name in places.items()
        )
        if following == "?":
            return say("{n}: {rows}.", n=n, rows=sources)
        return say(
            "{n}: {rows}; the next word is {following}.",
            n=n,
            rows=sources,
            following=say(following),
        )

    return Drawing(
        say("Mixed memories, and the next word"),
        say(
            "A line for each mixture, a cell for each row, marked with the sentence that it comes "
            "from. {lines}",
            lines=" ".join(
                told(n, rows, following) for n, (rows, following) in enumerate(strips, start=1)
            ),
        ),
        column(legend(4), drawn((54, 26), 12), gap=16),
        column(legend(2), drawn((25, 26), 6), gap=16),
    )


def _dashes(heights: Sequence[float], each: int = 6) -> Iterator[list[tuple[float, float]]]:
    """Cut the line through these heights into dashes, so many between two of them."""
    for i, (a, b) in enumerate(pairwise(heights)):
        for n in range(each):
            ends = (n / each, (n + 0.6) / each)
            yield [(i + t, a + t * (b - a)) for t in ends]


def readers_of_lists(
    runs: Mapping[str, Sequence[dict]],
    ends: Sequence[str],
    stops: tuple[int, int],
    baseline: Sequence[float],
) -> Drawing:
    """Draw how often readers of a list are right, over its length, early and late in training.

    Args:
        runs: for each reader its runs, each with ``steps``, ``names`` and ``right``: at each step a
            share for each number of names.
        ends: a short name of each reader, for the end of its lines.
        stops: the two steps that are drawn.
        baseline: for each number of names, how often a reader is right that knows all colours, but
            not whose they are, and names the commonest.
    """
    roles = dict(zip(runs, ("source", "position", "query", "context"), strict=True))
    first = next(iter(runs.values()))[0]
    counts = first["names"]
    last = len(counts) - 1
    colours_only = [100 * share for share in baseline]

    def shares(name: str, stop: int) -> list[list[float]]:
        at = first["steps"].index(stop)
        return [[100 * share for share in run["right"][at]] for run in runs[name]]

    def labels(stop: int) -> Iterator[tuple[float, float, str, str]]:
        """Write each reader's short name behind its lines, none on another."""
        found = {name: [line[-1] for line in shares(name, stop)] for name in runs}
        heights = {name: sum(each) / len(each) for name, each in found.items()}
        below = 200.0
        for name in sorted(heights, key=lambda name: -heights[name]):
            below = min(below - 9, heights[name])
            yield last + 0.08, below, say(ends[list(runs).index(name)]), roles[name]

    def drawn(size: tuple[float, float], stop: int) -> Piece:
        return chart(
            (0, last + 1, [(i, str(n)) for i, n in enumerate(counts)], say("names")),
            (
                0,
                106,
                [(n, f"{n} %") for n in (0, 25, 50, 75, 100)],
                say("share right, after {steps:,} steps", steps=stop),
            ),
            size=size,
            lines=[
                *(
                    (roles[name], list(enumerate(line)))
                    for name in runs
                    for line in shares(name, stop)
                ),
                *(("plain", dash) for dash in _dashes(colours_only)),
            ],
            notes=[
                *labels(stop),
                (0.1, colours_only[-1] - 14, say("knows the colours, not whose"), "plain"),
            ],
        )

    legend = [words(say(name), size=13, role=roles[name], bold=True) for name in runs]
    return Drawing(
        say("Right answers over the number of names"),
        say(
            "A line for each run. {ends} A dashed line marks a reader that knows the colours, but "
            "not whose they are: {blind:.0f} % with {names} names.",
            ends=" ".join(
                say(
                    "{name}, {steps} steps: {low:.0f} to {high:.0f} % with {names} names.",
                    name=say(name),
                    steps=stop,
                    low=min(line[-1] for line in shares(name, stop)),
                    high=max(line[-1] for line in shares(name, stop)),
                    names=counts[-1],
                )
                for stop in stops
                for name in runs
            ),
            blind=colours_only[-1],
            names=counts[-1],
        ),
        column(
            row(*legend, gap=22), row(*(drawn((250, 170), stop) for stop in stops), gap=24), gap=8
        ),
        column(*legend, *(drawn((250, 150), stop) for stop in stops), gap=6, align="left"),
    )


_SPOT, _GAP = 14, 8  # of the places in the drawing of three ways


def _reach(layer: int, last: int, count: int) -> range:
    """Return the places that a vector in the topmost layer depends on, in one of the layers."""
    far = last - layer
    return range(last - far, min(last + far, count - 1) + 1)


def three_ways(count: int, last: int, start: str, end: str) -> Drawing:
    """Draw the way from a sentence's first word to a later one: a chain, a cone and a fan.

    Args:
        count: how many places the sentence has.
        last: the place where the way ends.
        start: the word at the first place.
        end: the word at the last.
    """

    def spots(key: str, cells: Sequence[int], role: str, points: Sequence[int] = ()) -> Piece:
        """Draw a row of the sentence's places: cells, or mere points for the wires."""

        def spot(i: int) -> Piece:
            if i in cells:
                return vector([1], role, name=f"{key}{i}", digits=None, cell=(_SPOT - 2, 12))
            empty = space(_SPOT, 0)
            return named(f"{key}{i}", empty) if i in points else empty

        return row(*(spot(i) for i in range(count)), gap=_GAP)

    def panel(key: str, levels: Sequence[Piece], pitch: float, title: str) -> Piece:
        first, other = words(say(start), size=12), words(say(end), size=12)
        middle = last * (_SPOT + _GAP) + _SPOT / 2
        between = middle - other.width / 2 - first.width
        rest = count * (_SPOT + _GAP) - _GAP - middle - other.width / 2
        below = column(
            spots(f"{key}w", range(count), "source"),
            row(first, space(between), other, space(rest), gap=0),
            words(title, size=13, bold=True),
            gap=4,
        )
        return column(*levels, below, gap=pitch, align="left")

    def panels() -> list[Piece]:
        cone = []
        for n in range(last, 0, -1):
            reached = _reach(n, last, count)
            cone.append(spots(f"c{n}-", reached[:1], "context", reached))
        chain = spots("r", range(count), "context")
        fan = spots("f", [last], "context")
        return [
            panel("r", [chain], 20, say("RNN: a chain, {n} steps", n=last)),
            panel("c", cone, 12, say("CNN: a cone, {n} layers", n=last)),
            panel("f", [fan], 76, say("attention: a fan, 1 step")),
        ]

    def node(layer: int, i: int) -> str:
        return f"c{layer}-{i}" if layer else f"cw{i}"

    def line(begin: str, stop: str, *, on_path: bool) -> Wire:
        return Wire(begin, stop, role="key" if on_path else "", thick=on_path, head=False)

    ways = [line(f"fw{i}.top", f"f{last}.bottom", on_path=i == 0) for i in range(count)]
    ways += [line(f"rw{i}.top", f"r{i}.bottom", on_path=i == 0) for i in range(count)]
    ways += [line(f"r{i}.right", f"r{i + 1}.left", on_path=i < last) for i in range(count - 1)]
    for n in range(last):
        for up in _reach(n + 1, last, count):
            for i in range(up - 1, min(up + 1, count - 1) + 1):
                begin, stop = f"{node(n, i)}.top", f"{node(n + 1, up)}.bottom"
                ways.append(line(begin, stop, on_path=(i, up) == (n, n + 1)))
    ways.sort(key=lambda wire: wire.thick)
    return Drawing(
        say("From {start} to {end}, three ways", start=say(start), end=say(end)),
        say(
            "The {count} places of the sentence, three times; a thick line leads from {start} to "
            "the new vector of {end}. In an RNN it goes along a chain of {last} steps. In a CNN "
            "it climbs the edge of a cone through {last} layers. In attention it is one line of a "
            "fan.",
            count=count,
            start=say(start),
            end=say(end),
            last=last,
        ),
        row(*panels(), gap=38, align="bottom"),
        column(*panels(), gap=30),
        wires=ways,
    )
