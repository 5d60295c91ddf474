"""Chapter 20: tokens per second against the number of sentences and against their length."""

import torch

from attnsteps import Transformer, TransformerConfig, collate
from attnsteps.analysis.speed import measure_speed
from scripts.experiments import SEEDS, record

WORDS = 300  # in both vocabularies
SENTENCES = (1, 2, 4, 8, 16, 32, 64, 128)
LENGTHS = (15, 31, 63, 127, 255, 511)


def measure(sentences: int, length: int, *, fused: bool, seed: int) -> dict:
    """Time updates of the tiny model on one thread, and return the fastest of five."""
    torch.manual_seed(seed)
    model = Transformer(TransformerConfig.tiny(WORDS, WORDS))
    some = torch.randint(5, WORDS, (sentences, length)).tolist()
    batch = collate(list(zip(some, some, strict=True)))
    speed = measure_speed(model, batch, fused=fused, rounds=5)
    return {"tokens_per_second": round(speed.tokens_per_second)}


def run(*, again: bool) -> None:
    """Measure every size, and both kinds of attention where the length changes."""
    sizes = [(n, 15, True) for n in SENTENCES]
    sizes += [(4, length, fused) for fused in (True, False) for length in LENGTHS]
    tasks = [
        {"sentences": n, "length": length, "fused": fused, "seed": seed}
        for seed in SEEDS
        for n, length, fused in dict.fromkeys(sizes)
    ]
    record("throughput", tasks, measure, data="random sentences of one length", again=again)
