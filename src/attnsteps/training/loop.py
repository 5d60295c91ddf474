"""The training: update after update, written down, looked at and saved on the way."""

import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import torch
from torch import nn
from tqdm import tqdm

from attnsteps.model.mode import in_mode
from attnsteps.text.batch import Batch, Example, collate, index_batches
from attnsteps.text.vocab import Vocab, check_special_ids
from attnsteps.training.checkpoint import (
    NAME,
    identify,
    load_checkpoint,
    save_checkpoint,
)
from attnsteps.training.config import TrainingConfig
from attnsteps.training.distributed import Processes, join, own_device, same_start, share
from attnsteps.training.log import FIELDS, History, open_log
from attnsteps.training.loss import LossFunction, autoregressive_loss
from attnsteps.training.progress import PATIENCE, Progress
from attnsteps.training.update import make_optimizer, make_scaler, update


def train(
    model: nn.Module,
    examples: Sequence[Example],
    config: TrainingConfig | None = None,
    *,
    loss_fn: LossFunction = autoregressive_loss,
    validate: Callable[[nn.Module], dict[str, float]] | None = None,
    directory: str | os.PathLike | None = None,
    resume: bool = False,
    vocabularies: tuple[Vocab, Vocab] | None = None,
    device: torch.device | str | None = None,
    progress: bool = True,
    on_step: Callable[[nn.Module, int], None] | None = None,
) -> History:
    """Train a model, alone or together with the other processes that torchrun has started.

    The same arguments give the same weights, and so does a training that was interrupted and
    resumed: on the CPU bit for bit, if it has as many processes and threads as before.

    Args:
        model: a Transformer, or a NonAutoregressive with its loss_fn; changed in place, and in
            evaluation mode afterwards.
        examples: the ids of sources and targets, as encode_pairs returns them.
        config: how to train; None takes the defaults of TrainingConfig.
        loss_fn: called with the model, a batch and the label smoothing, it returns the sum of the
            losses and the number of tokens.
        validate: called with the model in evaluation mode, without gradients, every
            config.evaluate_every steps and after the last; its scores go into the history.
        directory: where the checkpoint and the log are kept; None keeps none.
        resume: True goes on from the directory's checkpoint, if it has one.
        vocabularies: those of source and target, for the checkpoint to be held against.
        device: where to train; None where the model is. The model is moved there and stays.
        progress: True shows a progress bar.
        on_step: called with the model and the number of updates, after each of them.

    Returns:
        What config.log_every asked for, and a record for each evaluation and the last step.

    Raises:
        ValueError: if there is no example, or the model's special ids are not those of Vocab; if
            the directory holds a checkpoint that resume does not ask for, or one of another
            training, of more steps, another version or damaged; if a score has the name of a field
            of Record.
        OSError: if the checkpoint or the log cannot be written; the last checkpoint stays.
        FloatingPointError: if the loss or the gradient becomes infinite or NaN, or what the model
            gives while validate looks at it; the last checkpoint is from before.

    Example:
        >>> from attnsteps import Transformer, TransformerConfig
        >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=11, tgt_vocab_size=13))
        >>> from attnsteps import TrainingConfig
        >>> config = TrainingConfig(steps=20, log=None)
        >>> history = train(model, [([5, 6], [6, 5]), ([7, 8], [8, 7])], config, progress=False)
        >>> history.records[-1].step
        20
    """
    config = config or TrainingConfig()
    _check(model, examples)
    device = own_device(next(model.parameters()).device if device is None else device)
    model.to(device).train()
    optimizer = make_optimizer(model)
    scaler = make_scaler(device, config.precision)
    now, path = Progress(), None if directory is None else Path(directory)
    identity = identify(model, examples, config, loss_fn=loss_fn, vocabularies=vocabularies)
    if path is not None and _has_checkpoint(path, resume=resume):
        now = load_checkpoint(path, model, optimizer, scaler=scaler, identity=identity)
        _check_end(now, config, path)
    forward = torch.compile(model, dynamic=True) if config.compile else model
    how = {
        "loss_fn": loss_fn,
        "label_smoothing": config.label_smoothing,
        "clip": config.clip,
        "precision": config.precision,
        "scaler": scaler,
    }

    def is_due(every: int | None) -> bool:
        return now.step == config.steps or (every is not None and now.step % every == 0)

    gpus = [device] if device.type == "cuda" else []
    with join(device) as processes, torch.random.fork_rng(devices=gpus):
        is_first = processes.rank == 0
        same_start(model, processes)
        stream = _stream(examples, config, now, processes)
        started, updates = time.perf_counter() - now.seconds, []
        bar = tqdm(total=config.steps, initial=now.step, disable=not (progress and is_first))
        with bar, open_log(config.log if is_first else None, path, now.history) as log:
            while now.step < config.steps:
                now.step += 1
                torch.manual_seed(_seed(config.seed, now.step, processes.rank))
                batches = _take(stream, config.accumulate, now, device)
                rate = config.rate(now.step, d_model=model.config.d_model)
                latest = update(forward, batches, optimizer, rate=rate, processes=processes, **how)
                updates.append(latest)
                bar.update()
                if is_first and on_step is not None:
                    on_step(model, now.step)
                is_asked = validate is not None and is_due(config.evaluate_every)
                is_noted = is_asked or is_due(config.log_every)
                is_saved = path is not None and is_due(config.checkpoint_every)
                if (
                    is_noted or is_saved or len(updates) >= PATIENCE
                ):  # before anybody looks at weights that are NaN
                    now.add(updates, may_overflow=scaler.is_enabled())
                scores = _scores(model, validate) if is_asked and is_first else {}
                now.seconds = time.perf_counter() - started
                if is_noted:
                    noted = now.record(rate=rate, norm=float(latest.norm), scores=scores)
                    log(now.history)
                    bar.set_postfix({"loss": f"{noted.loss:.3f}", **scores})
                if is_saved and is_first:
                    save_checkpoint(
                        path, model, optimizer, scaler=scaler, progress=now, identity=identity
                    )
    model.eval()
    return now.history


