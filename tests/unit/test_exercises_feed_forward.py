"""The grader of the feed-forward chapter accepts what is right and names what is wrong."""

import pytest
import torch

from attnsteps.exercises.feed_forward import grade_units_for


def right(rules, d_model):
    w_1, w_2 = torch.zeros(d_model, len(rules)), torch.zeros(len(rules), d_model)
    for unit, (facts, k) in enumerate(rules):
        w_1[list(facts), unit] = 1
        w_2[unit, k] = 1
    bar = torch.tensor([1.0 - len(facts) for facts, _ in rules])
    return w_1, bar, w_2, torch.zeros(d_model)


def scaled(rules, d_model):
    w_1, b_1, w_2, b_2 = right(rules, d_model)
    return 2 * w_1.double(), 2 * b_1.double(), w_2.double() / 2, b_2.double()


def wider(rules, d_model):
    w_1, b_1, w_2, b_2 = right(rules, d_model)
    return (
        torch.cat([w_1, w_1 * 0], dim=1),
        torch.cat([b_1, b_1]),
        torch.cat([w_2, w_2], dim=0),
        b_2,
    )


@pytest.mark.parametrize("function", [right, scaled, wider, lambda *asked: list(right(*asked))])
def test_a_right_solution_passes(function):
    verdict = grade_units_for(function)
    assert verdict, verdict


def changed(place, change):
    def function(rules, d_model):
        parts = list(right(rules, d_model))
        parts[place] = change(parts[place])
        return tuple(parts)

    return function


WRONG = {
    "nothing": (lambda *_: None, "the function should return four tensors"),
    "three": (lambda *asked: right(*asked)[:3], "the function should return four tensors"),
    "lists": (changed(0, torch.Tensor.tolist), "each of w_1, b_1, w_2 and b_2 should be a tensor"),
    "transposed": (changed(0, lambda w: w.T), "w_1 has shape (2, 5), needed is (5, Dff)"),
    "a column for a bias": (
        changed(1, lambda b: b[:, None]),
        "b_1 has shape (2, 1), needed is (2)",
    ),
    "no way down": (changed(2, lambda w: w.T), "w_2 has shape (5, 2), needed is (2, 5)"),
    "a short bias": (changed(3, lambda b: b[:-1]), "b_2 has shape (4,), needed is (5)"),
    "no bar": (changed(1, lambda b: 0 * b), "a single fact is enough to write something"),
    "one bar for all": (
        changed(1, lambda b: torch.full_like(b, -1.0)),
        "two facts are enough, whatever the rule",
    ),
    "a high bar": (changed(1, lambda b: b - 1), "nothing is ever written"),
    "a late bias": (changed(3, lambda b: b + 1), "something is written even where no fact"),
    "twice": (changed(2, lambda w: 2 * w), "for the vector (0, 1, 1, 0, 0) the network"),
    "one unit": (
        lambda rules, d: right(rules[:1], d),
        "for the vector (0, 1, 1, 0, 0) the network",
    ),
    "raises": (lambda rules, d: rules[d], "your function raised IndexError"),
}


@pytest.mark.parametrize(("function", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_solution_gets_its_sentence(function, sentence):
    verdict = grade_units_for(function)
    assert not verdict
    assert verdict.message.startswith(sentence)
