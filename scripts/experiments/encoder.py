"""Chapter 13: one layer and two on the children's question, five seeds each, what they learn."""

import torch

from scripts.experiments import SEEDS, page, record

DATA = "fresh circles of six children, 64 in each step"
STEPS = [125, 250, 500, 1000, 2000, 3000, 6000]
SHORT = [125, 250, 500, 1000]
MAIN = ("one layer", "one layer, no FFN", "two layers", "two layers, no FFN")
MORE_HEADS = ("four heads", "four heads, no FFN", "four wide heads", "four wide heads, no FFN")


def stops_of(model: str, looks: int) -> list[int]:
    """The steps at which a run is scored; the last is its length, at which the rate is 0."""
    if looks > 2 or model == "one layer twice":
        return SHORT
    return STEPS[1:] if model in MORE_HEADS else STEPS


def run(*, again: bool) -> None:
    """Train the chapter's encoders, and two of them on longer chains of cards."""
    names = page("encoder")

    def measure(*, model: str, looks: int, seed: int) -> dict:
        torch.manual_seed(seed)
        encoder = names["ENCODERS"][model]()
        stops = stops_of(model, looks)
        result = {
            "weights": sum(p.numel() for p in encoder.encoder.parameters()),
            "steps": stops,
            "untrained": round(names["score"](encoder, looks), 4),
            "right": [round(share, 4) for share in names["train"](encoder, seed, stops, looks)],
        }
        if (model, looks) == ("two layers", 2):
            inside = names["look_inside"](encoder)
            result["inside"] = {what: round(share, 4) for what, share in inside.items()}
        return result

    kinds = [(model, 2) for model in MAIN]
    kinds += [("one layer twice", 2), ("two layers", 3), ("two layers", 4)]
    kinds += [("two layers, four heads", looks) for looks in (3, 4)]
    kinds += [(model, 2) for model in MORE_HEADS]
    tasks = [{"model": m, "looks": looks, "seed": seed} for m, looks in kinds for seed in SEEDS]
    record("encoder", tasks, measure, data=DATA, again=again)
