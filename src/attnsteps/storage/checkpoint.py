"""A model in training and its optimizer, in a file that the run goes on from."""

from pathlib import Path

import torch
from torch import Tensor, nn
from torch.optim import Adam

from attnsteps.storage.tensor_file import check_tensors, read_tensors, write_tensors

FORMAT = "attnsteps.checkpoint"
FORMAT_VERSION = 1

MOMENTS = ("exp_avg", "exp_avg_sq")  # what Adam remembers of each parameter, beside its step


def write_checkpoint(path: Path, model: nn.Module, optimizer: Adam, text: str) -> None:
    """Write the weights, what the optimizer remembers of them, and a text."""
    names = _learned(model)
    tensors = {f"model.{name}": parameter for name, parameter in model.named_parameters()}
    for i, state in optimizer.state_dict()["state"].items():
        tensors |= {f"adam.{key}.{names[i]}": tensor for key, tensor in state.items()}
    tensors = {name: t.detach().cpu().contiguous() for name, t in tensors.items()}
    write_tensors(path, tensors, kind=FORMAT, version=FORMAT_VERSION, config=text)


def read_checkpoint(path: Path) -> tuple[str, dict[str, Tensor]]:
    """Read the text and the tensors, and change nothing."""
    return read_tensors(path, kind=FORMAT, version=FORMAT_VERSION)


def check_checkpoint(path: Path, tensors: dict[str, Tensor], model: nn.Module) -> None:
    """Refuse tensors that are not those of the model, or train other parameters of it."""
    ours, start = _learned(model), "adam."
    theirs = {key[len(start) :].partition(".")[2] for key in tensors if key.startswith(start)}
    for name in sorted(theirs ^ set(ours)):
        needed, got = ("trained", "frozen") if name in ours else ("frozen", "trained")
        raise ValueError(f"{path} must be of this training, with {name} {needed}; got it {got}")
    parameters = dict(model.named_parameters())
    needed = {f"model.{name}": parameter for name, parameter in parameters.items()}
    for name in ours:
        like = {"step": torch.zeros(()), **dict.fromkeys(MOMENTS, parameters[name])}
        needed |= {f"adam.{key}.{name}": tensor for key, tensor in like.items()}
    check_tensors(path, tensors, needed, same_dtype=True)


def restore(tensors: dict[str, Tensor], model: nn.Module, optimizer: Adam) -> None:
    """Bring model and optimizer back to where checked tensors were written."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(tensors[f"model.{name}"])
    states = {
        i: {key: tensors[f"adam.{key}.{name}"] for key in ("step", *MOMENTS)}
        for i, name in enumerate(_learned(model))
    }
    groups = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": states, "param_groups": groups})


def _learned(model: nn.Module) -> list[str]:
    """Name the parameters that the optimizer changes, in its order."""
    return [name for name, parameter in model.named_parameters() if parameter.requires_grad]
