"""From the first step to the last: a run over sentence pairs, with all that follows it."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import torch
from torch import nn
from tqdm import tqdm

from attnsteps.text.batch import Batch, Example, collate, index_batches
from attnsteps.text.vocab import Vocab, check_special_ids
from attnsteps.training.config import TrainingConfig
from attnsteps.training.distributed import join, own_device, same_start, share
from attnsteps.training.log import History
from attnsteps.training.loss import LossFunction, autoregressive_loss
from attnsteps.training.resume import NAME, identify, load_run
from attnsteps.training.run import Run, Watcher
from attnsteps.training.watchers import (
    Validate,
    hand_on,
    keep_checkpoint,
    keep_file,
    keep_records,
    move_bar,
)


def train(
    model: nn.Module,
    examples: Sequence[Example],
    config: TrainingConfig | None = None,
    *,
    loss_fn: LossFunction = autoregressive_loss,
    validate: Validate | None = None,
    directory: str | os.PathLike | None = None,
    resume: bool = False,
    vocabularies: tuple[Vocab, Vocab] | None = None,
    device: torch.device | str | None = None,
    progress: bool = True,
    on_step: Callable[[nn.Module, int], None] | None = None,
    on_record: Callable[[History], None] | None = None,
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
        on_record: called with the history, whenever there is a new record at its end.

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
    run = Run(model.to(device), config, loss_fn, d_model=model.config.d_model)
    identity = identify(model, examples, config, loss_fn=loss_fn, vocabularies=vocabularies)
    path = None if directory is None else Path(directory)
    if path is not None and _has_checkpoint(path, resume=resume):
        load_run(path, run, identity)
        _check_end(run, path)

    gpus = [device] if device.type == "cuda" else []
    with join(device) as run.processes, torch.random.fork_rng(devices=gpus):
        is_first = run.processes.rank == 0
        same_start(model, run.processes)
        how = {"total": config.steps, "initial": run.now.step}
        with tqdm(**how, disable=not (progress and is_first)) as bar:
            watchers: list[Watcher] = []
            if on_step is not None and is_first:
                watchers.append(lambda run: on_step(run.model, run.now.step))
            watchers += [keep_records(validate, seconds=run.now.seconds), move_bar(bar)]
            if on_record is not None and is_first:
                watchers.append(hand_on(on_record))
            if path is not None and is_first:
                if config.log is not None:
                    watchers.append(keep_file(path / "log.csv", run))
                watchers.append(keep_checkpoint(path, identity))
            for _ in run.updates(_batches(run, examples, device)):
                for watch in watchers:
                    watch(run)
    model.eval()
    return run.now.history


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


def _check_end(run: Run, path: Path) -> None:
    """Check that a training that goes on does not stand beyond its end."""
    step, steps = run.now.step, run.config.steps
    if step > steps or (step == steps and run.now.latest is None):
        raise ValueError(
            f"config.steps must be more than the {step} that {path / NAME} has behind it;"
            f" got {steps}"
        )


def _batches(run: Run, examples: Sequence[Example], device: torch.device) -> Iterator[Batch | None]:
    """Yield this process's share of batch after batch, without end, and note how far they lead."""
    now, config = run.now, run.config
    names = ("max_tokens", "bucketed", "seed")
    choices = {"batch_size": config.pairs} | {name: getattr(config, name) for name in names}
    while True:
        plan = index_batches(examples, **choices, epoch=now.epoch)
        for batch in plan[now.batch :]:
            now.batch += 1
            index = share(batch, run.processes)
            yield collate([examples[i] for i in index], index).to(device) if index else None
        now.epoch, now.batch = now.epoch + 1, 0
