"""The map of the book: the whole Transformer, the chapter's part lit, a link in each part."""

from attnsteps.diagrams.drawing import Drawing, Wire
from attnsteps.diagrams.layout import Piece, column, frame, row, words
from attnsteps.diagrams.marks import block

#: The chapters in reading order, each called by its stem.
CHAPTERS = (
    "sequence_to_sequence",
    "text",
    "embedding",
    "query_key_value",
    "scaling",
    "softmax",
    "attention",
    "multi_head",
    "masks",
    "positional",
    "residual_and_norm",
    "feed_forward",
    "encoder",
    "decoder",
    "transformer",
    "training",
    "decoding",
    "non_autoregressive",
    "inside",
    "scale",
    "family",
    "since_2017",
    "your_own_sentence",
)

_LIT = {
    "sequence_to_sequence": "its frame: an encoder and a decoder",
    "text": "words to ids",
    "embedding": "embeddings",
    "query_key_value": "queries, keys and values",
    "scaling": "the division by √dₖ",
    "softmax": "the softmax",
    "attention": "attention as a whole",
    "multi_head": "several heads",
    "masks": "masks",
    "positional": "positions",
    "residual_and_norm": "add & norm",
    "feed_forward": "the feed-forward networks",
    "encoder": "the encoder",
    "decoder": "the decoder",
    "transformer": "the whole model",
    "training": "training",
    "decoding": "decoding",
    "non_autoregressive": "writing all words at once",
    "inside": "looking inside",
    "scale": "scaling up",
    "family": "its relatives",
    "since_2017": "the block of today",
    "your_own_sentence": "a translator for any sentence",
}


def transformer_map(chapter: str = "") -> Drawing:
    """Draw the Transformer (the paper's figure 1) with one chapter's part lit.

    What earlier chapters built is solid, what later ones will build is dashed; each part is a
    link to its chapter. Without a chapter everything is solid and nothing is lit.

    Args:
        chapter: the stem of a chapter, such as "attention", or nothing.

    Raises:
        ValueError: there is no such chapter.

    Example:
        >>> transformer_map("softmax")
        Drawing('Map of the Transformer: the softmax')
    """
    if chapter and chapter not in CHAPTERS:
        raise ValueError(f"chapter must be one of {', '.join(CHAPTERS)}; got {chapter!r}")
    here = CHAPTERS.index(chapter) if chapter else len(CHAPTERS)

    def part(text: str, stem: str, role: str = "plain", *, width: float, name: str = "") -> Piece:
        number = CHAPTERS.index(stem)
        state = "lit" if number == here else "built" if number < here else "coming"
        return block(
            text,
            role,
            name=name,
            note=str(number + 1),
            state=state,
            link=f"{number + 1:02d}_{stem}.ipynb",
            width=width,
            height=24,
        )

    def tower(kind: str, width: float) -> Piece:
        """Stack the parts of the encoder or decoder, the input at the bottom."""
        masked = "masked self-attention" if width > 150 else "masked\nself-attention"
        norm = part("add & norm", "residual_and_norm", width=width)
        forward = part("feed-forward", "feed_forward", width=width)
        if kind == "encoder":
            layer = [norm, forward, norm]
            layer += [part("self-attention", "multi_head", "source", width=width)]
        else:
            layer = [norm, forward, norm]
            layer += [part("cross-attention", "decoder", "target", width=width, name="cross")]
            layer += [norm, part(masked, "masks", "target", width=width)]
        number = CHAPTERS.index(kind) + 1
        lit = chapter in (kind, "sequence_to_sequence", "transformer")
        role = "source" if kind == "encoder" else "target"
        return frame(
            column(*layer, gap=3),
            f"{number} {kind} × 6",
            role=role,
            name=kind,
            lit=lit,
            pad=7,
        )

    def inputs(text: str, width: float, name: str) -> Piece:
        return column(
            part("+ positions", "positional", "position", width=width, name=name),
            part("embedding", "embedding", width=width),
            part(text, "text", width=width),
            gap=3,
        )

    def zoom(width: float) -> Piece:
        return frame(
            column(
                part("several heads", "multi_head", "context", width=width),
                part("weighted sum", "attention", "context", width=width),
                part("softmax", "softmax", "weights", width=width),
                part("mask", "masks", "weights", width=width),
                part("divide by √dₖ", "scaling", "weights", width=width),
                part("queries, keys, values", "query_key_value", "query", width=width),
                gap=3,
            ),
            "inside each attention",
            name="zoom",
            lit=chapter == "attention",
            pad=7,
        )

    def top(width: float) -> Piece:
        return part("linear, softmax", "transformer", "target", width=width, name="top")

    def uses(width: float) -> list[Piece]:
        return [
            part("train it", "training", width=width),
            part("let it write", "decoding", width=width),
            part("all words at once", "non_autoregressive", width=width),
            part("look inside", "inside", width=width),
            part("scale it up", "scale", width=width),
            part("other masks", "family", width=width),
            part("the block of today", "since_2017", width=width),
            part("any sentence", "your_own_sentence", width=width),
        ]

    def models(width: float, gap: float) -> Piece:
        encoder = column(tower("encoder", width), inputs("Chinese words", width, "source"), gap=14)
        decoder = column(
            top(width), tower("decoder", width), inputs("English so far", width, "target"), gap=14
        )
        return row(encoder, decoder, gap=gap, align="bottom")

    hint = words("Each box is a link to its chapter.", size=12, quiet=True)
    wide = row(column(zoom(184), column(*uses(198), gap=3), hint, gap=8), models(182, 60), gap=24)
    tall = column(
        models(136, 4),
        zoom(190),
        column(*uses(190), gap=4),
        gap=10,
    )
    upward = (Wire("source", "encoder"), Wire("target", "decoder"), Wire("decoder", "top"))
    subject = _LIT.get(chapter, "all its parts")
    return Drawing(
        f"Map of the Transformer: {subject}",
        "An encoder of six layers, each self-attention and a feed-forward network with add & norm "
        "after both, reads the Chinese words. A decoder of six layers, with masked self-attention, "
        "cross-attention to what the encoder gives, and a feed-forward network, reads the English "
        "words so far. A linear layer and a softmax choose the next word. Beside them, what is "
        f"inside each attention, and what is done with the model. Lit here: {subject}.",
        wide,
        tall,
        wires=(Wire("encoder.right", "cross.left", "memory"), *upward),
        tall_wires=(Wire("encoder.right", "cross.left"), *upward),
    )
