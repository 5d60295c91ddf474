"""Chapter 10: which models still name the previous word in sentences longer than in training."""

from scripts.experiments import SEEDS, page, record

DATA = "fresh sentences of 4 to 20 random words out of 16, 32 in each step"
STEPS = (1000, 3000)


def run(*, again: bool) -> None:
    """Train the chapter's models, and learned positions with a random start (exercise 5)."""
    names = page("positional")
    kinds = names["KINDS"]
    kinds["learned, random start"] = (kinds["learned"][0], kinds["sinusoids, random start"][1])

    def measure(*, positions: str, steps: int, seed: int) -> dict:
        model = names["train"](*kinds[positions], seed=seed, steps=steps)
        lengths = {
            "places_of_60": (60, 0),
            "places_of_20": (20, 0),
            "places_of_20_from_40": (20, 40),
        }
        result = {"chance": 1 / 16}
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
