"""Chapter 13: one layer and two on the children's question, five seeds each, what they learn."""

import torch

from scripts.experiments import SEEDS, page, record

DATA = "fresh circles of six children, 64 in each step"
LONG = [250, 500, 1000, 2000, 3000, 6000]
SHORT = [125, 250, 500, 1000]
STOPS = {
    "one layer": LONG,
    "one layer, no FFN": LONG,
    "one wide layer": LONG,
    "one wide layer, no FFN": LONG,
    "two layers": SHORT,
    "two layers, no FFN": SHORT,
    "one layer twice": SHORT,
}


def run(*, again: bool) -> None:
    """Train the chapter's encoders, and again on longer chains of cards."""
    names = page("encoder")

    def measure(*, model: str, looks: int, seed: int) -> dict:
        torch.manual_seed(seed)
        encoder = names["ENCODERS"][model]()
        stops = STOPS[model]
        result = {
            "weights": sum(p.numel() for p in encoder.encoder.parameters()),
            "steps": stops,
            "untrained": round(names["score"](encoder, looks), 4),
            "right": [round(share, 4) for share in names["train"](encoder, seed, stops, looks)],
        }
        if (model, looks) == ("two layers", 2):
            inside = names["look_inside"](encoder)
            result["inside"] = {what: round(share, 4) for what, share in inside.items()}
        if model == "one layer":
            read = names["read_answer"](encoder)
            result["inside"] = {what: round(share, 4) for what, share in read.items()}
        return result

    kinds = [("two layers", 2), ("one layer twice", 2), ("two layers", 3), ("two layers", 4)]
    kinds += [("one layer", 2), ("one layer, no FFN", 2), ("two layers, no FFN", 2)]
    kinds += [("one wide layer", 2), ("one wide layer, no FFN", 2)]
    tasks = [{"model": m, "looks": looks, "seed": seed} for m, looks in kinds for seed in SEEDS]
    record("encoder", tasks, measure, data=DATA, again=again)
