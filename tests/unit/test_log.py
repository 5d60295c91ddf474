"""What is remembered of a training, in memory and in files."""

import contextlib
import csv
import errno

import pytest

from attnsteps.training.distributed import Processes
from attnsteps.training.log import History, Record, write_log
from attnsteps.training.run import Run
from attnsteps.training.watchers import keep_file
from tests.training import make_config, make_model, trained


def record(step, **scores):
    numbers = {"loss": 1 / step, "rate": 0.1 * step, "norm": 2.0, "tokens": step, "seconds": 0.5}
    return Record(step=step, **numbers, scores=scores)


def rows(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_column_has_the_numbers_of_the_records_that_have_them():
    history = History([record(1), record(2, exact=0.5), record(4, exact=0.75)])
    assert history.column("step") == [1, 2, 4]
    assert history.column("loss") == [1.0, 0.5, 0.25]
    assert history.column("exact") == [0.5, 0.75]


def test_a_column_that_is_not_there_is_refused_with_those_that_are(refuses):
    refuses(
        lambda: History([record(1, exact=0.5)]).column("bleu"),
        "name must be 'step' or 'loss' or 'rate' or 'norm' or 'tokens' or 'seconds' or 'exact';"
        " got 'bleu'",
    )


def test_the_file_has_a_row_for_each_record_and_a_column_for_each_score(tmp_path):
    _, history = trained(
        config=make_config(log_every=1, evaluate_every=4),
        directory=tmp_path,
        validate=lambda _: {"exact": 0.125},
    )
    found = rows(tmp_path / "log.csv")
    assert [int(row["step"]) for row in found] == [1, 2, 3, 4, 5, 6]
    assert [float(row["loss"]) for row in found] == history.column("loss")
    assert [row["exact"] for row in found] == ["", "", "", "0.125", "", "0.125"]


def test_what_an_interrupted_training_logged_beyond_its_checkpoint_is_dropped(tmp_path):
    trained(config=make_config(steps=4, log_every=1), directory=tmp_path)
    begun = Run(make_model(), make_config())
    begun.now.history.records.extend([record(1), record(2)])
    watch = keep_file(tmp_path / "log.csv", begun)
    assert [row["step"] for row in rows(tmp_path / "log.csv")] == ["1", "2"]
    begun.now.step = 3
    watch(begun)  # of this step there is no record
    assert len(rows(tmp_path / "log.csv")) == 2
    begun.now.history.records.append(record(3, exact=0.5))
    (tmp_path / "log.csv").unlink()  # whoever removes it gets it again, whole
    watch(begun)
    assert [row["exact"] for row in rows(tmp_path / "log.csv")] == ["", "", "0.5"]


@pytest.mark.parametrize("place", ["writeheader", "writerows"])
def test_a_full_disk_leaves_the_old_log_and_nothing_half_written(tmp_path, monkeypatch, place):
    path = tmp_path / "log.csv"
    write_log(path, History([record(1)]))
    before = path.read_bytes()

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(csv.DictWriter, place, full)
    with pytest.raises(OSError, match=r"log\.csv cannot be written: .*No space"):
        write_log(path, History([record(1), record(2)]))
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == before


@pytest.mark.parametrize("choices", [{"log": None}, {}])
def test_without_a_log_or_a_directory_nothing_is_written(tmp_path, choices, monkeypatch):
    monkeypatch.chdir(tmp_path)
    trained(config=make_config(**choices), directory=tmp_path / "run" if choices else None)
    assert not list(tmp_path.rglob("log.csv"))


def test_of_several_processes_the_first_alone_writes_a_log(tmp_path, monkeypatch):

    @contextlib.contextmanager
    def second(_device):
        yield Processes(rank=1, count=1)  # with a count of 2 it would wait for the other

    monkeypatch.setattr("attnsteps.training.loop.join", second)
    trained(directory=tmp_path)
    assert not list(tmp_path.iterdir())
