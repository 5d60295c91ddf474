"""The grader of the encoder chapter accepts what is right and names what is wrong."""

import pytest
import torch

from attnsteps.exercises.encoder import grade_reach


def by_hand(looks):
    """Follow each word's sources one by one."""
    size = len(looks[0])
    heard = [{i} for i in range(size)]
    for look in looks:
        heard = [
            heard[i].union(*(heard[j] for j in range(size) if look[i, j])) for i in range(size)
        ]
    return torch.tensor([[float(j in one) for j in range(size)] for one in heard])


def ways(looks, keep=1):
    found = torch.eye(len(looks[0]))
    for look in looks:
        found = (look + keep * torch.eye(len(look))) @ found
    return found


@pytest.mark.parametrize("function", [by_hand, lambda looks: ways(looks) > 0])
def test_a_right_solution_passes(function):
    verdict = grade_reach(function)
    assert verdict, verdict
    assert repr(verdict).startswith("✓ Right: each layer hands on")


WRONG = {
    "nothing": (lambda looks: None, "the matrix is None"),
    "an error": (lambda looks: looks[9], "raised IndexError"),
    "last": (lambda looks: looks[-1], "the last layer alone"),
    "first": (lambda looks: looks[0], "the first layer alone"),
    "turned round": (lambda looks: by_hand(looks[::-1]), "the order is turned round"),
    "no residual": (lambda looks: ways(looks, keep=0) > 0, "the residual connection is missing"),
    "side by side": (
        lambda looks: sum(looks) + torch.eye(len(looks[0])) > 0,
        "the layers stand side by side",
    ),
    "counts": (ways, "these are numbers of ways"),
    "shape": (lambda looks: looks[0][0], "the matrix should have shape"),
    "other": (lambda looks: torch.ones_like(looks[0]), "the matrix["),
}


@pytest.mark.parametrize(("function", "said"), WRONG.values(), ids=WRONG)
def test_a_known_mistake_is_named(function, said):
    verdict = grade_reach(function)
    assert not verdict
    assert said in verdict.message
