"""The harder corpus of the chapter on all words at once: several right translations of a sentence.

Mask-predict gets its own length, the best of five lengths, and once more the length of a right
translation, to tell what a wrong length costs. Its control has a logit of its own for each length.
"""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from unittest.mock import patch

import torch
from torch import Tensor, nn
from torch.nn import functional

from attnsteps.decoding.mask_predict import mask_predict
from attnsteps.model.non_autoregressive import LengthPredictor, NonAutoregressive
from attnsteps.translator.trained import Trained
from scripts.experiments import SEEDS, record
from scripts.recipes import corpus, learn

WRITER_STEPS, STEPS, PASSES, TESTED = 2_000, 4_000, 10, 1_000
SHOWN, PLACES = 3, 7  # sentences to show, of a length between two right ones
KINDS = (
    "word by word",
    "mask-predict",
    "mask-predict, from the teacher",
    "mask-predict, free lengths",
)


class FreeLengths(nn.Module):
    """A logit of its own for each length: two can be likelier than the one between them."""

    def __init__(self, d_model: int, max_len: int) -> None:
        super().__init__()
        self.projection = nn.Linear(d_model, max_len)

    def forward(self, memory: Tensor, is_word: Tensor) -> Tensor:
        """Score every length from the sum of the memory, (B, S, D), over the words."""
        return self.projection((memory * is_word[..., None]).sum(dim=1))


@torch.no_grad()
def said_with(trained: Trained, src: Sequence[str], length: int | None = None) -> tuple[list, int]:
    """Translate a sentence by mask-predict with so many places, or as many as the model predicts.

    Returns:
        The words, and the number of places.
    """
    model, vocab = trained.model, trained.tgt_vocab
    assert isinstance(model, NonAutoregressive)
    src_ids = torch.tensor([trained.src_vocab.ids(src)])
    if length is None:
        memory = model.transformer.encode(src_ids)
        length = int(model.length_logits(memory, src_ids).argmax()) + 1
    told = functional.one_hot(torch.tensor([length - 1]), model.config.max_len)
    with patch.object(model, "length_logits", return_value=told):
        found = mask_predict(model, src_ids, iterations=PASSES, num_lengths=1)
    tokens = vocab.tokens(found.ids[0].tolist())
    return tokens[: tokens.index("<eos>")] if "<eos>" in tokens else tokens, length


def run(*, again: bool) -> None:
    """Train a writer, and mask-predict on the corpus and on the writer's translations."""
    splits = corpus(ambiguous=True)
    tested = splits.unseen[:TESTED]

    def written(trained: Trained, pairs: Sequence) -> list[tuple]:
        texts = ["".join(pair.src) for pair in pairs]
        translations = trained.translate(texts, search="greedy", batch_size=250)
        return [tuple(one.tokens) for one in translations]

    @cache
    def writer(seed: int) -> Trained:
        return learn(splits.train, steps=WRITER_STEPS, seed=seed)[0]

    def measure(*, kind: str, steps: int, seed: int) -> dict:
        if kind == "word by word":
            said = written(writer(seed), tested)
            right = [one in pair.references for one, pair in zip(said, tested, strict=True)]
            return {"right": sum(right) / TESTED}
        pairs = splits.train
        if "teacher" in kind:
            said = written(writer(seed), pairs)
            pairs = [pair._replace(tgt=one) for pair, one in zip(pairs, said, strict=True)]
        lengths = FreeLengths if "free" in kind else LengthPredictor
        with patch("attnsteps.model.non_autoregressive.LengthPredictor", lengths):
            trained, _ = learn(pairs, kind="mask_predict", steps=steps, seed=seed)
        trained.model.eval()
        found, shown = Counter(), []
        for pair in tested:
            words, length = said_with(trained, pair.src)
            fitting = sorted({len(one) + 1 for one in pair.references})
            found["right"] += tuple(words) in pair.references
            found["fits"] += length in fitting
            if fitting[-1] - fitting[0] == 2:
                found["two apart"] += 1
                found["between"] += length == fitting[0] + 1
                if length == fitting[0] + 1 == PLACES and len(shown) < SHOWN:
                    shown.append(["".join(pair.src), *map(list, pair.references), words])
            told, _ = said_with(trained, pair.src, len(pair.tgt) + 1)
            found["right with a right length"] += tuple(told) in pair.references
        texts = ["".join(pair.src) for pair in tested]
        best = trained.translate(texts, search="mask_predict", iterations=PASSES, num_lengths=5)
        found["right of five lengths"] = sum(
            tuple(one.tokens) in pair.references for one, pair in zip(best, tested, strict=True)
        )
        shares = {name: count / TESTED for name, count in found.items()}
        return shares | ({"shown": shown} if steps == WRITER_STEPS else {})

    tasks = [
        {"kind": kind, "steps": WRITER_STEPS if kind == "word by word" else STEPS, "seed": seed}
        for seed in SEEDS
        for kind in KINDS
    ]
    tasks.append({"kind": "mask-predict", "steps": 2 * STEPS, "seed": 0})  # has it stopped?
    tasks.append({"kind": "mask-predict", "steps": WRITER_STEPS, "seed": 0})  # some sentences
    data = "generated(40000, seed=0, ambiguous=True)"
    record("ambiguous", tasks, measure, data=data, again=again)
