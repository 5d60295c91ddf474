"""Chapter 5: lookups trained with three divisors, at several widths and learning rates."""

from scripts.experiments import SEEDS, page, record

DATA = "lookups among eight random keys, at sixteen learning rates each"
FORMS = "alone", "together", "together, same words"
WIDTHS = 16, 64, 256


def run(*, again: bool) -> None:
    """Train the chapter's two forms of the lookup with each divisor."""
    names = page("scaling")
    divisors = names["divisors"]

    def measure(*, lookups: str, d_k: int, divisor: str, seed: int) -> dict:
        train, *same = lookups.split(", ")
        options = {"fresh": False} if same else {}
        first, last = names[f"train_{train}"](divisors[divisor](d_k), d_k, seed, **options)
        solved = (last > 0.9).float().flatten(1).mean(1)  # one share for each learning rate
        return {
            "untrained": round((first > 0.9).float().mean().item(), 3),
            "solved": [round(share, 3) for share in solved.tolist()],
        }

    tasks = [
        {"lookups": lookups, "d_k": d_k, "divisor": divisor, "seed": seed}
        for lookups in FORMS
        for d_k in (WIDTHS if "same" not in lookups else WIDTHS[-1:])
        for divisor in divisors
        for seed in SEEDS
    ]
    record("scaling", tasks, measure, data=DATA, again=again)
