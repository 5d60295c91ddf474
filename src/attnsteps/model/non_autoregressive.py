"""The non-autoregressive model: first the length of the sentence, then all its words at once."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attnsteps.checks import check_positive
from attnsteps.model.config import TransformerConfig
from attnsteps.model.transformer import Transformer


class LengthPredictor(nn.Module):
    """Guess from the source how many words its translation has: each token brings some of them.

    Formula, with the sum over those source positions s that are not padding::

        m = sum_s (w · memory_s + b)
        P(n words | source) = softmax_n(−κ (n − m)² / 2),  κ = exp(log_precision)

    The numbers of words of a source need not be whole: the encoder has seen the words around it.
    κ is learned, and says how far from m a length may be.

    Source: after the fertilities of Gu et al. 2018, section 3.2, which are whole numbers and are
    taught by alignments; as in Ghazvininejad et al. 2019, section 2.3, the length is all that is
    taught here.

    Args:
        d_model: D, the width of the memory.
        max_len: the greatest length; class i stands for i words, and eos_id behind them.

    Raises:
        ValueError: if a size is not a positive integer.

    Example:
        >>> predictor = LengthPredictor(d_model=4, max_len=7)
        >>> predictor(torch.ones(1, 5, 4), torch.ones(1, 5, dtype=torch.bool)).shape
        torch.Size([1, 7])
    """

    def __init__(self, d_model: int, max_len: int) -> None:
        super().__init__()
        check_positive("d_model", d_model)
        check_positive("max_len", max_len)
        self.projection = nn.Linear(d_model, 1)
        self.log_precision = nn.Parameter(torch.zeros(1))
        self.max_len = max_len
        nn.init.ones_(self.projection.bias)  # word for word, before anything is learned

    def forward(
        self, memory: Float[Tensor, "B S D"], is_word: Bool[Tensor, "B S"]
    ) -> Float[Tensor, "B max_len"]:
        """Score every length.

        Args:
            memory: the encoder's output, (B, S, D).
            is_word: where it is not padding, (B, S).

        Returns:
            The logits of the lengths 1, 2, …, eos_id included: (B, max_len).
        """
        brought = self.projection(memory)[:, :, 0].masked_fill(~is_word, 0.0)
        num_words = torch.arange(self.max_len, device=memory.device)
        brought = brought.to(torch.promote_types(brought.dtype, torch.float32))
        distance = num_words - brought.sum(dim=1, keepdim=True)  # in 16 bits its square overflows
        return -self.log_precision.exp() * distance.square() / 2


class NonAutoregressive(nn.Module):
    """A Transformer that predicts all target tokens at once, after their number.

    The decoder's input has mask_id wherever a token is to be found, no start symbol and no shift:
    logits[:, t] scores what stands at t itself. Without a causal mask each position sees all.

    Source: Ghazvininejad et al. 2019, section 2; Gu et al. 2018, section 3.

    Args:
        config: with causal=False and a mask_id; max_len is the greatest length to be predicted.

    Raises:
        ValueError: if the config is causal or has no mask_id.

    Example:
        >>> config = TransformerConfig.tiny(11, 13, causal=False, mask_id=3, max_len=16)
        >>> model = NonAutoregressive(config)
        >>> logits, length_logits = model(torch.tensor([[5, 8]]), torch.tensor([[7, 3, 2]]))
        >>> logits.shape, length_logits.shape
        (torch.Size([1, 3, 13]), torch.Size([1, 16]))
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        if config.causal:
            raise ValueError(
                "config.causal must be False where all tokens are found at once; got True"
            )
        if config.mask_id is None:
            raise ValueError(
                "config.mask_id must be an id, for what is still to be found; got None"
            )
        self.config = config
        self.transformer = Transformer(config)
        self.length_predictor = LengthPredictor(config.d_model, config.max_len)

    def forward(
        self, src_ids: Int[Tensor, "B S"], tgt_ids: Int[Tensor, "B T"]
    ) -> tuple[Float[Tensor, "B T V"], Float[Tensor, "B max_len"]]:
        """Score every token at every position, and every length; what training needs.

        Args:
            src_ids: (B, S).
            tgt_ids: (B, T), with mask_id in place of some tokens, as mask_some makes it. The loss
                counts those positions only.

        Returns:
            The logits, (B, T, V), and those of the lengths 1, 2, …: (B, max_len).

        Raises:
            ValueError: as in Transformer.
        """
        memory = self.transformer.encode(src_ids)
        logits = self.transformer.decode(tgt_ids, memory, src_ids)
        return logits, self.length_logits(memory, src_ids)

    def length_logits(
        self, memory: Float[Tensor, "B S D"], src_ids: Int[Tensor, "B S"]
    ) -> Float[Tensor, "B max_len"]:
        """Return the logits of the lengths 1, 2, …: (B, max_len)."""
        return self.length_predictor(memory, src_ids != self.config.pad_id)
