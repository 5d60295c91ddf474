"""Chapter 22: each change since 2017, alone and left out, with five seeds.

Updates are equal, and the highest learning rate is RATE. Two key heads and the block of today have
fewer parameters than 2017, so they also train with a wider feed-forward network. The blocks of 2017
and of today also train at the rates of RATES, with pre-norm alone beside them, and for three times
as long. At the largest rate, each change is left out of the block of today once more.
"""

from collections.abc import Sequence

from attnsteps.training.config import TrainingConfig
from attnsteps.training.loop import train
from attnsteps.training.loss import autoregressive_loss
from scripts.experiments import SEEDS, record
from scripts.recipes import build, corpus, evaluate

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


def translate(change: str, seed: int, steps: int, peak: float) -> dict:
    """Train a model on the book's corpus, and let it translate freely."""
    trained, examples = build(
        corpus().train, kind="autoregressive", seed=seed, **{**SIZES, **CHANGES[change]}
    )
    config = TrainingConfig(steps=steps, batch_size=64, peak=peak, seed=seed, log=None)
    train(trained.model, examples, config, loss_fn=autoregressive_loss, progress=False)
    scores = evaluate(trained, "autoregressive", corpus(), ("unseen", "longer"))
    parameters = trained.model.num_parameters()
    return {"right": scores["unseen"], "longer": scores["longer"], "parameters": parameters}


def run(*, again: bool) -> None:
    """Train every model, task by task and in it seed by seed."""

    def measure(*, task: str, change: str, seed: int) -> dict:
        return translate(change, seed, STEPS[task], RATES.get(task, RATE))

    order = [
        {"task": task, "change": change, "seed": seed}
        for task, changes in TASKS.items()
        for seed in SEEDS
        for change in changes
    ]
    record("since_2017", order, measure, data="generated(40000, seed=0)", again=again)
