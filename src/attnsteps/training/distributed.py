"""Several processes, one training: each takes its share of every batch, and all stay equal.

``torchrun --nproc-per-node 2 program.py`` starts a program twice and tells each process its rank.
What follows is all that a training needs then; alone, a process needs none of it, and each of these
functions gives back what it was given.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import torch
from torch import Tensor, distributed, nn


class Processes(NamedTuple):
    """Which one of how many processes this is.

    Args:
        rank: its number, from 0 on.
        count: how many there are.
    """

    rank: int = 0
    count: int = 1


@contextmanager
def join(device: torch.device) -> Iterator[Processes]:
    """Join the processes that torchrun has started, for as long as the training lasts.

    They talk through NCCL on GPUs and through gloo on CPUs.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        yield Processes()
    elif distributed.is_initialized():
        yield Processes(distributed.get_rank(), distributed.get_world_size())
    else:
        distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
        try:
            yield Processes(distributed.get_rank(), distributed.get_world_size())
        finally:
            distributed.destroy_process_group()


def own_device(device: torch.device | str) -> torch.device:
    """Give each process a GPU of its own, where a GPU is asked for but not which."""
    device = torch.device(device)
    if device.type == "cuda" and device.index is None:
        device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
        if torch.cuda.device_count() <= device.index:
            raise ValueError(
                f"device 'cuda' must have a GPU for each process of this machine; got none for"
                f" process {device.index}"
            )
        torch.cuda.set_device(device)
    return device


def share(index: Sequence[int], processes: Processes) -> Sequence[int]:
    """Return the pairs of a batch that this process takes: every count-th one.

    A batch is sorted by length, so that all shares take about the same time.

    Example:
        >>> share([7, 8, 9], Processes(rank=0, count=2))
        [7, 9]
    """
    return index[processes.rank :: processes.count]


def same_start(model: nn.Module, processes: Processes) -> None:
    """Give all processes the weights of the first."""
    if processes.count > 1:
        for parameter in model.parameters():
            distributed.broadcast(parameter.data, src=0)


def add_up(tensors: Sequence[Tensor], processes: Processes) -> None:
    """Replace each tensor by its sum over all processes, in a single message."""
    if processes.count > 1:
        message = torch.cat([tensor.flatten() for tensor in tensors])
        distributed.all_reduce(message)
        parts = message.split([tensor.numel() for tensor in tensors])
        for tensor, part in zip(tensors, parts, strict=True):
            tensor.copy_(part.view_as(tensor))
