"""Chapter 19: do the gaps of the short ablations close if training continues?"""

from scripts import ablations
from scripts.experiments import SEEDS, record

STEPS = 4000  # the ablations of the chapter stop at 1,600
NAMES = ("as it is", "no residual", "one head")
SCORES = ("combinations", "pronoun_accuracy")


def measure(change: str, seed: int, steps: int) -> dict:
    """Train with one change from one seed, and return the scores."""
    row = ablations.measure(change, seed, steps=steps)
    return {name: row[name] for name in ("parameters", *SCORES)}


def run(*, again: bool) -> None:
    """Train each of the models longer, five times."""
    tasks = [{"change": name, "seed": seed, "steps": STEPS} for seed in SEEDS for name in NAMES]
    record("inside", tasks, measure, data="generated(40000, seed=0)", again=again)
