"""Chapter 20: does a training run end elsewhere if its products are made in 16 bits?"""

import statistics

import torch

from attnsteps import (
    TrainingConfig,
    Transformer,
    TransformerConfig,
    encode_pairs,
    pretrained,
    train,
)
from attnsteps.corpora.generated.corpus import generated
from scripts.experiments import SEEDS, record

STEPS = 1500  # the loss at the end is the mean of ten batches of the last hundred


def run(*, again: bool) -> None:
    """Train a small translator in 32 and in 16 bits from each seed."""
    translator = pretrained("zh_en")
    vocabs = translator.src_vocab, translator.tgt_vocab
    pairs = encode_pairs(generated(4000).train, *vocabs)
    size = {"d_model": 32, "num_heads": 4, "d_ff": 64, "dropout": 0.0}
    size |= {"num_encoder_layers": 1, "num_decoder_layers": 1}
    src, tgt = map(len, vocabs)
    config = TransformerConfig(src_vocab_size=src, tgt_vocab_size=tgt, **size)
    recipe = {"steps": STEPS, "batch_size": 32, "peak": 0.012, "warmup": 40, "log_every": 10}

    def measure(*, precision: str, seed: int) -> dict:
        how = TrainingConfig(**recipe, seed=seed, precision=precision)
        torch.manual_seed(seed)
        losses = train(Transformer(config), pairs, how, progress=False).column("loss")
        return {"loss": round(statistics.mean(losses[-10:]), 4)}

    tasks = [{"precision": p, "seed": seed} for p in ("float32", "bfloat16") for seed in SEEDS]
    record("half_precision", tasks, measure, data="generated(4000, seed=0)", again=again)
