"""A training run: an iterator over updates, which whoever likes may follow."""

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import torch
from torch import nn
from torch.amp import GradScaler
from torch.optim import Adam

from attnsteps.training.config import TrainingConfig
from attnsteps.training.distributed import Processes
from attnsteps.training.loss import LossFunction, autoregressive_loss
from attnsteps.training.progress import PATIENCE, Progress
from attnsteps.training.update import Update, make_optimizer, make_scaler, update


@dataclass
class Run:
    """A training run of any module: all that its next update depends on, but for the data.

    Args:
        model: changed in place.
        config: how to train it, up to config.steps updates.
        loss_fn: called with the model, a batch and the label smoothing, it returns the sum of the
            losses and the number of its terms.
        optimizer: over the model's parameters; by default the paper's.
        d_model: D, which only the paper's schedule depends on.
        processes: which process this is.
        now: where the run stands.

    Example:
        >>> def squares(model, x, label_smoothing):
        ...     return (model(x) - 3 * x).square().sum(), torch.tensor(len(x))
        >>> line = nn.Linear(1, 1)
        >>> run = Run(line, TrainingConfig(steps=200, peak=0.1, log_every=100), squares)
        >>> for now in run.updates(torch.randn(8, 1) for _ in range(200)):
        ...     if now.step == 200:
        ...         print(f"{line.weight.item():.2f}")
        3.00
    """

    model: nn.Module
    config: TrainingConfig
    loss_fn: LossFunction = autoregressive_loss
    optimizer: Adam | None = None
    d_model: int | None = None
    processes: Processes = Processes()  # noqa: RUF009 (it is a tuple, and never changes)
    now: Progress = field(default_factory=Progress)
    scaler: GradScaler = field(init=False)  # for float16
    seen: list[Update] = field(init=False, default_factory=list)  # and not counted in yet

    def __post_init__(self) -> None:
        """Make what was not given."""
        device = next(self.model.parameters()).device
        self.scaler = make_scaler(device, self.config.precision)
        self.optimizer = self.optimizer or make_optimizer(self.model)

    def updates(self, batches: Iterable[Any]) -> Iterator[Progress]:
        """Change the weights, update after update, and yield after each where the run stands.

        Between two updates the run waits: look at the model then, save it, or leave the loop.

        Args:
            batches: what loss_fn takes, one after another; None is one without a sentence.

        Yields:
            The same Progress each time. Its sums are complete whenever the config asks for a
            record, an evaluation or a checkpoint.

        Raises:
            ValueError: if there are too few batches, or the paper's schedule has no d_model.
            FloatingPointError: if the loss or the gradient becomes infinite or NaN, or step after
                step has to be left out, so that nothing is learned.
        """
        config, now, batches = self.config, self.now, iter(batches)
        forward = torch.compile(self.model, dynamic=True) if config.compile else self.model
        how = {
            "loss_fn": self.loss_fn,
            "label_smoothing": config.label_smoothing,
            "clip": config.clip,
            "precision": config.precision,
            "scaler": self.scaler,
            "processes": self.processes,
        }
        looks = (config.log_every, config.evaluate_every, config.checkpoint_every)
        while now.step < config.steps:
            taken = list(islice(batches, config.accumulate))
            if not taken:
                raise ValueError(
                    f"batches must last for {config.steps} updates; got none after {now.step}"
                )
            now.step += 1
            now.rate = config.rate(now.step, d_model=self.d_model)
            self.model.train()  # whatever has been done with it since the last update
            torch.manual_seed(_seed(config.seed, now.step, self.processes.rank))
            real = [batch for batch in taken if batch is not None]
            self.seen.append(update(forward, real, self.optimizer, rate=now.rate, **how))
            if len(self.seen) == PATIENCE or any(map(self.is_due, looks)):
                now.add(self.seen, may_overflow=self.scaler.is_enabled())
            yield now

    def is_due(self, every: int | None) -> bool:
        """Tell whether it is time for what is done every so many steps, and after the last."""
        step = self.now.step
        return step == self.config.steps or (every is not None and step % every == 0)


#: Called after every update.
Watcher = Callable[[Run], None]


def _seed(seed: int, step: int, rank: int) -> int:
    """Return the number that all chance in one update of one process comes from."""
    return random.Random(f"{seed}/{step}/{rank}").getrandbits(63)
