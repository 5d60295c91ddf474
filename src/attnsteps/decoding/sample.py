"""Sampling: the next token drawn at random, as probable tokens as one likes."""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from attnsteps.checks import check_number, check_positive
from attnsteps.decoding.inference import inference
from attnsteps.decoding.result import Decoded
from attnsteps.decoding.step import write
from attnsteps.model.transformer import Transformer


@inference
def sample(
    model: Transformer,
    src_ids: Int[Tensor, "B S"],
    *,
    max_len: int | Int[Tensor, " B"],
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: Generator | Sequence[Generator] | None = None,
    use_cache: bool = True,
) -> Decoded:
    """Translate by drawing every token from the model's probabilities.

    Formula, over the tokens that top_k and top_p leave::

        P'(w) ∝ P(w | y_1 … y_{t−1}, source)^(1 / temperature)

    Source: Holtzman et al. 2020, sections 3.1 (top-p), 3.2 (top-k) and 3.3 (temperature).

    Args:
        model: a causal model; it is left in the mode it was in.
        src_ids: (B, S), filled up with pad_id, which makes no difference.
        max_len: how many tokens a sentence may have, eos_id included: one number for all, or one
            for each, (B,).
        temperature: below 1 sharpens the probabilities, towards greedy; above 1 flattens them.
        top_k: draw among this many tokens, the most probable ones; None: among all.
        top_p: of those, draw among the fewest that have at least this probability together, in
            (0, 1], the most probable ones; None: among all.
        generator: where chance comes from: PyTorch's own if None, one generator for the batch, or
            one for each sentence, which then comes out as it would alone.
        use_cache: False computes the whole prefix again at every step; the result is the same.

    Returns:
        The sentences, (B, T); a score is the sum of the tokens' log-probabilities under the model
        itself, whatever temperature, top_k and top_p are.

    Raises:
        ValueError: as in greedy; if temperature is not above 0, top_k not a positive integer,
            top_p not in (0, 1], or the number of generators not that of the sentences.

    Example:
        >>> from attnsteps import Transformer, TransformerConfig
        >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=11, tgt_vocab_size=13))
        >>> chance = torch.Generator().manual_seed(0)
        >>> sample(model, torch.tensor([[5, 3]]), max_len=7, generator=chance).scores.shape
        torch.Size([1])
    """
    check_number("temperature", temperature, above=0)
    if top_k is not None:
        check_positive("top_k", top_k)
    if top_p is not None:
        check_number("top_p", top_p, above=0, at_most=1)
    if isinstance(generator, Sequence) and len(generator) != len(src_ids):
        raise ValueError(
            f"generator must be one, or one for each of the {len(src_ids)} sentences;"
            f" got {len(generator)}"
        )
    return write(
        model,
        src_ids,
        lambda log_probs: draw(adjust(log_probs, temperature, top_k, top_p), generator),
        max_len=max_len,
        use_cache=use_cache,
    )


def adjust(
    log_probs: Float[Tensor, "B V"],
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Float[Tensor, "B V"]:
    """Apply temperature, then top-k, then top-p.

    Example:
        >>> adjust(torch.tensor([[0.5, 0.3, 0.2]]).log(), top_p=0.6)
        tensor([[0.6250, 0.3750, 0.0000]])
    """
    # Less the largest, so that even the smallest temperature leaves one that is finite: 0.
    numbers = torch.finfo(log_probs.dtype)
    temperature = min(max(temperature, numbers.tiny), numbers.max)
    scores = (log_probs - log_probs.amax(dim=-1, keepdim=True)) / temperature
    if top_k is None and top_p is None:
        return scores.softmax(dim=-1)
    scores, order = scores.sort(dim=-1, descending=True, stable=True)
    probs = scores.softmax(dim=-1)
    if top_k is not None:
        probs[:, top_k:] = 0.0
        probs = probs / probs.sum(dim=-1, keepdim=True)
    if top_p is not None:
        before = probs.cumsum(dim=-1) - probs
        probs = probs.masked_fill(before >= top_p, 0.0)
        probs = probs / probs.sum(dim=-1, keepdim=True)
    return torch.zeros_like(probs).scatter(-1, order, probs)


def draw(
    probs: Float[Tensor, "B V"], generator: Generator | Sequence[Generator] | None = None
) -> Int[Tensor, " B"]:
    """Draw one token for each row: that whose clock rings first.

    Formula, with E_w independent and exponential of rate 1, so that E_w / P(w) has the rate P(w)::

        y = argmin_w E_w / P(w),  which is w with probability P(w)

    Source: Maddison et al. 2014, section 2 (with the logarithm, as the Gumbel-max trick).

    Example:
        >>> draw(torch.tensor([[0.0, 1.0, 0.0]]))
        tensor([1])
    """
    if isinstance(generator, Sequence):
        pairs = zip(probs, generator, strict=True)
        clocks = torch.stack([torch.empty_like(row).exponential_(generator=g) for row, g in pairs])
    else:
        clocks = torch.empty_like(probs).exponential_(generator=generator)
    return (probs / clocks).argmax(dim=-1)
