"""Chapter 22: each change since 2017, alone and left out, with five seeds.

Updates are equal, and the highest learning rate is RATE. Two key heads and the block of today have
fewer parameters than 2017, so they also train with a wider feed-forward network. The blocks of 2017
and of today also train at the rates of RATES, with pre-norm alone beside them, and for three times
as long. At the largest rate, each change is left out of the block of today once more.

Two more measurements: today's block with turned and with added positions translates sentences that
begin at a later position, and the chapter's decoding step is timed with 32, 8 and 1 heads of keys.
"""

import math
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor

from attnsteps.layers.positional import SinusoidalPositions
from attnsteps.training.config import TrainingConfig
from attnsteps.training.loop import train
from attnsteps.training.loss import autoregressive_loss
from attnsteps.translator.trained import Trained
from scripts.experiments import SEEDS, page, record
from scripts.recipes import build, corpus, evaluate
from scripts.results import processor

SIZES = {"d_model": 32, "num_heads": 4, "d_ff": 96}  # and 2 + 2 layers
CHANGES = {
    "2017": {},
    "pre-norm": {"norm": "pre"},
    "RMSNorm": {"norm_kind": "rms"},
    "rotary": {"positions": "rotary"},
    "gated": {"activation": "swiglu", "d_ff": 64},  # three matrices of 64 for two of 96
    "no biases": {"bias": False},
    "two key heads": {"num_kv_heads": 2},
}
PARTS = tuple(CHANGES)[1:]


def joined(parts: Sequence[str]) -> dict:
    """Return the settings of several changes at once."""
    return {name: value for part in parts for name, value in CHANGES[part].items()}


CHANGES["together"] = joined(PARTS)
for left_out in PARTS:
    CHANGES[f"all but {left_out}"] = joined([part for part in PARTS if part != left_out])
# Controls: as many parameters as 2017 has, or 96 fewer.
CHANGES["two key heads, wider"] = CHANGES["two key heads"] | {"d_ff": 120}
CHANGES["together, wider"] = CHANGES["together"] | {"d_ff": 84}
RATE = 0.008
RATES = {f"translate at {rate}": rate for rate in (0.016, 0.032, 0.064)}
LARGEST = "translate at 0.064"
STEPS = {"translate": 500, "translate for longer": 1500} | dict.fromkeys(RATES, 500)
TASKS = {
    "translate": list(CHANGES),
    **{rate: ["2017", "pre-norm", "together"] for rate in RATES},
    "translate for longer": ["2017", "together"],
}
TASKS[LARGEST] += [f"all but {part}" for part in PARTS]
MOVED, MOVES = "translate moved sentences", (0, 1, 2, 5, 20, 100)
TASKS[MOVED] = ["together", "all but rotary"]
STEP = "a decoding step"
KEY_HEADS, TEXTS, LENGTH = (32, 8, 1), (1, 16), 4096  # earlier words in the cache


def taught(change: str, seed: int, steps: int, peak: float) -> Trained:
    """Train a model on the book's corpus."""
    trained, examples = build(
        corpus().train, kind="autoregressive", seed=seed, **{**SIZES, **CHANGES[change]}
    )
    config = TrainingConfig(steps=steps, batch_size=64, peak=peak, seed=seed, log=None)
    train(trained.model, examples, config, loss_fn=autoregressive_loss, progress=False)
    return trained


def translate(change: str, seed: int, steps: int, peak: float) -> dict:
    """Train a model, and let it translate freely."""
    trained = taught(change, seed, steps, peak)
    scores = evaluate(trained, "autoregressive", corpus(), ("unseen", "longer"))
    parameters = trained.model.num_parameters()
    return {"right": scores["unseen"], "longer": scores["longer"], "parameters": parameters}


@contextmanager
def begun_at(first: int) -> Iterator[None]:
    """Let every sentence begin at a later position, whether positions are added or turned."""
    plain = SinusoidalPositions.forward

    def later(self: SinusoidalPositions, length: int, *, offset: int = 0) -> Tensor:
        return plain(self, length, offset=offset + first)

    SinusoidalPositions.forward = later
    try:
        yield
    finally:
        SinusoidalPositions.forward = plain


def move(change: str, seed: int) -> dict:
    """Train a model, and let it translate the same unseen sentences at other positions."""
    trained, right, texts = taught(change, seed, 500, 0.016), {}, {}
    sources = ["".join(pair.src) for pair in corpus().unseen]
    for by in MOVES:
        with begun_at(by):
            right[str(by)] = evaluate(trained, "autoregressive", corpus(), ("unseen",))["unseen"]
            texts[by] = [one.text for one in trained.translate(sources, batch_size=250)]
    same = {str(by): sum(map(str.__eq__, texts[by], texts[0])) / len(sources) for by in MOVES}
    return {"moved": right, "same": same}


def step_times(step: Callable, heads: int, texts: int, seed: int) -> tuple[float, int, int]:
    """Time the chapter's step in ms, the median of five, and count the bytes that it must read."""
    d, f, d_k = 4096, 14336, 128
    generator = torch.Generator().manual_seed(seed)

    def draw(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator) / math.sqrt(shape[-1])

    shapes = {"q": (d, d), "k": (heads * d_k, d), "v": (heads * d_k, d), "o": (d, d)}
    w = {f"self_attn.{name}_proj": draw(*shape) for name, shape in shapes.items()}
    w |= {f"mlp.{name}_proj": draw(f, d) for name in ("gate", "up")}
    w |= {"mlp.down_proj": draw(d, f)}
    w |= {name: torch.ones(d) for name in ("input_layernorm", "post_attention_layernorm")}
    keys, values = (draw(1, heads, LENGTH + 1, d_k).repeat(texts, 1, 1, 1) for _ in "kv")
    x, times = draw(texts, d), []
    for _ in range(1 + 5):  # the first warms up; a step reads far more than the caches can keep
        start = time.process_time()
        step(x, w, keys, values, base=500_000)
        times.append(time.process_time() - start)
    held = keys.nbytes + values.nbytes
    return 1000 * statistics.median(times[1:]), sum(part.nbytes for part in w.values()), held


def steps_of(step: Callable, seed: int) -> dict:
    """Time the step for each number of key heads and of texts, one after another."""
    found = {"processor": processor(), "ms": {}, "weights": {}, "cache": {}}
    for texts in TEXTS:
        for heads in KEY_HEADS:
            name = f"{heads} heads, {texts} texts"
            taken, weights, cache = step_times(step, heads, texts, seed)
            found["ms"][name] = round(taken, 1)
            found["weights"][name], found["cache"][name] = weights, cache
    return found


def run(*, again: bool) -> None:
    """Train every model, task by task and in it seed by seed; then time the step."""

    def measure(*, task: str, seed: int, change: str = "") -> dict:
        if task == STEP:
            step = page("since_2017")["decoding_step"]
            torch.set_default_dtype(torch.float32)  # the page computes in float64
            return steps_of(torch.no_grad()(step), seed)
        if task == MOVED:
            return move(change, seed)
        return translate(change, seed, STEPS[task], RATES.get(task, RATE))

    order = [
        {"task": task, "change": change, "seed": seed}
        for task, changes in TASKS.items()
        for seed in SEEDS
        for change in changes
    ]
    order += [{"task": STEP, "seed": seed} for seed in SEEDS]
    record("since_2017", order, measure, data="generated(40000, seed=0)", again=again)
