"""Measure training: target tokens per second, with nn.Transformer of the same size beside it.

Both are trained by the package's own update, from the same weights, on the same batches, in turns,
so that whatever else the machine does strikes both alike; both have to end with the same loss.
Batches are those of the book's recipe: 128 pairs of about one length, here of random words. A
second table says how much of a batch of the book's corpus is padding. The tables are printed, and
written to book/benchmarks/training.md.
"""

import argparse
import random
import statistics
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor, nn

from attnsteps.corpora.generated.corpus import generated
from attnsteps.layers.positional import sinusoidal_positions
from attnsteps.model.config import TransformerConfig
from attnsteps.model.interop import to_torch
from attnsteps.model.transformer import Transformer
from attnsteps.text.batch import Batch, batches, encode_pairs, index_batches, padding_share
from attnsteps.text.vocab import Vocab
from attnsteps.training.update import make_optimizer, update
from bench.measure import machine

PAGE = Path(__file__).resolve().parents[1] / "book" / "benchmarks" / "training.md"
VOCAB_SIZE = 341
SIZES = {
    "1 + 1 layers, 64 wide": {"num_encoder_layers": 1, "num_decoder_layers": 1},
    "2 + 2 layers, 64 wide (tiny)": {},
    "3 + 3 layers, 128 wide": {
        "num_encoder_layers": 3,
        "num_decoder_layers": 3,
        "d_model": 128,
        "d_ff": 512,
    },
    "3 + 3 layers, 256 wide": {
        "num_encoder_layers": 3,
        "num_decoder_layers": 3,
        "d_model": 256,
        "num_heads": 8,
        "d_ff": 1024,
    },
}


class Theirs(nn.Module):
    """nn.Transformer between the same embeddings, positions and projection as ours.

    Args:
        ours: the model whose weights to take.
    """

    def __init__(self, ours: Transformer) -> None:
        super().__init__()
        c = self.config = ours.config
        self.stacks = nn.Transformer(
            c.d_model,
            c.num_heads,
            c.num_encoder_layers,
            c.num_decoder_layers,
            c.d_ff,
            c.dropout,
            norm_first=c.norm == "pre",
            batch_first=True,
        )
        to_torch(ours, self.stacks)
        self.src = nn.Embedding.from_pretrained(ours.src_embedding.weight.detach().clone(), False)
        self.tgt = nn.Embedding.from_pretrained(ours.tgt_embedding.weight.detach().clone(), False)
        self.register_buffer("positions", sinusoidal_positions(c.max_len, c.d_model))

    def forward(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        """Score every next word, as ours does."""
        scale = self.config.d_model**0.5
        is_padding, length = src_ids == self.config.pad_id, tgt_ids.shape[1]
        ahead = torch.ones(length, length, dtype=torch.bool, device=src_ids.device).triu(1)
        x = self.stacks(
            scale * self.src(src_ids) + self.positions[: src_ids.shape[1]],
            scale * self.tgt(tgt_ids) + self.positions[:length],
            tgt_mask=ahead,
            src_key_padding_mask=is_padding,
            tgt_key_padding_mask=tgt_ids == self.config.pad_id,
            memory_key_padding_mask=is_padding,
        )
        return nn.functional.linear(x, self.tgt.weight)


def make_batches(count: int, *, batch_size: int, device: str) -> list[Batch]:
    """Make batches as long as the book's sentences, about 10 words."""
    chance = random.Random(0)

    def sentence(length: int) -> list[int]:
        return [chance.randrange(5, VOCAB_SIZE) for _ in range(length)]

    lengths = [chance.randint(4, 16) for _ in range(count * batch_size)]
    examples = [(sentence(n), sentence(n)) for n in lengths]
    return [batch.to(device) for batch in batches(examples, batch_size=batch_size)]


def measure(changes: dict, data: list[Batch]) -> tuple[int, list[float], list[float]]:
    """Train both in turns; return the number of parameters and the seconds of every update."""
    device = data[0].src_ids.device
    torch.manual_seed(0)
    config = TransformerConfig.tiny(
        VOCAB_SIZE, VOCAB_SIZE, max_len=64, final_norm=True, norm="pre", **changes
    )
    ours = Transformer(config)
    theirs = Theirs(ours)
    models = [ours.to(device).train(), theirs.to(device).train()]
    optimizers = [make_optimizer(model) for model in models]
    times, losses = ([], []), ([], [])
    for i, batch in enumerate(data):
        for which in (0, 1) if i % 2 else (1, 0):
            start = time.perf_counter()
            seen = update(
                models[which],
                [batch],
                optimizers[which],
                rate=1e-3,
                label_smoothing=0.1,
                clip=1.0,
            )
            losses[which].append(seen.loss.item() / seen.count.item())  # waits for a GPU, too
            times[which].append(time.perf_counter() - start)
    worst = max(abs(a - b) for a, b in zip(*losses, strict=True))
    if worst > 0.01:
        raise SystemExit(f"the two do not compute the same: losses differ by up to {worst}")
    return ours.num_parameters(), *times


def speed_table(threads: list[int], *, steps: int, batch_size: int, device: str) -> Iterator[str]:
    """Yield the table of speeds, each line as soon as it is measured."""
    data = make_batches(steps, batch_size=batch_size, device=device)
    counts = [int((batch.tgt_out != 0).sum()) for batch in data]
    skipped = steps // 10  # the first updates ask the system for memory

    def speed(seconds: list[float]) -> float:
        return statistics.median(
            n / s for n, s in list(zip(counts, seconds, strict=True))[skipped:]
        )

    yield "| Training | parameters | threads | tokens/s | nn.Transformer | ratio |"
    yield "|---|---|---|---|---|---|"
    for name, changes in SIZES.items():
        for number in threads:
            torch.set_num_threads(number)
            num_parameters, *times = measure(changes, data)
            ours, theirs = map(speed, times)
            where = number if device == "cpu" else device
            yield (
                f"| {name} | {num_parameters / 1000:,.0f} k | {where}"
                f" | {ours:,.0f} | {theirs:,.0f} | {ours / theirs:.2f} |"
            )


def padding_table() -> Iterator[str]:
    """Yield the table of padding, in the book's own corpus."""
    pairs = generated().train
    vocabs = [Vocab.build([pair[side] for pair in pairs]) for side in (0, 1)]
    examples = encode_pairs(pairs, *vocabs)
    yield "| Batches of | padding, by length | padding, as they come |"
    yield "|---|---|---|"
    for name, size in {
        "128 pairs": {"batch_size": 128},
        "4,096 tokens": {"max_tokens": 4096},
    }.items():
        shares = [
            padding_share(examples, index_batches(examples, **size, bucketed=bucketed))
            for bucketed in (True, False)
        ]
        yield f"| {name} | {shares[0]:.1%} | {shares[1]:.1%} |"


def main() -> None:
    """Measure, print, and write the page's tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=60, help="updates of each model")
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="default: 1 2")
    parser.add_argument("--print-only", action="store_true", help="leave the book's page as it is")
    options = parser.parse_args()
    warnings.filterwarnings("ignore", "enable_nested_tensor")  # which pre-norm cannot have
    threads = options.threads if options.device == "cpu" else [1]
    speeds = speed_table(
        threads, steps=options.steps, batch_size=options.batch_size, device=options.device
    )
    lines = []
    for part in (speeds, padding_table()):
        lines.append("")
        for line in part:
            print(line, flush=True)
            lines.append(line)
    lines.insert(0, f"Measured on {machine()}.")  # now that the most threads are set
    print(lines[0])
    if not options.print_only:
        PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
