"""Chapter 10: which models still name the previous word in sentences longer than in training."""

import torch
from torch import nn

from scripts.experiments import SEEDS, page, record

DATA = "fresh sentences of 4 to 20 random words out of 16, 32 in each step"
STEPS = (3000, 9000)


@torch.no_grad()
def weights_of_60(model: nn.Module) -> dict[str, float]:
    """Say what the last 19 words of 60 give to the word before each, and to the first forty."""
    ids = torch.randint(16, (200, 60), generator=torch.Generator().manual_seed(100))
    x = model.embedding(ids) + model.positions(60)
    weights = model.attention(x, x, x, need_weights=True)[1][:, 0].mean(dim=0)  # (60, 60)
    shares = {"before": weights.diagonal(-1)[40:], "first_forty": weights[41:, :40].sum(dim=-1)}
    return {name: round(share.mean().item(), 3) for name, share in shares.items()}


def run(*, again: bool) -> None:
    """Train the chapter's four models."""
    names = page("positional")
    kinds = names["KINDS"]

    def measure(*, positions: str, steps: int, seed: int) -> dict:
        model = names["train"](*kinds[positions], seed=seed, steps=steps)
        lengths = {
            "places_of_60": (60, 0),
            "places_of_20": (20, 0),
            "places_of_20_from_40": (20, 40),
        }
        result = {"chance": 1 / 16, "weights_of_60": weights_of_60(model)}
        for name, (length, start) in lengths.items():
            shares = names["accuracy"](model, length, start).tolist()
            result[name] = [round(share, 3) for share in shares]
        return result

    tasks = [
        {"positions": kind, "steps": steps, "seed": seed}
        for kind in kinds
        for steps in STEPS
        for seed in SEEDS
    ]
    record("positional", tasks, measure, data=DATA, again=again)
