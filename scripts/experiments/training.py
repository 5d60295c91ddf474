"""Chapter 16: its own run, and others: smoothing, a mistake, batches, the schedule, plain steps."""

from collections import Counter
from collections.abc import Callable
from itertools import chain, count

import torch
from torch import Tensor
from torch.nn import functional

from attnsteps import Batch, Transformer, linear_decay, make_optimizer
from attnsteps.text.batch import index_batches
from scripts.experiments import SEEDS, page, record

DATA = "generated(10000, seed=0), 200 unseen sentences"
PEAK = 0.004  # the chapter's
MIXED = {"batch_size": 64, "bucketed": False, "log": None}
STOP = 100  # the chapter looks at its run after every so many steps
RIGHT = {
    "running": ("累", "the animal did not cross the street because it was too tired"),
    "twin": ("宽", "the animal did not cross the street because it was too wide"),
}
MISTAKES = ("none", "padding counts", "no zero_grad", "two softmaxes")


def said(model: Transformer, batch: Batch, names: dict) -> dict[str, dict[str, float]]:
    """Find the share of each word among those that a model says, given the true ones before."""
    with torch.no_grad():
        logits = model(batch.src_ids, batch.tgt_in)[batch.tgt_out != 0]  # (N, V)
    words = Counter(names["tgt_vocab"].tokens(logits.argmax(-1).tolist()))
    return {"said": {word: round(n / len(logits), 3) for word, n in words.most_common()}}


def rate_at(schedule: str, step: int, steps: int, peak: float) -> float:
    """Return the learning rate: with the chapter's rise and fall, with one of them, or constant."""
    warmup = steps // 3 if schedule in ("both", "rise") else 1
    if schedule in ("both", "fall"):
        return linear_decay(step, peak=peak, warmup=warmup, total=steps)
    return peak * min(1.0, step / warmup)


def plain_steps(model: Transformer) -> torch.optim.SGD:
    """Return gradient descent as it stands: each move is the rate times the gradient."""
    return torch.optim.SGD(model.parameters(), lr=PEAK)


def stepped(
    names: dict, model: Transformer, *, seed: int, steps: int, plan: Callable, **ways: object
) -> list[float]:
    """Train on the batches of a plan, which is made for each epoch; return what is reported."""
    optimizer, reported = ways.get("optimizer", make_optimizer)(model), []
    torch.manual_seed(seed)
    for epoch in count():
        for index in plan(epoch):
            part = names["collate"]([names["examples"][i] for i in index])
            loss = ways["loss_of"](model(part.src_ids, part.tgt_in), part.tgt_out)
            if ways.get("zero_grad", True):
                optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            reported.append(loss.item())
            step = len(reported)
            rate = rate_at(ways.get("schedule", "both"), step, steps, ways.get("peak", PEAK))
            for group in optimizer.param_groups:
                group["lr"] = rate
            optimizer.step()
            if step == steps:
                model.eval()
                return reported


def batched(
    names: dict,
    pairs: list,
    *,
    seed: int,
    steps: int,
    lengths: int | None = None,
    weights: str = "mean",
    **ways: object,
) -> dict[str, float]:
    """Train on batches of mixed lengths, of one, or of four: four small ones of one length, joined.

    A word counts by the number in its batch (the mean of the batch), or as much everywhere
    (the sum, divided by what a batch has on average). The rest is the chapter's or another: the
    schedule, its peak, the optimizer.
    """
    examples, model = names["examples"], names["new_model"](seed=seed)
    usual = 64 * sum(len(target) + 1 for _, target in examples) / len(examples)

    def plan(epoch: int) -> list[list[int]]:
        joined = lengths or 1
        how = {"batch_size": 64 // joined, "bucketed": lengths is not None}
        small = index_batches(examples, **how, seed=seed, epoch=epoch)
        return [
            list(chain.from_iterable(small[i : i + joined])) for i in range(0, len(small), joined)
        ]

    def loss_of(logits: Tensor, targets: Tensor) -> Tensor:
        how = {"ignore_index": 0, "label_smoothing": 0.1, "reduction": "sum"}
        total = functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), **how)
        return total / (usual if weights == "alike" else (targets != 0).sum())

    stepped(names, model, seed=seed, steps=steps, plan=plan, loss_of=loss_of, **ways)
    return {"right": names["share_right"](model, pairs)}


