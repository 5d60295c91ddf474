"""Train on real corpora with the command line alone, and record the scores in results.json.

    python -m scripts.train_real                          both, downloaded: about half an hour
    python -m scripts.train_real multi30k --data DIR      one, from DIR/multi30k

The weights are too large to ship; they stay in a temporary folder, so an interrupted run continues
from there.
"""

import argparse
import csv
import io
import json
import shlex
import tempfile
import time
from contextlib import redirect_stdout
from pathlib import Path

import torch

from attnsteps.cli.main import main as command_line
from attnsteps.cli.train import MODEL
from attnsteps.training.resume import NAME
from attnsteps.translator.trained import Trained
from scripts.results import note

#: The options of each training run that differ from the command line's defaults.
CHOICES = {
    "multi30k": ["--steps", "2000"],
    "tatoeba": ["--steps", "2000"],
}
SEARCH = ["--parts", "test", "--search", "beam"]


def measure(name: str, data: Path | None, runs: Path) -> dict:
    """Train on a corpus, score its test part, and return one row of results."""
    directory = runs / name
    source = ["--corpus", name]
    place = ["--quiet", *(["--data", str(data / name)] if data else [])]
    is_fresh, started = not (directory / NAME).exists(), time.process_time()
    call(["train", *source, *CHOICES[name], *place, "--out", str(directory), "--resume"])
    cpu = time.process_time() - started
    with (directory / "log.csv").open(encoding="utf-8") as file:
        last = list(csv.DictReader(file))[-1]
    scores = call(["evaluate", *source, *SEARCH, *place, "--model", str(directory), "--json"])
    return {
        "train": shlex.join(["python", "-m", "attnsteps", "train", *source, *CHOICES[name]]),
        "evaluate": shlex.join(
            ["python", "-m", "attnsteps", "evaluate", "--model", f"runs/{name}", *source, *SEARCH]
        ),
        "parameters": Trained.load(directory / MODEL).model.num_parameters(),
        "steps": int(last["step"]),
        "tokens": int(last["tokens"]),
        "seed": 0,
        "cpu_seconds": round(cpu, 1)
        if is_fresh
        else None,  # includes reading the corpus and learning byte pairs
        "wall_seconds": round(float(last["seconds"]), 1),
        **json.loads(scores)["test"],
    }


def call(arguments: list[str]) -> str:
    """Run the command line, and return its output."""
    with redirect_stdout(io.StringIO()) as out:
        status = command_line(arguments)
    if status:
        raise SystemExit(status)
    return out.getvalue()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(CHOICES)}")
    parser.add_argument(
        "--data", type=Path, metavar="DIR", help="folder with a folder for each corpus"
    )
    parser.add_argument("--threads", type=int, default=1, help="processor threads (default: 1)")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    runs = Path(tempfile.gettempdir()) / "attnsteps-runs"
    for name in options.names or list(CHOICES):
        row = measure(name, options.data, runs)
        note(name, [row], command=f"python -m scripts.train_real {name}", corpus=name)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
