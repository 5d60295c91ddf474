"""Train the models that the package ships: assets/*.safetensors, with assets/results.json.

    python -m scripts.train_assets                    everything, about half an hour on one core
    python -m scripts.train_assets zh_en one_shot     some of it

The results follow from the seed, for the same number of threads on the same kind of machine. Times
are for training alone, without evaluation. Processor time is comparable even if the machine has
other work; wall time only if it has none.

    python -m scripts.train_assets recipe --dry                five times the recipe of a minute
"""

import argparse
import json
import sys
import time
from functools import cache

import torch
from torch import nn

from attnsteps.cli.corpora import Corpus, read
from attnsteps.cli.main import parser
from attnsteps.cli.train import start
from attnsteps.storage.writer_file import load_writer, save_writer
from attnsteps.translator.trained import Trained
from scripts.experiments import family
from scripts.recipes import build, corpus, evaluate, learn, timed
from scripts.results import ASSETS, note

#: The updates at which the time machine has a checkpoint, in a run of 1,500.
STOPS = (0, 50, 100, 150, 200, 300, 400, 500, 650, 800, 1100, 1500)


def ship(trained: Trained, name: str) -> Trained:
    """Write an asset and read it again, so that the scores are those of the shipped file."""
    path = ASSETS / f"{name}.safetensors"
    trained.save(path)
    return Trained.load(path)


def zh_en() -> list[dict]:
    """Train the translator of the book: autoregressive, post-norm as in the paper."""
    trained, row = learn(corpus().train, steps=4000)
    trained = ship(trained, "zh_en")
    return [{**row, "asset": "zh_en", **evaluate(trained, "autoregressive", corpus())}]


def one_shot() -> list[dict]:
    """Train a model that predicts all words at once, from positions alone."""
    return [_parallel("one_shot")]


def mask_predict() -> list[dict]:
    """Train a model that predicts all words at once, and the least certain ones again."""
    return [_parallel("mask_predict")]


def _parallel(kind: str) -> dict:
    """Train and ship one of the two non-autoregressive models."""
    recipe = {"peak": 0.006, "label_smoothing": 0.05}
    trained, row = learn(corpus().train, kind=kind, steps=6000, recipe=recipe, norm="pre")
    trained = ship(trained, f"zh_en_{kind}")
    return {**row, "asset": f"zh_en_{kind}", **evaluate(trained, kind, corpus())}


def steps() -> list[dict]:
    """Ship twelve small checkpoints of one training run, for the time machine."""
    pairs, rows = corpus().train, []
    size = {"d_model": 32, "d_ff": 96}

    def keep(model: nn.Module, step: int) -> None:
        if step in STOPS:
            blank.model.load_state_dict(model.state_dict())
            name = f"zh_en_step_{step:04d}"
            scores = evaluate(ship(blank, name), "autoregressive", corpus())
            rows.append({"asset": name, "step": step, **scores})

    blank, _ = build(pairs, kind="autoregressive", seed=0, **size)
    keep(blank.model, 0)
    _, row = learn(pairs, steps=STOPS[-1], on_step=keep, **size)
    del row["cpu_seconds"], row["wall_seconds"]  # these times would include the evaluations
    return [{**row, **stop} for stop in rows]


def digit_writer() -> list[dict]:
    """Ship the model that writes digits, in 8 bits, with its codebook; score the file itself."""
    entries, sentences = family.as_sentences()
    start = time.process_time()
    model, found = family.train_writer(sentences, seed=0)
    seconds = round(time.process_time() - start, 1)
    path = ASSETS / "digit_writer.safetensors"
    sizes = {"vocab_size": family.ENTRIES + 10, **family.WRITER, "max_len": 16}
    save_writer(path, model, entries, sizes)
    shipped, _ = load_writer(path)
    with torch.no_grad():
        loss = family.loss_of(shipped, sentences[family.TRAINED_ON :]).item()
    row = {"asset": "digit_writer", "seed": 0, "steps": found["kept"], "loss": round(loss, 4)}
    parameters = sum(p.numel() for p in shipped.parameters())
    return [{**row, "parameters": parameters, "bytes": path.stat().st_size, "cpu_seconds": seconds}]


def recipe() -> list[dict]:
    """Measure the one-minute recipe, the default of the command line, from five seeds."""
    rows = []
    for seed in range(5):
        options = parser().parse_args(["train", "--seed", str(seed)])
        trained, examples, config = start(options, plain())
        row = timed(trained, examples, config)
        rows.append({**row, **evaluate(trained, "autoregressive", corpus())})
        print(json.dumps(rows[-1]), flush=True)
    return rows


@cache
def plain() -> Corpus:
    """Return the corpus as the command line reads it."""
    return read("generated")


TASKS = {
    task.__name__: task for task in (zh_en, one_shot, mask_predict, steps, digit_writer, recipe)
}


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    arguments.add_argument(
        "tasks", nargs="*", metavar="TASK", help=f"one or more of {', '.join(TASKS)}"
    )
    arguments.add_argument("--threads", type=int, default=1, help="processor threads (default: 1)")
    arguments.add_argument(
        "--dry", action="store_true", help="print the results without recording them"
    )
    options = arguments.parse_args()
    tasks = options.tasks or list(TASKS)
    unknown = [task for task in tasks if task not in TASKS]
    if unknown:
        print(f"TASK must be one of {', '.join(TASKS)}; got {unknown[0]!r}", file=sys.stderr)
        return 2
    torch.set_num_threads(options.threads)
    if options.dry and tasks != ["recipe"]:
        print("--dry only works with recipe: the other tasks write weights.", file=sys.stderr)
        return 2
    ASSETS.mkdir(exist_ok=True)
    for task in tasks:
        rows = TASKS[task]()
        if not options.dry:
            note(task, rows, **({"corpus": family.DATA} if task == "digit_writer" else {}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
