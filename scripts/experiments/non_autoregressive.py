"""The language with two correct orders: four ways to learn it and a control, five seeds each."""

from functools import cache

import torch

from attnsteps import NonAutoregressive, Vocab
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


@torch.no_grad()
def two_sides(
    model: NonAutoregressive, vocabs: tuple[Vocab, Vocab], two_ways: dict, sources: list
) -> torch.Tensor:
    """Return how likely each place finds the first order's word, of the two that are right.

    The sources' translations are all of one length T, and differ at each place: (B, T).
    """
    source, target = vocabs
    src_ids = torch.tensor([source.ids(one) for one in sources])
    orders = torch.tensor([[target.ids(way) for way in two_ways[one]] for one in sources])
    transformer, (_, _, words) = model.transformer.eval(), orders.shape
    blanks = torch.full((len(sources), words + 1), target.mask_id)  # the end has a place, too
    logits = transformer.decode(blanks, transformer.encode(src_ids), src_ids)[:, :words]
    return logits.gather(-1, orders.transpose(1, 2)).softmax(-1)[..., 0]


def run(*, again: bool) -> None:
    """Train every kind, for a short time and for four times as long."""
    chapter = page("non_autoregressive")
    learn, translate, share_right = (chapter[x] for x in ("learn", "translate", "share_right"))
    pair, both, known = (chapter[name] for name in ("Pair", "both", "known"))
    two_ways, tests, vocabs = (chapter[x] for x in ("two_ways", "tests", "vocabs"))
    times = set(chapter["when"].values())

    @cache
    def writer(steps: int, seed: int) -> object:
        return learn(both, chapter["autoregressive_loss"], steps=steps, seed=seed)

    def measure(*, kind: str, steps: int, seed: int) -> dict:
        if kind == "word by word":
            return {"right": share_right(translate(writer(steps, seed), tests))}
        pairs, result = both, {}
        if kind.endswith("teacher"):
            translations = translate(writer(steps, seed), known)
            pairs = [pair(source, words) for source, words in zip(known, translations, strict=True)]
        if kind.endswith("coin"):
            coins = torch.randint(2, (len(known),), generator=torch.Generator().manual_seed(seed))
            drawn = zip(known, coins.tolist(), strict=True)
            pairs = [pair(source, two_ways[source][coin]) for source, coin in drawn]
        loss_fn = mask_predict_loss if kind == "mask-predict" else one_shot_loss
        model = learn(pairs, loss_fn, steps=steps, seed=seed)
        if kind == "mask-predict":
            result["passes"] = list(PASSES)
            result["right"] = [
                share_right(
                    translate(model, tests, search="mask_predict", iterations=n, num_lengths=1)
                )
                for n in PASSES
            ]
        else:
            result["right"] = share_right(translate(model, tests))
        if pairs is not both:
            result["time_first"] = round(sum(p.tgt[0] in times for p in pairs) / len(pairs), 3)
            said = translate(model, known)
            by_heart = sum(a == p.tgt for a, p in zip(said, pairs, strict=True))
            result["by_heart"] = round(by_heart / len(pairs), 3)
        sides = two_sides(model.model, vocabs, two_ways, tests)
        one_side = sides.prod(1) + (1 - sides).prod(1)
        result["likelier"] = round(torch.maximum(sides, 1 - sides).mean().item(), 3)
        return result | {"drawn": round(one_side.mean().item(), 3)}

    tasks = [
        {"kind": kind, "steps": steps, "seed": seed}
        for seed in SEEDS
        for steps in STEPS
        for kind in KINDS
    ]
    record("non_autoregressive", tasks, measure, data="1,528 pairs in two orders", again=again)
