"""Where a training run stands: what it has seen, and what it has found out."""

import math
from dataclasses import dataclass, field

from attnsteps.training.log import History, Record
from attnsteps.training.update import Update

PATIENCE = 25  # so many halvings bring the scale of the loss from 64 to 2e-6


@dataclass
class Progress:
    """Where a training run stands, between two updates.

    The schedule follows from step, and so does chance: every update begins with a random state
    made of the config's seed, step and the process's rank. What happens between two updates, be
    it an evaluation or the end of the program, changes nothing.

    Args:
        step: the number of updates so far.
        epoch: how often all the data has been seen.
        batch: how many batches of this epoch have been seen.
        tokens: the target tokens seen so far.
        seconds: the time spent so far.
        loss: the sum of the losses since the last record.
        loss_tokens: the number of tokens in that sum.
        skipped: how many steps in a row have been left out, because a gradient was infinite.
        rate: the learning rate of the last update.
        norm: the gradient's length in the last update that was counted in.
        history: all records so far.
    """

    step: int = 0
    epoch: int = 0
    batch: int = 0
    tokens: int = 0
    seconds: float = 0.0
    loss: float = 0.0
    loss_tokens: int = 0
    skipped: int = 0
    rate: float = 0.0
    norm: float = 0.0
    history: History = field(default_factory=History)

    def add(self, updates: list[Update], *, may_overflow: bool) -> None:
        """Count updates in, and check that they led somewhere.

        A GPU works ahead of the program; only here does the program wait for it.
        """
        for loss, count, norm in updates:
            self.loss += float(loss)
            self.loss_tokens += int(count)
            self.tokens += int(count)
            self.norm = float(norm)
            self.skipped = 0 if math.isfinite(self.norm) else self.skipped + 1
        updates.clear()
        if not math.isfinite(self.loss) or not (math.isfinite(self.norm) or may_overflow):
            raise FloatingPointError(
                f"loss and gradient must be finite; got {self.loss} and a length of {self.norm} by"
                f" step {self.step} (a lower peak, a longer warmup or a clip may help)"
            )
        if self.skipped >= PATIENCE:
            raise FloatingPointError(
                f"one of {PATIENCE} gradients must be finite; got none in the last {self.skipped}"
                f" steps, by step {self.step}: nothing is learned (bfloat16 or float32 may help)"
            )

    def record(self, scores: dict[str, float]) -> None:
        """Put a record into the history, and begin a new mean."""
        latest = Record(
            step=self.step,
            loss=self.loss / self.loss_tokens,
            rate=self.rate,
            norm=self.norm,
            tokens=self.tokens,
            seconds=self.seconds,
            scores=scores,
        )
        self.history.records.append(latest)
        self.loss, self.loss_tokens = 0.0, 0

    @property
    def latest(self) -> Record | None:
        """The record of this step, if it has one."""
        records = self.history.records
        return records[-1] if records and records[-1].step == self.step else None
