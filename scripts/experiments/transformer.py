"""Chapter 15: how often an untrained model repeats the last word, by depth, from five starts."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from attnsteps.layers.sublayer import Sublayer
from attnsteps.model.config import TransformerConfig
from attnsteps.model.transformer import Transformer
from scripts.ablations import without_residual
from scripts.experiments import SEEDS, record

DATA = "8 random sentences of 13 words, of a vocabulary of 1,000; nothing is trained"


def own_table(model: nn.Module) -> None:
    """Give the output projection its own table, initialised like the shared one."""
    projection = model.projection
    projection.weight = nn.Parameter(torch.empty_like(projection.weight))
    nn.init.normal_(projection.weight, std=projection.in_features**-0.5)


CHANGES = {"own table at the exit": own_table, "no residual connections": without_residual}


def followed(model: Transformer, source: Tensor, entered: Tensor) -> dict:
    """Return what is left of a word's own row at the exit, and what the rule says.

    A sublayer adds a vector to the one on the stream. If what is added points in some new
    direction, the cosine with the word's own row shrinks by the ratio of the two lengths, before
    and after. The rule multiplies these ratios.
    """
    before, after, ends = [], [], []
    for layer in model.decoder.layers:
        for part in layer.children():
            if isinstance(part, Sublayer):
                part.register_forward_pre_hook(lambda _, given: before.append(given[0]))
                part.norm.register_forward_pre_hook(lambda _, given: after.append(given[0]))
        layer.register_forward_hook(lambda _, given, out: ends.append(out[0]))
    with torch.no_grad():
        model(source, entered)
    rows = functional.normalize(model.tgt_embedding.weight, dim=-1)

    def cosines(x: Tensor) -> tuple[Tensor, Tensor]:
        found = functional.normalize(x, dim=-1) @ rows.T
        own = entered[..., None]
        return found.gather(-1, own), found.scatter(-1, own, -1.0).max(-1).values

    predicted = cosines(before[0])[0].mean()
    for old, new in zip(before, after, strict=True):
        predicted = predicted * (old.norm(dim=-1) / new.norm(dim=-1)).mean()
    own, others = cosines(ends[-1])
    found = {"share": own.mean(), "predicted": predicted, "luckiest": others.mean()}
    return {name: round(value.item(), 4) for name, value in found.items()}


def run(*, again: bool) -> None:
    """Make untrained models of one to six layers, and two-layer models that lack something."""
    generator = torch.Generator().manual_seed(1)
    source = torch.randint(3, 1000, (8, 9), generator=generator)
    entered = torch.randint(3, 1000, (8, 14), generator=generator)[:, :-1]

    def measure(*, depth: int, change: str, seed: int) -> dict:
        torch.manual_seed(seed)
        layers = {"num_encoder_layers": depth, "num_decoder_layers": depth, "dropout": 0.0}
        config = TransformerConfig(src_vocab_size=1000, tgt_vocab_size=1000, **layers)
        model = Transformer(config)
        CHANGES.get(change, lambda _: None)(model)
        with torch.no_grad():
            likeliest = model(source, entered).argmax(-1)
        found = {"copied": round((likeliest == entered).float().mean().item(), 4)}
        return found | (followed(model, source, entered) if change == "none" else {})

    kinds = [(depth, "none") for depth in range(1, 7)] + [(2, change) for change in CHANGES]
    tasks = [{"depth": d, "change": change, "seed": s} for d, change in kinds for s in SEEDS]
    record("transformer", tasks, measure, data=DATA, again=again)
