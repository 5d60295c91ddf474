"""The encoder: every source position attends to every other, N times."""

from jaxtyping import Float
from torch import Tensor, nn

from attnsteps.checks import check_positive
from attnsteps.layers.mixture import feed_forward
from attnsteps.layers.multi_head import MultiHeadAttention
from attnsteps.layers.sublayer import NORMS, Sublayer
from attnsteps.shapes import Mask


class EncoderLayer(nn.Module):
    """Self-attention, then the feed-forward network, each in a Sublayer (paper, section 3.1).

    Args:
        d_model, num_heads, d_ff: D, H and Dff.
        dropout, norm, norm_kind: as in Sublayer.
        activation: as in FeedForward.
        bias: False leaves out every bias of attention and feed-forward network.
        num_kv_heads, rotary: as in MultiHeadAttention.
        num_experts, experts_per_token: as in MixtureOfExperts; one expert is no mixture.

    Example:
        >>> import torch
        >>> EncoderLayer(d_model=6, num_heads=2, d_ff=24)(torch.ones(1, 5, 6))[0].shape
        torch.Size([1, 5, 6])
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        *,
        dropout: float = 0.0,
        activation: str = "relu",
        norm: str = "post",
        norm_kind: str = "layer",
        bias: bool = True,
        num_kv_heads: int | None = None,
        rotary: bool = False,
        num_experts: int = 1,
        experts_per_token: int = 1,
    ) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(
            d_model, num_heads, bias=bias, num_kv_heads=num_kv_heads, rotary=rotary
        )
        wrap = {"dropout": dropout, "norm": norm, "norm_kind": norm_kind}
        self.self_attention_sublayer = Sublayer(d_model, **wrap)
        self.feed_forward = feed_forward(
            d_model,
            d_ff,
            activation=activation,
            bias=bias,
            num_experts=num_experts,
            experts_per_token=experts_per_token,
        )
        self.feed_forward_sublayer = Sublayer(d_model, **wrap)

    def forward(
        self, x: Float[Tensor, "B S D"], mask: Mask = None, *, need_weights: bool = False
    ) -> tuple[Float[Tensor, "B S D"], Float[Tensor, "B H S S"] | None]:
        """Apply self-attention, then the feed-forward network.

        Args:
            x: (B, S, D).
            mask: which position may attend to which, broadcastable to (B, H, S, S).
            need_weights: True also returns the attention weights, before dropout.

        Returns:
            The new x, (B, S, D), and the weights, (B, H, S, S), or None.
        """
        x, weights = self.self_attention_sublayer(
            x, lambda x: self.self_attention(x, x, x, mask, need_weights=need_weights)
        )
        return self.feed_forward_sublayer(x, self.feed_forward), weights


class Encoder(nn.Module):
    """A stack of encoder layers, each with weights of its own (paper, section 3.1).

    Args:
        num_layers: N, six in the paper.
        d_model, num_heads, d_ff, dropout, activation, norm_kind, bias, num_kv_heads, rotary,
            num_experts, experts_per_token: as in EncoderLayer, the same for each.
        norm: "post", or "pre", whose stack ends with a norm of its own.
        final_norm: True ends a post-norm stack with one too, which the paper does not.

    Raises:
        ValueError: if num_layers is not a positive integer, or a layer refuses its own.

    Example:
        >>> import torch
        >>> Encoder(3, d_model=6, num_heads=2, d_ff=24)(torch.ones(1, 5, 6))[0].shape
        torch.Size([1, 5, 6])
    """

    def __init__(
        self,
        num_layers: int,
        d_model: int,
        num_heads: int,
        d_ff: int,
        *,
        dropout: float = 0.0,
        activation: str = "relu",
        norm: str = "post",
        norm_kind: str = "layer",
        bias: bool = True,
        num_kv_heads: int | None = None,
        rotary: bool = False,
        num_experts: int = 1,
        experts_per_token: int = 1,
        final_norm: bool = False,
    ) -> None:
        super().__init__()
        check_positive("num_layers", num_layers)
        self.layers = nn.ModuleList(
            EncoderLayer(
                d_model,
                num_heads,
                d_ff,
                dropout=dropout,
                activation=activation,
                norm=norm,
                norm_kind=norm_kind,
                bias=bias,
                num_kv_heads=num_kv_heads,
                rotary=rotary,
                num_experts=num_experts,
                experts_per_token=experts_per_token,
            )
            for _ in range(num_layers)
        )
        has_norm = norm == "pre" or final_norm
        self.final_norm = NORMS[norm_kind](d_model) if has_norm else nn.Identity()

    def forward(
        self, x: Float[Tensor, "B S D"], mask: Mask = None, *, need_weights: bool = False
    ) -> tuple[Float[Tensor, "B S D"], tuple[Float[Tensor, "B H S S"] | None, ...]]:
        """Run the whole source through every layer.

        Args:
            x: src_emb, (B, S, D).
            mask: as in EncoderLayer, the same for each.
            need_weights: True also returns the attention weights, before dropout.

        Returns:
            The memory, (B, S, D), and each layer's weights, (B, H, S, S), or None.
        """
        weights = []
        for layer in self.layers:
            x, layer_weights = layer(x, mask, need_weights=need_weights)
            weights.append(layer_weights)
        return self.final_norm(x), tuple(weights)
