"""Two processes are one: the same weights as alone, but for rounding."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch import distributed

from attnsteps.training.distributed import Processes, add_up, join, own_device, same_start, share
from tests.training import make_model, weights
from tests.two_processes import CASES, result

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def together(tmp_path_factory):
    """Train in two processes; return their report and their weights."""
    root = tmp_path_factory.mktemp("together")
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    finished = subprocess.run(
        [*torchrun, "--nproc-per-node=2", "-m", "tests.two_processes", str(root)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    report = json.loads((root / "report.json").read_text())
    assert report["processes"] == 2
    return report, load_file(root / "weights.safetensors")


@pytest.mark.parametrize("name", CASES)
def test_two_processes_give_the_result_of_one(together, name):
    report, tensors = together
    needed, losses = result(**CASES[name])
    got = {key: tensors[f"{name}.{key}"] for key in needed}
    torch.testing.assert_close(got, needed, rtol=1e-6, atol=1e-6)
    assert report["losses"][name] == pytest.approx(losses, rel=1e-6)


def test_two_processes_stay_equal_and_resume_bit_for_bit(together):
    assert together[0]["equal"]
    assert together[0]["resumed"]


def test_each_process_has_its_share_of_every_batch_and_no_pair_is_seen_twice(together):
    first, second = together[0]["shares"]
    # 41 pairs: five batches of 8, half of each for either, and somewhere a batch of one pair.
    assert all(len(part) <= 4 for part in [*first, *second])
    pairs = [i for part in [*first[:6], *second[:5]] for i in part]
    assert sorted(pairs) == list(range(41))


def test_shares_are_even_and_complete():
    index = list(range(100, 111))
    for count in (1, 2, 3, 20):
        shares = [share(index, Processes(rank, count)) for rank in range(count)]
        assert sorted(i for part in shares for i in part) == index
        assert max(map(len, shares)) - min(map(len, shares)) <= 1


def test_a_process_alone_needs_no_other(monkeypatch):
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    with join(torch.device("cpu")) as processes:
        assert processes == Processes(rank=0, count=1)
        assert not distributed.is_initialized()
    tensor = torch.tensor([1.0, 2.0])
    add_up([tensor], processes)
    assert tensor.tolist() == [1.0, 2.0]
    model = make_model()
    before = weights(model)
    same_start(model, processes)
    torch.testing.assert_close(weights(model), before, rtol=0, atol=0)


def test_only_a_gpu_without_a_number_becomes_the_processs_own(monkeypatch):
    chosen = []
    monkeypatch.setattr(torch.cuda, "set_device", chosen.append)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 4)
    monkeypatch.setenv("LOCAL_RANK", "3")
    assert own_device("cpu") == torch.device("cpu")
    assert own_device("cuda:1") == torch.device("cuda:1")
    assert own_device("cuda") == torch.device("cuda:3")
    assert chosen == [torch.device("cuda:3")]


def test_a_process_too_many_for_the_gpus_is_refused(monkeypatch, refuses):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setenv("LOCAL_RANK", "1")
    refuses(
        lambda: own_device("cuda"),
        "device 'cuda' must have a GPU for each process of this machine; got none for process 1",
    )


@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine without a GPU")
def test_cuda_without_a_gpu_is_refused_and_not_an_attribute_error(refuses):
    refuses(
        lambda: own_device("cuda"),
        "device 'cuda' must have a GPU for each process of this machine; got none for process 0",
    )
