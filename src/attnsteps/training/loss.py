"""How wrong were the predictions? Cross-entropy, with label smoothing."""

from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from attnsteps.checks import check_number
from attnsteps.shapes import check_floating, check_ids, check_shape
from attnsteps.text.batch import Batch

#: (model, batch, label_smoothing) → the sum of the losses, and the number of its terms. What
#: a batch is, the loss alone has to know; train gives it a Batch.
LossFunction = Callable[[nn.Module, Any, float], tuple[Tensor, Tensor]]


def smoothed_targets(
    targets: Int[Tensor, "B T"],
    vocab_size: int,
    *,
    label_smoothing: float,
    dtype: torch.dtype = torch.float32,
) -> Float[Tensor, "B T V"]:
    """Take a little probability from the right token, and give every token the same part of it.

    Formula, for the right token y and each token w of V, the right one among them::

        q(w) = (1 − ε) · [w = y] + ε / V

    Source: paper, section 5.4 (ε = 0.1), after Szegedy et al. 2015, section 7, whose formula this
    is and which torch.nn.CrossEntropyLoss follows too. The paper's own program (tensor2tensor)
    shares ε among the V − 1 wrong tokens instead: its ε' is this ε = ε' · V / (V − 1).

    Args:
        targets: the right tokens, (B, T).
        vocab_size: V.
        label_smoothing: ε, at least 0 and below 1.
        dtype: that of the result.

    Returns:
        A distribution for each position, (B, T, V): positive wherever ε is, and summing to 1.

    Raises:
        ValueError: if a target lies outside the vocabulary, or label_smoothing outside [0, 1).

    Example:
        >>> import torch
        >>> smoothed_targets(torch.tensor([[2]]), 4, label_smoothing=0.2)
        tensor([[[0.0500, 0.0500, 0.8500, 0.0500]]])
    """
    check_ids("targets", targets, vocab_size)
    check_number("label_smoothing", label_smoothing, at_least=0, below=1)
    right = functional.one_hot(targets.long(), vocab_size).to(dtype)
    return (1 - label_smoothing) * right + label_smoothing / vocab_size


def cross_entropy(
    logits: Float[Tensor, "B T V"],
    targets: Int[Tensor, "B T"],
    *,
    label_smoothing: float = 0.0,
    pad_id: int = 0,
) -> Float[Tensor, ""]:
    """Return the mean loss of all tokens; padding is none.

    Formula, with q as in smoothed_targets, over the N positions whose target is not padding::

        L = −1/N · Σ_t Σ_w q_t(w) · log softmax(logits_t)(w)

    Source: paper, section 5.4. It equals
    ``torch.nn.CrossEntropyLoss(ignore_index=pad_id, label_smoothing=label_smoothing)``, which
    needs no (B, T, V) of targets; training goes through that, in summed_cross_entropy.

    Args:
        logits: (B, T, V).
        targets: the right tokens, (B, T), filled up with pad_id.
        label_smoothing: ε, at least 0 and below 1.
        pad_id: the target that does not count.

    Returns:
        The loss in nats per token, a scalar.

    Raises:
        ValueError: if the shapes do not agree, a target lies outside the vocabulary, every target
            is padding, or label_smoothing lies outside [0, 1).

    Example:
        >>> import torch
        >>> logits = torch.tensor([[[0.0, 0.0], [8.0, 9.0]]])
        >>> cross_entropy(logits, torch.tensor([[1, 0]]))  # log 2; the second target is padding
        tensor(0.6931)
    """
    _check(logits, targets)
    q = smoothed_targets(
        targets, logits.shape[-1], label_smoothing=label_smoothing, dtype=logits.dtype
    )
    costs = (q * logits.log_softmax(dim=-1)).masked_fill(q == 0, 0.0)  # 0 · ∞ is none
    losses = -costs.sum(dim=-1)  # (B, T)
    is_token = targets != pad_id
    if not is_token.any():
        raise ValueError(f"targets must hold a token; got only padding (pad_id = {pad_id})")
    return losses[is_token].mean()


def summed_cross_entropy(
    logits: Float[Tensor, "B T V"],
    targets: Int[Tensor, "B T"],
    *,
    label_smoothing: float = 0.0,
    pad_id: int = 0,
) -> tuple[Float[Tensor, ""], Int[Tensor, ""]]:
    """Return the sum of the tokens' losses and their number, by PyTorch's own function.

    Sums can be added up, over micro-batches and processes, and divided once, by all tokens. Means
    cannot: a mean of means gives a token in a short batch more weight than one in a long batch.

    Args:
        logits: (B, T, V).
        targets: the right tokens, (B, T), filled up with pad_id.
        label_smoothing: ε, at least 0 and below 1.
        pad_id: the target that does not count.

    Returns:
        The sum, in nats and in float32 at least, and the number of tokens: two scalars. Their
        quotient is cross_entropy.

    Raises:
        ValueError: as in cross_entropy, but that targets may be padding alone.

    Example:
        >>> import torch
        >>> summed_cross_entropy(torch.zeros(1, 3, 2), torch.tensor([[1, 1, 0]]))
        (tensor(1.3863), tensor(2))
    """
    _check(logits, targets)
    check_number("label_smoothing", label_smoothing, at_least=0, below=1)
    if targets.device.type == "cpu":  # a GPU would have to be waited for, and complains itself
        check_ids("targets", targets[targets != pad_id], logits.shape[-1])
    loss = functional.cross_entropy(
        logits.flatten(0, 1).to(torch.promote_types(logits.dtype, torch.float32)),
        targets.flatten().long(),
        ignore_index=pad_id,
        label_smoothing=label_smoothing,
        reduction="sum",
    )
    return loss, (targets != pad_id).sum()


def autoregressive_loss(
    model: nn.Module, batch: Batch, label_smoothing: float = 0.0
) -> tuple[Float[Tensor, ""], Int[Tensor, ""]]:
    """Let the model predict every next word from the true words before it: teacher forcing.

    The decoder reads tgt_in and is held against tgt_out, the same sentence one place further.

    Args:
        model: a causal Transformer.
        batch: the sentences.
        label_smoothing: ε, at least 0 and below 1.

    Returns:
        The sum of the tokens' losses, and the number of tokens.

    Raises:
        ValueError: as the model and summed_cross_entropy.

    Example:
        >>> from attnsteps import Transformer, TransformerConfig
        >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=11, tgt_vocab_size=13))
        >>> from attnsteps import collate
        >>> loss, tokens = autoregressive_loss(model, collate([([5, 6], [7, 8, 9])]))
        >>> int(tokens)  # three words, and the end
        4
    """
    logits = model(batch.src_ids, batch.tgt_in)
    return summed_cross_entropy(logits, batch.tgt_out, label_smoothing=label_smoothing)


def _check(logits: Float[Tensor, "B T V"], targets: Int[Tensor, "B T"]) -> None:
    """Check that there are logits for each target."""
    check_floating("logits", logits)
    check_shape("logits", logits, "B T V")
    check_ids("targets", targets)
    check_shape("targets", targets, "B T", B=logits.shape[0], T=logits.shape[1])
