"""``js/maths/softmax.js`` against the package."""

import math

import torch

from attnsteps import masked_softmax
from tests.parity.case import case, numbers


def cases() -> list[dict]:
    rows = [
        torch.tensor([8.0, 4.0, 4.0], dtype=torch.float64),
        torch.tensor([1000.0, 999.0, -1000.0], dtype=torch.float64),
        torch.tensor([0.0, -math.inf, 2.0], dtype=torch.float64),
        numbers(12, seed=3, scale=3.0),
    ]
    out = []
    for row in rows:
        weights = row.softmax(-1)
        out += [
            case("softmax", "softmax", [row], weights),
            case("softmax", "entropy", [weights], float(torch.special.entr(weights).sum())),
        ]
    nothing = torch.full((1, 3), -math.inf, dtype=torch.float64)
    empty = masked_softmax(
        torch.zeros(1, 3, dtype=torch.float64), torch.zeros(1, 3, dtype=torch.bool)
    )
    out.append(case("softmax", "softmax", [nothing[0]], empty[0]))
    return out
