"""Race the model against nn.Transformer and a textbook's version, and write the book's tables.

Everything is measured side by side in one process, in turn, so that a ratio does not depend on how
busy or how fast the machine is. `make bench` runs it on otherwise idle cores. The tables are
printed, and written to book/benchmarks/models.md.
"""

import argparse
import os
import statistics
import warnings
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor, nn

from attnsteps import Transformer, TransformerConfig, greedy
from bench.measure import attend, bandwidth, machine, matrix_rate, peak_memory, race, ratio
from bench.textbook import Textbook, Torch

PAGE = Path(__file__).resolve().parents[1] / "book" / "benchmarks" / "models.md"
VOCAB = 1000
LENGTH = 32  # of source and target in training, and of the source in decoding
TOKENS = 64  # that are written in decoding
BATCHES = (1, 32)
PATHS = ("explicit", "fused")  # attention that returns weights, and that does not
SECONDS = {"tiny": 8, "base": 40}  # for each cell, the round that passes them included


def contenders(size: str, device: str = "cpu") -> dict[str, nn.Module]:
    """Make the three models, with the same weights; none ever ends a sentence."""
    torch.manual_seed(2017)
    config = getattr(TransformerConfig, size)(VOCAB, VOCAB, tie="none")
    ours = Transformer(config)
    with torch.no_grad():
        ours.projection.weight[config.eos_id] = 0  # a logit of 0 is never the largest of 1000
    models = {"ours": ours, "torch": Torch(ours), "textbook": Textbook(ours)}
    return {name: model.to(device) for name, model in models.items()}


