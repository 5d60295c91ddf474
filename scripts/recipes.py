"""Trains a model on the book's corpus with the book's recipe, and says how well it translates."""

import time
from collections.abc import Callable, Sequence
from functools import cache

import torch
from torch import nn

from attnsteps.analysis.scores import length_accuracy, pronoun_accuracy
from attnsteps.corpora.generated.corpus import SOURCE_WORDS, TARGET_WORDS, Pair, Splits, generated
from attnsteps.model.config import TransformerConfig
from attnsteps.model.non_autoregressive import NonAutoregressive
from attnsteps.model.transformer import Transformer
from attnsteps.text.batch import Example, encode_pairs
from attnsteps.text.tokenizer import Words
from attnsteps.text.vocab import Vocab
from attnsteps.training.config import TrainingConfig
from attnsteps.training.loop import train
from attnsteps.training.loss import autoregressive_loss
from attnsteps.training.non_autoregressive import mask_predict_loss, one_shot_loss
from attnsteps.translator.trained import Trained

PARTS = ("unseen", "combinations", "longer", "pronouns")
LOSSES = {
    "autoregressive": autoregressive_loss,
    "one_shot": one_shot_loss,
    "mask_predict": mask_predict_loss,
}
SEARCHES = {"autoregressive": "greedy", "one_shot": "all_at_once", "mask_predict": "mask_predict"}


@cache
def corpus(*, ambiguous: bool = False) -> Splits:
    """Return the corpus that everything here is trained on: 40,000 pairs, seed 0."""
    return generated(ambiguous=ambiguous)


def build(
    pairs: Sequence[Pair], *, kind: str, seed: int, **sizes: object
) -> tuple[Trained, list[Example]]:
    """Make an untrained model, and the ids of the pairs."""
    src_vocab = Vocab.build([pair.src for pair in pairs])
    tgt_vocab = Vocab.build([pair.tgt for pair in pairs])
    torch.manual_seed(seed)
    if kind != "autoregressive":
        sizes |= {"causal": False, "mask_id": Vocab.mask_id, "max_len": 32}
    config = TransformerConfig.tiny(len(src_vocab), len(tgt_vocab), **sizes)
    model = Transformer(config) if kind == "autoregressive" else NonAutoregressive(config)
    tokenizers = Words(SOURCE_WORDS), Words(TARGET_WORDS)
    examples = encode_pairs(pairs, src_vocab, tgt_vocab)
    return Trained(model, src_vocab, tgt_vocab, *tokenizers), examples


def learn(
    pairs: Sequence[Pair],
    *,
    kind: str = "autoregressive",
    steps: int,
    seed: int = 0,
    on_step: Callable[[nn.Module, int], None] | None = None,
    change: Callable[[nn.Module], None] | None = None,
    recipe: dict[str, object] | None = None,
    **sizes: object,
) -> tuple[Trained, dict]:
    """Train a model of one of the kinds of LOSSES; return it, and a row of results without scores.

    Before training, ``change`` may alter the model; ``on_step`` is called after each update. Recipe
    and sizes hold the fields of TrainingConfig and TransformerConfig that differ from the defaults.
    """
    trained, examples = build(pairs, kind=kind, seed=seed, **sizes)
    if change is not None:
        change(trained.model)
    config = TrainingConfig(steps=steps, seed=seed, log=None, **(recipe or {}))
    return trained, timed(trained, examples, config, kind=kind, on_step=on_step)


def timed(
    trained: Trained,
    examples: Sequence[Example],
    config: TrainingConfig,
    *,
    kind: str = "autoregressive",
    on_step: Callable[[nn.Module, int], None] | None = None,
) -> dict:
    """Train a model, and return a row with its sizes, its training settings and the time taken."""
    cpu, wall = time.process_time(), time.perf_counter()
    train(trained.model, examples, config, loss_fn=LOSSES[kind], progress=False, on_step=on_step)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    model = trained.model.config
    return {
        "kind": kind,
        "layers": f"{model.num_encoder_layers}+{model.num_decoder_layers}",
        "norm": model.norm,
        "d_model": model.d_model,
        "parameters": sum(p.numel() for p in trained.model.parameters()),
        "steps": config.steps,
        "batch_size": config.pairs,
        "peak": config.peak,
        "label_smoothing": config.label_smoothing,
        "seed": config.seed,
        "cpu_seconds": round(cpu, 1),
        "wall_seconds": round(wall, 1),
    }


def evaluate(trained: Trained, kind: str, splits: Splits, parts: Sequence[str] = PARTS) -> dict:
    """Translate freely, and return the share of translations that equal a reference exactly."""
    scores = {}
    for part in parts:
        pairs = getattr(splits, part)
        translated = trained.translate(
            ["".join(pair.src) for pair in pairs], search=SEARCHES[kind], batch_size=250
        )
        tokens = [tuple(one.tokens) for one in translated]
        right = [one in pair.references for one, pair in zip(tokens, pairs, strict=True)]
        scores[part] = round(sum(right) / len(right), 5)
        if kind != "autoregressive":
            scores[f"{part}_length"] = round(length_accuracy(tokens, [p.tgt for p in pairs]), 5)
        if part == "pronouns":
            differ = [p for i, p in enumerate(pairs) if _pronoun(p) != _pronoun(pairs[i ^ 1])]
            kept = {pair.src for pair in differ}
            ours = [one for one, pair in zip(tokens, pairs, strict=True) if pair.src in kept]
            scores["pronoun_accuracy"] = round(pronoun_accuracy(ours, differ), 5)
    return scores


def _pronoun(pair: Pair) -> str:
    """Return the English pronoun of a sentence from the pronoun part."""
    return pair.tgt[pair.referents[0][0]]
