"""Chapter 3: what eight small skip-grams agree on, what zeros do, how long a stretch lasts."""

import torch

from scripts.experiments import page, record

DATA = "the English side of generated(5000, seed=0)"
RUNS = 8
ADAM_STEPS = 100  # so few that it gets about as low as the plain steps at first
WORDS = ("tired", "street", "girl", "bought", "bigger", "tea")


def run(*, again: bool) -> None:
    """Learn the chapter's table from eight starts, for 1,000 steps of Adam; then plainly."""
    names = page("embedding")
    row_of, nearest, reach = names["row_of"], names["nearest"], names["reach"]
    learn, shares = names["learn"], names["shares"]

    def shared_with_nearest(vectors: torch.Tensor) -> int:
        nearest_one = names["nearest_one"](vectors)[:, None]
        partners = torch.zeros(len(vectors), len(vectors), dtype=torch.bool)
        return names["shared_with"](partners.scatter(1, nearest_one, value=True))

    def loss_of(e: torch.Tensor, c: torch.Tensor) -> float:
        return -(shares * (e @ c.T).log_softmax(dim=-1)).sum(dim=-1).mean().item()

    def difference(e: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        return e.T @ e - c.T @ c

    def plainly(*, steps: int, seed: int) -> dict:
        """What small plain steps, and a few of Adam, leave of a stretch of the start."""
        tables = names["random_tables"](seed)
        found: dict = {"moments": [steps // 5, steps]}
        for start in (tables, names["stretched"](tables)):
            at_first = difference(*start)
            reached = list(names["plain_steps"](start, found["moments"]))
            vectors, _, losses = learn(shares, start, ADAM_STEPS)
            for name, value in {
                "losses": [round(loss_of(*both), 3) for both in reached],
                "reach": [round(reach(both[0]), 2) for both in reached],
                "moved": [
                    round(((difference(*both) - at_first).norm() / at_first.norm()).item(), 4)
                    for both in reached
                ],
                "adam_loss": round(losses[-1], 3),
                "adam_reach": round(reach(vectors), 2),
            }.items():
                found.setdefault(name, []).append(value)
        return found

    def measure(*, steps: int, seed: int, rule: str = "Adam") -> dict:
        if rule == "plain":
            return plainly(steps=steps, seed=seed)
        tables = names["random_tables"](seed)
        vectors, neighbours, losses = learn(shares, tables, steps)
        losses = losses[:: steps // 2]  # at the start, half way, at the end
        guessed = (vectors @ neighbours.T).softmax(dim=-1)[:, names["lacking"]].sum(dim=-1)
        stretched = names["stretched"](tables)
        from_stretched, _, _ = learn(shares, stretched, steps)
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
            "same_as_counted": names["same_as_counted"](vectors),
            "guessed_lacking": {
                word: round(100 * guessed[row_of[word]].item(), 2) for word in ("tired", "full")
            },
            "reach": {
                "start": round(reach(tables[0]), 2),
                "end": round(reach(vectors), 2),
                "stretched": round(reach(stretched[0]), 2),
                "stretched_end": round(reach(from_stretched), 2),
            },
            "full_lent": {
                "lent": full_to_tired(names["lent_to_full"]()),
                "control": full_to_tired(names["lent_to_full"](control=True)),
            },
            "shared": shared_with_nearest(vectors),
            "to_tired": {
                word: round(to_tired[row_of[word]].item(), 3) for word in ("full", "thirsty")
            },
            "to_street": {
                word: round(to_street[row_of[word]].item(), 3)
                for word in ("tea", "cross", "bridge", "the")
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
    tasks += [{"rule": "plain", "steps": 50_000, "seed": seed} for seed in range(RUNS)]
    record("embedding", tasks, measure, data=DATA, again=again)
