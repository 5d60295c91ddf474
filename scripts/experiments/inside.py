"""Chapter 19: do other seeds find the pronoun where the shipped model does, and do gaps close?"""

from attnsteps.model.mode import in_mode
from scripts import ablations
from scripts.experiments import SEEDS, page, record
from scripts.recipes import corpus, learn

STEPS = 4000  # the ablations of the chapter stop at 1,600
NAMES = ("as it is", "no residual", "one head")
SCORES = ("combinations", "pronoun_accuracy")
SHIPPED = "as shipped"  # seed 0 is the shipped model


def rounded(found: object) -> object:
    """Round every number, however deep it lies, to what the chapter can show."""
    if isinstance(found, dict):
        return {name: rounded(each) for name, each in found.items()}
    if isinstance(found, (list, tuple)):
        return [rounded(each) for each in found]
    return round(found, 4)


def measure(change: str, seed: int, steps: int) -> dict:
    """Train with one change and return the scores; or as shipped, and look for the pronoun."""
    if change == SHIPPED:
        trained, _ = learn(corpus().train, steps=steps, seed=seed)
        with in_mode(trained.model, training=False):
            of_page = page("inside")
            found = of_page["findings"](trained.model) | of_page["with_means"](trained.model)
            return rounded(found)
    row = ablations.measure(change, seed, steps=steps)
    return {name: row[name] for name in ("parameters", *SCORES)}


def run(*, again: bool) -> None:
    """Train each of the models longer, five times, and the shipped model from four more seeds."""
    tasks = [{"change": name, "seed": seed, "steps": STEPS} for seed in SEEDS for name in NAMES]
    tasks += [{"change": SHIPPED, "seed": seed, "steps": STEPS} for seed in SEEDS if seed]
    record("inside", tasks, measure, data="generated(40000, seed=0)", again=again)
