"""Chapter 14: reversing letters with attention, an average or one stack, five seeds each."""

import torch

from scripts.experiments import SEEDS, page, record

DATA = "fresh rows of seven letters out of ten, to be reversed, 32 in each step"
ALL, AVERAGE, ONE = "reads all vectors", "reads the average", "one stack"
STOPS = {
    ALL: [75, 150, 300, 600],
    AVERAGE: [150, 300, 600, 1000, 2000],
    ONE: [75, 150, 300, 600],
}
LENGTH = 7


def run(*, again: bool) -> None:
    """Train the chapter's models, the one that reads the average for longer."""
    names = page("decoder")

    def measure(*, model: str, seed: int) -> dict:
        torch.manual_seed(seed)
        reverser = names["OneStack"]() if model == ONE else names["Reverser"](model == AVERAGE)
        stops = STOPS[model]
        untrained = names["score"](reverser, LENGTH)
        letters = [untrained, *names["train"](reverser, LENGTH, seed, stops)]
        return {"steps": [0, *stops], "letters": [round(share, 4) for share in letters]}

    tasks = [{"model": model, "seed": seed} for model in STOPS for seed in SEEDS]
    record("decoder", tasks, measure, data=DATA, again=again)
