"""Parallel decoding: all words at once, and then, again and again, those least certain."""

import math

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attnsteps.checks import check_number, check_positive
from attnsteps.decoding.inference import inference
from attnsteps.decoding.result import Decoded, cut_at_eos
from attnsteps.decoding.step import impossible, log_probabilities
from attnsteps.model.attention_weights import AttentionWeights
from attnsteps.model.non_autoregressive import NonAutoregressive


def all_at_once(
    model: NonAutoregressive,
    src_ids: Int[Tensor, "B S"],
    *,
    length_factor: float = 1.0,
    need_weights: bool = False,
) -> Decoded | tuple[Decoded, AttentionWeights]:
    """Translate in a single pass through the decoder: the likeliest token at every position.

    Formula, for each position t by itself::

        N = the likeliest length · length_factor
        y_t = argmax_w P(y_t = w | N, source)

    Source: Gu et al. 2018, section 3; Ghazvininejad et al. 2019, section 3.1, at iteration 0.

    Args:
        model: it is left in the mode it was in.
        src_ids: (B, S), filled up with pad_id. Neither the padding nor the other sentences of the
            batch make a difference to a sentence.
        length_factor: below 1 asks for sentences shorter than predicted, above 1 for longer ones.
            N is rounded, a half upwards, and kept between 1 and the config's max_len.
        need_weights: True also returns the attention weights.

    Returns:
        The sentences, (B, T), each of N tokens or cut at its first eos_id before; a score is the
        mean of the tokens' log-probabilities. With need_weights a pair of them and how the decoder
        attended, (B, H, T, N or S), in the pass that found each token.

    Raises:
        ValueError: if src_ids is not a batch of sentences in the model's vocabulary, or
            length_factor not above 0.

    Example:
        >>> from attnsteps import TransformerConfig
        >>> config = TransformerConfig.tiny(11, 13, causal=False, mask_id=3, max_len=16)
        >>> all_at_once(NonAutoregressive(config), torch.tensor([[5, 8]])).lengths.shape
        torch.Size([1])
    """
    return mask_predict(
        model,
        src_ids,
        iterations=1,
        num_lengths=1,
        length_factor=length_factor,
        need_weights=need_weights,
    )


