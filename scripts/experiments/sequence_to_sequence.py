"""Chapter 1: four readers of lists from five starts; and do other translators join two words alike?

The shipped translator is seed 0; the others are trained as it was. Each is given the chapter's 128
mixed memories.
"""

from itertools import product

import torch

from attnsteps.model.mode import in_mode
from attnsteps.translator.trained import Trained
from scripts.experiments import SEEDS, page, record
from scripts.recipes import corpus, learn

DATA = (
    "fresh lists of 1 to 8 names with colours, 64 in each step; translators: "
    "generated(40000, seed=0)"
)
STOPS = (100, 200, 300, 500, 1000, 2000, 4000)
TRANSLATOR, STEPS = "translator", 4000


@torch.no_grad()
def mixed(trained: Trained) -> dict:
    """Count the mixtures whose best word, and the better of she and it, follow the chapter's rule.

    The rule: *she* if the noun's row is from a sentence with the girl, and the adjective's from one
    with *tired*; else *it*. ``other words`` are the best words that break it.
    """
    model, vocab = trained.model, trained.tgt_vocab
    memories, ids = {}, torch.tensor([])
    for noun, adjective in product(("动物", "女孩"), ("累", "宽")):
        src = trained.src_tokenizer.tokenize(f"{noun}没有过马路，因为太{adjective}了")
        assert (src[0], src[7]) == (noun, adjective)
        ids = torch.tensor([trained.src_vocab.ids(src)])
        memories[noun, adjective] = model.encode(ids)
    she, it = vocab.ids(["she", "it"])
    best, above, strange = [], [], set()
    for noun, adjective, others, begin in product(memories, memories, memories, ("girl", "animal")):
        memory = memories[others].clone()
        memory[0, 0], memory[0, 7] = memories[noun][0, 0], memories[adjective][0, 7]
        so_far = vocab.ids(f"the {begin} did not cross the street because".split())
        scores = model.decode(torch.tensor([[vocab.bos_id, *so_far]]), memory, ids)[0, -1]
        both = noun[0] == "女孩" and adjective[1] == "累"
        first = scores.argmax().item()
        best.append(first == (she if both else it))
        above.append((scores[she] > scores[it]).item() == both)
        if not best[-1]:
            strange |= set(vocab.tokens([first]))
    return {
        "cases": len(best),
        "best": sum(best),
        "she or it": sum(above),
        "other words": sorted(strange),
    }


def run(*, again: bool) -> None:
    """Train the chapter's readers from five starts, and the translator from four more seeds."""
    names = page("sequence_to_sequence")

    def measure(*, model: str, seed: int, steps: int | None = None) -> dict:
        if model == TRANSLATOR:
            assert steps
            trained, _ = learn(corpus().train, steps=steps, seed=seed)
            with in_mode(trained.model, training=False):
                return mixed(trained)
        torch.manual_seed(seed)
        reader = names["Reader"](*names["READERS"][model])
        return {
            "weights": sum(p.numel() for p in reader.parameters()),
            "steps": STOPS,
            "names": names["COUNTS"],
            "untrained": [round(share, 3) for share in names["score"](reader)],
            "right": [
                [round(share, 3) for share in shares]
                for shares in names["train"](reader, seed, STOPS)
            ],
        }

    tasks = [{"model": model, "seed": seed} for seed in SEEDS for model in names["READERS"]]
    tasks += [{"model": TRANSLATOR, "seed": seed, "steps": STEPS} for seed in SEEDS if seed]
    record("sequence_to_sequence", tasks, measure, data=DATA, again=again)
