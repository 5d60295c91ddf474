"""The next token's probabilities, step after step: what greedy, sample and beam have in common."""

import math
from collections.abc import Callable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attnsteps.checks import check_positive
from attnsteps.decoding.result import Decoded, cut_at_eos
from attnsteps.layers.masks import padding_mask
from attnsteps.model.config import TransformerConfig
from attnsteps.model.transformer import Transformer
from attnsteps.shapes import check_ids, check_sentences, check_shape


def impossible(config: TransformerConfig) -> Bool[Tensor, " V"]:
    """Mark the tokens that no sentence contains: padding, the start symbol, the mask token."""
    marks = torch.zeros(config.tgt_vocab_size, dtype=torch.bool)
    marks[[config.pad_id, config.bos_id]] = True
    if config.mask_id is not None:
        marks[config.mask_id] = True
    return marks


def log_probabilities(
    logits: Float[Tensor, "*lead V"], never: Bool[Tensor, " V"], dtype: torch.dtype
) -> Float[Tensor, "*lead V"]:
    """Turn logits into log-probabilities over the tokens that may come.

    Formula::

        log P(y) = logits[y] − log Σ_{possible w} exp(logits[w])
    """
    found = logits.masked_fill(never, -math.inf).log_softmax(dim=-1, dtype=dtype)
    if found.isnan().any():
        raise FloatingPointError(
            "the model's predictions must be numbers; got NaN, as after a training that diverged"
        )
    return found


class NextToken:
    """A batch of sentences in the making: tokens go in, the next ones' probabilities come out.

    Every sentence begins with ``start``, the bos_id of the model's own configuration.

    Args:
        model: a causal model, in evaluation mode.
        src_ids: (B, S).
        max_len: how many tokens a sentence may have, eos_id included.
        use_cache: False computes the whole prefix again at every step.
        beam_width: W, the rows that each sentence has side by side; R = B·W.

    Raises:
        ValueError: if max_len is not a positive integer, or more than learned positions can
            number; if src_ids is not a batch of sentences; if the model is not causal.
    """

    def __init__(
        self,
        model: Transformer,
        src_ids: Int[Tensor, "B S"],
        *,
        max_len: int | Int[Tensor, " B"],
        use_cache: bool = True,
        beam_width: int = 1,
    ) -> None:
        if not model.config.causal:
            raise ValueError(
                "model must be causal to write from left to right; got config.causal = False"
            )
        check_sentences("src_ids", src_ids, model.config.pad_id)
        self.limits = _limits(max_len, src_ids)
        if model.config.positions == "learned":
            model.tgt_positions(int(self.limits.max()))  # complains now, not at the last step
        memory = model.encode(src_ids)
        self.model = model
        self.memory = memory.repeat_interleave(beam_width, dim=0)
        memory_mask = padding_mask(src_ids, model.config.pad_id)
        self.memory_mask = memory_mask.repeat_interleave(beam_width, dim=0)
        self.cache = model.new_cache() if use_cache else None
        self.ids = src_ids.new_empty(len(self.memory), 0)
        self.never = impossible(model.config).to(src_ids.device)
        self.dtype = torch.promote_types(memory.dtype, torch.float32)
        self.start = src_ids.new_full((len(self.memory),), model.config.bos_id)

    def log_probs(self, ids: Int[Tensor, " R"]) -> Float[Tensor, "R V"]:
        """Take in one token per row, (R,); return the next one's log-probabilities, (R, V)."""
        self.ids = torch.cat([self.ids, ids[:, None]], dim=1)
        logits = self.model.decode(
            self.ids if self.cache is None else ids[:, None],
            self.memory,
            memory_mask=self.memory_mask,
            cache=self.cache,
        )
        return log_probabilities(logits[:, -1], self.never, self.dtype)

    def index_select(self, rows: Int[Tensor, " R"]) -> None:
        """Let each row go on from another one, which must belong to the same sentence."""
        self.ids = self.ids.index_select(0, rows)
        if self.cache is not None:
            self.cache.index_select(rows, same_source=True)


def write(
    model: Transformer,
    src_ids: Int[Tensor, "B S"],
    choose: Callable[[Float[Tensor, "B V"]], Int[Tensor, " B"]],
    *,
    max_len: int | Int[Tensor, " B"],
    use_cache: bool,
) -> Decoded:
    """Write every sentence from left to right, token by token, until all have ended."""
    c = model.config
    next_token = NextToken(model, src_ids, max_len=max_len, use_cache=use_cache)
    ids, chosen, scores = next_token.start, [], []
    has_ended = torch.zeros_like(ids, dtype=torch.bool)
    while not has_ended.all():
        log_probs = next_token.log_probs(ids)
        ids = choose(log_probs)
        chosen.append(ids)
        scores.append(log_probs.gather(1, ids[:, None]))
        has_ended = has_ended | (ids == c.eos_id) | (len(chosen) >= next_token.limits)
    # Those that had ended were carried on until the last one had: what came then is dropped.
    ids, scores = torch.stack(chosen, dim=1), torch.cat(scores, dim=1)
    is_beyond = torch.arange(len(chosen), device=ids.device) >= next_token.limits[:, None]
    ids = ids.masked_fill(is_beyond, c.pad_id)
    return cut_at_eos(ids, scores, eos_id=c.eos_id, pad_id=c.pad_id)


def _limits(max_len: int | Int[Tensor, " B"], src_ids: Int[Tensor, "B S"]) -> Int[Tensor, " B"]:
    """Give every sentence its own greatest length, checked."""
    if not isinstance(max_len, Tensor):
        check_positive("max_len", max_len)
        return torch.full_like(src_ids[:, 0], max_len)
    check_ids("max_len", max_len)
    check_shape("max_len", max_len, "B", B=len(src_ids))
    check_positive("the least max_len", int(max_len.min()))
    return max_len.to(src_ids.device)
