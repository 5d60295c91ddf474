"""Chapter 17: translators trained for longer and longer, by greedy search and by beams; five seeds.

Counted are next words named rightly after the right words, whole translations that are right, words
that are right at each distance from a translation's first slip, BLEU, the mean of log P, and
search errors: wrong translations that the model itself scores no higher than the right one, by what
the search looks for (log P, or the score with its penalty).
"""

from collections.abc import Iterable

import torch

from attnsteps import (
    Transformer,
    TransformerConfig,
    Vocab,
    beam,
    length_penalty,
    pretrained,
)
from attnsteps.analysis.scores import bleu, teacher_forced, teacher_forced_accuracy
from attnsteps.corpora.generated.corpus import generated
from attnsteps.decoding.step import impossible, log_probabilities
from attnsteps.text.batch import Batch, batches, encode_pairs
from attnsteps.training.config import TrainingConfig
from attnsteps.training.loop import train
from scripts.experiments import SEEDS, record

DATA = "generated(4000, seed=0), 200 unseen sentences"
STEPS = (160, 320, 640)  # of 64 sentences; each with its whole schedule of learning rates
WIDTHS = (1, 2, 4, 8)
DISTANCES = (1, 2, 3, 4)  # words after the first slip
LONGEST = 30
ALPHA = 0.6  # of the length penalty
#: What a beam writes after 640 steps and a reader accepts; all that was wrong there was read.
IN_OTHER_WORDS = {
    "where did the doctors eat the apple ?": "where did the doctors eat apples ?",
    "these kind women will drink the coffee in the park": (
        "these kind women will drink coffee in the park"
    ),
    "the kind student often reads letters": "the kind student often read letters",
    "the clever doctor runs every day": "the clever doctor ran every day",
    "is this clever man buying three dresses ?": "this clever man is buying three dresses ?",
    "do you like this animal ?": "do you like this animal",
    "does her brother want to buy three apples ?": "does her brother want to buy three apples",
}


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
        return _translated(model.eval(), tests, book.tgt_vocab)

    tasks = [{"steps": steps, "seed": seed} for steps in STEPS for seed in SEEDS]
    record("decoding", tasks, measure, data=DATA, again=again)


def _translated(model: Transformer, tests: list[Batch], vocab: Vocab) -> dict:
    """Say how the model translates, after the right words and after its own."""

    def beams(width: int, alpha: float = 0.0) -> list:
        options = {"beam_width": width, "max_len": LONGEST, "alpha": alpha}
        return [beam(model, batch.src_ids, **options).best for batch in tests]

    wanted = _texts(vocab, (batch.tgt_out for batch in tests))
    forced = _texts(vocab, (teacher_forced(model, batch) for batch in tests))
    found = {width: beams(width) for width in WIDTHS}
    searches = {"greedy": found[1], "beam": found[4], "penalty": beams(4, ALPHA)}
    texts = {name: _texts(vocab, (best.ids for best in of)) for name, of in searches.items()}
    right = {name: [a == b for a, b in zip(of, wanted, strict=True)] for name, of in texts.items()}

    def overlooked(name: str) -> int:
        """Count the right translations that score higher than what the search has written."""
        alpha = ALPHA if name == "penalty" else 0.0
        aims = torch.cat([_reference_scores(model, batch, alpha) for batch in tests])
        scores = torch.cat([best.scores for best in searches[name]])
        return int(((scores <= aims) & ~torch.tensor(right[name])).sum())

    free = texts["greedy"]
    log_p = {width: torch.cat([b.scores for b in of]).mean().item() for width, of in found.items()}
    return {
        "next_words": round(teacher_forced_accuracy(model, tests), 3),
        "right": {name: sum(of) for name, of in right.items()},
        "search_errors": {name: overlooked(name) for name in searches},
        "in_other_words": sum(
            IN_OTHER_WORDS.get(goal) == own for goal, own in zip(wanted, texts["beam"], strict=True)
        ),
        "bleu": {name: round(bleu(of, wanted).value, 1) for name, of in texts.items()},
        "length": {name: round(_words(of) / _words(wanted), 3) for name, of in texts.items()},
        "log_p": {str(width): round(mean, 2) for width, mean in log_p.items()},
        "after_a_slip": _after_a_slip(free, forced, wanted),
        "slip": _slip(free, forced, wanted),
    }


@torch.no_grad()
def _reference_scores(model: Transformer, batch: Batch, alpha: float) -> torch.Tensor:
    """Score each reference as a beam scores what it finds."""
    never, tokens = impossible(model.config), batch.tgt_out != model.config.pad_id
    logits = model(batch.src_ids, batch.tgt_in)
    log_probs = log_probabilities(logits, never, torch.float32)
    of_words = log_probs.gather(2, batch.tgt_out[..., None])[..., 0].masked_fill(~tokens, 0)
    return of_words.sum(1) / length_penalty(tokens.sum(1), alpha)


def _texts(vocab: Vocab, batches: Iterable[torch.Tensor]) -> list[str]:
    """Write rows of ids as texts, up to their end."""
    rows = [row for ids in batches for row in ids.tolist()]
    cut = [row[: row.index(vocab.eos_id)] if vocab.eos_id in row else row for row in rows]
    return [" ".join(vocab.tokens(i for i in row if i != vocab.pad_id)) for row in cut]


def _words(texts: list[str]) -> int:
    """Count the words of some texts."""
    return sum(len(text.split()) for text in texts)


def _after_a_slip(free: list[str], forced: list[str], wanted: list[str]) -> list[list[float]]:
    """Return, at each distance from the first slip: how many places, and shares that are right.

    The first share is after the right words, the second after the model's own. Up to their first
    slip both have read the same.
    """
    right: list[list[tuple[bool, bool]]] = [[] for _ in DISTANCES]
    for texts in zip(free, forced, wanted, strict=True):
        own, taught, goal = ([*text.split(), "<eos>"] for text in texts)
        slip = next((i for i, (a, b) in enumerate(zip(own, goal, strict=False)) if a != b), None)
        for distance, found in zip(DISTANCES, right, strict=True):
            if slip is not None and slip + distance < len(goal):
                here = slice(slip + distance, slip + distance + 1)  # empty if a text has ended
                found.append((taught[here] == goal[here], own[here] == goal[here]))
    return [
        [len(found), *(round(sum(side) / len(found), 3) for side in zip(*found, strict=True))]
        for found in right
    ]


def _slip(free: list[str], forced: list[str], wanted: list[str]) -> list[str]:
    """Return a short reference, its text with a single slip when taught, and the worst when not."""

    def slips(found: str, wanted: str) -> int:
        a, b = found.split(), wanted.split()
        return sum(x != y for x, y in zip(a, b, strict=False)) + abs(len(a) - len(b))

    def rank(texts: tuple[str, str, str]) -> tuple[bool, int]:
        goal, taught, own = texts
        return len(goal.split()) <= 8 and slips(taught, goal) == 1, slips(own, goal)

    return list(max(zip(wanted, forced, free, strict=True), key=rank))
