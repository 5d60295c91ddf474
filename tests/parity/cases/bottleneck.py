"""``js/maths/bottleneck.js`` against the package."""

import torch

from attnsteps import masked_softmax
from attnsteps.widgets.sequence_to_sequence import signs
from tests.parity.case import case


def cases() -> list[dict]:
    words, tags = (torch.from_numpy(drawn) for drawn in signs(7, 16, 9, num_places=5))
    ids = [3, 0, 8, 3, 5]
    kept = words[ids]
    total = (tags * kept).sum(0)
    scores = tags @ tags.T / 4
    weights = masked_softmax(scores)
    found = weights @ kept
    squeezed = (total * tags @ words.T).argmax(-1)
    attended = (found @ words.T).argmax(-1)
    return [
        case("bottleneck", "signs", [7, 14, 16], torch.cat([words, tags])),
        case("bottleneck", "squeeze", [kept, tags], total),
        case("bottleneck", "unsqueeze", [total, tags[2]], total * tags[2]),
        case("bottleneck", "attendTo", [kept, tags, 2], {"weights": weights[2], "found": found[2]}),
        case("bottleneck", "similarities", [found[2], words], words @ found[2] / 16),
        case("bottleneck", "largest", [[1, 3, 3, 2]], 1),
        case(
            "bottleneck", "readBack", [ids, 7, 16, 9], {"squeezed": squeezed, "attended": attended}
        ),
    ]
