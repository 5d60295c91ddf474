"""The figures of chapter 15, in their order on the page: the whole Transformer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

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
    words,
)
from attnsteps.diagrams.sheet import Sheet
from attnsteps.figures.catalogue import say
from attnsteps.figures.shared import listed
from attnsteps.model.transformer import Transformer

# From a vector to a word -------------------------------------------------------------------------


def from_vector_to_word(x: Tensor, table: Tensor, names: Sequence[str], at: str) -> Drawing:
    """Draw the last step: x, (1, D), against each row of the table, (V, D), and a softmax."""
    logits = x @ table.T
    chances = logits.softmax(-1)[0]
    names = [say(name) for name in names]

    def pieces(width: float) -> tuple[Piece, ...]:
        cell = {"columns": names, "cell": (width, 28)}
        return (
            vector(x, "target", label=say("x at “{word}”", word=say(at)), cell=(34, 28)),
            matrix(table.T, "plain", label="Eᵀ (D, V)", kind="parameter", **cell),
            vector(logits, "target", label=say("logits (1, V)"), **cell),
            bars(
                chances,
                "target",
                labels=names,
                title=say("probabilities"),
                size=(width, 70),
            ),
        )

    left, rows, scores, bottom = pieces(58)
    softmax = words(say("softmax:"), size=13)
    wide = column(
        row(left, words("×"), rows, words("="), scores, gap=12),
        row(softmax, bottom, gap=16),
        gap=18,
    )
    left, rows, scores, bottom = pieces(56)
    parts = (row(left, words("×"), gap=12), row(rows, words("="), gap=8), scores, softmax, bottom)
    return Drawing(
        say("From the decoder's vector to a word"),
        say(
            "The vector {x} times the table's columns gives the logits of {names}: {logits}. A "
            "softmax makes them the probabilities {chances}.",
            x=listed(x[0]),
            names=", ".join(names),
            logits=listed(logits[0]),
            chances=listed(chances, 2),
        ),
        wide,
        column(*parts, gap=14),
    )


# Figure 1 ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shapes:
    """The shapes that a model was seen to make, in the book's letters."""

    road: dict[str, str]  # of the encoder, "e", and of the decoder, "d"
    hidden: dict[str, str]
    weights: dict[str, str]
    logits: str


def _shapes(model: Transformer, batch: int, source: int, target: int) -> Shapes:
    """Run the model once, on its own device, and note the shapes."""
    config = model.config
    width, heads = config.d_model, config.num_heads
    letters = {
        batch: "B",
        source: "S",
        target: "T",
        width: "D",
        heads: "H",
        config.d_ff: say("Dff"),
        config.tgt_vocab_size: "V",
    }

    def lettered(tensor: Tensor) -> str:
        return "(" + ", ".join(letters[size] for size in tensor.shape) + ")"

    hidden = {}

    def note(key: str):
        return lambda module, inputs, output: hidden.update({key: lettered(output)})

    stacks = {"e": model.encoder, "d": model.decoder}
    hooks = [
        stack.layers[0].feed_forward.w_1.register_forward_hook(note(key))
        for key, stack in stacks.items()
    ]
    device = model.projection.weight.device
    rows = [torch.zeros(batch, length, width, device=device) for length in (source, target)]
    memory, own = model.encoder(rows[0], need_weights=True)
    output, back, across = model.decoder(rows[1], memory, need_weights=True)
    logits = model.projection(output)
    for hook in hooks:
        hook.remove()
    return Shapes(
        {"e": lettered(memory), "d": lettered(output)},
        hidden,
        {"self e": lettered(own[0]), "self d": lettered(back[0]), "cross": lettered(across[0])},
        lettered(logits),
    )


def _on_road(piece: Piece) -> Piece:
    """Put a block of the entrance or exit above the stack's road, 74 px from its right."""
    return row(piece, space(74 - piece.width / 2), gap=0)


