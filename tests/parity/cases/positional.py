"""``js/maths/positional.js`` against the package."""

import torch

from attnsteps import sinusoidal_positions
from attnsteps.running_example import SENTENCE
from attnsteps.toy import toy_projections, toy_vectors
from tests.parity.case import case


def cases() -> list[dict]:
    out = []
    for length, width in ((7, 4), (48, 16), (3, 7)):
        by_layout = {
            layout: sinusoidal_positions(length, width, layout=layout, dtype=torch.float64)
            for layout in ("interleaved", "concatenated")
        }
        table = by_layout["interleaved"]
        names = torch.arange(width, dtype=torch.float64)
        for layout, columns in by_layout.items():
            # Where a column stands is where it is found in the package's own table.
            order = [int(names[(table.T == column[:, None].T).all(-1)][0]) for column in columns.T]
            out.append(case("positional", "columnOrder", [width, layout], order))
        for position in (0, 1, length - 1):
            row = table[position]
            out += [
                case("positional", "positionRow", [position, width], row),
                case("positional", "dotsWith", [position, length, width], table @ row),
            ]
            if width % 2 == 0:
                steps = length - 1 - position
                out.append(case("positional", "turned", [row, steps], table[-1]))
        speeds = [table[1, column - column % 2].asin().item() for column in range(width)]
        out += [
            case("positional", "handSpeed", [column, width], speed)
            for column, speed in enumerate(speeds)
            if column > 1  # the fastest turns by 1, and the arc sine is exact below π/2
        ]
        out.append(case("positional", "handSpeed", [0, width], 1.0))
    x, (w_q, w_k, w_v) = toy_vectors(SENTENCE), toy_projections()
    ahead = sinusoidal_positions(9, 64, dtype=torch.float64)
    next_place = 5 * ahead[1:] @ ahead[:-1].T
    out.append(case("positional", "nextPlaceScores", [8], next_place))
    order = [3, 1, 2, 0, 7, 5, 4, 6]
    for with_positions in (False, True):
        contexts = []
        for places in (list(range(8)), order):
            placed = x[places]
            scores = (placed @ w_q) @ (placed @ w_k).T / 2 + with_positions * next_place
            contexts.append(scores.softmax(-1) @ placed @ w_v)
        first, now = contexts
        given = [x, w_q, w_k, w_v, order, with_positions]
        moved = (now - first[order]).norm(dim=-1)
        out += [
            case("positional", "contextsInOrder", given, now),
            case("positional", "movedBy", [now, first, order], moved),
        ]
    return out
