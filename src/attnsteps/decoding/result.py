"""What every search returns, and how a sentence ends."""

from typing import NamedTuple

from jaxtyping import Float, Int
from torch import Tensor


class Decoded(NamedTuple):
    """The sentences that a search has found, one for each source sentence.

    Beam search keeps several for each: its tensors have one more axis, N, with the best first.

    Args:
        ids: (B, T), or (B, N, T): the tokens without the start symbol. A sentence ends with
            eos_id unless it was cut at max_len; what comes after is pad_id.
        lengths: (B,), or (B, N): the number of tokens of each, eos_id included.
        scores: (B,), or (B, N): what the search compares by, a log-probability; each search says
            which.

    Example:
        >>> import torch
        >>> decoded = Decoded(torch.tensor([[[7, 2], [2, 0]]]), torch.tensor([[2, 1]]),
        ...                   torch.tensor([[-0.5, -1.0]]))
        >>> decoded.best.ids
        tensor([[7, 2]])
    """

    ids: Int[Tensor, "*lead T"]
    lengths: Int[Tensor, "*lead"]
    scores: Float[Tensor, "*lead"]

    @property
    def best(self) -> "Decoded":
        """The best sentence for each source, (B, T), whichever search it came from."""
        return Decoded(*(field[:, 0] for field in self)) if self.ids.dim() == 3 else self


def cut_at_eos(
    ids: Int[Tensor, "B T"], log_probs: Float[Tensor, "B T"], *, eos_id: int, pad_id: int
) -> Decoded:
    """Let every sentence end at its first eos_id.

    Formula, with N the position of the first eos_id, itself counted::

        length = N,  score = Σ_{t ≤ N} log P(y_t)

    Source: Vaswani et al. 2017, section 6.1 (the output ends early where possible).

    Example:
        >>> import torch
        >>> ids = torch.tensor([[7, 2, 9, 2], [2, 8, 8, 8]])
        >>> cut_at_eos(ids, torch.full((2, 4), -0.5), eos_id=2, pad_id=0)
        Decoded(ids=tensor([[7, 2],
                [2, 0]]), lengths=tensor([2, 1]), scores=tensor([-1.0000, -0.5000]))
    """
    is_end = (ids == eos_id).long()
    is_after = (is_end.cumsum(dim=-1) > is_end) | (ids == pad_id)
    lengths = (~is_after).sum(dim=-1)
    ids = ids.masked_fill(is_after, pad_id)[:, : int(lengths.max())]
    return Decoded(ids, lengths, log_probs.masked_fill(is_after, 0.0).sum(dim=-1))