def figure_1(model: Transformer, batch: int, source: int, target: int) -> Drawing:
    """Draw figure 1 of the paper with the shapes that the model makes of so many ids."""
    shapes = _shapes(model, batch, source, target)

    def sublayer(letter: str, name: str, text: str, role: str) -> list[list[Piece]]:
        inside = block(text, role, name=f"{letter}-{name}-in", width=164)
        norm = block(say("+, norm"), "plain", name=f"{letter}-{name}", width=76)
        fork = named(f"{letter}-{name}-fork", space(2, 10))
        return [[space(), norm], [inside, space(0, 34)], [space(0, 12), fork]]

    def tower(letter: str, role: str) -> Piece:
        length = "S" if letter == "e" else "T"

        def attention(title: str, kind: str) -> str:
            heads = f"q, k, v (B, H, {length}, Dₖ)"
            if kind == "cross":
                heads = "q (B, H, T, Dₖ)\nk, v (B, H, S, Dₖ)"
            hides = say("mask: padding, later") if kind == "self d" else say("mask: padding")
            weights = say("weights {shape}", shape=shapes.weights[kind])
            return f"{title}\n{heads}\n{weights}\n{hides}"

        network = say("feed-forward\nhidden {shape}", shape=shapes.hidden[letter])
        rows = sublayer(letter, "ff", network, "plain")
        if letter == "d":
            text = attention(say("cross-attention"), "cross")
            rows += sublayer(letter, "cross", text, role)
        text = say("masked self-attention") if letter == "d" else say("self-attention")
        rows += sublayer(letter, "self", attention(text, f"self {letter}"), role)
        body = row(grid(rows, gap=(16, 9)), space(20), gap=0)
        number = len((model.encoder if letter == "e" else model.decoder).layers)
        stack = frame(body, say("× {number} layers", number=number), role=role, pad=16)
        ids = say("{number} source ids", number=source)
        if letter == "d":
            ids = say("{number} target ids", number=target)
        entrance = [
            block(say("+ positions"), "position", name=f"{letter}-positions", width=110),
            block(say("table E, × √D"), "plain", name=f"{letter}-table", width=110),
            block(ids, name=f"{letter}-ids", width=110),
        ]
        leaving = [block(say("memory"), role, name="memory", width=90)]
        if letter == "d":
            leaving = [
                block(say("softmax"), "weights", name="softmax", width=110),
                block(say("× table Eᵀ: logits"), "plain", name="exit", width=130),
            ]
        ends = [column(*map(_on_road, part), gap=32, align="right") for part in (leaving, entrance)]
        return column(ends[0], space(0, 26), stack, ends[1], gap=26, align="right")

    def roads(letter: str, names: Sequence[str]) -> list[Wire]:
        """Return the road of one tower, and for each sublayer a branch that leaves and rejoins."""
        ids = "(B, S)" if letter == "e" else "(B, T)"
        wires = [
            Wire(f"{letter}-ids.top", f"{letter}-table.bottom", ids),
            Wire(f"{letter}-table.top", f"{letter}-positions.bottom", shapes.road[letter]),
        ]
        below = f"{letter}-positions"
        for name in names:
            here = f"{letter}-{name}"
            wires += [
                Wire(f"{below}.top", f"{here}.bottom", thick=True),
                Wire(f"{here}-fork.left", f"{here}-in.bottom", bent=True),
                Wire(f"{here}-in.top", f"{here}.left", bent=True),
            ]
            below = here
        return wires

    wires = [
        *roads("e", ["self", "ff"]),
        Wire("e-ff.top", "memory.bottom", shapes.road["e"], thick=True),
        *roads("d", ["self", "cross", "ff"]),
        Wire("d-ff.top", "exit.bottom", shapes.road["d"], thick=True),
        Wire("exit.top", "softmax.bottom", shapes.logits),
    ]
    sides = [tower("e", "source"), tower("d", "target")]
    heights = []
    for side, name in zip(sides, ("memory", "d-cross-in"), strict=True):
        sheet = Sheet()
        side.paint(sheet, 0, 0)
        box = sheet.boxes[name]
        heights.append(side.height - box.y - box.height / 2)
    lift = heights[0] - heights[1]
    across = {"start": "memory.right", "end": "d-cross-in.left", "role": "source", "thick": True}
    return Drawing(
        say("Figure 1 of the paper, with its shapes"),
        say(
            "Two towers, read from the bottom up. Left, the encoder: {source} source ids (B, S) "
            "go through the table E, times the root of D, and get positions added: {encoder}. "
            "That shape stays on the thick road through all layers, each with self-attention, "
            "weights {own}, and a feed-forward network, hidden {hidden}; each branches off the "
            "road and is added and normalised; a mask hides padding. The result is the memory. "
            "Right, the decoder: {target} target ids (B, T) go through the same table, then "
            "layers of masked self-attention, weights {back}, whose mask hides padding and later "
            "words, cross-attention with queries (B, H, T, Dₖ) and keys and values "
            "(B, H, S, Dₖ) made from the memory, weights {across}, and feed-forward. The "
            "transposed table gives the logits, {logits}, and a softmax the probabilities.",
            source=source,
            target=target,
            encoder=shapes.road["e"],
            own=shapes.weights["self e"],
            hidden=shapes.hidden["e"],
            back=shapes.weights["self d"],
            across=shapes.weights["cross"],
            logits=shapes.logits,
        ),
        row(sides[0], column(sides[1], space(0, lift), gap=0), gap=30, align="bottom"),
        column(sides[1], sides[0], gap=26),
        wires=[*wires, Wire(label=shapes.road["e"], **across)],
        tall_wires=[*wires, Wire(bent=True, **{**across, "start": "memory.left"})],
    )


