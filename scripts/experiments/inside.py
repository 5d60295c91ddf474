"""Chapter 19: do other seeds find the pronoun in the same way? The ledger: do gaps close?"""

from attnsteps.analysis.pronouns import ask, measured, person_or_it
from attnsteps.corpora.generated.corpus import generated
from attnsteps.model.mode import in_mode
from scripts import ablations
from scripts.experiments import SEEDS, record
from scripts.recipes import corpus, learn

STEPS = 4000  # the short ablations stop at 1,600
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
            pairs = person_or_it(generated(10_000, seed=11).pronouns)  # the chapter's sentences
            asked = ask(pairs, trained.src_vocab, trained.tgt_vocab)
            return rounded(measured(trained.model, asked))
    row = ablations.measure(change, seed, steps=steps)
    return {name: row[name] for name in ("parameters", *SCORES)}


def run(*, again: bool) -> None:
    """Train each of the models longer, five times, and the shipped model from four more seeds."""
    tasks = [{"change": name, "seed": seed, "steps": STEPS} for seed in SEEDS for name in NAMES]
    tasks += [{"change": SHIPPED, "seed": seed, "steps": STEPS} for seed in SEEDS if seed]
    record("inside", tasks, measure, data="generated(40000, seed=0)", again=again)
