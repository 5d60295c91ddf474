"""Chapter 14: translators with one look fewer, and models that write letters; five seeds."""

import torch
from torch import Tensor, nn

from attnsteps import Transformer, TransformerConfig, encode_pairs, greedy, pretrained
from attnsteps.corpora.generated.corpus import generated
from attnsteps.text.batch import collate
from attnsteps.training.config import TrainingConfig
from attnsteps.training.loop import train
from attnsteps.widgets.live_model import RUNNING
from scripts.experiments import SEEDS, page, record

DATA = (
    "translators: generated(4000, seed=0), 200 unseen sentences; the others: fresh rows of letters "
    "out of ten, to be reversed or to be copied between dashes, 224 letters in each step"
)
LOOKS = "both looks", "no look back", "no look across"
TRANSLATOR_STEPS = 1500
ALL, AVERAGE, ONE = "reads all vectors", "reads the average", "one stack"
DASHES = tuple(f"dashes, {look}" for look in LOOKS[:2])
STOPS = {  # by model and by length: the steps at which it is looked at, and after which it ends
    (ALL, 7): [75, 150, 300, 600],
    (AVERAGE, 7): [150, 300, 600, 1000, 2000],
    (ONE, 7): [75, 150, 300, 600],
    (ALL, 14): [300, 600, 1000],
    (AVERAGE, 14): [1000, 2000, 4000],
    (ALL, 28): [300, 600, 1000],
    (AVERAGE, 28): [1000, 2000, 4000],
    **{(game, 7): [300, 600, 1000, 2000] for game in DASHES},
}


class NoLook(nn.Module):
    """An attention that finds nothing, for anyone."""

    def forward(self, q: Tensor, *_: object, **__: object) -> tuple[Tensor, None]:
        return torch.zeros_like(q), None


class NoPlaces(nn.Module):
    """Positions that say nothing."""

    def forward(self, *_: object, **__: object) -> float:
        return 0.0


def run(*, again: bool) -> None:
    """Train the chapter's models, on longer rows and the one that reads the average for longer."""
    names = page("decoder")

    def measure(*, model: str, seed: int, length: int = 0) -> dict:
        torch.manual_seed(seed)
        if model.startswith(LOOKS):
            return _translated(model)
        reverser = names["OneStack"]() if model == ONE else names["Reverser"](model == AVERAGE)
        stops, game = STOPS[model, length], (names["draw"], names["score"])
        if model in DASHES:
            game = names["draw_dashes"], names["score_dashes"]
            for layer in reverser.decoder.layers if "no look back" in model else ():
                layer.self_attention = NoLook()
        letters = [game[1](reverser, length)]
        letters += names["train"](reverser, length, seed, stops, game)
        return {"steps": [0, *stops], "letters": [round(share, 4) for share in letters]}

    tasks = [
        {"model": model, "length": length, "seed": seed}
        for model, length in STOPS
        for seed in SEEDS
    ]
    translators = [*LOOKS, *(f"{look}, no places" for look in LOOKS[:2])]
    tasks += [{"model": model, "seed": seed} for model in translators for seed in SEEDS]
    record("decoder", tasks, measure, data=DATA, again=again)


def _translated(version: str) -> dict:
    """Train a translator without a look, or without places, and count what it translates right."""
    book, data = pretrained("zh_en"), generated(4_000, seed=0)
    vocabs = book.src_vocab, book.tgt_vocab
    model = Transformer(TransformerConfig.tiny(*map(len, vocabs)))
    for layer in model.decoder.layers:
        if "no look back" in version:
            layer.self_attention = NoLook()
        if "no look across" in version:
            layer.cross_attention = NoLook()
    if "no places" in version:
        model.tgt_positions = NoPlaces()
    config = TrainingConfig(steps=TRANSLATOR_STEPS, batch_size=64, log=None)
    train(model, encode_pairs(data.train, *vocabs), config, progress=False)
    batch = collate(encode_pairs(data.unseen, *vocabs))
    tired = torch.tensor([book.src_vocab.ids(book.src_tokenizer.tokenize(RUNNING))])

    def written(src_ids: Tensor) -> list[list[str]]:
        found = greedy(model.eval(), src_ids, max_len=30, use_cache=False)
        rows = zip(found.ids.tolist(), found.lengths.tolist(), strict=True)
        return [vocabs[1].tokens(row[:length]) for row, length in rows]

    found = [tokens[:-1] for tokens in written(batch.src_ids)]
    right = [tuple(own) == pair.tgt for own, pair in zip(found, data.unseen, strict=True)]
    return {
        "steps": TRANSLATOR_STEPS,
        "right": sum(right),
        "different": len({" ".join(own) for own in found}),
        "tired": " ".join(written(tired)[0]),
    }