# How large is it? --------------------------------------------------------------------------------


def parameters_and_operations(parameters: Sequence[float], operations: Sequence[float]) -> Drawing:
    """Draw how both are shared out: matrices of attention, scores, feed-forward, table."""
    names = [say(one) for one in ("matrices", "scores", "feed-fwd", "table")]
    titles = say("% of the parameters"), say("% of the operations")
    shares = [
        [100 * value / sum(values) for value in values] for values in (parameters, operations)
    ]
    limit = max(map(max, shares))

    def both(size: tuple[float, float]) -> list[Piece]:
        return [
            bars(one, role, labels=names, digits=1, limit=limit, title=title, size=size)
            for one, role, title in zip(shares, ("plain", "context"), titles, strict=True)
        ]

    return Drawing(
        say("Where the parameters are, and where the work"),
        say(
            "Of the parameters, in per cent: matrices of attention {p[0]:.1f}, scores and "
            "contexts {p[1]:.1f}, feed-forward {p[2]:.1f}, table {p[3]:.1f}. Of the operations: "
            "{o[0]:.1f}, {o[1]:.1f}, {o[2]:.1f} and {o[3]:.1f}.",
            p=shares[0],
            o=shares[1],
        ),
        row(*both((66, 84)), gap=40),
        column(*both((66, 70)), gap=18),
    )


# Let it write ------------------------------------------------------------------------------------


# Where people go wrong ---------------------------------------------------------------------------


def one_softmax_or_two(logits: Mapping[str, Tensor], names: Sequence[str]) -> Drawing:
    """Draw what one softmax and what two make of each of these logits, (V,)."""
    names = [say(name) for name in names]

    def twice(width: float, gap: float) -> Piece:
        lines = []
        for label, one in logits.items():
            once = one.softmax(-1)
            settings = {"labels": names, "limit": 1, "size": (width, 58)}
            pair = [
                bars(once, "weights", title=say("softmax once"), **settings),
                bars(once.softmax(-1), "wrong", title=say("softmax twice"), **settings),
            ]
            lines.append(column(words(say(label), size=13, bold=True), row(*pair, gap=gap), gap=8))
        return column(*lines, gap=24)

    told = [
        say(
            "of the logits {logits} one softmax makes {once}, and a second one {twice}",
            logits=listed(one),
            once=listed(one.softmax(-1), 2),
            twice=listed(one.softmax(-1).softmax(-1), 2),
        )
        for one in logits.values()
    ]
    return Drawing(
        say("One softmax and two"),
        say("For the words {names}: {told}.", names=", ".join(names), told="; ".join(told)),
        twice(58, 30),
        twice(37, 14),
    )
