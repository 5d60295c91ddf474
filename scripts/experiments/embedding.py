"""Chapter 3: what eight small skip-grams agree on, what zeros do, whether a stretch lasts."""

import itertools

import torch

from scripts.experiments import page, record

DATA = "the English side of generated(5000, seed=0)"
RUNS = 8
WORDS = ("tired", "street", "girl", "bought", "bigger", "tea")


def run(*, again: bool) -> None:
    """Learn the chapter's table from eight starts, for 1,000 steps of Adam, and compare them."""
    names = page("embedding")
    row_of, nearest = names["row_of"], names["nearest"]
    learn, shares = names["learn"], names["shares"]

    def pairs_of(seeds: range) -> dict:
        tables = [learn(shares, names["random_tables"](seed))[0] for seed in seeds]
        pairs = itertools.combinations(tables, 2)
        return {"same_nearest": [names["same_nearest"](*pair) for pair in pairs]}

    def measure(*, steps: int = 1000, seed: int, runs: int = 1) -> dict:
        if runs > 1:
            return pairs_of(range(seed, seed + runs))
        tables = names["random_tables"](seed)
        vectors, _, losses = learn(shares, tables, steps)
        losses = losses[:: steps // 2]  # at the start, half way, at the end
        from_stretched, _, _ = learn(shares, names["stretched"](tables), steps)
        to_tired, to_street = (
            names["cosines"](vectors[row_of[word]], vectors) for word in ("tired", "street")
        )

        def full_to_tired(table: torch.Tensor) -> float:
            learned, _, _ = learn(table, tables, steps)
            cosine = names["cosines"](learned[row_of["tired"]], learned)[row_of["full"]]
            return round(cosine.item(), 3)

        return {
            "losses": [round(loss, 3) for loss in losses],
            "own_kind_start": names["of_own_kind"](tables[0]),
            "own_kind": names["of_own_kind"](vectors),
            "own_kind_stretched": names["of_own_kind"](from_stretched),
            "nearest": {word: nearest(vectors[row_of[word]], vectors)[1:] for word in WORDS},
            "same_as_counted": names["same_nearest"](shares, vectors),
            "full_lent": {
                "lent": full_to_tired(names["lent_to_full"]()),
                "control": full_to_tired(names["lent_to_full"](control=True)),
            },
            "to_tired": {
                word: round(to_tired[row_of[word]].item(), 3) for word in ("full", "thirsty")
            },
            "to_street": {
                word: round(to_street[row_of[word]].item(), 3)
                for word in ("the", "cross", "bridge")
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
    tasks.append({"runs": RUNS, "seed": 0})
    record("embedding", tasks, measure, data=DATA, again=again)
