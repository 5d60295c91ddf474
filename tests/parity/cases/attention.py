"""``js/maths/attention.js`` against the package."""

import math

import torch

from attnsteps import scaled_dot_product_attention
from attnsteps.running_example import SENTENCE, TWIN, W_K, W_Q, W_V, toy_embeddings
from tests.parity.case import case, numbers


def cases() -> list[dict]:
    inputs = [
        (toy @ W_Q, toy @ W_K, toy @ W_V)
        for toy in (toy_embeddings(SENTENCE), toy_embeddings(TWIN))
    ]
    inputs.append((numbers(3, 7, seed=4), numbers(5, 7, seed=5), numbers(5, 2, seed=6)))
    out = []
    for q, k, v in inputs:
        mask = torch.ones(q.shape[0], k.shape[0], dtype=torch.bool).tril()
        mask[0] = False
        for allowed in (None, mask):
            context, weights = scaled_dot_product_attention(q, k, v, allowed)
            scores = q @ k.T / math.sqrt(k.shape[-1])
            expected = {"scores": scores, "weights": weights, "context": context}
            out.append(case("attention", "attention", [q, k, v, allowed], expected))
    q, k, v = inputs[0]
    weights = (q @ k.T).softmax(-1)
    expected = {"scores": q @ k.T, "weights": weights, "context": weights @ v}
    out.append(case("attention", "attention", [q, k, v, None, False], expected))
    return out
