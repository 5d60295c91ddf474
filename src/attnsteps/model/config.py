"""Every size and every choice of a Transformer, in one frozen, validated object."""

from dataclasses import dataclass
from typing import Literal

from attnsteps.checks import (
    check_choice,
    check_experts,
    check_heads,
    check_id,
    check_kv_heads,
    check_number,
    check_positive,
    check_rotary,
)

SIZES = (
    "src_vocab_size",
    "tgt_vocab_size",
    "d_model",
    "num_heads",
    "num_encoder_layers",
    "num_decoder_layers",
    "d_ff",
    "max_len",
)
# What came after the paper, and torch.nn.Transformer can't do; rotary positions are one more.
SINCE_2017 = ("norm_kind", "bias", "num_kv_heads", "window", "num_experts", "experts_per_token")
POSITIONS = ("sinusoidal", "learned", "rotary")


@dataclass(frozen=True, kw_only=True)
class TransformerConfig:
    """The sizes and choices of a Transformer; the defaults are the paper's base model.

    Source: Vaswani et al. 2017, table 3 and sections 3.4, 3.5 and 5.4.

    Args:
        src_vocab_size: the number of source tokens.
        tgt_vocab_size: V, the number of target tokens.
        d_model: D, the width of every vector between the layers.
        num_heads: H, which must divide D.
        num_encoder_layers: N of the encoder.
        num_decoder_layers: N of the decoder.
        d_ff: Dff, the width inside the feed-forward networks.
        dropout: the probability of dropping a component, in training, of each sublayer's output
            and of each sum of embedding and position (section 5.4). Attention weights are not
            dropped: MultiHeadAttention can do it, the paper does not say that it does.
        norm: "post" as in the paper, or "pre".
        activation: "relu" as in the paper, "gelu" or "swiglu".
        norm_kind: "layer" as in the paper, or "rms", which neither centres nor adds a bias.
        bias: False leaves out every bias of attention and feed-forward networks.
        num_kv_heads: the heads of keys and values in every attention, as in MultiHeadAttention;
            None takes num_heads, as the paper does.
        window: how many positions self-attention sees to one side, itself counted; None sees all.
        num_experts: E, the feed-forward networks of each layer; 1 has no router, as in the paper.
        experts_per_token: how many of them a position goes through.
        positions: "sinusoidal" as in the paper, "learned", or "rotary", which turns queries and
            keys of self-attention and adds nothing to the embeddings.
        max_len: the longest sentence that learned positions can number; sinusoids have no end.
        tie: which matrices are one: "none"; "target", the target embedding and the output
            projection; or "all", the source embedding too (section 3.4; it needs one vocabulary).
        final_norm: True normalises the output of both stacks once more, which
            torch.nn.Transformer does and the paper does not; pre-norm stacks always do.
        causal: False lets the decoder see the whole target, for a non-autoregressive model.
        pad_id: the id of the padding token in both vocabularies.
        bos_id: the target id that every sentence begins with.
        eos_id: the target id that every sentence ends with.
        mask_id: the target id that stands for a token still to be found, which only
            non-autoregressive models need.

    Raises:
        ValueError: if a value is not one of those, or two of them do not go together.

    Example:
        >>> config = TransformerConfig(src_vocab_size=37000, tgt_vocab_size=37000, tie="all")
        >>> config.num_encoder_layers, config.d_model, config.num_heads
        (6, 512, 8)
    """

    src_vocab_size: int
    tgt_vocab_size: int
    d_model: int = 512
    num_heads: int = 8
    num_encoder_layers: int = 6
    num_decoder_layers: int = 6
    d_ff: int = 2048
    dropout: float = 0.1
    norm: Literal["post", "pre"] = "post"
    activation: Literal["relu", "gelu", "swiglu"] = "relu"
    norm_kind: Literal["layer", "rms"] = "layer"
    bias: bool = True
    num_kv_heads: int | None = None
    window: int | None = None
    num_experts: int = 1
    experts_per_token: int = 1
    positions: Literal["sinusoidal", "learned", "rotary"] = "sinusoidal"
    max_len: int = 512
    tie: Literal["none", "target", "all"] = "target"
    final_norm: bool = False
    causal: bool = True
    pad_id: int = 0
    bos_id: int = 1
    eos_id: int = 2
    mask_id: int | None = None

    def __post_init__(self) -> None:
        """Check every field, and those that depend on each other."""
        for name in SIZES:
            check_positive(name, getattr(self, name))
        check_number("dropout", self.dropout, at_least=0, below=1)
        check_choice("norm", self.norm, ("post", "pre"))
        check_choice("activation", self.activation, ("relu", "gelu", "swiglu"))
        check_choice("norm_kind", self.norm_kind, ("layer", "rms"))
        check_choice("bias", self.bias, (False, True))
        check_choice("positions", self.positions, POSITIONS)
        check_choice("tie", self.tie, ("none", "target", "all"))
        check_choice("final_norm", self.final_norm, (False, True))
        check_choice("causal", self.causal, (False, True))
        check_heads(self.num_heads, self.d_model)
        if self.num_kv_heads is not None:
            check_kv_heads(self.num_kv_heads, self.num_heads)
        if self.window is not None:
            check_positive("window", self.window)
        check_experts(self.num_experts, self.experts_per_token)
        if self.positions == "rotary":
            check_rotary(self.d_model // self.num_heads)
        if self.tie == "all" and self.src_vocab_size != self.tgt_vocab_size:
            raise ValueError(
                "tie must be 'none' or 'target' where source and target have vocabularies of their"
                f" own, {self.src_vocab_size} and {self.tgt_vocab_size} tokens; got 'all'"
            )
        check_id("pad_id", self.pad_id, self.src_vocab_size)
        for name in ("pad_id", "bos_id", "eos_id"):
            check_id(name, getattr(self, name), self.tgt_vocab_size)
        ids = (self.pad_id, self.bos_id, self.eos_id)
        if len(set(ids)) < len(ids):
            raise ValueError(f"pad_id, bos_id and eos_id must be three different ids; got {ids}")
        if self.mask_id is not None:
            check_id("mask_id", self.mask_id, self.tgt_vocab_size)
            if self.mask_id in ids:
                raise ValueError(
                    f"mask_id must be none of pad_id, bos_id and eos_id, {ids}; got {self.mask_id}"
                )

    def since_2017(self) -> dict[str, object]:
        """Return those choices that neither the paper nor torch.nn.Transformer knows, by name."""
        chosen = {name: getattr(self, name) for name in SINCE_2017}
        changed = {
            name: value for name, value in chosen.items() if value != getattr(type(self), name)
        }
        return changed | ({"positions": "rotary"} if self.positions == "rotary" else {})

    @classmethod
    def base(
        cls, src_vocab_size: int, tgt_vocab_size: int, **changes: object
    ) -> "TransformerConfig":
        """Return the paper's base model, 65 M parameters with its 37,000 tokens, all tied.

        Args:
            src_vocab_size: the number of source tokens.
            tgt_vocab_size: V; with a vocabulary of its own, pass tie="target" as well.
            changes: any other field of the class.

        Returns:
            The configuration.
        """
        settings = {"tie": "all", **changes}
        return cls(src_vocab_size=src_vocab_size, tgt_vocab_size=tgt_vocab_size, **settings)

    @classmethod
    def big(
        cls, src_vocab_size: int, tgt_vocab_size: int, **changes: object
    ) -> "TransformerConfig":
        """Return the paper's big model: twice as wide, with dropout of 0.3; arguments as in base.

        Args:
            src_vocab_size: the number of source tokens.
            tgt_vocab_size: V, the number of target tokens.
            changes: any other field of the class.

        Returns:
            The configuration.
        """
        big = {"d_model": 1024, "num_heads": 16, "d_ff": 4096, "dropout": 0.3}
        return cls.base(src_vocab_size, tgt_vocab_size, **{**big, **changes})

    @classmethod
    def tiny(
        cls, src_vocab_size: int, tgt_vocab_size: int, **changes: object
    ) -> "TransformerConfig":
        """Return the book's model, which trains on a laptop: 2 + 2 layers, 64 wide, no dropout.

        Args:
            src_vocab_size: the number of source tokens.
            tgt_vocab_size: V, the number of target tokens.
            changes: any other field of the class.

        Returns:
            The configuration.
        """
        tiny = {
            "d_model": 64,
            "num_heads": 4,
            "num_encoder_layers": 2,
            "num_decoder_layers": 2,
            "d_ff": 256,
            "dropout": 0.0,
        }
        settings = {**tiny, **changes}
        return cls(src_vocab_size=src_vocab_size, tgt_vocab_size=tgt_vocab_size, **settings)
