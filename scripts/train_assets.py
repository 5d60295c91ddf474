"""Train the models that the package ships: assets/*.safetensors, with assets/results.json.

    python scripts/train_assets.py                    everything, about half an hour on one core
    python scripts/train_assets.py zh_en one_shot     some of it

The results follow from the seed, for the same number of threads on the same kind of machine. Times
are for training alone, without evaluation. Processor time is comparable even if the machine has
other work; wall time only if it has none.

    python scripts/train_assets.py recipe --dry                five times the recipe of a minute
"""

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import torch
from torch import nn

from attnsteps.analysis.scores import length_accuracy, pronoun_accuracy
from attnsteps.cli.corpora import Corpus, read
from attnsteps.cli.main import parser
from attnsteps.cli.train import start
from attnsteps.corpora.generated.corpus import SOURCE_WORDS, TARGET_WORDS, Pair, Splits, generated
from attnsteps.model.config import TransformerConfig
from attnsteps.model.non_autoregressive import NonAutoregressive
from attnsteps.model.transformer import Transformer
from attnsteps.text.batch import Example, encode_pairs
from attnsteps.text.tokenizer import Words
from attnsteps.text.vocab import Vocab
from attnsteps.training.config import TrainingConfig
from attnsteps.training.loop import train
from attnsteps.training.loss import autoregressive_loss
from attnsteps.training.non_autoregressive import mask_predict_loss, one_shot_loss
from attnsteps.translator.trained import Trained

ASSETS = Path(__file__).parents[1] / "src/attnsteps/assets"
RESULTS = ASSETS / "results.json"
PARTS = ("unseen", "combinations", "longer", "pronouns")
LOSSES = {
    "autoregressive": autoregressive_loss,
    "one_shot": one_shot_loss,
    "mask_predict": mask_predict_loss,
}
SEARCHES = {"autoregressive": "greedy", "one_shot": "all_at_once", "mask_predict": "mask_predict"}

#: The updates at which the time machine has a checkpoint, in a run of 1,500.
STOPS = (0, 50, 100, 150, 200, 300, 400, 500, 650, 800, 1100, 1500)


@cache
def corpus(*, ambiguous: bool = False) -> Splits:
    """Return the corpus that everything here is trained on: 40,000 pairs, seed 0."""
    return generated(ambiguous=ambiguous)


def build(
    pairs: Sequence[Pair], *, kind: str, seed: int, **sizes: object
) -> tuple[Trained, list[Example]]:
    """Make an untrained model, and the ids of the pairs."""
    src_vocab = Vocab.build([pair.src for pair in pairs])
    tgt_vocab = Vocab.build([pair.tgt for pair in pairs])
    torch.manual_seed(seed)
    if kind != "autoregressive":
        sizes |= {"causal": False, "mask_id": Vocab.mask_id, "max_len": 32}
    config = TransformerConfig.tiny(len(src_vocab), len(tgt_vocab), **sizes)
    model = Transformer(config) if kind == "autoregressive" else NonAutoregressive(config)
    tokenizers = Words(SOURCE_WORDS), Words(TARGET_WORDS)
    examples = encode_pairs(pairs, src_vocab, tgt_vocab)
    return Trained(model, src_vocab, tgt_vocab, *tokenizers), examples


def learn(
    pairs: Sequence[Pair],
    *,
    kind: str = "autoregressive",
    steps: int,
    seed: int = 0,
    on_step: Callable[[nn.Module, int], None] | None = None,
    change: Callable[[nn.Module], None] | None = None,
    recipe: dict[str, object] | None = None,
    **sizes: object,
) -> tuple[Trained, dict]:
    """Train a model of one of the kinds of LOSSES; return it, and a row of results without scores.

    Before training, ``change`` may alter the model; ``on_step`` is called after each update. Recipe
    and sizes hold the fields of TrainingConfig and TransformerConfig that differ from the defaults.
    """
    trained, examples = build(pairs, kind=kind, seed=seed, **sizes)
    if change is not None:
        change(trained.model)
    config = TrainingConfig(steps=steps, seed=seed, log=None, **(recipe or {}))
    return trained, timed(trained, examples, config, kind=kind, on_step=on_step)


def timed(
    trained: Trained,
    examples: Sequence[Example],
    config: TrainingConfig,
    *,
    kind: str = "autoregressive",
    on_step: Callable[[nn.Module, int], None] | None = None,
) -> dict:
    """Train a model, and return a row with its sizes, its training settings and the time taken."""
    cpu, wall = time.process_time(), time.perf_counter()
    train(trained.model, examples, config, loss_fn=LOSSES[kind], progress=False, on_step=on_step)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    model = trained.model.config
    return {
        "kind": kind,
        "layers": f"{model.num_encoder_layers}+{model.num_decoder_layers}",
        "norm": model.norm,
        "d_model": model.d_model,
        "parameters": sum(p.numel() for p in trained.model.parameters()),
        "steps": config.steps,
        "batch_size": config.batch_size,
        "peak": config.peak,
        "label_smoothing": config.label_smoothing,
        "seed": config.seed,
        "cpu_seconds": round(cpu, 1),
        "wall_seconds": round(wall, 1),
    }


