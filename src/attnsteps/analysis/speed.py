"""How long an update takes, on whatever machine this is."""

import time
from typing import NamedTuple

import torch
from torch import Tensor, nn

from attnsteps.checks import check_positive
from attnsteps.model.mode import in_mode
from attnsteps.text.batch import Batch
from attnsteps.training.loss import summed_cross_entropy
from attnsteps.training.update import make_optimizer, make_scaler, update


class Speed(NamedTuple):
    """What a measurement has found.

    Args:
        seconds: of the shortest update, the one that was disturbed least.
        first_seconds: of the first, in which a compiled model is compiled.
        tokens: the target tokens of each update.
        peak_bytes: the most memory that was in use on a GPU at a time; None on a CPU.
    """

    seconds: float
    first_seconds: float
    tokens: int
    peak_bytes: int | None

    @property
    def tokens_per_second(self) -> float:
        """How many target tokens an update gets through in a second."""
        return self.tokens / self.seconds


def measure_speed(
    model: nn.Module,
    batch: Batch,
    *,
    precision: str = "float32",
    fused: bool = True,
    compiled: bool = False,
    rounds: int = 3,
) -> Speed:
    """Time updates of a model by the same batch again and again, which leave it as it was.

    A GPU works ahead of the program, so the clock is read only once it has finished. With a single
    thread on a CPU the time is the processor's own, in which other programs hardly count.

    Example:
        >>> from attnsteps import Transformer, TransformerConfig, collate
        >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=11, tgt_vocab_size=13))
        >>> measure_speed(model, collate([([5, 6], [7, 8, 9])]), rounds=1).tokens
        4
    """
    check_positive("rounds", rounds)
    device = batch.src_ids.device
    on_gpu = device.type == "cuda"
    optimizer, scaler = make_optimizer(model), make_scaler(device, precision)
    forward = torch.compile(model) if compiled else model

    def loss_fn(model: nn.Module, batch: Batch, label_smoothing: float) -> tuple[Tensor, Tensor]:
        logits = model(batch.src_ids, batch.tgt_in, need_weights=not fused)
        logits = logits if fused else logits[0]
        return summed_cross_entropy(logits, batch.tgt_out, label_smoothing=label_smoothing)

    is_alone = not on_gpu and torch.get_num_threads() == 1
    clock = time.process_time if is_alone else time.perf_counter
    if on_gpu:
        torch.cuda.reset_peak_memory_stats(device)
    times = []
    with in_mode(model, training=True):
        for _ in range(1 + rounds):
            start = clock()
            latest = update(
                forward,
                [batch],
                optimizer,
                rate=0.0,  # all the work of a step, and no weight is moved by it
                loss_fn=loss_fn,
                label_smoothing=0.1,
                clip=1.0,
                precision=precision,
                scaler=scaler,
            )
            if on_gpu:
                torch.cuda.synchronize(device)
            times.append(clock() - start)
    optimizer.zero_grad()
    peak = torch.cuda.max_memory_allocated(device) if on_gpu else None
    return Speed(min(times[1:]), times[0], int(latest.count), peak)
