"""The encoder: every source position attends to every other, N times."""

from collections.abc import Callable

from jaxtyping import Float
from torch import Tensor, nn

from attnsteps.checks import check_positive
from attnsteps.shapes import Mask


class EncoderLayer(nn.Module):
    """Self-attention, then the feed-forward network, each in a Sublayer (paper, section 3.1).

    Args:
        attention: maps query, key and value to a pair of output and weights, as MultiHeadAttention.
        feed_forward: maps each position's vector by itself, as FeedForward.
        sublayer: makes what is wrapped around each of the two, as Sublayer.

    Example:
        >>> import torch
        >>> from functools import partial
        >>> from attnsteps import FeedForward, MultiHeadAttention, Sublayer
        >>> layer = EncoderLayer(MultiHeadAttention(6, 2), FeedForward(6, 24), partial(Sublayer, 6))
        >>> layer(torch.ones(1, 5, 6))[0].shape
        torch.Size([1, 5, 6])
    """

    def __init__(
        self, attention: nn.Module, feed_forward: nn.Module, sublayer: Callable[[], nn.Module]
    ) -> None:
        super().__init__()
        self.self_attention = attention
        self.self_attention_sublayer = sublayer()
        self.feed_forward = feed_forward
        self.feed_forward_sublayer = sublayer()

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
        layer: makes a layer; called once for each, so that none shares its weights.
        final_norm: normalises what comes out; a pre-norm stack needs it, the paper's has none.

    Raises:
        ValueError: if num_layers is not a positive integer.

    Example:
        >>> import torch
        >>> from functools import partial
        >>> from attnsteps import FeedForward, MultiHeadAttention, Sublayer
        >>> def layer():
        ...     attention, network = MultiHeadAttention(6, 2), FeedForward(6, 24)
        ...     return EncoderLayer(attention, network, partial(Sublayer, 6))
        >>> Encoder(3, layer)(torch.ones(1, 5, 6))[0].shape
        torch.Size([1, 5, 6])
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
