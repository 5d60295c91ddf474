"""One change of the weights: predict, compare, ask every weight for its part, take a step."""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.amp import GradScaler
from torch.optim import Adam

from attnsteps.training.distributed import Processes, add_up
from attnsteps.training.loss import LossFunction, autoregressive_loss

PRECISIONS = {
    "float32": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
}


class Update(NamedTuple):
    """What one update has seen.

    Args:
        loss: the sum of the losses of all tokens, in nats, before the update.
        count: the number of these tokens.
        norm: the length of the gradient, before it was shortened.
    """

    loss: Tensor
    count: Tensor
    norm: Tensor


def make_optimizer(model: nn.Module) -> Adam:
    """Return the paper's optimizer, in one fused operation where the device has it.

    Source: paper, section 5.3: Adam with β1 = 0.9, β2 = 0.98, ε = 1e-9.

    Args:
        model: whose parameters to change.

    Returns:
        The optimizer; every update sets its learning rate.

    Raises:
        ValueError: if no parameter of the model requires a gradient.

    Example:
        >>> from attnsteps import Transformer, TransformerConfig
        >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=11, tgt_vocab_size=13))
        >>> make_optimizer(model).defaults["betas"]
        (0.9, 0.98)
    """
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if not parameters:
        raise ValueError("model must have a parameter that requires a gradient; got none")
    fused = parameters[0].device.type in ("cpu", "cuda")
    return Adam(parameters, betas=(0.9, 0.98), eps=1e-9, fused=fused)


def make_scaler(device: torch.device, precision: str) -> GradScaler:
    """Return what float16 needs, whose smallest number is 6e-8: a factor for the loss.

    Gradients are divided by it again before they are used. It halves whenever one of them has
    become infinite, and that step is left out. The other precisions reach as far as float32, and
    their scaler does nothing.
    """
    return GradScaler(device.type, init_scale=2.0**6, enabled=precision == "float16")


def update(
    model: nn.Module,
    batches: Iterable[Any],
    optimizer: Adam,
    *,
    rate: float,
    loss_fn: LossFunction = autoregressive_loss,
    label_smoothing: float = 0.0,
    clip: float | None = None,
    precision: str = "float32",
    scaler: GradScaler | None = None,
    processes: Processes = Processes(),  # noqa: B008 (it is a tuple, and never changes)
) -> Update:
    """Change the weights once, by the mean loss of all tokens in all the batches.

    The gradients of sums are added up, and only then divided, by the number of all tokens: that of
    every batch and every process. So neither changes the result but for rounding.

    Args:
        model: in training mode; changed in place.
        batches: what loss_fn takes; this process's share of each.
        optimizer: over the model's parameters.
        rate: the learning rate.
        loss_fn: returns a batch's sum of losses, and the number of its tokens.
        label_smoothing: ε, for loss_fn.
        clip: the longest gradient; None shortens none.
        precision: what the matrix products are computed in.
        scaler: for float16, whose small gradients would vanish: it multiplies the loss, and
            leaves out a step whose gradients became infinite.
        processes: which process this is.

    Returns:
        The loss, the number of tokens and the gradient's length, on the model's device.

    Example:
        >>> from attnsteps import Transformer, TransformerConfig
        >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=11, tgt_vocab_size=13))
        >>> from attnsteps import collate
        >>> batch = collate([([5, 6], [7, 8, 9])])
        >>> optimizer = make_optimizer(model)
        >>> losses = [update(model, [batch], optimizer, rate=0.01).loss.item() for _ in range(9)]
        >>> losses[-1] < losses[0]
        True
    """
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    device = parameters[0].device
    scaler = scaler or make_scaler(device, precision)
    autocast = {"dtype": PRECISIONS[precision], "enabled": precision != "float32"}
    total, count = torch.zeros((), device=device), torch.zeros((), device=device)

    optimizer.zero_grad()
    scaler.scale(total)  # it begins to count here, also where there is no batch
    for batch in batches:
        with torch.autocast(device.type, **autocast):
            loss, num_tokens = loss_fn(model, batch, label_smoothing)
        scaler.scale(loss).backward()
        total += loss.detach()
        count += num_tokens

    for parameter in parameters:
        if parameter.grad is None:  # this process had no sentence, or the model no use for it
            parameter.grad = torch.zeros_like(parameter)
    gradients = [parameter.grad for parameter in parameters]
    add_up([*gradients, total, count], processes)

    scaler.unscale_(optimizer)
    for gradient in gradients:
        gradient.div_(count)
    norm = nn.utils.clip_grad_norm_(parameters, math.inf if clip is None else clip)
    for group in optimizer.param_groups:
        group["lr"] = rate
    scaler.step(optimizer)
    scaler.update()
    return Update(total, count, norm)
