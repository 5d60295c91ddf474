"""Leave one thing out and train again: the effect of each part of the model and of the recipe.

    python -m scripts.ablations                  every change, five seeds each: about half an hour
                                                 on one core
    python -m scripts.ablations "one head"       some of them

Each row goes into ``assets/results.json`` as soon as it is measured, and existing rows stay, so an
interrupted run continues where it stopped. All changes are made from outside: the package has
options only for those that the paper has too (dropout, the place of the norm, …).
"""

import argparse
import json
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from attnsteps.layers.multi_head import MultiHeadAttention
from attnsteps.layers.sublayer import Sublayer
from attnsteps.model.transformer import Transformer
from scripts.recipes import corpus, evaluate, learn
from scripts.results import RESULTS, note

NAME = "ablations"
SEEDS = range(5)
STEPS = 1600
RECIPE = {"batch_size": 64, "peak": 0.012}  # scores higher after half a minute than the book's own
SIZES = {"num_encoder_layers": 1, "num_decoder_layers": 1, "d_model": 32, "d_ff": 96}


class NoPositions(nn.Module):
    """Zeros for every position in place of the sinusoids."""

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.register_buffer("zero", torch.zeros(1, d_model), persistent=False)

    def forward(self, length: int, *, offset: int = 0) -> Tensor:
        """Return zeros, (T, D)."""
        del offset
        return self.zero.expand(length, -1)


class NoResidual(Sublayer):
    """The function's output, normalised, without adding its input: post-norm only."""

    def forward(self, x: Tensor, function: Callable[[Tensor], Tensor | tuple]) -> Tensor | tuple:
        """Return the norm of function(x), and any other results of the function."""
        output = function(x)
        output, *rest = output if isinstance(output, tuple) else (output,)
        return (self.norm(output), *rest) if rest else self.norm(output)


def without_scaling(model: Transformer) -> None:
    """Undo the division by √d_k with queries that are √d_k times as long."""
    for module in model.modules():
        if isinstance(module, MultiHeadAttention):
            factor = math.sqrt(module.d_model // module.num_heads)
            module.w_q.register_forward_hook(lambda _module, _input, q, f=factor: q * f)


def without_positions(model: Transformer) -> None:
    """Remove the word order on both sides, except for the decoder's causal mask."""
    model.src_positions = model.tgt_positions = NoPositions(model.config.d_model)


def without_residual(model: Transformer) -> None:
    """Leave out every residual connection."""
    for module in model.modules():
        if isinstance(module, Sublayer):
            module.__class__ = NoResidual


@dataclass(frozen=True)
class Change:
    """One change to the model or to its training."""

    group: str  # "model": left out in chapter 19; "paper": a deviation from the paper, undone
    change: Callable[[Transformer], None] | None = None
    recipe: dict[str, object] = field(default_factory=dict)
    sizes: dict[str, object] = field(default_factory=dict)


CHANGES = {
    "as it is": Change("model"),
    "no scaling": Change("model", change=without_scaling),
    "no positions": Change("model", change=without_positions),
    "no residual": Change("model", change=without_residual),
    "one head": Change("model", sizes={"num_heads": 1}),
    # The paper's own formula; its 4,000 steps of warm-up are longer than this training run.
    "paper schedule": Change("paper", recipe={"schedule": "paper", "warmup": 400}),
    "dropout 0.1": Change("paper", sizes={"dropout": 0.1}),
    "no clipping": Change("paper", recipe={"clip": None}),
    "no label smoothing": Change("paper", recipe={"label_smoothing": 0.0}),
    "untied": Change("paper", sizes={"tie": "none"}),
    "pre-norm": Change("paper", sizes={"norm": "pre"}),
}


def measure(name: str, seed: int, *, steps: int = STEPS) -> dict:
    """Train with one change from one seed, and return a row of results."""
    what = CHANGES[name]
    trained, row = learn(
        corpus().train,
        steps=steps,
        seed=seed,
        change=what.change,
        recipe={**RECIPE, **what.recipe},
        **{**SIZES, **what.sizes},
    )
    scores = evaluate(trained, "autoregressive", corpus())
    return {"change": name, "group": what.group, **row, **scores}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument(
        "changes", nargs="*", metavar="CHANGE", help=f"one or more of {', '.join(CHANGES)}"
    )
    changes = parser.parse_args().changes or list(CHANGES)
    unknown = [name for name in changes if name not in CHANGES]
    if unknown:
        print(f"CHANGE must be one of {', '.join(CHANGES)}; got {unknown[0]!r}", file=sys.stderr)
        return 2
    torch.set_num_threads(1)
    # Seed by seed, so that after an interruption the existing rows can be compared.
    order = [
        (name, seed)
        for group in ("model", "paper")
        for seed in SEEDS
        for name, what in CHANGES.items()
        if what.group == group
    ]
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    rows = {(row["change"], row["seed"]): row for row in results.get(NAME, {}).get("rows", [])}
    for name, seed in order:
        if name in changes and (name, seed) not in rows:
            rows[name, seed] = measure(name, seed)
            ordered = [rows[key] for key in order if key in rows]
            note(NAME, ordered, command="python -m scripts.ablations")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
