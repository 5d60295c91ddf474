"""Chapter 17: translators trained for longer and longer, by greedy search and by beams; five seeds.

What is counted at each length of training: next words named rightly after the right words, whole
translations that are right, words that are right at each distance from a translation's first slip,
and BLEU, the mean of log P and the mean length for each search.
"""

from collections.abc import Callable

import torch

from attnsteps import Transformer, TransformerConfig, beam, greedy, pretrained
from attnsteps.analysis.scores import bleu, teacher_forced, teacher_forced_accuracy
from attnsteps.corpora.generated.corpus import generated
from attnsteps.text.batch import Batch, batches, encode_pairs
from attnsteps.training.config import TrainingConfig
from attnsteps.training.loop import train
from scripts.experiments import SEEDS, record

DATA = "generated(4000, seed=0), 200 unseen sentences"
STEPS = (160, 320, 640)  # of 64 sentences; each with its whole schedule of learning rates
WIDTHS = (1, 2, 4, 8)
DISTANCES = (1, 2, 3, 4)  # words after the first slip
LONGEST = 30


def run(*, again: bool) -> None:
    """Train a small model from each seed, for each number of steps, and let it translate."""
    book = pretrained("zh_en")
    data, vocabs = generated(4_000, seed=0), (book.src_vocab, book.tgt_vocab)
    examples = encode_pairs(data.train, *vocabs)
    tests = list(batches(encode_pairs(data.unseen, *vocabs), batch_size=50, bucketed=False))

    def measure(*, steps: int, seed: int) -> dict:
        torch.manual_seed(seed)
        sizes = {"num_encoder_layers": 1, "num_decoder_layers": 1}
        model = Transformer(TransformerConfig.tiny(*map(len, vocabs), **sizes))
        config = TrainingConfig(steps=steps, batch_size=64, log=None)
        train(model, examples, config, progress=False)
        with torch.inference_mode():
            return _translate(model.eval(), tests, book.tgt_vocab)

    tasks = [{"steps": steps, "seed": seed} for steps in STEPS for seed in SEEDS]
    record("decoding", tasks, measure, data=DATA, again=again)


def _translate(model: Transformer, tests: list[Batch], vocab) -> dict:
    """Say how the model translates, after the right words and after its own."""
    wanted = [text for batch in tests for text in _texts(vocab, batch.tgt_out)]
    forced = [text for batch in tests for text in _texts(vocab, teacher_forced(model, batch))]
    beams, found = {}, {}
    for width in WIDTHS:
        options = {"beam_width": width, "max_len": LONGEST}
        for alpha in (0.0, 0.6):
            best = [beam(model, batch.src_ids, **options, alpha=alpha).best for batch in tests]
            texts = [text for part in best for text in _texts(vocab, part.ids)]
            lengths = torch.cat([part.lengths for part in best]).float()
            beams[f"{width}, {alpha}"] = {"BLEU": round(bleu(texts, wanted).value, 1)}
            beams[f"{width}, {alpha}"]["length"] = round(lengths.mean().item(), 2)
            if not alpha:
                scores = torch.cat([part.scores for part in best])
                beams[f"{width}, {alpha}"]["log P"] = round(scores.mean().item(), 2)
            found[width, alpha] = texts
    (free,) = {tuple(found[1, alpha]) for alpha in (0.0, 0.6)}  # a beam of 1 has no choice
    assert list(free) == _greedy(model, tests, vocab)
    return {
        "next_words": round(teacher_forced_accuracy(model, tests), 3),
        "right": _count(free, wanted, lambda found, wanted: found == wanted),
        "mended": sum(b == w != a for a, b, w in zip(free, found[4, 0.6], wanted, strict=True)),
        "spoiled": sum(a == w != b for a, b, w in zip(free, found[4, 0.6], wanted, strict=True)),
        "forced_bleu": round(bleu(forced, wanted).value, 1),
        "after_a_slip": _after_a_slip(free, forced, wanted),
        "beams": beams,
        "example": _example(free, forced, wanted),
        "mended_example": _mended_example(free, found[4, 0.6], wanted),
    }


def _greedy(model: Transformer, tests: list[Batch], vocab) -> list[str]:
    found = [greedy(model, batch.src_ids, max_len=LONGEST).ids for batch in tests]
    return [text for ids in found for text in _texts(vocab, ids)]


def _texts(vocab, rows: torch.Tensor) -> list[str]:
    """Write rows of ids as texts, up to their end."""
    cut = [row[: row.index(vocab.eos_id)] if vocab.eos_id in row else row for row in rows.tolist()]
    return [" ".join(t for t in vocab.tokens(row) if t != "<pad>") for row in cut]


def _count(found: list[str], wanted: list[str], good: Callable) -> int:
    return sum(good(a, b) for a, b in zip(found, wanted, strict=True))


def _first_slip(found: str, wanted: str) -> int | None:
    """Return the place of the first token that differs, the end included; None if none does."""
    pairs = zip([*found.split(), "<eos>"], [*wanted.split(), "<eos>"], strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), None)


def _after_a_slip(free: list[str], forced: list[str], wanted: list[str]) -> list[list[float]]:
    """Return, at each distance from the first slip: how many places, and shares that are right.

    The first share is after the right words, the second after the model's own. Up to their first
    slip both have read the same.
    """
    rows = []
    for distance in DISTANCES:
        right = []
        for own, taught, text in zip(free, forced, wanted, strict=True):
            slip, goal = _first_slip(own, text), [*text.split(), "<eos>"]
            if slip is not None and slip + distance < len(goal):
                place = slip + distance
                said = [[*said.split(), "<eos>"][place : place + 1] for said in (taught, own)]
                right.append([said == goal[place : place + 1] for said in said])
        count = len(right)
        shares = [round(sum(side) / count, 3) for side in zip(*right, strict=True)]
        rows.append([count, *shares])
    return rows


def _example(free: list[str], forced: list[str], wanted: list[str]) -> dict:
    """Return a short sentence with a single slip when it is taught, and the most when it isn't."""

    def slips(found: str, wanted: str) -> int:
        a, b = found.split(), wanted.split()
        return sum(x != y for x, y in zip(a, b, strict=False)) + abs(len(a) - len(b))

    def rank(i: int) -> tuple:
        single = len(wanted[i].split()) <= 8 and slips(forced[i], wanted[i]) == 1
        return single, slips(free[i], wanted[i])

    i = max(range(len(wanted)), key=rank)
    return {"reference": wanted[i], "forced": forced[i], "free": free[i]}


def _mended_example(free: list[str], beamed: list[str], wanted: list[str]) -> dict | None:
    """Return the shortest sentence that greedy search gets wrong and a beam of four gets right."""
    mended = [
        {"reference": goal, "greedy": own}
        for own, best, goal in zip(free, beamed, wanted, strict=True)
        if best == goal != own
    ]
    return min(mended, key=lambda pair: len(pair["reference"]), default=None)
