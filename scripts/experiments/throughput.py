"""Chapter 20: tokens per second against the number of sentences in a batch."""

import torch

from attnsteps import Transformer, TransformerConfig, collate
from attnsteps.analysis.speed import measure_speed
from scripts.experiments import SEEDS, record

WORDS = 300  # in both vocabularies
LENGTH = 15  # words of each sentence
SENTENCES = (1, 64, 128)


def measure(sentences: int, seed: int) -> dict:
    """Time updates of the tiny model on one thread, and return the fastest of five."""
    torch.manual_seed(seed)
    model = Transformer(TransformerConfig.tiny(WORDS, WORDS))
    some = torch.randint(5, WORDS, (sentences, LENGTH)).tolist()
    batch = collate(list(zip(some, some, strict=True)))
    speed = measure_speed(model, batch, rounds=5)
    return {"tokens_per_second": round(speed.tokens_per_second)}


def run(*, again: bool) -> None:
    """Measure every size of a batch."""
    tasks = [{"sentences": n, "seed": seed} for seed in SEEDS for n in SENTENCES]
    record("throughput", tasks, measure, data="random sentences of one length", again=again)
