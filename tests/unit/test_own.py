"""A file of pairs becomes one file, from a notebook."""

from types import SimpleNamespace

import pytest
import torch

from attnsteps.cli.main import main
from attnsteps.cli.own import train_on_pairs
from attnsteps.translator.trained import Trained

PAIRS = "Der Hund schläft.\tThe dog sleeps.\nDie Katze läuft.\tThe cat runs.\nJa.\tYes.\n"
SMALL = ["--d-model", "8", "--steps", "2", "--merges", "5", "--quiet"]


@pytest.fixture(autouse=True)
def _threads():
    """Leave torch's threads as they were."""
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "my pairs.tsv"
    path.write_text(PAIRS, encoding="utf-8")
    return path


def test_the_file_is_what_train_writes_and_named_after_the_pairs(tmp_path, pairs):
    file = train_on_pairs(pairs, SMALL, folder=tmp_path)
    assert file == tmp_path / "my pairs.safetensors"
    assert file.read_bytes() == (tmp_path / "runs/my pairs/model.safetensors").read_bytes()
    assert Trained.load(file).model.config.d_model == 8


def test_a_second_run_replaces_the_file_and_keeps_both_runs(tmp_path, pairs):
    first = train_on_pairs(pairs, SMALL, folder=tmp_path).read_bytes()
    second = train_on_pairs(pairs, [*SMALL, "--seed", "1"], folder=tmp_path)
    assert second.read_bytes() != first
    assert (tmp_path / "runs/my pairs/model.safetensors").read_bytes() == first
    assert (tmp_path / "runs/my pairs-2/model.safetensors").read_bytes() == second.read_bytes()


def test_it_trains_on_a_gpu_where_there_is_one(tmp_path, pairs, monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    asked = []
    monkeypatch.setattr("attnsteps.cli.train.run", lambda options: asked.append(options.device))
    with pytest.raises(FileNotFoundError):  # nothing was trained
        train_on_pairs(pairs, folder=tmp_path)
    assert asked == ["cuda"]


LOOKING = [*SMALL, "--schedule", "constant", "--warmup", "1", "--evaluate-every", "1"]


def scores(monkeypatch, *values):
    """Let BLEU on held-out pairs be these, at one look after another."""
    left = iter(values)
    monkeypatch.setattr("attnsteps.cli.train.bleu", lambda *_: SimpleNamespace(value=next(left)))


def weights(file):
    return Trained.load(file).model.state_dict()


def test_the_file_holds_the_state_with_the_best_bleu(tmp_path, pairs, monkeypatch, capsys):
    scores(monkeypatch, 1.0, 3.0, 2.5, 0.5)
    found = train_on_pairs(pairs, [*LOOKING, "--steps", "4"], folder=tmp_path)
    out = capsys.readouterr().out
    assert "4 steps in " in out
    assert "val BLEU: 3\n" in out
    assert "the best state, of step 2, saved in " in out
    two, four = (
        train_on_pairs(
            pairs, [*LOOKING, "--steps", steps, "--keep", "last", "--validate", "0"], folder=folder
        )
        for steps, folder in (("2", tmp_path / "two"), ("4", tmp_path / "four"))
    )
    torch.testing.assert_close(weights(found), weights(two), rtol=0, atol=0)
    assert any(not torch.equal(a, weights(four)[name]) for name, a in weights(two).items())


def test_a_run_that_goes_on_keeps_its_best_until_there_is_a_better_one(
    tmp_path, pairs, monkeypatch
):
    run = tmp_path / "run"
    best = ["--keep", "best", "--out", str(run)]
    scores(monkeypatch, 2.0, 1.0, 1.5, 2.0)
    saved = []
    for steps in ("2", "3", "4"):
        asked = ["train", "--corpus", str(pairs), *LOOKING, *best, "--steps", steps, "--resume"]
        assert main(asked) == 0
        saved.append((run / "model.safetensors").read_bytes())
    assert saved[0] == saved[1] != saved[2]


@pytest.mark.parametrize("asked", [["--validate", "0"], ["--corpus", "generated"]], ids=str)
def test_without_held_out_pairs_no_state_is_the_best(tmp_path, pairs, capsys, asked):
    options = ["--keep", "best", "--out", str(tmp_path / "run"), *asked]
    assert main(["train", "--corpus", str(pairs), "--pairs", "300", *SMALL, *options]) == 2
    assert "--keep best needs held-out sentences of a real corpus; got " in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_what_is_wrong_with_the_pairs_is_said(tmp_path, pairs):
    pairs.write_text("Der Hund. The dog.\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"with a tab between them; got .* in line 1"):
        train_on_pairs(pairs, SMALL, folder=tmp_path)
    with pytest.raises(FileNotFoundError, match="there is no file"):
        train_on_pairs(tmp_path / "none.tsv", SMALL, folder=tmp_path)
    assert list(tmp_path.glob("*.safetensors")) == []
