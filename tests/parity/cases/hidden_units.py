"""``js/maths/hidden_units.js`` against the package."""

import torch
from torch import Tensor

from attnsteps import FeedForward
from tests.parity.case import case, numbers


def cases() -> list[dict]:
    network = FeedForward(d_model=2, d_ff=3).double()
    with torch.no_grad():
        for seed, parameter in enumerate(network.parameters()):
            parameter.copy_(numbers(*parameter.shape, seed=40 + seed))
    x = numbers(2, seed=39)
    w_2 = network.w_2.weight.detach()[0]  # the first of the two outputs
    sums = network.w_1(x).detach()
    w_1, b_1 = network.w_1.weight.detach(), network.w_1.bias.detach()
    units = [{"weights": w_1[u], "bias": b_1[u], "out": w_2[u]} for u in range(3)]
    b_2 = network.w_2.bias[0].item()

    def expected(hidden: Tensor, output: Tensor) -> dict:
        names = ("sum", "hidden", "adds")
        rows = zip(sums.tolist(), hidden.tolist(), (hidden * w_2).tolist(), strict=True)
        units = [dict(zip(names, row, strict=True)) for row in rows]
        return {"units": units, "output": output.item()}

    bent = expected(sums.relu(), network(x)[0])
    straight = expected(sums, sums @ w_2 + b_2)
    line = [{"weights": [1, 1], "bias": -1}, 0, 2]
    return [
        case("hidden_units", "hiddenUnits", [x, units, b_2, True], bent),
        case("hidden_units", "hiddenUnits", [x, units, b_2, False], straight),
        case("hidden_units", "hiddenUnit", [x, units[0], True], bent["units"][0]),
        case("hidden_units", "switchLine", line, [[0, 1], [1, 0]]),
        case(
            "hidden_units",
            "switchLine",
            [{"weights": [0, 2], "bias": -1}, 0, 2],
            [[0, 0.5], [2, 0.5]],
        ),
        case("hidden_units", "switchLine", [{"weights": [0, 0], "bias": -1}, 0, 2], None),
        case("hidden_units", "switchLine", [{"weights": [1, 0], "bias": 9}, 0, 2], None),
    ]
