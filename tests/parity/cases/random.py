"""``js/maths/random.js`` against the package."""

from tests.parity.case import case, numbers


def cases() -> list[dict]:
    draws = numbers(50, seed=7, scale=2.0)
    return [case("random", "variance", [draws], float(draws.var(correction=0)))]
