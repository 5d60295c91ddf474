"""A model as a file's tensors, and back: they are compared before anything is allocated."""

import math
from pathlib import Path

import torch
from torch import Tensor, nn

from attnsteps.model.config import TransformerConfig
from attnsteps.storage.eight_bits import quantised, restored
from attnsteps.storage.tensor_file import check_tensors


def to_tensors(model: nn.Module, dtype: torch.dtype) -> dict[str, Tensor]:
    """Return a model's weights as they are stored, in a floating-point type or in int8.

    Raises:
        ValueError: if a weight is too large for the type.
    """
    tensors = {}
    stored = torch.float16 if dtype == torch.int8 else dtype
    for name, parameter in model.named_parameters():
        largest, limit = parameter.detach().abs().max(), torch.finfo(stored).max
        if limit < largest < math.inf:
            raise ValueError(f"{name} must fit into {stored}, at most {limit:g}; got {largest:g}")
        own = parameter.detach().cpu().contiguous()
        tensors |= quantised(name, own) if dtype == torch.int8 else {name: own.to(dtype)}
    return tensors


def from_tensors(
    path: Path, kind: type[nn.Module], config: TransformerConfig, tensors: dict[str, Tensor]
) -> nn.Module:
    """Build the model that a file describes, in float32, on the CPU and in evaluation mode.

    A few bytes can ask for a model of any size. So it is first built on PyTorch's device "meta",
    where a tensor has a shape and no numbers, and only allocated if the file's tensors are its own.

    Raises:
        ValueError: if the configuration makes no model, or another one than the tensors are of.
    """
    tensors = restored(path, tensors)
    layers = config.num_encoder_layers + config.num_decoder_layers
    if layers * config.num_experts > len(tensors):
        raise ValueError(
            f"{path} must hold the tensors of {layers} layers, with {config.num_experts} networks"
            f" each; got {len(tensors)} tensors"
        )
    try:
        with torch.device("meta"):
            needed = dict(kind(config).named_parameters())
    except (RuntimeError, TypeError, ValueError) as error:  # such as a size beyond 64 bits
        reason = str(error).partition("\n")[0]
        raise ValueError(f"{path} must hold a model's sizes; got: {reason}") from error
    check_tensors(path, tensors, needed)
    with torch.random.fork_rng(devices=[]):  # the first weights are drawn, and then replaced
        model = kind(config)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(tensors[name])
    return model.eval()
