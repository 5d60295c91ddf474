"""What the tests of training share: a small model, and sentences that it can learn."""

import random

import torch

from attnsteps.model.config import TransformerConfig
from attnsteps.model.non_autoregressive import NonAutoregressive
from attnsteps.model.transformer import Transformer
from attnsteps.training.config import TrainingConfig
from attnsteps.training.loop import train

VOCAB_SIZE = 13


def make_examples(count: int = 40, *, longest: int = 6, seed: int = 1) -> list:
    """Return sentences of different lengths; a target is its source backwards."""
    chance = random.Random(seed)
    sources = [
        [chance.randrange(5, VOCAB_SIZE) for _ in range(chance.randint(1, longest))]
        for _ in range(count)
    ]
    return [(source, source[::-1]) for source in sources]


def make_model(*, seed: int = 0, parallel: bool = False, **changes) -> torch.nn.Module:
    """Return a model that trains in milliseconds, with dropout, so that chance has a part."""
    sizes = {"d_model": 8, "num_heads": 2, "d_ff": 11, "dropout": 0.1, "norm": "pre"}
    layers = {"num_encoder_layers": 1, "num_decoder_layers": 1, "max_len": 16}
    kind = {"causal": False, "mask_id": 4} if parallel else {}
    config = TransformerConfig.tiny(
        VOCAB_SIZE, VOCAB_SIZE, **{**sizes, **layers, **kind, **changes}
    )
    torch.manual_seed(seed)
    return NonAutoregressive(config) if parallel else Transformer(config)


def make_config(**changes) -> TrainingConfig:
    """Return a training of a few steps."""
    return TrainingConfig(**{"steps": 6, "batch_size": 7, "log_every": 2, **changes})


def trained(model=None, examples=None, *, config=None, **arguments):
    """Train, without a bar; return the model and its history."""
    model = make_model() if model is None else model
    examples = make_examples() if examples is None else examples
    history = train(model, examples, config or make_config(), progress=False, **arguments)
    return model, history


def weights(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Return a copy of a model's weights."""
    return {name: p.detach().clone() for name, p in model.named_parameters()}


def is_same(model: torch.nn.Module, other: torch.nn.Module) -> bool:
    """Tell whether two models agree in every bit."""
    ours, theirs = weights(model), weights(other)
    return all(torch.equal(ours[name], theirs[name]) for name in {**ours, **theirs})
