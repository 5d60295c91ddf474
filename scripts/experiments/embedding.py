"""Chapter 3: what eight small skip-grams agree on, and how often their analogies hold."""

from scripts.experiments import page, record

DATA = "the English side of generated(5000, seed=0)"
WORDS = ("tired", "street", "girl", "bought", "bigger", "tea")


def run(*, again: bool) -> None:
    """Learn the chapter's table from eight starts, for 1,000 steps."""
    names = page("embedding")
    row_of, nearest = names["row_of"], names["nearest"]

    def measure(*, steps: int, seed: int) -> dict:
        start, table, losses = names["learn"](seed, steps)
        losses = losses[:: steps // 2]  # at the start, half way, at the end
        vectors = names["centre"](table)
        to_street = names["cosines"](vectors[row_of["street"]], vectors)
        return {
            "losses": [round(loss, 3) for loss in losses],
            "own_kind_start": names["of_own_kind"](start),
            "own_kind": names["of_own_kind"](vectors),
            "nearest": {word: nearest(vectors[row_of[word]], vectors)[1:] for word in WORDS},
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

    tasks = [{"steps": 1000, "seed": seed} for seed in range(8)]
    record("embedding", tasks, measure, data=DATA, again=again)
