"""What is remembered of a training: in memory always, in a CSV file or in TensorBoard on demand."""

import csv
import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attnsteps.checks import check_choice

if TYPE_CHECKING:
    from torch.utils.tensorboard import SummaryWriter

FIELDS = ("step", "loss", "rate", "norm", "tokens", "seconds")


@dataclass(frozen=True, kw_only=True)
class Record:
    """A moment of a training.

    Args:
        step: the number of updates so far.
        loss: the mean loss of all tokens since the record before, in nats.
        rate: the learning rate of the last update.
        norm: the gradient's length in the last update, before it was shortened.
        tokens: the target tokens seen so far.
        seconds: the time spent so far, evaluation included.
        scores: what validate returned, if it was called.

    Example:
        >>> Record(step=50, loss=2.0, rate=0.001, norm=1.5, tokens=900, seconds=3.0).loss
        2.0
    """

    step: int
    loss: float
    rate: float
    norm: float
    tokens: int
    seconds: float
    scores: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class History:
    """All records of a training, the oldest first.

    Args:
        records: the records.

    Example:
        >>> History().records
        []
    """

    records: list[Record] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.records)

    def column(self, name: str) -> list[float | int]:
        """Return one number of every record that has it.

        Args:
            name: a field of Record, or a score that validate returned.

        Raises:
            ValueError: if no record has it.

        Example:
            >>> record = Record(step=1, loss=2.0, rate=0.1, norm=1.0, tokens=9, seconds=0.5)
            >>> History([record]).column("loss")
            [2.0]
        """
        rows = [_row(record) for record in self.records]
        known = dict.fromkeys([*FIELDS, *(key for row in rows for key in row)])
        check_choice("name", name, known)
        return [row[name] for row in rows if name in row]


#: Called with the whole history after every new record.
Log = Callable[[History], None]


@contextmanager
def open_log(kind: str | None, directory: Path | None, history: History) -> Iterator[Log]:
    """Yield what writes every new record down, in the run's directory.

    What the files hold of an interrupted training beyond the history with which it goes on is
    dropped.
    """
    if kind == "tensorboard":
        with closing(_summary_writer(directory, history)) as writer:
            yield partial(_add_scalars, writer)
    elif kind is None or directory is None:
        yield lambda _: None
    else:
        yield _csv(directory / "log.csv", history)


def _csv(path: Path, history: History) -> Log:
    """Write one row for each record, and a column for each score as soon as there is one."""
    columns: list[str] = []

    def rewrite(history: History) -> None:
        rows = [_row(record) for record in history.records]
        columns[:] = dict.fromkeys([*FIELDS, *(name for row in rows for name in row)])
        unfinished = path.with_name(f".{path.name}.unfinished")
        try:
            with _writing(path), unfinished.open("w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, columns)
                writer.writeheader()
                writer.writerows(rows)
            os.replace(unfinished, path)
        finally:
            unfinished.unlink(missing_ok=True)

    def log(history: History) -> None:
        row = _row(history.records[-1])
        if not row.keys() <= set(columns) or not path.exists():  # or somebody has removed it
            rewrite(history)
            return
        size = path.stat().st_size
        try:
            with _writing(path), path.open("a", newline="", encoding="utf-8") as file:
                csv.DictWriter(file, columns).writerow(row)
        except OSError:
            os.truncate(path, size)  # no half a row
            raise

    rewrite(history)
    return log


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Say of an error which file could not be written."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, f"the log cannot be written: {error}", str(path)) from error


def _summary_writer(directory: Path | None, history: History) -> "SummaryWriter":
    """Open TensorBoard's files, and drop what they hold beyond this history."""
    if directory is None:
        raise ValueError("log must be 'csv' or None where there is no directory; got 'tensorboard'")
    try:
        from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415 (not everyone has it)
    except ImportError as error:
        raise ValueError(
            "log must be 'csv' or None where TensorBoard is not installed (pip install"
            " tensorboard); got 'tensorboard'"
        ) from error
    after = history.records[-1].step + 1 if history.records else 0
    return SummaryWriter(str(directory / "tensorboard"), purge_step=after)


def _add_scalars(writer: "SummaryWriter", history: History) -> None:
    """Write one point in each of TensorBoard's curves for the latest record."""
    row = _row(history.records[-1])
    step = row.pop("step")
    for name, value in row.items():
        writer.add_scalar(name, value, step)
    writer.flush()


def _row(record: Record) -> dict[str, Any]:
    """Return a record's numbers by name, its scores among them."""
    return {**{name: getattr(record, name) for name in FIELDS}, **record.scores}
