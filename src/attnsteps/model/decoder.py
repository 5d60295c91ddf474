"""The decoder: every target word looks at those before it, then at the whole source, N times."""

from jaxtyping import Float
from torch import Tensor, nn

from attnsteps.layers.cache import DecoderCache, KeyValueCache
from attnsteps.layers.feed_forward import FeedForward
from attnsteps.layers.layer_norm import LayerNorm
from attnsteps.layers.multi_head import MultiHeadAttention
from attnsteps.layers.sublayer import Sublayer
from attnsteps.shapes import Mask, check_positive

Weights = Float[Tensor, "B H T Tall"] | None
CrossWeights = Float[Tensor, "B H T S"] | None


class DecoderLayer(nn.Module):
    """Masked self-attention, cross-attention, feed-forward network (paper, section 3.1).

    Args:
        d_model: D, the width of the vectors.
        num_heads: H.
        d_ff: Dff.
        activation: as in FeedForward.
        wrapping: dropout and norm, as in Sublayer.
    """

    def __init__(
        self, d_model: int, num_heads: int, d_ff: int, *, activation: str = "relu", **wrapping
    ) -> None:
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
        # In the cache, the memory is projected already.
        source = None if cross is not None and len(cross) > 0 else memory
        seen = {"need_weights": need_weights}
        x, own_weights = self.self_attention_sublayer(
            x, lambda x: self.self_attention(x, x, x, tgt_mask, cache=own, **seen)
        )
        x, cross_weights = self.cross_attention_sublayer(
            x, lambda x: self.cross_attention(x, source, source, memory_mask, cache=cross, **seen)
        )
        return self.feed_forward_sublayer(x, self.feed_forward), own_weights, cross_weights


class Decoder(nn.Module):
    """A stack of decoder layers, each with weights of its own; all look at the same memory.

    Args:
        num_layers: N, six in the paper.
        d_model: D, the width of the vectors.
        norm: "post", or "pre", whose stack ends with a LayerNorm of its own.
        final_norm: True ends a post-norm stack with one too, which the paper does not.
        settings: the other arguments of DecoderLayer, the same for each.
    """

    def __init__(
        self, num_layers: int, d_model: int, *, norm="post", final_norm=False, **settings
    ) -> None:
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
        own, cross = zip(*weights, strict=True)
        return self.final_norm(x), own, cross