@inference
def mask_predict(
    model: NonAutoregressive,
    src_ids: Int[Tensor, "B S"],
    *,
    iterations: int = 10,
    num_lengths: int = 5,
    length_factor: float = 1.0,
    need_weights: bool = False,
) -> Decoded | tuple[Decoded, AttentionWeights]:
    """Translate all at once, then hide the least certain tokens and find them again, a few times.

    Formula, at iteration t = 1, …, T − 1, for a sentence of N tokens::

        hide the n tokens of the lowest probability,  n = ⌊N · (T − t) / T⌋
        y_i = argmax_w P(y_i = w | the others, source), with its probability, at the hidden i

    Source: Ghazvininejad et al. 2019, section 3.

    The tokens that are not hidden keep the probability that they were found with. Of the sentences
    of several lengths the one with the highest mean log-probability is taken.

    Args:
        model: it is left in the mode it was in.
        src_ids: (B, S), filled up with pad_id, as in all_at_once.
        iterations: T, the passes through the decoder; with 1 this is all_at_once.
        num_lengths: how many lengths to try side by side, the likeliest ones.
        length_factor: as in all_at_once, for each of them.
        need_weights: as in all_at_once.

    Returns:
        As all_at_once.

    Raises:
        ValueError: as all_at_once; if iterations or num_lengths is not a positive integer, or
            there are not so many lengths.

    Example:
        >>> from attnsteps import TransformerConfig
        >>> config = TransformerConfig.tiny(11, 13, causal=False, mask_id=3, max_len=16)
        >>> model = NonAutoregressive(config)
        >>> mask_predict(model, torch.tensor([[5, 8]]), iterations=4).lengths.shape
        torch.Size([1])
    """
    check_positive("iterations", iterations)
    memory = model.transformer.encode(src_ids, need_weights=need_weights)
    memory, read = memory if need_weights else (memory, None)
    lengths = predict_lengths(
        model, memory, src_ids, num_lengths=num_lengths, length_factor=length_factor
    ).flatten()  # (R,), R = B · num_lengths
    memory = memory.repeat_interleave(num_lengths, dim=0)
    sources = src_ids.repeat_interleave(num_lengths, dim=0)

    def fill(ids: Int[Tensor, "R T"]) -> tuple[Tensor, ...]:
        return _fill(model, ids, memory, sources, need_weights=need_weights)

    ids, log_probs, *maps = fill(_blanks(model, lengths))
    for iteration in range(1, iterations):
        is_hidden = least_certain(log_probs, lengths * (iterations - iteration) // iterations)
        found = fill(ids.masked_fill(is_hidden, model.config.mask_id))
        ids = torch.where(is_hidden, found[0], ids)
        log_probs = torch.where(is_hidden, found[1], log_probs)
        rows = is_hidden[:, None, :, None]
        maps = [torch.where(rows, new, old) for new, old in zip(found[2:], maps, strict=True)]

    decoded = _cut(model, ids, log_probs)
    best = decoded.scores.unflatten(0, (-1, num_lengths)).argmax(dim=1)
    rows = torch.arange(len(best), device=best.device) * num_lengths + best
    lengths = decoded.lengths[rows]
    longest = int(lengths.max())
    decoded = Decoded(decoded.ids[rows, :longest], lengths, decoded.scores[rows])
    if not need_weights:
        return decoded
    maps = [each[rows, :, :longest] for each in maps]
    own, cross = maps[: len(maps) // 2], maps[len(maps) // 2 :]
    return decoded, read._replace(decoder=tuple(own), cross=tuple(cross))


def predict_lengths(
    model: NonAutoregressive,
    memory: Float[Tensor, "B S D"],
    src_ids: Int[Tensor, "B S"],
    *,
    num_lengths: int = 1,
    length_factor: float = 1.0,
) -> Int[Tensor, "B num_lengths"]:
    """Predict how many tokens each sentence has, then make it shorter or longer."""
    max_len = model.config.max_len
    check_number(
        "num_lengths",
        num_lengths,
        at_least=1,
        at_most=max_len,
        limit="config.max_len",
        integer=True,
    )
    check_number("length_factor", length_factor, above=0)
    likeliest = model.length_logits(memory, src_ids).topk(num_lengths).indices + 1
    return (likeliest * length_factor + 0.5).floor().clamp(1, max_len).long()


def least_certain(
    log_probs: Float[Tensor, "R T"], num_hidden: Int[Tensor, " R"]
) -> Bool[Tensor, "R T"]:
    """Mark the tokens with the lowest probability.

    Example:
        >>> least_certain(torch.tensor([[-1.0, -3.0, -2.0]]), torch.tensor([2]))
        tensor([[False,  True,  True]])
    """
    rank = log_probs.argsort(dim=1, stable=True).argsort(dim=1)
    return rank < num_hidden[:, None]


def _blanks(model: NonAutoregressive, lengths: Int[Tensor, " R"]) -> Int[Tensor, "R T"]:
    """Return sentences of these lengths in which every token is still to be found."""
    place = torch.arange(int(lengths.max()), device=lengths.device)
    mask_id, pad_id = model.config.mask_id, model.config.pad_id
    return torch.where(place < lengths[:, None], mask_id, pad_id)


def _fill(
    model: NonAutoregressive,
    ids: Int[Tensor, "R T"],
    memory: Float[Tensor, "R S D"],
    src_ids: Int[Tensor, "R S"],
    *,
    need_weights: bool,
) -> tuple[Tensor, ...]:
    """Return the likeliest token at every place, (R, T), and its log-probability; +∞ at padding.

    With need_weights the weights follow, each layer's of self-attention, then of cross-attention.
    """
    logits = model.transformer.decode(ids, memory, src_ids, need_weights=need_weights)
    logits, weights = logits if need_weights else (logits, AttentionWeights())
    never = impossible(model.config).to(ids.device)
    dtype = torch.promote_types(memory.dtype, torch.float32)
    log_probs, tokens = log_probabilities(logits, never, dtype).max(dim=-1)
    is_padding = ids == model.config.pad_id
    tokens = tokens.masked_fill(is_padding, model.config.pad_id)
    log_probs = log_probs.masked_fill(is_padding, math.inf)
    return tokens, log_probs, *weights.decoder, *weights.cross


def _cut(
    model: NonAutoregressive, ids: Int[Tensor, "R T"], log_probs: Float[Tensor, "R T"]
) -> Decoded:
    """Cut every sentence at its eos_id; its score is the mean log-probability of what is left."""
    eos_id, pad_id = model.config.eos_id, model.config.pad_id
    decoded = cut_at_eos(ids, log_probs, eos_id=eos_id, pad_id=pad_id)
    return decoded._replace(scores=decoded.scores / decoded.lengths)