def batch(batch_size: int, length: int = LENGTH, device: str = "cpu") -> Tensor:
    """Draw sentences of different lengths, filled up with padding."""
    ids = torch.randint(3, VOCAB, (batch_size, length))
    for row in range(batch_size):
        ids[row, length - row % (length // 3) :] = 0
    return ids.to(device)


def stepper(model: nn.Module, src_ids: Tensor, tgt_ids: Tensor, autocast: bool = False):
    """Return one training step: forward, backward, Adam."""
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9)

    def step() -> None:
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(src_ids.device.type, torch.bfloat16, enabled=autocast):
            logits = model(src_ids, tgt_ids)
        flat = logits.float().flatten(0, 1)
        nn.functional.cross_entropy(flat, tgt_ids.flatten(), ignore_index=0).backward()
        optimizer.step()

    return step


def training(size: str, batch_size: int) -> dict[str, list[float]]:
    """Race one training step."""
    models = contenders(size)
    src_ids, tgt_ids = batch(batch_size), batch(batch_size)
    check_equal({name: model.eval()(src_ids, tgt_ids) for name, model in models.items()})
    steps = {name: stepper(model.train(), src_ids, tgt_ids) for name, model in models.items()}
    for step in steps.values():
        step()
    return race(steps, seconds=SECONDS[size])


def decoding(size: str, batch_size: int) -> dict[str, list[float]]:
    """Race greedy decoding: ours with its cache, the others without."""
    models = {name: model.eval() for name, model in contenders(size).items()}
    src_ids = batch(batch_size)

    def write(name: str, length: int = TOKENS) -> Tensor:
        if name == "ours":
            return greedy(models[name], src_ids, max_len=length).ids
        return models[name].greedy(src_ids, length)

    first = {name: write(name, 4) for name in models}  # warm, and the same words
    assert all(torch.equal(ids, first["ours"]) for ids in first.values())
    assert write("ours").shape == (batch_size, TOKENS)
    return race({name: (lambda name=name: write(name)) for name in models}, seconds=SECONDS[size])


def check_equal(outputs: dict[str, Tensor]) -> None:
    """Stop unless all compute the same: nobody wins by leaving something out."""
    for output in outputs.values():
        torch.testing.assert_close(output, outputs["ours"], rtol=1e-3, atol=1e-3)


def bounds(size: str, batch_size: int, bytes_per_s: float, flops_per_s: float):
    """Work out the milliseconds that decoding with a cache takes at least, for two reasons.

    For every token, the decoder's weights and what is in the cache are read once, in float32; and
    each weight takes part in a multiplication and an addition for every sentence.
    """
    c = getattr(TransformerConfig, size)(VOCAB, VOCAB)
    layer = (4 + 2) * c.d_model**2 + 2 * c.d_model * c.d_ff  # self; w_q and w_o of cross; network
    weights = c.num_decoder_layers * layer + c.d_model * VOCAB
    cached = 2 * batch_size * c.num_decoder_layers * c.d_model  # k and v of one position
    positions = sum(step + LENGTH for step in range(1, TOKENS + 1))
    read = 4 * (TOKENS * weights + positions * cached)
    computed = 2 * TOKENS * batch_size * weights + 2 * positions * cached
    return 1e3 * read / bytes_per_s, 1e3 * computed / flops_per_s


def training_table(sizes: list[str]) -> Iterator[str]:
    """Yield the lines of the training table."""
    yield "| Training step | batch | ms | × torch | × textbook | rounds |"
    yield "|---|---|---|---|---|---|"
    for size in sizes:
        for batch_size in BATCHES:
            yield row(size, batch_size, training(size, batch_size))


def decoding_table(sizes: list[str]) -> Iterator[str]:
    """Yield the lines of the decoding table."""
    speeds = bandwidth(), matrix_rate()
    yield f"| {TOKENS} tokens | batch | ms | × torch | × textbook | rounds | bound, ms |"
    yield "|---|---|---|---|---|---|---|"
    for size in sizes:
        for batch_size in BATCHES:
            times = decoding(size, batch_size)
            by_memory, by_arithmetic = bounds(size, batch_size, *speeds)
            by_what = "memory" if by_memory > by_arithmetic else "arithmetic"
            bound = f" {max(by_memory, by_arithmetic):.1f} ({by_what}) |"
            yield row(size, batch_size, times) + bound
    yield ""
    yield (
        f"This machine copies {speeds[0] / 1e9:.1f} GB/s (read and written) and multiplies matrices"
        f" at {speeds[1] / 1e9:.0f} GFLOP/s, both measured in the same run."
    )


def row(size: str, batch_size: int, times: dict[str, list[float]]) -> str:
    """Write one line: our time, and how many times as long the others took."""
    ours = statistics.median(times["ours"])
    ratios = " | ".join(f"{ratio(times, 'ours', other):.2f}" for other in ("torch", "textbook"))
    return f"| {size} | {batch_size} | {ours:.1f} | {ratios} | {len(times['ours'])} |"


def memory_table(length: int = 4096) -> Iterator[str]:
    """Yield the lines of the memory table."""
    one = 8 * length**2 * 4
    yield f"| Attention at {length:,} tokens | with weights, MiB | without, MiB |"
    yield "|---|---|---|"
    for name, backward in (("forward", False), ("forward and backward", True)):
        peaks = [peak_memory(path, backward=backward, length=length) for path in PATHS]
        yield f"| {name} | " + " | ".join(f"{peak / 2**20:,.0f}" for peak in peaks) + " |"
    yield ""
    yield (
        f"One sentence, 8 heads of width 64, float32: a single (Tq × Tk) matrix for all heads takes"
        f" {one / 2**20:,.0f} MiB. Each figure is by how much one call raises the peak of resident"
        " memory of a fresh process (`VmHWM`, on Linux); q, k and v themselves are in it."
    )


def gpu_tables() -> Iterator[str]:
    """Yield what is measured on a GPU: bf16 against nn.Transformer, and the share of its rate."""
    rate = matrix_rate("cuda", torch.bfloat16, 8192)
    yield "| GPU, bf16, 128 tokens | batch | ms | × torch | share of the matrix rate |"
    yield "|---|---|---|---|---|"
    for size, batch_size in (("tiny", 256), ("base", 64), ("big", 64)):
        models = contenders(size, "cuda")
        ids = batch(batch_size, 128, "cuda")
        steps = {name: stepper(models[name], ids, ids, True) for name in ("ours", "torch")}
        for step in steps.values():
            for _ in range(5):
                step()
        times = race(steps, seconds=8)
        ours = statistics.median(times["ours"])
        flops = 3 * models["ours"].flops(batch_size, 128, 128)  # backward computes twice as much
        yield (
            f"| {size} | {batch_size} | {ours:.1f} | {ratio(times, 'ours', 'torch'):.2f}"
            f" | {flops / (ours / 1e3) / rate:.0%} |"
        )
    yield ""
    peaks = []
    for path in PATHS:
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        attend(path, backward=True, length=4096, device="cuda")
        peaks.append((torch.cuda.max_memory_allocated() - before) / 2**20)
    yield (
        f"A product of two 8192 × 8192 matrices runs at {rate / 1e12:.0f} TFLOP/s. Attention at"
        f" 4,096 tokens, forward and backward, allocates {peaks[0]:,.0f} MiB with weights and"
        f" {peaks[1]:,.0f} MiB without."
    )


def main() -> None:
    """Measure, print, and write the page's tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--sizes", nargs="+", default=["tiny", "base"])
    parser.add_argument("--print-only", action="store_true", help="leave the book's page as it is")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    warnings.filterwarnings("ignore", "The PyTorch API of nested tensors")  # nn.Transformer's own
    parts = [training_table(arguments.sizes), decoding_table(arguments.sizes), memory_table()]
    if torch.cuda.is_available():
        parts.append(gpu_tables())
    lines = [f"Measured on {machine()}."]
    for part in parts:
        lines.append("")
        for line in part:
            print(line, flush=True)
            lines.append(line)
    print(lines[0])
    if not arguments.print_only:
        PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
