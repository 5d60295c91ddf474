"""Chapter 1: which colour did Bob have? One vector, narrow and wide, or attention; five seeds."""

import torch

from scripts.experiments import SEEDS, page, record

DATA = "fresh lists of 1 to 8 names with colours, 64 in each step"
STOPS = (100, 200, 300, 500, 1000, 2000, 4000)


def run(*, again: bool) -> None:
    """Train the chapter's three readers from five starts."""
    names = page("sequence_to_sequence")

    def measure(*, model: str, seed: int) -> dict:
        torch.manual_seed(seed)
        reader = names["Reader"](*names["READERS"][model])
        return {
            "weights": sum(p.numel() for p in reader.parameters()),
            "steps": STOPS,
            "names": names["COUNTS"],
            "untrained": [round(share, 3) for share in names["score"](reader)],
            "right": [
                [round(share, 3) for share in shares]
                for shares in names["train"](reader, seed, STOPS)
            ],
        }

    tasks = [{"model": model, "seed": seed} for seed in SEEDS for model in names["READERS"]]
    record("sequence_to_sequence", tasks, measure, data=DATA, again=again)
