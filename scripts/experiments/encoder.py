"""Chapter 13: one layer and two on the children's question, five seeds each, what they note."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from scripts.experiments import SEEDS, page, record

DATA = "fresh circles of six children, 64 in each step"
STEPS = [125, 250, 500, 1000, 2000, 3000, 6000]
SHORT = [125, 250, 500, 1000]
MAIN = ("one layer", "two layers", "four heads")
BRIEF = "two layers, 500 steps"  # long enough to be always right; looked into afterwards


def stops_of(model: str) -> list[int]:
    """The steps at which a run is scored; the last is its length, at which the rate is 0."""
    if model == BRIEF:
        return SHORT[:3]
    if model == "one layer twice":
        return SHORT
    return STEPS[1:] if model == "four heads" else STEPS


def mean(values: Tensor) -> float:
    """Return the mean of numbers or truths."""
    return values.float().mean().item()


@torch.no_grad()
def look_inside(model: nn.Module, names: dict) -> dict[str, float]:
    """Say what a two-layer encoder writes down first, where it looks, and what answers follow."""
    generator = torch.Generator().manual_seed(7)
    circle = numbers, cards, hats = names["draw"](2000, generator)
    named, goal = (names["follow"](numbers, cards, looks) for looks in (1, 2))
    seeker = named.argsort(-1)  # place of the child whose card names me
    start = model.embed(*circle)

    def climb(mask: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
        noted, first = model.encoder.layers[0](start, mask, need_weights=True)
        final, second = model.encoder.layers[1](noted, need_weights=True)
        return model.answer(final).argmax(-1), first, second

    guesses, first, second = climb()
    # Two children of each circle look at each other's seeker, and so take each other's note.
    two = torch.rand(numbers.shape, generator=generator).argsort(-1)[:, :2]
    places = torch.arange(numbers.shape[1]).expand_as(numbers)
    swap = places.scatter(1, two, two.flip(1))
    only = functional.one_hot(seeker.gather(1, swap), numbers.shape[1])[:, None] == 1
    swapped = climb(only)[0]
    led_to = swap.gather(1, goal)
    old, other = hats.gather(1, goal), hats.gather(1, led_to)
    stays = led_to == goal
    # Neither the child nor its card's child is swapped, so that plans without keys are untouched.
    apart = (swap == places) & (swap.gather(1, named) == named)
    moved = ~stays & (old != other) & apart
    return {
        "layer 1 at my seeker": mean(first[:, 0].gather(2, seeker[..., None])),
        "layer 2 at the goal": mean(second[:, 0].gather(2, goal[..., None])),
        "right": mean(guesses == old),
        "swapped: the old hat": mean((swapped == old)[moved]),
        "swapped: the other one's hat": mean((swapped == other)[moved]),
        "not swapped: right": mean((swapped == old)[stays]),
    }


def run(*, again: bool) -> None:
    """Train the chapter's encoders, and look into one of them."""
    names = page("encoder")

    def measure(*, model: str, seed: int) -> dict:
        torch.manual_seed(seed)
        encoder = names["ENCODERS"]["two layers" if model == BRIEF else model]()
        stops = stops_of(model)
        result = {
            "weights": sum(p.numel() for p in encoder.encoder.parameters()),
            "steps": stops,
            "untrained": round(names["score"](encoder), 4),
            "right": [round(share, 4) for share in names["train"](encoder, seed, stops)],
        }
        if model == BRIEF:
            inside = look_inside(encoder, names)
            result["inside"] = {what: round(share, 4) for what, share in inside.items()}
        return result

    models = [*MAIN, "one layer twice", BRIEF]
    tasks = [{"model": model, "seed": seed} for model in models for seed in SEEDS]
    record("encoder", tasks, measure, data=DATA, again=again)
