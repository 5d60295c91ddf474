"""The loss of a model with experts: its own, and a little for an uneven load."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attnsteps.layers.mixture import routings
from attnsteps.text.batch import Batch
from attnsteps.training.loss import autoregressive_loss

BALANCE = 0.01  # α of the source


def balanced_loss(
    model: nn.Module, batch: Batch, label_smoothing: float = 0.0
) -> tuple[Float[Tensor, ""], Int[Tensor, ""]]:
    """Add to autoregressive_loss what keeps the experts equally busy.

    Formula, for each token, with the mean over the mixtures of the model::

        loss + 0.01 · E · Σ_e load_e · mean p_e

    Source: Fedus et al. 2022, section 2.2, eq. 4 to 6.

    Args:
        model: a causal Transformer with experts.
        batch: the sentences.
        label_smoothing: ε, at least 0 and below 1.

    Returns:
        The sum of the tokens' losses, and the number of tokens.

    Raises:
        ValueError: if the model has no mixture of experts; and as autoregressive_loss.

    Example:
        >>> from attnsteps import Transformer, TransformerConfig, collate
        >>> config = TransformerConfig.tiny(11, 13, num_experts=4)
        >>> loss, tokens = balanced_loss(Transformer(config), collate([([5, 6], [7, 8, 9])]))
        >>> int(tokens)
        4
    """
    with routings(model) as routed:
        loss, num_tokens = autoregressive_loss(model, batch, label_smoothing)
    if not routed:
        raise ValueError("model must have a mixture of experts; got none (num_experts = 1)")
    balance = torch.stack([routing.balance for routing in routed]).mean()
    return loss + BALANCE * num_tokens * balance, num_tokens
