"""Chapter 3: what eight small skip-grams agree on, and how often their analogies hold."""

import torch

from scripts.experiments import page, record

DATA = "the English side of generated(5000, seed=0)"
RUNS = 8
WORDS = ("tired", "street", "girl", "bought", "bigger", "tea")


def run(*, again: bool) -> None:
    """Learn the chapter's table from eight starts, for 1,000 steps."""
    names = page("embedding")
    row_of, nearest = names["row_of"], names["nearest"]
    agreement = names["agreement"]

    def shared_with_nearest(vectors: torch.Tensor) -> int:
        nearest_one = names["nearest_five"](vectors)[:, :1]
        partners = torch.zeros(len(vectors), len(vectors), dtype=torch.bool)
        return names["shared_with"](partners.scatter(1, nearest_one, value=True))

    def measure(*, steps: int, seed: int) -> dict:
        start, vectors, losses = names["learn"](seed, steps)
        losses = losses[:: steps // 2]  # at the start, half way, at the end
        _, of_another_run, _ = names["learn"]((seed + 1) % RUNS, steps)
        to_tired, to_street = (
            names["cosines"](vectors[row_of[word]], vectors) for word in ("tired", "street")
        )
        return {
            "losses": [round(loss, 3) for loss in losses],
            "own_kind_start": names["of_own_kind"](start),
            "own_kind": names["of_own_kind"](vectors),
            "nearest": {word: nearest(vectors[row_of[word]], vectors)[1:] for word in WORDS},
            "agreement": {
                **{name: agreement(by, vectors) for name, by in names["COMPARED"].items()},
                "run": agreement(of_another_run, vectors),
            },
            "shared": shared_with_nearest(vectors),
            "to_tired": {
                word: round(to_tired[row_of[word]].item(), 3) for word in ("full", "thirsty")
            },
            "to_street": {
                word: round(to_street[row_of[word]].item(), 3)
                for word in ("wide", "cross", "bridge", "the")
            },
            "analogies": {
                kind: {
                    "b − a + c": names["analogies"](vectors, listed),
                    "b + c": names["analogies"](vectors, listed, minus=0.0),
                }
                for kind, listed in names["KINDS"].items()
            },
        }

    tasks = [{"steps": 1000, "seed": seed} for seed in range(RUNS)]
    record("embedding", tasks, measure, data=DATA, again=again)
