"""Beam search: several hypotheses side by side, so that a poor first word can be outlived."""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attnsteps.checks import check_number, check_positive
from attnsteps.decoding.inference import inference
from attnsteps.decoding.result import Decoded
from attnsteps.decoding.step import NextToken
from attnsteps.model.transformer import Transformer


@inference
def beam(
    model: Transformer,
    src_ids: Int[Tensor, "B S"],
    *,
    beam_width: int,
    max_len: int | Int[Tensor, " B"],
    alpha: float = 0.6,
    n_best: int = 1,
    use_cache: bool = True,
) -> Decoded:
    """Translate by keeping the W most probable beginnings at every step.

    Formula, where Y is the whole hypothesis, eos_id included::

        score(Y) = log P(Y | source) / length_penalty(|Y|, alpha)

    Source: Vaswani et al. 2017, section 6.1 (W = 4, alpha = 0.6); Wu et al. 2016, section 7.

    At each step every hypothesis is continued by every token. The best continuations get the W
    places; one that ends keeps its place, so fewer go on. A sentence is done when all W have ended,
    or when none of those still going can catch up with the n_best that have. With W = 1 this is
    greedy; with as many as there are sentences it finds the best of all.

    Args:
        model: a causal model; it is left in the mode it was in.
        src_ids: (B, S), filled up with pad_id. Neither the padding nor the other sentences of the
            batch make a difference to a sentence.
        beam_width: W.
        max_len: how many tokens a sentence may have, eos_id included: one number for all, or one
            for each, (B,); what has not ended by then
            is cut, and compared as it stands.
        alpha: the exponent of the length penalty: 0 compares log-probabilities, which prefers
            short sentences; 1 very nearly their mean per token.
        n_best: N, how many hypotheses to return, at most W.
        use_cache: False computes the whole prefix again at every step; the result is the same.

    Returns:
        The hypotheses, (B, N, T), the best first, no two of one sentence alike; ``.best`` is the
        first of each, (B, T). If the vocabulary is too small for N of them, the rest have length 0
        and a score of −∞.

    Raises:
        ValueError: as in greedy; if beam_width or n_best is not a positive integer, n_best is above
            beam_width, or alpha not in [0, 10].

    Example:
        >>> from attnsteps import Transformer, TransformerConfig
        >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=11, tgt_vocab_size=13))
        >>> src_ids = torch.tensor([[5, 3, 8], [4, 0, 0]])
        >>> beam(model, src_ids, beam_width=4, max_len=7, n_best=3).scores.shape
        torch.Size([2, 3])
    """
    check_positive("beam_width", beam_width)
    check_number("n_best", n_best, at_least=1, at_most=beam_width, limit="beam_width", integer=True)
    check_number("alpha", alpha, at_least=0, at_most=10)
    next_token = NextToken(
        model, src_ids, max_len=max_len, use_cache=use_cache, beam_width=beam_width
    )
    config, vocab_size = model.config, model.config.tgt_vocab_size
    shape = (len(src_ids), beam_width)
    first_row = torch.arange(0, len(next_token.start), beam_width, device=src_ids.device)[:, None]
    place = torch.arange(beam_width, device=src_ids.device)  # (W,)

    last = next_token.start  # (R,)
    beginnings = ended_ids = src_ids.new_empty(*shape, 0)  # (B, W, t)
    going = torch.full(shape, -math.inf, dtype=next_token.dtype, device=src_ids.device)
    ended, num_ended = going, src_ids.new_zeros(shape[0])
    going = torch.cat([torch.zeros_like(going[:, :1]), going[:, 1:]], dim=1)  # they begin as one

    limits = next_token.limits
    for length in range(1, int(limits.max()) + 1):
        log_probs = next_token.log_probs(last).unflatten(0, shape)  # (B, W, V)
        scores, index = (going[:, :, None] + log_probs).flatten(1).topk(beam_width)  # (B, W)
        scores = scores.masked_fill(place >= beam_width - num_ended[:, None], -math.inf)
        parents, tokens = index // vocab_size, index % vocab_size
        ids = torch.cat([_pick(beginnings, parents), tokens[:, :, None]], dim=2)  # (B, W, t)

        is_end = tokens == config.eos_id
        is_new = (is_end | (length == limits[:, None])) & scores.isfinite()
        final = (scores / length_penalty(length, alpha)).masked_fill(~is_new, -math.inf)
        ended, best = torch.cat([ended, final], dim=1).topk(beam_width)
        ended_ids = nn.functional.pad(ended_ids, (0, 1), value=config.pad_id)
        ended_ids = _pick(torch.cat([ended_ids, ids], dim=1), best)
        num_ended += is_new.sum(dim=1)

        going, best = scores.masked_fill(is_end, -math.inf).topk(beam_width)
        # No score below 0 can grow: this is the most that a sentence could still reach.
        bound = going[:, 0] / length_penalty(limits, alpha)
        is_done = (bound <= ended[:, n_best - 1]) | (length >= limits)
        going = going.masked_fill(is_done[:, None], -math.inf)
        if is_done.all():
            break
        beginnings, last = _pick(ids, best), tokens.gather(1, best).flatten()
        next_token.index_select((first_row + parents.gather(1, best)).flatten())

    ids, scores = ended_ids[:, :n_best], ended[:, :n_best]
    ids = ids.masked_fill(~scores.isfinite()[:, :, None], config.pad_id)
    lengths = (ids != config.pad_id).sum(dim=2)
    return Decoded(ids[:, :, : int(lengths.max())], lengths, scores)


def length_penalty(length: int | Int[Tensor, " B"], alpha: float) -> float | Float[Tensor, " B"]:
    """Say what a hypothesis's log-probability is divided by, so that long ones stand a chance.

    Formula::

        length_penalty(|Y|, alpha) = ((5 + |Y|) / (5 + 1))^alpha

    Source: Wu et al. 2016, eq. 14.

    Args:
        length: the number of tokens in Y, eos_id included, or those of several hypotheses, (B,).
        alpha: the exponent.

    Returns:
        The divisor: 1 for a single token.

    Example:
        >>> length_penalty(7, alpha=1.0)
        2.0
    """
    return ((5 + length) / 6) ** alpha


def _pick(ids: Int[Tensor, "B N T"], best: Int[Tensor, "B W"]) -> Int[Tensor, "B W T"]:
    """Take some of each sentence's hypotheses, in this order."""
    return ids.gather(1, best[:, :, None].expand(-1, -1, ids.shape[2]))
