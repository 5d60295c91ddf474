"""The attention weights of every layer, which a model returns on request."""

from typing import NamedTuple

from jaxtyping import Float
from torch import Tensor

Weights = Float[Tensor, "B H T Tall"] | None  # of one layer's self-attention in the decoder
CrossWeights = Float[Tensor, "B H T S"] | None  # of one layer's cross-attention


class AttentionWeights(NamedTuple):
    """Each layer's attention weights before dropout, every head's, in the order of the layers.

    Source: Vaswani et al. 2017, figures 3 to 5, show such weights.

    Attributes:
        encoder: the encoder's self-attention, N times (B, H, S, S).
        decoder: the decoder's self-attention, N times (B, H, T, T).
        cross: the decoder's attention to the memory, N times (B, H, T, S).

    Example:
        >>> import torch
        >>> from attnsteps import Transformer, TransformerConfig
        >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=11, tgt_vocab_size=13))
        >>> src_ids, tgt_ids = torch.tensor([[5, 3, 8, 4]]), torch.tensor([[1, 7, 9]])
        >>> logits, weights = model(src_ids, tgt_ids, need_weights=True)
        >>> len(weights.cross), weights.cross[0].shape
        (2, torch.Size([1, 4, 3, 4]))
    """

    encoder: tuple[Float[Tensor, "B H S S"], ...] = ()
    decoder: tuple[Float[Tensor, "B H T T"], ...] = ()
    cross: tuple[Float[Tensor, "B H T S"], ...] = ()