def run(*, again: bool) -> None:
    """Train the chapter's translator as it is, and with other smoothing, batches and mistakes."""
    names = page("training")
    config_of, pairs = names["TrainingConfig"], names["splits"].unseen[:200]
    batch = names["collate"](names["encode_pairs"](pairs, names["src_vocab"], names["tgt_vocab"]))

    def whole(seed: int, steps: int) -> dict:
        def validate(model: object) -> dict:
            loss, number = names["autoregressive_loss"](model, batch, 0.1)
            return {
                "unseen loss": (loss / number).item(),
                "right": names["share_right"](model, pairs),
            }

        model = names["new_model"](seed=seed)
        config = config_of(**MIXED, steps=steps, evaluate_every=STOP, seed=seed)
        untrained = names["share_right"](model, pairs)
        history = names["train"](
            model, names["examples"], config, validate=validate, progress=False
        )
        running = names["RUNNING"]
        translations = {
            name: names["bundle"](model).translate([running.replace("累", word)])[0].text
            for name, (word, _) in RIGHT.items()
        }
        return {
            "untrained": untrained,
            "loss": [round(loss, 3) for loss in history.column("unseen loss")],
            "right": history.column("right"),
            **{name: translations[name] == right for name, (_, right) in RIGHT.items()},
        }

    def smoothed(seed: int, steps: int, epsilon: float) -> dict:
        """Train with a label smoothing, and look at unseen words given those before them."""
        model = names["new_model"](seed=seed)
        config = config_of(**MIXED, steps=steps, label_smoothing=epsilon, seed=seed)
        names["train"](model, names["examples"], config, progress=False)
        with torch.no_grad():
            logits = model(batch.src_ids, batch.tgt_in)[batch.tgt_out != 0]  # (N, V)
        answers = batch.tgt_out[batch.tgt_out != 0]
        sure, said = logits.softmax(-1).max(-1)
        ahead = logits.max(-1).values - logits.mean(-1)
        return {
            "plain": round(functional.cross_entropy(logits, answers).item(), 3),
            "sure": round(sure[said == answers].mean().item(), 3),
            "sure_and_wrong": round(sure[said != answers].mean().item(), 3),
            "ahead": round(ahead.mean().item(), 2),
            "right": names["share_right"](model, pairs),
        }

    def mistaken(seed: int, steps: int, mistake: str) -> dict:
        """Train with a mistake, on batches of mixed lengths; the loss is what the program says."""
        model = names["new_model"](seed=seed)

        def plan(epoch: int) -> list[list[int]]:
            how = {"batch_size": 64, "bucketed": False, "seed": seed, "epoch": epoch}
            return index_batches(names["examples"], **how)

        def loss_of(logits: Tensor, targets: Tensor) -> Tensor:
            if mistake == "two softmaxes":
                logits = logits.softmax(-1)
            ignored = -100 if mistake == "padding counts" else 0
            return functional.cross_entropy(
                logits.flatten(0, 1), targets.flatten(), ignore_index=ignored, label_smoothing=0.1
            )

        ways = {"loss_of": loss_of, "zero_grad": mistake != "no zero_grad"}
        reported = stepped(names, model, seed=seed, steps=steps, plan=plan, **ways)
        return {
            "reported": round(sum(reported[-20:]) / 20, 2),
            "right": names["share_right"](model, pairs),
            **(said(model, batch, names) if mistake == "two softmaxes" else {}),
        }

    def measure(*, run: str, **settings: object) -> dict:
        if run in ("batches", "schedule"):
            return batched(names, pairs, **settings)
        if run == "plain steps":
            return batched(names, pairs, optimizer=plain_steps, **settings)
        return {"chapter": whole, "smoothing": smoothed, "mistake": mistaken}[run](**settings)

    tasks = [{"run": "chapter", "steps": 500, "seed": seed} for seed in SEEDS]
    tasks += [
        {"run": "mistake", "steps": 500, "mistake": mistake, "seed": seed}
        for seed in SEEDS
        for mistake in MISTAKES
    ]
    tasks += [
        {"run": "smoothing", "steps": steps, "epsilon": epsilon, "seed": seed}
        for steps in (500, 2000)
        for seed in SEEDS
        for epsilon in (0.0, 0.1)
    ]
    tasks += [
        {"run": "batches", "steps": 500, "lengths": lengths, "weights": weights, "seed": seed}
        for seed in SEEDS
        for lengths, weights in ((4, "mean"), (1, "alike"), (1, "mean"))
    ]
    tasks += [
        {"run": "batches", "steps": 2000, "lengths": 1, "weights": "mean", "seed": seed}
        for seed in SEEDS
    ]
    tasks += [
        {"run": "schedule", "steps": 500, "schedule": schedule, "seed": seed}
        for seed in SEEDS
        for schedule in ("rise", "fall", "none")
    ]
    tasks += [
        {"run": "plain steps", "steps": 500, "peak": peak, "seed": seed}
        for seed in SEEDS
        for peak in (1.0, 3.0, 10.0)
    ]
    record("training", tasks, measure, data=DATA, again=again)
