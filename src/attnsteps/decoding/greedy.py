"""Greedy decoding: the most probable next token, over and over."""

from jaxtyping import Int
from torch import Tensor

from attnsteps.decoding.inference import inference
from attnsteps.decoding.result import Decoded
from attnsteps.decoding.step import write
from attnsteps.model.transformer import Transformer


@inference
def greedy(
    model: Transformer,
    src_ids: Int[Tensor, "B S"],
    *,
    max_len: int | Int[Tensor, " B"],
    use_cache: bool = True,
) -> Decoded:
    """Translate by taking the most probable token at every step.

    Formula, until y_t = eos_id or t = max_len::

        y_t = argmax_w P(w | y_1 … y_{t−1}, source)

    Source: Sutskever et al. 2014, section 3.2, as a beam of width 1.

    Args:
        model: a causal model; it is left in the mode it was in.
        src_ids: (B, S), filled up with pad_id. Neither the padding nor the other sentences of the
            batch make a difference to a sentence.
        max_len: how many tokens a sentence may have, eos_id included: one number for all, or one
            for each, (B,).
        use_cache: False computes the whole prefix again at every step; the result is the same.

    Returns:
        The sentences, (B, T); a score is the sum of the tokens' log-probabilities, eos_id included,
        where padding and the start symbol have probability 0.

    Raises:
        ValueError: if src_ids is not a batch of sentences in the model's vocabulary; if max_len is
            not a positive integer, or more than learned positions can number; if the model is not
            causal.

    Example:
        >>> import torch
        >>> from attnsteps import Transformer, TransformerConfig
        >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=11, tgt_vocab_size=13))
        >>> greedy(model, torch.tensor([[5, 3, 8], [4, 0, 0]]), max_len=7).lengths.shape
        torch.Size([2])
    """
    return write(
        model,
        src_ids,
        lambda log_probs: log_probs.argmax(dim=-1),
        max_len=max_len,
        use_cache=use_cache,
    )
