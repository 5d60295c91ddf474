"""Chapter 14: four wirings of encoder and decoder, and one stack alone, five seeds each."""

import torch

from scripts.experiments import SEEDS, page, record

DATA = "fresh rows of seven letters out of ten, to be reversed, 32 in each step"
STOPS = [75, 150, 300, 600]
LONG = [150, 300, 600, 1000, 2000]
AVERAGE = "each reads the average"


def run(*, again: bool) -> None:
    """Train the chapter's models; the one that reads the average for longer."""
    names = page("decoder")

    def measure(*, model: str, seed: int) -> dict:
        torch.manual_seed(seed)
        wiring = names["WIRINGS"].get(model)
        reverser = names["Reverser"](wiring) if wiring else names["OneStack"]()
        stops = LONG if model == AVERAGE else STOPS
        scores = [names["score"](reverser), *names["train"](reverser, seed, stops)]
        letters, sentences = ([round(score[i], 4) for score in scores] for i in range(2))
        return {"steps": [0, *stops], "letters": letters, "sentences": sentences}

    models = ["each reads the last layer", AVERAGE, *names["WIRINGS"], "one stack"]
    tasks = [{"model": model, "seed": seed} for model in dict.fromkeys(models) for seed in SEEDS]
    record("decoder", tasks, measure, data=DATA, again=again)
