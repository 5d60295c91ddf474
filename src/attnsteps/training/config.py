"""Every choice of a training, in one frozen, validated object."""

from dataclasses import dataclass
from typing import Literal

from attnsteps.checks import check_choice, check_number, check_positive
from attnsteps.training.schedule import linear_decay, paper_schedule
from attnsteps.training.update import PRECISIONS


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """Say how a model is trained; the defaults suit the book's small model.

    Args:
        steps: the number of updates.
        batch_size: the sentence pairs of a batch; None takes 128, unless max_tokens bounds it.
        max_tokens: in place of batch_size: how many ids of each side a batch may hold.
        bucketed: True fills each batch with pairs of similar length, False with any.
        schedule: "linear", up to the peak and down to 0; "paper", section 5.3 of the paper, which
            follows from d_model and warmup alone; or "constant", the peak once it is reached.
        peak: the highest learning rate, where the schedule is not the paper's.
        warmup: the steps on the way up; None takes 400, and of a linear schedule, which alone knows
            its end, a third at most.
        label_smoothing: ε, as in cross_entropy.
        clip: the longest gradient, over all parameters together; longer ones are shortened to it.
            None leaves them.
        accumulate: the batches of each update, for large batches on a small machine: the update is
            that of one batch with all their tokens.
        precision: what the matrix products are computed in: "float32", "bfloat16" or "float16";
            the weights themselves stay as they are.
        compile: True compiles the model, which pays on a GPU and in long trainings.
        seed: where the order of the data and dropout come from.
        log: whether train writes each record down, in the run's directory: "csv" or None.
        log_every: the steps from one record in the history to the next.
        evaluate_every: the steps from one call of validate to the next; None: after the last one.
        checkpoint_every: the steps from one checkpoint to the next; None: after the last one.

    Raises:
        ValueError: if a value is not one of those, or two of them do not go together.

    Example:
        >>> config = TrainingConfig(steps=1000, peak=0.004)
        >>> [round(config.rate(step, d_model=64), 4) for step in (1, 333, 1000)]
        [0.0, 0.004, 0.0]
    """

    steps: int = 1250
    batch_size: int | None = None
    max_tokens: int | None = None
    bucketed: bool = True
    schedule: Literal["linear", "paper", "constant"] = "linear"
    peak: float = 0.004
    warmup: int | None = None
    label_smoothing: float = 0.1
    clip: float | None = 1.0
    accumulate: int = 1
    precision: Literal["float32", "bfloat16", "float16"] = "float32"
    compile: bool = False
    seed: int = 0
    log: Literal["csv"] | None = "csv"
    log_every: int = 50
    evaluate_every: int | None = None
    checkpoint_every: int | None = 250

    def __post_init__(self) -> None:
        """Check every field."""
        check_positive("steps", self.steps)
        if self.batch_size is not None and self.max_tokens is not None:
            raise ValueError(
                "one of batch_size and max_tokens must be None;"
                f" got {self.batch_size} and {self.max_tokens}"
            )
        sizes = ("accumulate", "log_every")
        optional = ("warmup", "batch_size", "max_tokens", "evaluate_every", "checkpoint_every")
        for name in (*sizes, *(name for name in optional if getattr(self, name) is not None)):
            check_positive(name, getattr(self, name))
        check_choice("schedule", self.schedule, ("linear", "paper", "constant"))
        if self.schedule == "linear" and self.warmup is not None:
            check_number(
                "warmup", self.warmup, at_least=1, at_most=self.steps, limit="steps", integer=True
            )
        check_number("peak", self.peak, above=0)
        check_number("label_smoothing", self.label_smoothing, at_least=0, below=1)
        if self.clip is not None:
            check_number("clip", self.clip, above=0)
        check_choice("precision", self.precision, PRECISIONS)
        check_choice("bucketed", self.bucketed, (False, True))
        check_choice("compile", self.compile, (False, True))
        check_choice("log", self.log, ("csv", None))
        check_number("seed", self.seed, integer=True)

    @property
    def pairs(self) -> int | None:
        """The sentence pairs of a batch; None where max_tokens bounds it."""
        return 128 if self.batch_size is None and self.max_tokens is None else self.batch_size

    @property
    def warmup_steps(self) -> int:
        """The steps on the way up."""
        if self.warmup is not None:
            return self.warmup
        return min(400, max(1, self.steps // 3)) if self.schedule == "linear" else 400

    def rate(self, step: int, *, d_model: int | None = None) -> float:
        """Return the learning rate.

        Args:
            step: the number of the update, from 1 on.
            d_model: D, which the paper's schedule alone depends on.
        """
        if self.schedule == "paper":
            return paper_schedule(step, d_model=d_model, warmup=self.warmup_steps)
        if self.schedule == "constant":
            return self.peak * min(1.0, step / self.warmup_steps)
        return linear_decay(step, peak=self.peak, warmup=self.warmup_steps, total=self.steps)
