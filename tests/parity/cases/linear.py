"""``js/maths/linear.js`` against the package."""

from tests.parity.case import case, numbers


def cases() -> list[dict]:
    a, b = numbers(3, 5, seed=1), numbers(5, 2, seed=2)
    return [
        case("linear", "matmul", [a, b], a @ b),
        case("linear", "dot", [a[0], a[1]], float(a[0] @ a[1])),
    ]
