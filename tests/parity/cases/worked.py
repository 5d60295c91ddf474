"""``js/maths/worked.js`` against the package."""

import math

import torch

from attnsteps import masked_softmax
from tests.parity.case import case, numbers


def cases() -> list[dict]:
    q, k, v = numbers(4, seed=8), numbers(5, 4, seed=9), numbers(5, 3, seed=10)
    some = torch.tensor([True, True, False, True, False])
    out = []
    for j, allowed, scaled, size in [
        (0, None, True, 1.0),
        (2, None, False, 1.0),
        (1, None, False, 40.0),  # far above 6: the largest score is taken off
        (3, some, True, 1.0),
        (2, some, True, 1.0),  # a hidden key
        (4, torch.zeros(5, dtype=torch.bool), True, 1.0),  # nothing to look at
    ]:
        key = size * k
        divisor = math.sqrt(4) if scaled else 1.0
        hidden = torch.zeros(5, dtype=torch.bool) if allowed is None else ~allowed
        scores = (key @ q / divisor).masked_fill(hidden, -math.inf)
        shift = scores.max().item() if scores.max() > 6 else 0.0
        exponentials = (scores - shift).exp()
        expected = {
            "products": q * key[j],
            "product": float(q @ key[j]),
            "divisor": divisor,
            "score": scores[j].item(),
            "shift": shift,
            "exponentials": exponentials,
            "total": exponentials.sum().item(),
            "weight": masked_softmax(scores[None], ~hidden[None])[0, j].item(),
        }
        out.append(case("worked", "workedWeight", [q, key, j, allowed, scaled], expected))
    weights = numbers(5, seed=11).softmax(-1)
    expected = {"products": weights * v[:, 1], "entry": (weights @ v)[1].item()}
    out.append(case("worked", "workedContext", [weights, v, 1], expected))
    return out