def evaluate(trained: Trained, kind: str, splits: Splits, parts: Sequence[str] = PARTS) -> dict:
    """Translate freely, and return the share of translations that equal a reference exactly."""
    scores = {}
    for part in parts:
        pairs = getattr(splits, part)
        translated = trained.translate(
            ["".join(pair.src) for pair in pairs], search=SEARCHES[kind], batch_size=250
        )
        tokens = [tuple(one.tokens) for one in translated]
        right = [one in pair.references for one, pair in zip(tokens, pairs, strict=True)]
        scores[part] = round(sum(right) / len(right), 5)
        if kind != "autoregressive":
            scores[f"{part}_length"] = round(length_accuracy(tokens, [p.tgt for p in pairs]), 5)
        if part == "pronouns":
            differ = [p for i, p in enumerate(pairs) if _pronoun(p) != _pronoun(pairs[i ^ 1])]
            kept = {pair.src for pair in differ}
            ours = [one for one, pair in zip(tokens, pairs, strict=True) if pair.src in kept]
            scores["pronoun_accuracy"] = round(pronoun_accuracy(ours, differ), 5)
    return scores


def _pronoun(pair: Pair) -> str:
    """Return the English pronoun of a sentence from the pronoun part."""
    return pair.tgt[pair.referents[0][0]]


def ship(trained: Trained, name: str) -> Trained:
    """Write an asset and read it again, so that the scores are those of the shipped file."""
    path = ASSETS / f"{name}.safetensors"
    trained.save(path)
    return Trained.load(path)


def note(
    name: str,
    rows: list[dict],
    *,
    command: str | None = None,
    corpus: str = "generated(40000, seed=0)",
) -> None:
    """Record the results of one part in the file, and print the new ones."""
    where = {
        "command": command or f"python scripts/train_assets.py {name}",
        "hardware": processor(),
        "threads": torch.get_num_threads(),
        "torch": torch.__version__.split("+")[0],
        "corpus": corpus,
    }
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    recorded = results.get(name, {}).get("rows", [])
    results[name] = {**where, "rows": rows}
    ordered = {key: results[key] for key in (*TASKS, *results) if key in results}
    unfinished = RESULTS.with_suffix(".tmp")
    unfinished.write_text(as_text(ordered), encoding="utf-8")
    os.replace(unfinished, RESULTS)
    for row in rows:
        if row not in recorded:
            print(name, json.dumps(row, ensure_ascii=False), flush=True)


def as_text(results: dict[str, dict]) -> str:
    """Write results as JSON with one line per row, so that a diff shows what is new."""

    def dumps(value: object) -> str:
        return json.dumps(value, ensure_ascii=False)

    parts = []
    for name, part in results.items():
        settings = [
            f"  {dumps(key)}: {dumps(value)}" for key, value in part.items() if key != "rows"
        ]
        rows = ",\n".join(f"   {dumps(row)}" for row in part["rows"])
        lines = ",\n".join([*settings, f'  "rows": [\n{rows}\n  ]'])
        parts.append(f" {dumps(name)}: {{\n{lines}\n }}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def processor() -> str:
    """Return the name of the processor."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


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


def ambiguous() -> list[dict]:
    """Train on several correct translations for each source, with distillation and without."""
    splits, parts = corpus(ambiguous=True), ("unseen", "combinations", "longer")
    teacher, row = learn(splits.train, steps=2000)
    rows = [{**row, "distilled": False, **evaluate(teacher, "autoregressive", splits, parts)}]
    print(rows[-1], flush=True)
    sources = ["".join(pair.src) for pair in splits.train]
    translations = teacher.translate(sources, search="greedy", batch_size=250)
    taught = [
        pair._replace(tgt=tuple(one.tokens))
        for pair, one in zip(splits.train, translations, strict=True)
    ]
    for kind in ("one_shot", "mask_predict"):
        for pairs, distilled in ((splits.train, False), (taught, True)):
            trained, row = learn(pairs, kind=kind, steps=2000)
            scores = evaluate(trained, kind, splits, parts)
            rows.append({**row, "distilled": distilled, **scores})
            print(rows[-1], flush=True)
    return rows


TASKS = {task.__name__: task for task in (zh_en, one_shot, mask_predict, steps, recipe, ambiguous)}


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
    if options.dry and set(tasks) - {"recipe", "ambiguous"}:
        print(
            "--dry only works with recipe and ambiguous: the other tasks write weights.",
            file=sys.stderr,
        )
        return 2
    ASSETS.mkdir(exist_ok=True)
    for task in tasks:
        rows = TASKS[task]()
        if not options.dry:
            note(task, rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
