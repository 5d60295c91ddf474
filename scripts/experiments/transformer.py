"""Chapter 15: how often an untrained model repeats the last word, by depth, from five starts."""

import torch
from torch import nn

from scripts.ablations import without_residual
from scripts.experiments import SEEDS, page, record

DATA = "8 random sentences of 13 words, of a vocabulary of 1,000; nothing is trained"


def own_table(model: nn.Module) -> None:
    """Give the output projection its own table, initialised like the shared one."""
    projection = model.projection
    projection.weight = nn.Parameter(torch.empty_like(projection.weight))
    nn.init.normal_(projection.weight, std=projection.in_features**-0.5)


CHANGES = {"own table at the exit": own_table, "no residual connections": without_residual}


def run(*, again: bool) -> None:
    """Make untrained models of one to six layers, and two-layer models that lack something."""
    names = page("transformer")

    def measure(*, depth: int, change: str, seed: int) -> dict:
        model = names["untrained"](depth=depth, seed=seed)
        CHANGES.get(change, lambda _: None)(model)
        with torch.no_grad():
            logits = model(names["source"], names["entered"])
        once, twice = names["gradients"](logits.requires_grad_())
        return {
            "copied": round(names["copied"](logits), 4),
            "chance": 1 / logits.shape[-1],
            "loss_next": round(names["loss"](logits, names["wanted"]), 2),
            "loss_same": round(names["loss"](logits, names["entered"]), 2),
            "weaker": round(once / twice),
        }

    kinds = [(depth, "none") for depth in range(1, 7)] + [(2, change) for change in CHANGES]
    tasks = [{"depth": d, "change": change, "seed": s} for d, change in kinds for s in SEEDS]
    record("transformer", tasks, measure, data=DATA, again=again)
