"""Chapter 3: what eight small skip-grams agree on, why not on more, and their analogies."""

import torch

from scripts.experiments import page, record

DATA = "the English side of generated(5000, seed=0)"
RUNS = 8
WORDS = ("tired", "street", "girl", "bought", "bigger", "tea")


def run(*, again: bool) -> None:
    """Learn the chapter's table from eight starts, for 1,000 steps."""
    names = page("embedding")
    row_of, nearest = names["row_of"], names["nearest"]
    agreement, learn, shares = names["agreement"], names["learn"], names["shares"]

    def shared_with_nearest(vectors: torch.Tensor) -> int:
        nearest_one = names["nearest_five"](vectors)[:, :1]
        partners = torch.zeros(len(vectors), len(vectors), dtype=torch.bool)
        return names["shared_with"](partners.scatter(1, nearest_one, value=True))

    def of_scores(e: torch.Tensor, c: torch.Tensor) -> dict[str, torch.Tensor]:
        """The scores less their mean, and the guesses: both stay when e and c are stretched."""
        scores = e @ c.T
        return {
            "scores": scores - scores.mean(dim=-1, keepdim=True),
            "guesses": scores.softmax(dim=-1),
        }

    def full_to_tired(table: torch.Tensor, *, steps: int, seed: int) -> float:
        _, vectors, _, _ = learn(table, seed, steps)
        cosine = names["cosines"](vectors[row_of["tired"]], vectors)[row_of["full"]]
        return round(cosine.item(), 3)

    def measure(*, steps: int, seed: int) -> dict:
        start, vectors, neighbours, losses = learn(shares, seed, steps)
        losses = losses[:: steps // 2]  # at the start, half way, at the end
        _, of_another_run, its_neighbours, _ = learn(shares, (seed + 1) % RUNS, steps)
        here = of_scores(vectors, neighbours)
        there = of_scores(of_another_run, its_neighbours)
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
                **{name: agreement(there[name], here[name]) for name in here},
            },
            "full_lent": {
                "lent": full_to_tired(names["lent_to_full"](), steps=steps, seed=seed),
                "control": full_to_tired(
                    names["lent_to_full"](control=True), steps=steps, seed=seed
                ),
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