def _check(model: nn.Module, examples: Sequence[Example]) -> None:
    """Check that there is something to learn, in the ids that the model will be decoded with."""
    if len(examples) == 0:
        raise ValueError("examples must hold at least one pair; got none")
    check_special_ids(model.config)


def _has_checkpoint(path: Path, *, resume: bool) -> bool:
    """Make the run's directory, and tell whether a training has begun there."""
    path.mkdir(parents=True, exist_ok=True)
    exists = (path / NAME).exists()
    if exists and not resume:
        raise ValueError(f"resume must be True where {path / NAME} exists; got False")
    return exists


def _check_end(now: Progress, config: TrainingConfig, path: Path) -> None:
    """Check that a training that goes on does not stand beyond its end."""
    recorded = now.history.records[-1].step if now.history.records else 0
    if now.step > config.steps or now.step == config.steps != recorded:
        raise ValueError(
            f"config.steps must be more than the {now.step} that {path / NAME} has behind it;"
            f" got {config.steps}"
        )


def _stream(
    examples: Sequence[Example], config: TrainingConfig, now: Progress, processes: Processes
) -> Iterator[tuple[int, int, Batch | None]]:
    """Go through the data again and again, from where the training stands."""
    size = {"batch_size": config.pairs, "max_tokens": config.max_tokens}
    epoch, start = now.epoch, now.batch
    while True:
        plan = index_batches(examples, **size, seed=config.seed, epoch=epoch)
        for i in range(start, len(plan)):
            index = share(plan[i], processes)
            yield epoch, i + 1, collate([examples[j] for j in index], index) if index else None
        epoch, start = epoch + 1, 0


def _take(
    stream: Iterator[tuple[int, int, Batch | None]],
    count: int,
    now: Progress,
    device: torch.device,
) -> Iterator[Batch]:
    """Yield the next batches, and note how far in the data they lead."""
    for now.epoch, now.batch, batch in islice(stream, count):
        if batch is not None:
            yield batch.to(device)


def _seed(seed: int, step: int, rank: int) -> int:
    """Return the number that all chance in one update of one process comes from."""
    return random.Random(f"{seed}/{step}/{rank}").getrandbits(63)


def _scores(
    model: nn.Module, validate: Callable[[nn.Module], dict[str, float]]
) -> dict[str, float]:
    """Evaluate the model as it will be used: no dropout, no gradients."""
    with in_mode(model), torch.no_grad():
        scores = validate(model)
    taken = [name for name in scores if name in FIELDS]
    if taken:
        raise ValueError(f"a score must have a name that no field of Record has; got {taken[0]!r}")
    return {name: float(score) for name, score in scores.items()}
