"""The decoder: every target word looks at those before it, then at the whole source, N times."""

from jaxtyping import Float
from torch import Tensor, nn

from attnsteps.layers.cache import DecoderCache, KeyValueCache
from attnsteps.layers.feed_forward import FeedForward
from attnsteps.layers.layer_norm import LayerNorm
from attnsteps.layers.multi_head import MultiHeadAttention
from attnsteps.layers.sublayer import Sublayer
from attnsteps.model.attention_weights import CrossWeights, Weights
from attnsteps.shapes import Mask, check_positive


class DecoderLayer(nn.Module):
    """Masked self-attention, cross-attention, feed-forward network (paper, section 3.1).

    Args:
        d_model, num_heads, d_ff, activation, wrapping: as in EncoderLayer.

    Example:
        >>> import torch
        >>> layer = DecoderLayer(d_model=6, num_heads=2, d_ff=24)
        >>> layer(torch.ones(1, 3, 6), memory=torch.ones(1, 5, 6))[0].shape
        torch.Size([1, 3, 6])
    """

    def __init__(self, d_model: int, num_heads: int, d_ff: int, *, activation="relu", **wrapping):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.self_attention_sublayer = Sublayer(d_model, **wrapping)
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.cross_attention_sublayer = Sublayer(d_model, **wrapping)
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
        self.feed_forward_sublayer = Sublayer(d_model, **wrapping)

    def forward(
        self,
        x: Float[Tensor, "B T D"],
        memory: Float[Tensor, "B S D"],
        tgt_mask: Mask = None,
        memory_mask: Mask = None,
        *,
        cache: tuple[KeyValueCache, KeyValueCache] | None = None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "B T D"], Weights, CrossWeights]:
        """Let the words look back, then at the source, and each then work on what it saw.

        Args:
            x: (B, T, D).
            memory: the encoder's output, (B, S, D).
            tgt_mask: which target word may attend to which, broadcastable to (B, H, T, T).
            memory_mask: which source word it may attend to, broadcastable to (B, H, T, S).
            cache: the caches of the two attentions; x then holds the new positions only.
            need_weights: True also returns the attention weights, before dropout.

        Returns:
            The new x, (B, T, D); self- and cross-attention's weights, (B, H, T, T or S), or None.
        """
        own, cross = cache or (None, None)
        source = None if cross else memory  # what is in the cache is projected already
        seen = {"need_weights": need_weights}
        x, own_weights = self.self_attention_sublayer(
            x, lambda x: self.self_attention(x, x, x, tgt_mask, cache=own, **seen)
        )
        x, cross_weights = self.cross_attention_sublayer(
            x, lambda x: self.cross_attention(x, source, source, memory_mask, cache=cross, **seen)
        )
        return self.feed_forward_sublayer(x, self.feed_forward), own_weights, cross_weights


class Decoder(nn.Module):
    """A stack of decoder layers, which all look at the same memory (paper, section 3.1).

    Args:
        num_layers, d_model, norm, final_norm: as in Encoder.
        settings: the other arguments of DecoderLayer, the same for each.

    Raises:
        ValueError: if num_layers is not a positive integer, or a layer refuses its settings.

    Example:
        >>> import torch
        >>> decoder = Decoder(3, d_model=6, num_heads=2, d_ff=24)
        >>> decoder(torch.ones(1, 3, 6), memory=torch.ones(1, 5, 6))[0].shape
        torch.Size([1, 3, 6])
    """

    def __init__(self, num_layers: int, d_model: int, *, norm="post", final_norm=False, **settings):
        super().__init__()
        check_positive("num_layers", num_layers)
        layers = (DecoderLayer(d_model, norm=norm, **settings) for _ in range(num_layers))
        self.layers = nn.ModuleList(layers)
        self.final_norm = LayerNorm(d_model) if norm == "pre" or final_norm else nn.Identity()

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
        """Work on the whole target, or with a cache on its next positions, layer by layer.

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
