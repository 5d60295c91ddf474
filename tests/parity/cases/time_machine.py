"""``js/maths/time_machine.js`` against the package."""

from tests.parity.case import case, numbers


def cases() -> list[dict]:
    layers, heads, queries, keys = 2, 3, 4, 5
    weights = numbers(layers, heads, queries, keys, seed=61).softmax(-1)
    causal = [[row[: r + 1] for r, row in enumerate(head)] for head in weights[0].tolist()]
    means = [[sum(head[r][c] for head in causal) / heads for c in range(r + 1)] for r in range(4)]
    probabilities = numbers(7, seed=62).sigmoid()
    return [
        case("time_machine", "averageHeads", [weights], weights.flatten(0, 1).mean(0)),
        case("time_machine", "averageHeads", [[causal]], means),
        case("time_machine", "decidedness", [weights[1, 2]], float(weights[1, 2].amax(-1).mean())),
        case("time_machine", "decidedness", [[[1.0], [0.25, 0.75]]], 0.875),
        case("time_machine", "sentenceLoss", [probabilities], float(-probabilities.log().mean())),
    ]
