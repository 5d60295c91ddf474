"""``js/maths/neighbours.js`` against the package."""

import torch

from tests.parity.case import case, numbers


def cases() -> list[dict]:
    vectors = numbers(6, 4, seed=60)
    units = torch.nn.functional.normalize(vectors, dim=1)
    similar = units @ units[2]
    order = [i for i in similar.argsort(descending=True).tolist() if i != 2][:3]
    hot = torch.nn.functional.one_hot(torch.tensor(2), 6).double()
    return [
        case("neighbours", "cosine", [vectors[0], vectors[1]], units[0] @ units[1]),
        case("neighbours", "cosine", [vectors[0], torch.zeros(4)], 0.0),
        case("neighbours", "cosines", [vectors, 2], similar),
        case("neighbours", "nearest", [vectors, 2, 3], order),
        case("neighbours", "oneHot", [2, 6], hot),
        case("linear", "matmul", [hot[None], vectors], vectors[2:3]),
    ]
