"""Weights of the transformers library, copied into this package's layers."""

import torch
from torch import Tensor, nn

from attnsteps import EncoderLayer
from attnsteps.model.build import NORMS


def randomise(model: nn.Module) -> nn.Module:
    """Move every parameter far from its start, norms and biases too, so that each one counts."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(0.3 * torch.randn_like(parameter) + (parameter.dim() == 1))
    return model.eval()


def copy(ours: nn.Module, theirs: nn.Module) -> None:
    """Copy a weight and, where there is one, a bias; GPT-2 keeps its matrices transposed."""
    transposed = type(theirs).__name__ == "Conv1D"
    assert (ours.bias is None if isinstance(ours, nn.Linear) else not hasattr(ours, "bias")) == (
        getattr(theirs, "bias", None) is None
    )
    with torch.no_grad():
        ours.weight.copy_(theirs.weight.T if transposed else theirs.weight)
        if getattr(theirs, "bias", None) is not None:
            ours.bias.copy_(theirs.bias)


def copy_parts(layer: EncoderLayer, parts: dict[str, nn.Module]) -> None:
    """Copy into one encoder layer, part by part, and check that none is left out."""
    for name, theirs in parts.items():
        copy(layer.get_submodule(name), theirs)
    covered = {f"{name}.{kind}" for name in parts for kind in ("weight", "bias")}
    left_out = {name for name, _ in layer.named_parameters()} - covered
    assert not left_out, left_out


def set_epsilon(model: nn.Module, eps: float) -> None:
    """Give every norm another ε than this package's 1e-5."""
    for module in model.modules():
        if isinstance(module, tuple(NORMS.values())):
            module.eps = eps


def pairs_from_halves(weight: Tensor, num_heads: int) -> Tensor:
    """Reorder a projection's rows: transformers turns components i and i + Dk/2, we 2i and 2i + 1.

    Both are the paper's rotation, for another order of a head's components.
    """
    return weight.unflatten(0, (num_heads, 2, -1)).transpose(1, 2).flatten(0, 2)
