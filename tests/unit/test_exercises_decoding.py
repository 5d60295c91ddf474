"""The grader of the decoding chapter accepts what is right and names what is wrong."""

import pytest
import torch

from attnsteps.decoding.sample import adjust
from attnsteps.exercises.decoding import grade_top_p


def top_p(probs, p, *, keep=lambda before, ordered, p: before < p, divide=True):
    ordered, order = probs.sort(descending=True)
    kept = ordered * keep(ordered.cumsum(0) - ordered, ordered, p)
    result = torch.zeros_like(probs).scatter(0, order, kept)
    return result / result.sum() if divide else result


def with_a_loop(probs, p):
    result, total = torch.zeros_like(probs), 0.0
    for i in probs.argsort(descending=True).tolist():
        if total >= p:
            break
        result[i] = probs[i]
        total += probs[i].item()
    return result / result.sum()


def by_the_sums(probs, p):
    """Count how many sums stay below p, and take one more."""
    ordered, order = probs.sort(descending=True)
    kept = order[: int((ordered.cumsum(0) < p).sum()) + 1]
    result = torch.zeros_like(probs)
    result[kept] = probs[kept]
    return result / result.sum()


RIGHT = {
    "sorted": top_p,
    "in float32": lambda probs, p: top_p(probs.float(), p),
    "the sums": by_the_sums,
    "a loop": with_a_loop,
    "the package": lambda probs, p: adjust(probs.log()[None], top_p=p)[0],
}
WRONG = {
    "nothing": (lambda *_: None, "probabilities is None; does the function return its result?"),
    "all": (lambda probs, p: probs, "nothing is left out"),
    "not divided": (
        lambda probs, p: top_p(probs, p, divide=False),
        "the kept probabilities are not divided by their sum",
    ),
    "one too few": (
        lambda probs, p: top_p(probs, p, keep=lambda before, ordered, p: before + ordered <= p),
        "the word that takes the sum past p is left out",
    ),
    "a threshold": (
        lambda probs, p: probs * (probs >= 0.2) / (probs * (probs >= 0.2)).sum(),
        "probabilities[",
    ),
    "the others": (
        lambda probs, p: top_p(-probs, p, keep=lambda before, ordered, p: -before < p),
        "this keeps the least likely words",
    ),
    "zeros": (lambda probs, p: torch.zeros_like(probs), "probabilities[1] should be 1 and is 0"),
    "only the kept": (
        lambda probs, p: top_p(probs, p)[top_p(probs, p) > 0],
        "probabilities should have shape (6,) and has (1,)",
    ),
    "sorted result": (
        lambda probs, p: top_p(probs.sort(descending=True).values, p),
        "the probabilities are right, but sorted",
    ),
    "raises": (lambda probs, p: probs[p], "your function raised "),
}


@pytest.mark.parametrize("function", RIGHT.values(), ids=RIGHT.keys())
def test_a_right_solution_passes(function):
    verdict = grade_top_p(function)
    assert verdict, verdict


@pytest.mark.parametrize(("function", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_solution_gets_its_sentence(function, sentence):
    verdict = grade_top_p(function)
    assert not verdict
    assert verdict.message.startswith(sentence)
    assert verdict.message.endswith(")")
