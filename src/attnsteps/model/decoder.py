"""The decoder: each target position attends to those before it, then to the source, N times."""

from collections.abc import Callable

from jaxtyping import Float
from torch import Tensor, nn

from attnsteps.checks import check_positive
from attnsteps.layers.cache import DecoderCache, LayerCache
from attnsteps.model.attention_weights import CrossWeights, Weights
from attnsteps.shapes import Mask


class DecoderLayer(nn.Module):
    """Masked self-attention, cross-attention, feed-forward network (paper, section 3.1).

    Args:
        self_attention: from the target to itself, as MultiHeadAttention; with a cache it is told.
        cross_attention: from the target to the memory, as MultiHeadAttention, whose project it has.
        feed_forward, sublayer: as in EncoderLayer.

    Example:
        >>> import torch
        >>> from functools import partial
        >>> from attnsteps import FeedForward, MultiHeadAttention, Sublayer
        >>> attentions = MultiHeadAttention(6, 2), MultiHeadAttention(6, 2)
        >>> layer = DecoderLayer(*attentions, FeedForward(6, 24), partial(Sublayer, 6))
        >>> layer(torch.ones(1, 3, 6), memory=torch.ones(1, 5, 6))[0].shape
        torch.Size([1, 3, 6])
    """

    def __init__(
        self,
        self_attention: nn.Module,
        cross_attention: nn.Module,
        feed_forward: nn.Module,
        sublayer: Callable[[], nn.Module],
    ) -> None:
        super().__init__()
        self.self_attention = self_attention
        self.self_attention_sublayer = sublayer()
        self.cross_attention = cross_attention
        self.cross_attention_sublayer = sublayer()
        self.feed_forward = feed_forward
        self.feed_forward_sublayer = sublayer()

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
        num_layers, layer, final_norm: as in Encoder.

    Raises:
        ValueError: if num_layers is not a positive integer.

    Example:
        >>> import torch
        >>> from functools import partial
        >>> from attnsteps import FeedForward, MultiHeadAttention, Sublayer
        >>> def layer():
        ...     attentions = MultiHeadAttention(6, 2), MultiHeadAttention(6, 2)
        ...     return DecoderLayer(*attentions, FeedForward(6, 24), partial(Sublayer, 6))
        >>> Decoder(3, layer)(torch.ones(1, 3, 6), memory=torch.ones(1, 5, 6))[0].shape
        torch.Size([1, 3, 6])
    """

    def __init__(
        self,
        num_layers: int,
        layer: Callable[[], nn.Module],
        final_norm: nn.Module | None = None,
    ) -> None:
        super().__init__()
        check_positive("num_layers", num_layers)
        self.layers = nn.ModuleList(layer() for _ in range(num_layers))
        self.final_norm = nn.Identity() if final_norm is None else final_norm

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
