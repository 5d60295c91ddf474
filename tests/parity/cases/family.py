"""``js/maths/family.js`` against the package: every combination that the lab has."""

import itertools

from attnsteps.widgets.family import INPUTS, LOSSES, MASKS, arrange
from tests.parity.case import case


def cases() -> list[dict]:
    return [
        case("family", "arrange", list(chosen), arrange(*chosen)._asdict())
        for chosen in itertools.product(MASKS, INPUTS, LOSSES)
    ]
