"""A file of pairs becomes one file, from a notebook."""

import pytest
import torch

from attnsteps.cli.own import train_on_pairs
from attnsteps.translator.trained import Trained

PAIRS = "Der Hund schläft.\tThe dog sleeps.\nDie Katze läuft.\tThe cat runs.\nJa.\tYes.\n"
SMALL = ["--d-model", "8", "--steps", "2", "--merges", "5", "--validate", "0", "--quiet"]


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


def test_what_is_wrong_with_the_pairs_is_said(tmp_path, pairs):
    pairs.write_text("Der Hund. The dog.\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"with a tab between them; got .* in line 1"):
        train_on_pairs(pairs, SMALL, folder=tmp_path)
    with pytest.raises(FileNotFoundError, match="there is no file"):
        train_on_pairs(tmp_path / "none.tsv", SMALL, folder=tmp_path)
    assert list(tmp_path.glob("*.safetensors")) == []
