"""Chapter 22: each change since 2017, alone and together, on two tasks, with five seeds.

Updates are equal, and the highest learning rate is RATE. The blocks of 2017 and of today also train
for three times as long, and at LARGE, with pre-norm alone beside them.
"""

import torch
from torch import Tensor

from attnsteps.layers.mixture import routings
from attnsteps.model.config import TransformerConfig
from attnsteps.model.mode import in_mode
from attnsteps.model.transformer import Transformer
from attnsteps.text.batch import Batch, collate
from attnsteps.training.config import TrainingConfig
from attnsteps.training.loop import train
from attnsteps.training.loss import autoregressive_loss
from attnsteps.training.mixture import balanced_loss
from attnsteps.training.run import Run
from scripts.experiments import SEEDS, record
from scripts.recipes import build, corpus, evaluate

DATA = "rows of 4 to 10 letters, to be reversed, 32 in each step; generated(40000, seed=0)"
SIZES = {"d_model": 32, "num_heads": 4, "d_ff": 96}  # and 2 + 2 layers
CHANGES = {
    "2017": {},
    "pre-norm": {"norm": "pre"},
    "RMSNorm": {"norm_kind": "rms"},
    "rotary": {"positions": "rotary"},
    "gated": {"activation": "swiglu", "d_ff": 64},  # three matrices of 64 for two of 96
    "two key heads": {"num_kv_heads": 2},
    "one key head": {"num_kv_heads": 1},
    "window of 4": {"window": 4},
    "four experts": {"num_experts": 4},
}
CHANGES["four together"] = {"bias": False}
for name in ("pre-norm", "RMSNorm", "rotary", "gated"):
    CHANGES["four together"] |= CHANGES[name]
CHANGES["together"] = CHANGES["four together"] | CHANGES["two key heads"]
LOSSES = {"four experts": balanced_loss}  # of the others: autoregressive_loss
NEWER = {"two key heads", "four together"}  # not asked to reverse
RATE, LARGE = 0.008, 0.032
STEPS = {
    "reverse": 600,
    "translate": 500,
    "translate for longer": 1500,
    "translate at 0.032": 500,
}
TASKS = {
    "reverse": [name for name in CHANGES if name not in NEWER],
    "translate": list(CHANGES),
    "translate for longer": ["2017", "together"],
    "translate at 0.032": ["2017", "together", "pre-norm"],
}
LETTERS, FIRST = 10, 4  # the ids 4 to 13; those below are special


def rows(count: int, lengths: range, generator: torch.Generator) -> Batch:
    """Draw letters and the same in reverse."""
    pairs = []
    for _ in range(count):
        length = int(torch.randint(lengths.start, lengths.stop, (), generator=generator))
        letters = torch.randint(FIRST, FIRST + LETTERS, (length,), generator=generator).tolist()
        pairs.append((letters, letters[::-1]))
    return collate(pairs)


@torch.no_grad()
def right(model: Transformer, lengths: range) -> float:
    """Return the share of 500 new rows that are reversed without a mistake."""
    batch = rows(500, lengths, torch.Generator().manual_seed(99))
    with in_mode(model):
        guess = model(batch.src_ids, batch.tgt_in).argmax(dim=-1)
    wrong: Tensor = (guess != batch.tgt_out) & (batch.tgt_out != 0)
    return round(1 - wrong.any(dim=1).float().mean().item(), 4)


def reverse(change: str, seed: int, steps: int) -> dict:
    """Train a model to reverse rows; a baseline of chance is below 1 in 10,000."""
    torch.manual_seed(seed)
    model = Transformer(TransformerConfig.tiny(14, 14, **{**SIZES, **CHANGES[change]}))
    config = TrainingConfig(steps=steps, peak=RATE, label_smoothing=0.0)
    generator = torch.Generator().manual_seed(seed)
    scores = {"untrained": right(model, range(4, 11))}
    drawn = (rows(32, range(4, 11), generator) for _ in range(config.steps))
    for _ in Run(model, config, LOSSES.get(change, autoregressive_loss)).updates(drawn):
        pass
    scores |= {"right": right(model, range(4, 11)), "longer": right(model, range(11, 15))}
    batch = rows(500, range(4, 11), torch.Generator().manual_seed(99))
    return scores | sizes(model, batch)


def translate(change: str, seed: int, steps: int, peak: float) -> dict:
    """Train a model on the book's corpus, and let it translate freely."""
    trained, examples = build(
        corpus().train, kind="autoregressive", seed=seed, **{**SIZES, **CHANGES[change]}
    )
    loss_fn = LOSSES.get(change, autoregressive_loss)
    config = TrainingConfig(steps=steps, batch_size=64, peak=peak, seed=seed, log=None)
    train(trained.model, examples, config, loss_fn=loss_fn, progress=False)
    scores = evaluate(trained, "autoregressive", corpus(), ("unseen", "longer"))
    return {"right": scores["unseen"], "longer": scores["longer"]} | sizes(
        trained.model, collate(examples[:500])
    )


@torch.no_grad()
def sizes(model: Transformer, batch: Batch) -> dict:
    """Count parameters, and each expert's share of the positions, layer by layer."""
    with routings(model) as routed:
        model.eval()(batch.src_ids, batch.tgt_in)
    loads = [[round(share, 3) for share in one.load.tolist()] for one in routed]
    return {"parameters": model.num_parameters()} | ({"loads": loads} if loads else {})


def run(*, again: bool) -> None:
    """Train every model, seed by seed, so that an interrupted run can be compared."""

    def measure(*, task: str, change: str, seed: int) -> dict:
        if task == "reverse":
            return reverse(change, seed, STEPS[task])
        peak = LARGE if task.endswith(str(LARGE)) else RATE
        return translate(change, seed, STEPS[task], peak)

    order = [
        {"task": task, "change": change, "seed": seed}
        for seed in SEEDS
        for task, changes in TASKS.items()
        for change in changes
    ]
    record("since_2017", order, measure, data=DATA, again=again)
