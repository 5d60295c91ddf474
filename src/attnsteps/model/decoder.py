"""The decoder: each target position attends to those before it, then to the source, N times."""

from jaxtyping import Float
from torch import Tensor, nn

from attnsteps.checks import check_positive
from attnsteps.layers.cache import DecoderCache, LayerCache
from attnsteps.layers.mixture import feed_forward
from attnsteps.layers.multi_head import MultiHeadAttention
from attnsteps.layers.sublayer import NORMS, Sublayer
from attnsteps.model.attention_weights import CrossWeights, Weights
from attnsteps.shapes import Mask


class DecoderLayer(nn.Module):
    """Masked self-attention, cross-attention, feed-forward network (paper, section 3.1).

    Args:
        d_model, num_heads, d_ff, dropout, activation, norm, norm_kind, bias, num_kv_heads,
            num_experts, experts_per_token: as in EncoderLayer.
        rotary: as in MultiHeadAttention, for self-attention; the source has places of its own.

    Example:
        >>> import torch
        >>> layer = DecoderLayer(d_model=6, num_heads=2, d_ff=24)
        >>> layer(torch.ones(1, 3, 6), memory=torch.ones(1, 5, 6))[0].shape
        torch.Size([1, 3, 6])
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
        heads = {"bias": bias, "num_kv_heads": num_kv_heads}
        wrap = {"dropout": dropout, "norm": norm, "norm_kind": norm_kind}
        self.self_attention = MultiHeadAttention(d_model, num_heads, rotary=rotary, **heads)
        self.self_attention_sublayer = Sublayer(d_model, **wrap)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, **heads)
        self.cross_attention_sublayer = Sublayer(d_model, **wrap)
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
        self,
        x: Float[Tensor, "B T D"],
        memory: Float[Tensor, "B S D"],
        tgt_mask: Mask = None,
        memory_mask: Mask = None,
        *,
        cache: LayerCache | None = None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "B T D"], Weights, CrossWeights]:
        """Apply masked self-attention, cross-attention and the feed-forward network.

        Args:
            x: (B, T, D).
            memory: the encoder's output, (B, S, D).
            tgt_mask: which target position may attend to which, broadcastable to (B, H, T, T).
            memory_mask: which source positions it may attend to, broadcastable to (B, H, T, S).
            cache: what the layer remembers; x then holds the new positions only.
            need_weights: True also returns the attention weights, before dropout.

        Returns:
            The new x, (B, T, D); self- and cross-attention's weights, (B, H, T, T or S), or None.
        """
        own = projected = None
        if cache is not None:
            if cache.memory is None:
                cache.memory = self.cross_attention.project(memory, memory)
            own, projected = cache.self_attention, cache.memory
        x, own_weights = self.self_attention_sublayer(
            x,
            lambda x: self.self_attention(x, x, x, tgt_mask, cache=own, need_weights=need_weights),
        )
        x, cross_weights = self.cross_attention_sublayer(
            x,
            lambda x: self.cross_attention(
                x, memory, memory, memory_mask, projected=projected, need_weights=need_weights
            ),
        )
        return self.feed_forward_sublayer(x, self.feed_forward), own_weights, cross_weights


class Decoder(nn.Module):
    """A stack of decoder layers, which all attend to the same memory (paper, section 3.1).

    Args:
        num_layers, d_model, num_heads, d_ff, dropout, activation, norm, final_norm, norm_kind,
            bias, num_kv_heads, rotary, num_experts, experts_per_token: as in Encoder.

    Raises:
        ValueError: if num_layers is not a positive integer, or a layer refuses its own.

    Example:
        >>> import torch
        >>> decoder = Decoder(3, d_model=6, num_heads=2, d_ff=24)
        >>> decoder(torch.ones(1, 3, 6), memory=torch.ones(1, 5, 6))[0].shape
        torch.Size([1, 3, 6])
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
            DecoderLayer(
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
        self,
        x: Float[Tensor, "B T D"],
        memory: Float[Tensor, "B S D"],
        tgt_mask: Mask = None,
        memory_mask: Mask = None,
        *,
        cache: DecoderCache | None = None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "B T D"], tuple[Weights, ...], tuple[CrossWeights, ...]]:
        """Run the whole target, or with a cache its next positions, through every layer.

        Args:
            x: tgt_emb, (B, T, D).
            memory: the encoder's output, (B, S, D).
            tgt_mask: as in DecoderLayer, the same for each.
            memory_mask: as in DecoderLayer, the same for each.
            cache: every layer's caches; x then holds the new positions only.
            need_weights: True also returns the attention weights, before dropout.

        Returns:
            The output, (B, T, D); each layer's self-attention and cross-attention weights, or None.
        """
        weights = []
        caches = [None] * len(self.layers) if cache is None else cache.layers
        for layer, layer_cache in zip(self.layers, caches, strict=True):
            x, *layer_weights = layer(
                x, memory, tgt_mask, memory_mask, cache=layer_cache, need_weights=need_weights
            )
            weights.append(layer_weights)
        return self.final_norm(x), *zip(*weights, strict=True)
