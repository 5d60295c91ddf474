"""What is remembered of a training, in memory and in files."""

import contextlib
import csv
import errno
import sys
import types

import pytest

from attnsteps.training.distributed import Processes
from attnsteps.training.log import History, Record, open_log
from attnsteps.training.loop import train
from tests.training import make_config, make_examples, make_model, trained


def record(step, **scores):
    numbers = {"loss": 1 / step, "rate": 0.1 * step, "norm": 2.0, "tokens": step, "seconds": 0.5}
    return Record(step=step, **numbers, scores=scores)


def rows(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def stack():
    """What is entered here is left when the test ends."""
    with contextlib.ExitStack() as stack:
        yield stack


def test_a_column_has_the_numbers_of_the_records_that_have_them():
    history = History([record(1), record(2, exact=0.5), record(4, exact=0.75)])
    assert len(history) == 3
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


def test_what_an_interrupted_training_logged_beyond_its_checkpoint_is_dropped(stack, tmp_path):
    history = History([record(1), record(2)])
    log = stack.enter_context(open_log("csv", tmp_path, history))
    for step in (3, 4):
        history.records.append(record(step))
        log(history)
    assert len(rows(tmp_path / "log.csv")) == 4
    stack.enter_context(open_log("csv", tmp_path, History([record(1), record(2)])))
    assert [row["step"] for row in rows(tmp_path / "log.csv")] == ["1", "2"]


def test_a_full_disk_leaves_the_old_log_and_nothing_half_written(stack, tmp_path, monkeypatch):
    stack.enter_context(open_log("csv", tmp_path, History([record(1)])))

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(csv.DictWriter, "writerows", full)
    with pytest.raises(OSError, match=r"the log cannot be written: .*No space left on device"):
        stack.enter_context(open_log("csv", tmp_path, History([record(1), record(2)])))
    assert [path.name for path in tmp_path.iterdir()] == ["log.csv"]
    assert [row["step"] for row in rows(tmp_path / "log.csv")] == ["1"]


def test_a_log_that_was_removed_meanwhile_is_written_again(stack, tmp_path):
    history = History([record(1)])
    log = stack.enter_context(open_log("csv", tmp_path, history))
    (tmp_path / "log.csv").unlink()
    history.records.append(record(2))
    log(history)
    assert [row["step"] for row in rows(tmp_path / "log.csv")] == ["1", "2"]


def test_a_disk_that_fills_up_meanwhile_leaves_whole_rows(stack, tmp_path, monkeypatch):
    history = History([record(1)])
    log = stack.enter_context(open_log("csv", tmp_path, history))
    before = (tmp_path / "log.csv").read_bytes()

    def full(writer, row):
        writer.writer.writerow(["half of it"])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(csv.DictWriter, "writerow", full)
    history.records.append(record(2))
    with pytest.raises(OSError, match=r"the log cannot be written: .*No space.*log\.csv"):
        log(history)
    assert (tmp_path / "log.csv").read_bytes() == before


@pytest.mark.parametrize("choices", [{"log": None}, {}])
def test_without_a_log_or_a_directory_nothing_is_written(tmp_path, choices, monkeypatch):
    monkeypatch.chdir(tmp_path)
    trained(config=make_config(**choices), directory=tmp_path / "run" if choices else None)
    assert not list(tmp_path.rglob("log.csv"))


def test_tensorboard_gets_every_number_under_its_name(tmp_path, monkeypatch):
    written, made, closed = [], [], []

    class SummaryWriter:
        def __init__(self, directory, purge_step):
            made.append((directory, purge_step))

        def add_scalar(self, name, value, step):
            written.append((name, value, step))

        def flush(self):
            pass

        def close(self):
            closed.append(True)

    stand_in = types.ModuleType("torch.utils.tensorboard")
    stand_in.SummaryWriter = SummaryWriter
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", stand_in)
    _, history = trained(config=make_config(log="tensorboard"), directory=tmp_path)
    assert made == [(str(tmp_path / "tensorboard"), 0)]
    assert [value for name, value, _ in written if name == "loss"] == history.column("loss")
    assert [step for name, _, step in written if name == "norm"] == [2, 4, 6]
    assert closed == [True]
    with open_log("tensorboard", tmp_path, History([record(3)])):
        pass
    assert made[-1][1] == 4  # what is there from step 4 on is of a training that was interrupted


def test_of_several_processes_the_first_alone_writes_a_log(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)

    @contextlib.contextmanager
    def second(_device):
        yield Processes(rank=1, count=1)  # with a count of 2 it would wait for the other

    monkeypatch.setattr("attnsteps.training.loop.join", second)
    for log in ("csv", "tensorboard"):
        trained(config=make_config(log=log), directory=tmp_path / log)
        assert not list((tmp_path / log).iterdir())


def test_tensorboard_that_is_missing_or_has_no_place_is_refused(refuses, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    config, data = make_config(log="tensorboard"), make_examples()
    refuses(
        lambda: train(make_model(), data, config, directory=tmp_path),
        "log must be 'csv' or None where TensorBoard is not installed (pip install tensorboard);"
        " got 'tensorboard'",
    )
    refuses(
        lambda: train(make_model(), data, config),
        "log must be 'csv' or None where there is no directory; got 'tensorboard'",
    )
