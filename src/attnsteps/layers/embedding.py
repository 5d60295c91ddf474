"""Token embedding: from an id to a vector."""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attnsteps.checks import check_id, check_positive
from attnsteps.shapes import check_ids


class TokenEmbedding(nn.Module):
    """Look up a learned vector for each token id.

    Formula, with weights drawn from N(0, 1/d_model)::

        embedding[b, t] = √d_model · weight[ids[b, t]]

    Source: Vaswani et al. 2017, section 3.4 (the initialisation is that of the authors' code).

    The two halves belong together: a standard deviation of 1/√d_model, times √d_model, gives
    vectors of unit variance, comparable in size to the positions (rms 0.707). The weight can
    be shared with the output projection, for which the small initialisation is the right one.

    Args:
        vocab_size: V, the number of tokens.
        d_model: D, the width of the vectors.
        pad_id: the id of the padding token; its vector is zero, and no gradient reaches it from
            here (one can from an output projection that shares the weight). None: no such token.

    Raises:
        ValueError: if a size is not a positive integer, or pad_id is not an id.

    Example:
        >>> embedding = TokenEmbedding(vocab_size=11, d_model=4, pad_id=0)
        >>> embedding(torch.tensor([[7, 3, 0]])).shape
        torch.Size([1, 3, 4])
    """

    def __init__(self, vocab_size: int, d_model: int, *, pad_id: int | None = None) -> None:
        super().__init__()
        check_positive("vocab_size", vocab_size)
        check_positive("d_model", d_model)
        if pad_id is not None:
            check_id("pad_id", pad_id, vocab_size)
        self.pad_id = pad_id
        self.factor = math.sqrt(d_model)
        self.weight = nn.Parameter(torch.empty(vocab_size, d_model))
        nn.init.normal_(self.weight, std=d_model**-0.5)
        if pad_id is not None:
            nn.init.zeros_(self.weight[pad_id])

    def forward(self, ids: Int[Tensor, "*lead"]) -> Float[Tensor, "*lead D"]:
        """Look the ids up.

        Args:
            ids: token ids, as a rule (B, T).

        Returns:
            One vector per id, (B, T, D).

        Raises:
            ValueError: if ids is not an integer tensor, or the vocabulary lacks one of them.
        """
        check_ids("ids", ids, self.weight.shape[0])
        return nn.functional.embedding(ids, self.weight, padding_idx=self.pad_id) * self.factor

    def output_projection(self, *, tied: bool = True) -> nn.Linear:
        """Make the linear layer that leads back: a score for each token, x · weightᵀ.

        Args:
            tied: True lets both share this weight (section 3.4); it then has one gradient, the
                sum of the two, and counts once. False gives the layer a weight of its own, drawn
                as this one was.

        Returns:
            A layer from (B, T, D) to (B, T, V), without a bias.
        """
        vocab_size, d_model = self.weight.shape
        projection = nn.Linear(d_model, vocab_size, bias=False)
        if tied:
            projection.weight = self.weight
        else:
            nn.init.normal_(projection.weight, std=d_model**-0.5)
        return projection
