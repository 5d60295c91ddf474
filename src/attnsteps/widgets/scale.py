"""The cost of one training step: its numbers in memory, its operations, and what it sends."""

import math
from typing import Literal

import torch
import traitlets
from matplotlib.figure import Figure

from attnsteps.analysis.memory import TrainingBytes, training_bytes
from attnsteps.checks import check_choice, check_number, check_positive
from attnsteps.model.config import TransformerConfig
from attnsteps.model.transformer import Transformer
from attnsteps.widgets.base import Widget
from attnsteps.widgets.bundle import bundle, styles
from attnsteps.widgets.transformer_blocks import BLOCKS

Size = Literal["tiny", "base", "big"]

#: The models to start from: width, layers per stack, tokens, and an update's sentences and their
#: length. Base and big have the paper's 25,000 tokens in an update.
SIZES: dict[Size, dict[str, int]] = {
    "tiny": {"D": 64, "N": 2, "V": 300, "B": 128, "S": 16},
    "base": {"D": 512, "N": 6, "V": 37_000, "B": 833, "S": 30},
    "big": {"D": 1024, "N": 6, "V": 37_000, "B": 833, "S": 30},
}
#: The speed is that of each of the paper's cards, by the chapter's account, in operations a second;
#: the cable carries so many MB a second each way (125 are 1 Gbit/s).
HOW = {
    "micro_batches": 1,
    "processes": 1,
    "precision": "float32",
    "fused": True,
    "speed": 2.7566e12,
    "cable": 125,
}

_KEPT = (
    *("weights", "gradients", "Adam", "16-bit copies"),
    *("kept: all else", "kept: attention", "loss"),
)


class TrainingStep(Widget):
    """Sliders for a model, a batch and a machine; the memory, operations and time of an update.

    Both languages have the same length and vocabulary, one table serves all three places, and the
    feed-forward networks are four times as wide as the model.

    Args:
        size: ``"tiny"``, about the book's model, or ``"base"`` or ``"big"``, the paper's.

    Raises:
        ValueError: size is unknown, or later a value is set that no model or machine can have.

    Example:
        >>> TrainingStep("base").kept.weights == 4 * TrainingStep("base").num_parameters
        True
    """

    _esm = bundle("scale")
    _css = styles("scale")

    sizes = traitlets.Dict().tag(sync=True)
    how = traitlets.Dict(default_value=HOW).tag(sync=True)
    presets = traitlets.Dict(default_value=SIZES, read_only=True).tag(sync=True)
    blocks = traitlets.List(traitlets.Dict(), read_only=True).tag(sync=True)

    def __init__(self, size: Size = "base") -> None:
        check_choice("size", size, tuple(SIZES))
        super().__init__(sizes=dict(SIZES[size]), how=dict(HOW))
        keys = ("kind", "part", "tq", "tk", "layered")
        self.set_trait("blocks", [{key: block[key] for key in keys} for block in BLOCKS])

    @traitlets.validate("sizes")
    def _validate_sizes(self, proposal: dict) -> dict:
        sizes = proposal["value"]
        _check_keys("sizes", sizes, SIZES["base"])
        for name in SIZES["base"]:
            check_positive(name, sizes[name])
        config_of(sizes)
        return sizes

    @traitlets.validate("how")
    def _validate_how(self, proposal: dict) -> dict:
        how = proposal["value"]
        _check_keys("how", how, HOW)
        check_positive("micro_batches", how["micro_batches"])
        check_positive("processes", how["processes"])
        check_choice("precision", how["precision"], ("float32", "bfloat16"))
        check_choice("fused", how["fused"], (False, True))
        check_number("speed", how["speed"], above=0)
        check_number("cable", how["cable"], above=0)
        return how

    @property
    def config(self) -> TransformerConfig:
        """The configuration of the model on display."""
        return config_of(self.sizes)

    @property
    def num_parameters(self) -> int:
        """The number of parameters."""
        with torch.device("meta"):
            return Transformer(self.config).num_parameters()

    @property
    def sentences(self) -> int:
        """The number of sentences that one process holds at a time."""
        return math.ceil(self.sizes["B"] / (self.how["processes"] * self.how["micro_batches"]))

    @property
    def kept(self) -> TrainingBytes:
        """The memory of one process at its peak, in bytes."""
        return training_bytes(
            self.config,
            self.sentences,
            self.sizes["S"],
            self.sizes["S"],
            num_parameters=self.num_parameters,
            precision=self.how["precision"],
            fused=self.how["fused"],
        )

    def picture(self) -> Figure:
        """Return a bar for each kind of memory."""
        figure = Figure(figsize=(5.8, 2.6))
        ax = figure.subplots()
        drawn = ax.barh(_KEPT, [size / 1e6 for size in self.kept])
        ax.bar_label(drawn, fmt="{:,.0f}", padding=3)
        ax.invert_yaxis()
        ax.margins(x=0.2)
        ax.set(xlabel="MB in each process", title="What one training step takes")
        ax.grid(axis="y", visible=False)
        return figure


def config_of(sizes: dict[str, int]) -> TransformerConfig:
    """Return the paper's configuration with sizes D, N and V; heads are 64 wide, at least four."""
    return TransformerConfig.base(
        sizes["V"],
        sizes["V"],
        d_model=sizes["D"],
        num_heads=max(4, sizes["D"] // 64),
        d_ff=4 * sizes["D"],
        num_encoder_layers=sizes["N"],
        num_decoder_layers=sizes["N"],
        dropout=0.0,
    )


def _check_keys(name: str, got: dict, needed: dict) -> None:
    """Refuse a dictionary with the wrong keys."""
    if got.keys() != needed.keys():
        raise ValueError(f"{name} must have {', '.join(needed)}; got {', '.join(got)}")
