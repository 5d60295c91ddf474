"""The whole model as a picture: open a block, and follow one sentence through every tensor."""

from typing import Literal

import traitlets
from matplotlib.figure import Figure

from attnsteps.checks import check_choice, check_positive
from attnsteps.model.config import TransformerConfig
from attnsteps.running_example import SENTENCE
from attnsteps.widgets.base import Widget
from attnsteps.widgets.bundle import bundle, styles
from attnsteps.widgets.transformer_blocks import AXES, BLOCKS

Part = Literal["all", "encoder", "decoder"]
Size = Literal["base", "tiny"]

#: 动物 没有 过 马路 ， 因为 太 累 了, with the comma as a token of its own.
SRC_WORDS = [word.zh for word in SENTENCE[:4]] + ["，"] + [word.zh for word in SENTENCE[4:]]
TGT_WORDS = [
    *("‹start›", "the", "animal", "did", "not", "cross", "the", "street"),
    *("because", "it", "was", "too", "tired"),
]

#: The axes that a reader can change, and the sizes of both models. Tiny's vocabulary is about
#: that of the book's own corpus; base has the paper's, for both languages.
SIZES: dict[Size, dict] = {
    "base": {
        "B": 32, "D": 512, "H": 8, "Dff": 2048, "N": 6, "Vsrc": 37000, "V": 37000, "tie": "all",
    },
    "tiny": {
        "B": 32, "D": 64, "H": 4, "Dff": 256, "N": 2, "Vsrc": 200, "V": 300, "tie": "target",
    },
}  # fmt: skip

_TITLES = {"all": "The whole model", "encoder": "The encoder", "decoder": "The decoder"}


class WholeModel(Widget):
    """The architecture with every tensor in it; a name lights up wherever it occurs.

    Args:
        part: ``"all"``, ``"encoder"`` or ``"decoder"``.
        size: ``"base"``, the paper's model, or ``"tiny"``, the book's.

    Raises:
        ValueError: part or size is unknown, or later a size, a block or a name is set that does not
            exist.

    Example:
        >>> WholeModel(size="tiny").config.d_model
        64
    """

    _esm = bundle("transformer")
    _css = styles("transformer")

    part = traitlets.Unicode("all").tag(sync=True)
    sizes = traitlets.Dict().tag(sync=True)
    opened = traitlets.Unicode().tag(sync=True)
    lit = traitlets.Unicode().tag(sync=True)
    blocks = traitlets.List(traitlets.Dict(), read_only=True).tag(sync=True)
    axes = traitlets.Dict(read_only=True).tag(sync=True)
    presets = traitlets.Dict(read_only=True).tag(sync=True)
    words = traitlets.List(read_only=True).tag(sync=True)

    def __init__(self, part: Part = "all", *, size: Size = "base") -> None:
        check_choice("part", part, ("all", "encoder", "decoder"))
        check_choice("size", size, tuple(SIZES))
        shown = [block for block in BLOCKS if part in ("all", block["part"])]
        first = next(block for block in shown if block["kind"] == "attention")
        super().__init__(part=part, sizes=dict(SIZES[size]))
        self.set_trait("blocks", shown)
        self.set_trait("axes", AXES)
        self.set_trait("presets", SIZES)
        self.set_trait("words", [SRC_WORDS, TGT_WORDS])
        self.opened, self.lit = first["id"], "q"

    @traitlets.validate("sizes")
    def _validate_sizes(self, proposal: dict) -> dict:
        sizes = proposal["value"]
        if sizes.keys() != SIZES["base"].keys():
            raise ValueError(f"sizes must have {', '.join(SIZES['base'])}; got {', '.join(sizes)}")
        check_positive("B", sizes["B"])
        config_of(sizes)
        return sizes

    @traitlets.validate("opened")
    def _validate_opened(self, proposal: dict) -> str:
        check_choice("opened", proposal["value"], [block["id"] for block in self.blocks])
        return proposal["value"]

    @traitlets.validate("lit")
    def _validate_lit(self, proposal: dict) -> str:
        tensors = [step["tensor"] for block in self.blocks for step in block["steps"]]
        learned = [group["names"] for block in self.blocks for group in block["learned"]]
        known = dict.fromkeys([*AXES, *tensors, *(name for names in learned for name in names)])
        check_choice("lit", proposal["value"], known)
        return proposal["value"]

    @property
    def config(self) -> TransformerConfig:
        """The configuration of the model on display."""
        return config_of(self.sizes)

    def picture(self) -> Figure:
        """Return the blocks from the bottom up, as in the paper."""
        parts = list(dict.fromkeys(block["part"] for block in self.blocks))
        figure = Figure(figsize=(0.6 + 2.5 * len(parts), 5.2))
        ax = figure.subplots()
        ax.set(
            xlim=(-0.5, len(parts) - 0.5),
            ylim=(-0.6, 8.4 if self.part == "encoder" else 11.4),
            title=_TITLES[self.part],
        )
        ax.axis("off")
        for column, part in enumerate(parts):
            blocks = [block for block in self.blocks if block["part"] == part]
            for row, block in enumerate(blocks):
                box = {"boxstyle": "round", "fc": "#dce8f5" if block["layered"] else "w"}
                ax.text(column, row, block["title"], ha="center", va="center", fontsize=9, bbox=box)
                if row + 1 < len(blocks):
                    ends = {"xy": (column, row + 0.75), "xytext": (column, row + 0.25)}
                    ax.annotate("", **ends, arrowprops={"arrowstyle": "->"})
            layers = f"shaded: {self.sizes['N']} times"
            ax.text(column, len(blocks) - 0.3, layers, ha="center", fontsize=8)
        if len(parts) == 2:
            cross = next(i for i, b in enumerate(blocks) if b["id"] == "decoder.cross")
            ends = {"xy": (0.8, cross), "xytext": (0.12, 7)}
            ax.annotate("", **ends, arrowprops={"arrowstyle": "->"})
        return figure


def config_of(sizes: dict) -> TransformerConfig:
    """Return the configuration for sizes by axis, as in ``SIZES``; both stacks have N layers."""
    return TransformerConfig(
        src_vocab_size=sizes["Vsrc"],
        tgt_vocab_size=sizes["V"],
        d_model=sizes["D"],
        num_heads=sizes["H"],
        num_encoder_layers=sizes["N"],
        num_decoder_layers=sizes["N"],
        d_ff=sizes["Dff"],
        tie=sizes["tie"],
    )
