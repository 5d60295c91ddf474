"""One stack of encoder layers over one sequence: the mask makes it BERT, GPT or a prefix model."""

from functools import partial

from jaxtyping import Float, Int
from torch import Tensor, nn

from attnsteps.layers.embedding import TokenEmbedding
from attnsteps.layers.feed_forward import FeedForward
from attnsteps.layers.layer_norm import LayerNorm
from attnsteps.layers.multi_head import MultiHeadAttention
from attnsteps.layers.positional import LearnedPositions
from attnsteps.layers.sublayer import Sublayer
from attnsteps.model.encoder import Encoder, EncoderLayer
from attnsteps.shapes import Mask, check_ids, check_shape


class LanguageModel(nn.Module):
    """Score every token at every position of one sequence.

    Formula::

        logits = Encoder(embedding[ids] + positions, mask) · embedding.weightᵀ

    Source: with a causal mask and the next token as target, Radford et al. 2018 (GPT); without a
    mask and with hidden tokens as targets, Devlin et al. 2019 (BERT). Positions are learned, as in
    both, and so the output projection shares the weight of the embedding. Norms come first, as in
    GPT-2 (Radford et al. 2019, section 2.3).

    Args:
        vocab_size: V, the number of tokens.
        num_layers: N, the number of encoder layers.
        d_model, num_heads, d_ff: D, H and Dff.
        dropout: as in Sublayer.
        max_len: the most positions that a sequence may have.
        pad_id: as in TokenEmbedding.

    Raises:
        ValueError: if a part refuses its sizes.

    Example:
        >>> import torch
        >>> from attnsteps.layers.masks import causal_mask
        >>> model = LanguageModel(11, num_layers=2, d_model=6, num_heads=2, d_ff=24, max_len=5)
        >>> model(torch.tensor([[7, 3, 1]]), causal_mask(3)).shape
        torch.Size([1, 3, 11])
    """

    def __init__(
        self,
        vocab_size: int,
        *,
        num_layers: int,
        d_model: int,
        num_heads: int,
        d_ff: int,
        max_len: int,
        pad_id: int | None = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.embedding = TokenEmbedding(vocab_size, d_model, pad_id=pad_id)
        self.positions = LearnedPositions(max_len, d_model)
        self.encoder = Encoder(
            num_layers,
            lambda: EncoderLayer(
                MultiHeadAttention(d_model, num_heads),
                FeedForward(d_model, d_ff),
                partial(Sublayer, d_model, dropout=dropout, pre_norm=True),
            ),
            LayerNorm(d_model),
        )
        self.projection = self.embedding.output_projection()

    def vectors(self, ids: Int[Tensor, "B T"], mask: Mask = None) -> Float[Tensor, "B T D"]:
        """Return what the last layer says of each position, for a task other than tokens.

        Args:
            ids: the token ids, (B, T).
            mask: which position may attend to which, broadcastable to (B, H, T, T).

        Returns:
            The vectors, (B, T, D).

        Raises:
            ValueError: if ids is not an integer tensor (B, T) of known tokens, or T is too long.
        """
        check_ids("ids", ids)
        check_shape("ids", ids, "B T")
        return self.encoder(self.embedding(ids) + self.positions(ids.shape[1]), mask)[0]

    def forward(self, ids: Int[Tensor, "B T"], mask: Mask = None) -> Float[Tensor, "B T V"]:
        """Return the logits, (B, T, V); the arguments are those of vectors."""
        return self.projection(self.vectors(ids, mask))
