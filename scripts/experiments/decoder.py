"""Chapter 14: reversing letters with attention, an average or one stack, five seeds each."""

import torch

from scripts.experiments import SEEDS, page, record

DATA = "fresh rows of letters out of ten, to be reversed, 224 letters in each step"
ALL, AVERAGE, ONE = "reads all vectors", "reads the average", "one stack"
STOPS = {  # by model and by length: the steps at which it is looked at, and after which it ends
    (ALL, 7): [75, 150, 300, 600],
    (AVERAGE, 7): [150, 300, 600, 1000, 2000],
    (ONE, 7): [75, 150, 300, 600],
    (ALL, 14): [300, 600, 1000],
    (AVERAGE, 14): [1000, 2000, 4000],
    (ALL, 28): [300, 600, 1000],
    (AVERAGE, 28): [1000, 2000, 4000],
}


def run(*, again: bool) -> None:
    """Train the chapter's models, on longer rows and the one that reads the average for longer."""
    names = page("decoder")

    def measure(*, model: str, length: int, seed: int) -> dict:
        torch.manual_seed(seed)
        reverser = names["OneStack"]() if model == ONE else names["Reverser"](model == AVERAGE)
        stops = STOPS[model, length]
        letters = [names["score"](reverser, length)]
        letters += names["train"](reverser, length, seed, stops)
        return {"steps": [0, *stops], "letters": [round(share, 4) for share in letters]}

    tasks = [
        {"model": model, "length": length, "seed": seed}
        for model, length in STOPS
        for seed in SEEDS
    ]
    record("decoder", tasks, measure, data=DATA, again=again)
