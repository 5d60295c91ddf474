"""What is remembered of a training run: in memory always, and in a CSV file."""

import csv
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from attnsteps.checks import check_choice
from attnsteps.storage.new_file import new_file

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
        known = dict.fromkeys([*FIELDS, *chain(*rows)])
        check_choice("name", name, known)
        return [row[name] for row in rows if name in row]


def write_log(path: Path, history: History) -> None:
    """Write one row for each record, and a column for each score, complete or not at all."""
    rows = [_row(record) for record in history.records]
    with new_file(path) as unfinished, unfinished.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, dict.fromkeys([*FIELDS, *chain(*rows)]))
        writer.writeheader()
        writer.writerows(rows)


def _row(record: Record) -> dict[str, Any]:
    """Return a record's numbers by name, its scores among them."""
    return {**{name: getattr(record, name) for name in FIELDS}, **record.scores}
