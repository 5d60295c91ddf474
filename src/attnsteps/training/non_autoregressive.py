"""The losses of models that find all tokens at once: of what is hidden, and of the length."""

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn
from torch.nn import functional

from attnsteps.checks import check_number
from attnsteps.model.config import TransformerConfig
from attnsteps.shapes import check_sentences
from attnsteps.text.batch import Batch
from attnsteps.training.loss import summed_cross_entropy


def mask_some(
    tgt_ids: Int[Tensor, "B T"], config: TransformerConfig, *, generator: Generator | None = None
) -> Int[Tensor, "B T"]:
    """Hide some tokens of each sentence, for training: any number from one to all.

    Source: Ghazvininejad et al. 2019, section 2.2.

    Args:
        tgt_ids: whole sentences, (B, T), without bos_id, each ending with eos_id.
        config: where mask_id and pad_id come from.
        generator: where chance comes from.

    Returns:
        The same, (B, T), with mask_id in those places; padding stays as it is.

    Raises:
        ValueError: if tgt_ids is not a batch of sentences.

    Example:
        >>> config = TransformerConfig.tiny(11, 13, causal=False, mask_id=3)
        >>> mask_some(torch.tensor([[2, 0, 0]]), config)
        tensor([[3, 0, 0]])
    """
    check_sentences("tgt_ids", tgt_ids, config.pad_id)
    is_token = tgt_ids != config.pad_id
    like = {"device": tgt_ids.device, "generator": generator}
    share = torch.rand(len(tgt_ids), 1, **like)
    num_hidden = 1 + (share * is_token.sum(dim=1, keepdim=True)).long()  # uniform on 1 … N
    dice = torch.rand(tgt_ids.shape, **like).masked_fill(~is_token, 2.0)
    rank = dice.argsort(dim=1).argsort(dim=1)  # of each token in a random order, padding last
    return tgt_ids.masked_fill((rank < num_hidden) & is_token, config.mask_id)


def one_shot_loss(
    model: nn.Module, batch: Batch, label_smoothing: float = 0.0
) -> tuple[Float[Tensor, ""], Int[Tensor, ""]]:
    """Hide every token, as all_at_once finds them: the decoder is told nothing but their number.

    Source: Gu et al. 2018, section 3.1, with inputs made of positions alone.

    Args:
        model: a NonAutoregressive.
        batch: the sentences; the decoder has no use for tgt_in, the shifted ones.
        label_smoothing: ε of the tokens, at least 0 and below 1; lengths are not smoothed.

    Returns:
        The sum of the losses of tokens and lengths, and the number of tokens.

    Raises:
        ValueError: as the model and length_loss.

    Example:
        >>> from attnsteps import NonAutoregressive, TransformerConfig, collate
        >>> config = TransformerConfig.tiny(11, 13, causal=False, mask_id=4, max_len=16)
        >>> _, tokens = one_shot_loss(NonAutoregressive(config), collate([([5, 6], [7, 8, 9])]))
        >>> int(tokens)  # three words, and the end
        4
    """
    pad_id, mask_id = model.config.pad_id, model.config.mask_id
    hidden = batch.tgt_out.masked_fill(batch.tgt_out != pad_id, mask_id)
    return _loss(model, batch, hidden, label_smoothing)


def mask_predict_loss(
    model: nn.Module, batch: Batch, label_smoothing: float = 0.0
) -> tuple[Float[Tensor, ""], Int[Tensor, ""]]:
    """Hide some tokens, any number of them, as mask_predict finds them: only these count.

    Source: Ghazvininejad et al. 2019, sections 2.2 and 2.3.

    Args:
        model: a NonAutoregressive.
        batch: the sentences; the decoder has no use for tgt_in, the shifted ones.
        label_smoothing: ε of the tokens, at least 0 and below 1; lengths are not smoothed.

    Returns:
        The sum of the losses of hidden tokens and lengths, and the number of hidden tokens.

    Raises:
        ValueError: as the model and length_loss.

    Example:
        >>> from attnsteps import NonAutoregressive, TransformerConfig, collate
        >>> config = TransformerConfig.tiny(11, 13, causal=False, mask_id=4, max_len=16)
        >>> _, tokens = mask_predict_loss(NonAutoregressive(config), collate([([5, 6], [7, 8, 9])]))
        >>> 1 <= int(tokens) <= 4
        True
    """
    return _loss(model, batch, mask_some(batch.tgt_out, model.config), label_smoothing)


def length_loss(
    length_logits: Float[Tensor, "B max_len"], tgt_out: Int[Tensor, "B T"], *, pad_id: int = 0
) -> Float[Tensor, ""]:
    """Return the sum of the cross-entropies of the sentences' lengths.

    Source: Ghazvininejad et al. 2019, section 2.3.

    Example:
        >>> import torch
        >>> length_loss(torch.zeros(1, 4), torch.tensor([[7, 2, 0]]))  # log 4
        tensor(1.3863)
    """
    lengths = (tgt_out != pad_id).sum(dim=1)
    check_number(
        "the longest target",
        tgt_out.shape[1],
        at_least=1,
        at_most=length_logits.shape[1],
        limit="max_len",
        integer=True,
    )
    return functional.cross_entropy(length_logits.float(), lengths - 1, reduction="sum")


def _loss(
    model: nn.Module, batch: Batch, tgt_ids: Int[Tensor, "B T"], label_smoothing: float
) -> tuple[Float[Tensor, ""], Int[Tensor, ""]]:
    """Sum the loss of what is hidden in tgt_ids, and that of the length as of one more token."""
    pad_id = model.config.pad_id
    logits, length_logits = model(batch.src_ids, tgt_ids)
    targets = batch.tgt_out.masked_fill(tgt_ids != model.config.mask_id, pad_id)
    loss, count = summed_cross_entropy(
        logits, targets, label_smoothing=label_smoothing, pad_id=pad_id
    )
    return loss + length_loss(length_logits, batch.tgt_out, pad_id=pad_id), count
