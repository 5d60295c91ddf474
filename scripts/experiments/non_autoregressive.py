"""The language with two correct orders: four ways to learn it and a control, five seeds each."""

from functools import cache

import torch

from attnsteps.training.non_autoregressive import mask_predict_loss, one_shot_loss
from scripts.experiments import SEEDS, page, record

STEPS = (200, 800)
PASSES = (1, 2, 3, 4, 6, 10)
KINDS = (
    "word by word",
    "all at once",
    "mask-predict",
    "all at once, from the teacher",
    "all at once, from a coin",
)


def run(*, again: bool) -> None:
    """Train every kind, for a short time and for four times as long."""
    chapter = page("non_autoregressive")
    learn, say, share_right = (chapter[name] for name in ("learn", "say", "share_right"))
    pair, both, known = (chapter[name] for name in ("Pair", "both", "known"))
    two_ways, tests = chapter["two_ways"], chapter["tests"]
    times = set(chapter["times"].values())

    @cache
    def writer(steps: int, seed: int) -> object:
        return learn(both, chapter["autoregressive_loss"], steps=steps, seed=seed)

    def measure(*, kind: str, steps: int, seed: int) -> dict:
        result = {"chance": 2 * 0.5**6}
        if kind == "word by word":
            return result | {"right": share_right(say(writer(steps, seed), tests))}
        if kind == "mask-predict":
            model = learn(both, mask_predict_loss, steps=steps, seed=seed)
            translations = {
                n: say(model, tests, search="mask_predict", iterations=n, num_lengths=1)
                for n in PASSES
            }
            result["passes"] = list(PASSES)
            result["right"] = [share_right(translations[n]) for n in PASSES]
            return result | {"first": [" ".join(translations[n][0]) for n in PASSES]}
        pairs = both
        if kind.endswith("teacher"):
            translations = say(writer(steps, seed), known)
            pairs = [pair(source, words) for source, words in zip(known, translations, strict=True)]
        if kind.endswith("coin"):
            coins = torch.randint(2, (len(known),), generator=torch.Generator().manual_seed(seed))
            drawn = zip(known, coins.tolist(), strict=True)
            pairs = [pair(source, two_ways[source][coin]) for source, coin in drawn]
        if pairs is not both:
            result["time_first"] = round(sum(p.tgt[0] in times for p in pairs) / len(pairs), 3)
        model = learn(pairs, one_shot_loss, steps=steps, seed=seed)
        return result | {"right": share_right(say(model, tests))}

    tasks = [
        {"kind": kind, "steps": steps, "seed": seed}
        for seed in SEEDS
        for steps in STEPS
        for kind in KINDS
    ]
    record("non_autoregressive", tasks, measure, data="1,528 pairs in two orders", again=again)
