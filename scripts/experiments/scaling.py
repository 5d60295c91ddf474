"""Chapter 5: lookups trained with three divisors, long enough to see which ones still learn."""

from scripts.experiments import SEEDS, page, record

DATA = "lookups among eight random keys of width 256, at ten learning rates each"
STEPS = {"alone": (60, 1000), "together": (100, 400)}


def run(*, again: bool) -> None:
    """Train the chapter's two forms of the lookup, each for a long and a short time."""
    names = page("scaling")
    divisors = names["divisors"]

    def measure(*, lookups: str, divisor: str, steps: int, seed: int) -> dict:
        if lookups == "alone":
            first, last, spreads = *names["train_alone"](divisors[divisor](256), seed, steps), None
        else:
            first, last, spreads = names["train_together"](divisors[divisor](256), seed, steps)
        solved = (last > 0.9).float().flatten(1).mean(1)  # one share for each learning rate
        result = {
            "untrained": round((first > 0.9).float().mean().item(), 3),
            "solved": [round(share, 3) for share in solved.tolist()],
        }
        if spreads is not None:
            best = solved.argmax()
            result["spread"] = [round(each[best].item(), 2) for each in spreads]
        return result

    tasks = [
        {"lookups": lookups, "divisor": divisor, "steps": steps, "seed": seed}
        for lookups, stops in STEPS.items()
        for divisor in divisors
        for steps in stops
        for seed in SEEDS
    ]
    record("scaling", tasks, measure, data=DATA, again=again)
