"""``js/maths/scaling.js`` against the package."""

import math

import torch

from attnsteps.widgets.random import normals
from tests.parity.case import case


def cases() -> list[dict]:
    rows, keys, width = 5, 3, 7
    draws = torch.from_numpy(normals(seed=3, count=width * rows * (1 + keys)))
    q, k = draws.view(width, rows, 1 + keys).split([1, keys], dim=2)
    dots = (q * k).cumsum(0)
    table = 4.0 * dots[-1]
    out = [
        case("random", "normals", [5, 7], normals(seed=5, count=7).tolist()),
        case(
            "scaling",
            "addComponent",
            [dots[-2].flatten(), draws[-rows * (1 + keys) :], rows, keys],
            dots[-1].flatten(),
        ),
    ]
    for divisor in (1.0, math.sqrt(width), float(width)):
        scores = table / divisor
        weights = scores.softmax(-1)
        average = {
            "deviation": float(scores.std(correction=0)),
            "largest": float(weights.amax(-1).mean()),
        }
        counts = torch.histc(scores, bins=4, min=-2, max=2)
        shares = {
            "shares": counts / scores.numel(),
            "outside": 1 - float(counts.sum()) / scores.numel(),
        }
        out += [
            case("scaling", "weigh", [table[0], divisor], weights[0]),
            case("scaling", "summarise", [table, divisor], average),
            case("scaling", "histogram", [table, divisor, 2.0, 4], shares),
        ]
    return out
