"""The grader lets what is right pass, and names what is wrong."""

import math

import pytest
import torch

from attnsteps import scaled_dot_product_attention
from attnsteps.exercises.query_key_value import grade_self_attention


def by_hand(
    x, w_q, w_k, w_v, *, divisor=None, axis=-1, swapped=False, softmax=True, mixed="v", turned=False
):
    """Attend in plain torch, with one mistake if asked for."""
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    scores = (k @ q.T if swapped else q @ k.T) / (divisor or math.sqrt(w_k.shape[1]))
    weights = scores.softmax(axis) if softmax else scores
    return (weights.T if turned else weights) @ {"v": v, "k": k, "x": x}[mixed], weights


def with_mistake(**mistake):
    return lambda *inputs: by_hand(*inputs, **mistake)


def test_the_right_solution_passes():
    assert grade_self_attention(by_hand)
    assert "every row of weights sums to 1" in repr(grade_self_attention(by_hand))


def test_the_packages_own_attention_passes_and_the_order_of_products_is_free():
    def other(x, w_q, w_k, w_v):
        return scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v)

    def rearranged(x, w_q, w_k, w_v):
        weights = torch.softmax(x @ (w_q @ w_k.T) @ x.T / math.sqrt(w_q.shape[1]), dim=1)
        return [weights @ x @ w_v, weights]

    assert grade_self_attention(other)
    assert grade_self_attention(rearranged)


MISTAKES = {
    "no division": (with_mistake(divisor=1.0), "yours are not divided"),
    "divided by d_k": (with_mistake(divisor=3.0), "yours are divided by d_k"),
    "divided by √D": (with_mistake(divisor=math.sqrt(7)), "the root of x's width"),
    "softmax over the queries": (with_mistake(axis=0), "the columns of weights sum to 1"),
    "q and k interchanged": (with_mistake(swapped=True), "queries and keys are swapped"),
    "no softmax": (with_mistake(softmax=False), "the softmax is missing"),
    "bare scores": (with_mistake(softmax=False, divisor=1.0), "division and softmax are missing"),
    "words instead of values": (with_mistake(mixed="x"), "context mixes the words themselves"),
    "keys instead of values": (with_mistake(mixed="k"), "context mixes the keys"),
    "weights turned": (with_mistake(turned=True), "context is weights.T @ v"),
    "weights unused": (
        lambda x, w_q, w_k, w_v: (x @ w_v, by_hand(x, w_q, w_k, w_v)[1]),
        "the weights are not used",
    ),
    "a crash": (lambda x, w_q, w_k, w_v: x @ w_q @ w_k, "your function raised RuntimeError"),
    "nothing": (lambda *inputs: None, "it returned None"),
    "one tensor": (lambda *inputs: by_hand(*inputs)[0], "it returned a Tensor"),
    "swapped outputs": (
        lambda *inputs: by_hand(*inputs)[::-1],
        "weights should have shape (5, 5) and has (5, 2)",
    ),
    "something else": (
        lambda x, w_q, w_k, w_v: (x @ w_v, torch.full((5, 5), 0.2)),
        "should be",
    ),
}


@pytest.mark.parametrize(("function", "sentence"), MISTAKES.values(), ids=MISTAKES.keys())
def test_each_mistake_gets_its_own_sentence(function, sentence):
    verdict = grade_self_attention(function)
    assert not verdict
    assert sentence in repr(verdict)


def test_what_the_reader_changes_in_place_does_not_matter():
    def changes_its_inputs(x, w_q, w_k, w_v):
        result = by_hand(x, w_q, w_k, w_v)
        x.zero_()
        w_v.zero_()
        return result

    assert grade_self_attention(changes_its_inputs)
