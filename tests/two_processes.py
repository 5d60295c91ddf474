"""Train in as many processes as torchrun starts; the first writes down what came out.

A program of its own: ``torchrun --nproc-per-node 2 -m tests.two_processes DIRECTORY``.
"""

import json
import os
import sys
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import distributed

from attnsteps.training.distributed import Processes, join
from attnsteps.training.loss import autoregressive_loss
from tests.training import make_config, make_examples, make_model, trained, weights

# 41 pairs in batches of 8: the last batch of an epoch is one pair, and one process has none of it.
EXAMPLES = make_examples(41, longest=12)
CHOICES = {"steps": 9, "batch_size": 8, "clip": 0.5, "log_every": 3, "schedule": "constant"}
CASES = {"plain": {}, "accumulated": {"accumulate": 2, "label_smoothing": 0.0}}


def result(*, seed: int = 0, dropout: float = 0.0, loss_fn=autoregressive_loss, **changes):
    """Train in float64, so that rounding is small; return the weights and the losses."""
    arguments = {key: changes.pop(key) for key in ("directory", "resume") if key in changes}
    model = make_model(seed=seed, dropout=dropout, max_len=32).double()
    config = make_config(**{**CHOICES, "warmup": 3, **changes})
    _, history = trained(model, EXAMPLES, config=config, loss_fn=loss_fn, **arguments)
    return weights(model), history.column("loss")


def main(root: Path) -> None:
    """Train every case."""
    seen, files = [], {}

    def spy(model, batch, label_smoothing):
        seen.append(batch.index.tolist())
        return autoregressive_loss(model, batch, label_smoothing)

    with join(torch.device("cpu")) as processes:
        assert processes == Processes(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]))
        # Each process begins with other weights; those of the first must win.
        report = {"processes": processes.count, "losses": {}}
        for name, changes in CASES.items():
            files[name], report["losses"][name] = result(seed=processes.rank, **changes)
        # With dropout the two draw by themselves, and yet the same again when they are resumed.
        whole, _ = result(dropout=0.1, loss_fn=spy)
        result(dropout=0.1, loss_fn=spy, steps=4, directory=root / "run")
        distributed.barrier()
        resumed, _ = result(seed=5, dropout=0.1, loss_fn=spy, directory=root / "run", resume=True)
        report["resumed"] = all(torch.equal(whole[name], resumed[name]) for name in whole)
        both = [None] * processes.count
        distributed.all_gather_object(both, (seen[:6], [w.sum().item() for w in whole.values()]))
        report["shares"], sums = zip(*both, strict=True)
        report["equal"] = all(other == sums[0] for other in sums)
        if processes.rank == 0:
            tensors = {f"{case}.{key}": w for case in files for key, w in files[case].items()}
            save_file(tensors, root / "weights.safetensors")
            (root / "report.json").write_text(json.dumps(report))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
