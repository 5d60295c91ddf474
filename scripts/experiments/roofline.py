"""Chapter 20: how fast the base model's last product is on one core, by the number of words."""

import time
from collections.abc import Callable
from functools import partial

import torch

from scripts.experiments import SEEDS, record

WIDTH, WORDS = 512, 37_000  # D and V
COUNTS = (1, 4, 16, 64, 256)


def seconds(run: Callable[[], object], rounds: int = 7) -> float:
    """Return the shortest processor time of several runs, after one to warm up."""
    run()
    found = []
    for _ in range(rounds):
        start = time.process_time()
        run()
        found.append(time.process_time() - start)
    return min(found)


def measure(*, seed: int) -> dict:
    """Time the product of n words with the matrix (D, V), a long sum, a copy, a square product."""
    torch.manual_seed(seed)
    matrix, times = torch.randn(WIDTH, WORDS), {}
    for n in COUNTS:
        x, y = torch.randn(n, WIDTH), torch.empty(n, WORDS)
        times[str(n)] = seconds(partial(torch.mm, x, matrix, out=y))
    long = torch.randn(40_000_000)
    copy, square = torch.empty_like(long), torch.randn(2048, 2048)
    return {
        "ms": {n: round(1000 * taken, 3) for n, taken in times.items()},
        "read": round(long.nbytes / seconds(long.sum) / 1e9, 2),
        "copied": round(2 * long.nbytes / seconds(lambda: copy.copy_(long)) / 1e9, 2),
        "square": round(2 * 2048**3 / seconds(lambda: square @ square) / 1e9, 1),
    }


def run(*, again: bool) -> None:
    """Measure it five times, with other random numbers each time."""
    record(
        "roofline", [{"seed": seed} for seed in SEEDS], measure, data="random numbers", again=again
    )
