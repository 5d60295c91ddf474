"""``js/maths/six_steps.js`` against the package."""

import math

from attnsteps import scaled_dot_product_attention
from attnsteps.running_example import SENTENCE, TWIN
from attnsteps.toy import toy_projections, toy_vectors
from tests.parity.case import case, numbers


def cases() -> list[dict]:
    asked = [(toy_vectors(SENTENCE), *toy_projections(), j) for j in (6, 7)]
    asked.append((toy_vectors(TWIN), *toy_projections(), 6))
    drawn = [numbers(5, 7, seed=11), *(numbers(7, n, seed=12 + n) for n in (3, 3, 2))]
    asked.append((*drawn, 4))
    out = []
    for x, w_q, w_k, w_v, asking in asked:
        q, k, v = x[asking] @ w_q, x @ w_k, x @ w_v
        (context,), (weights,) = scaled_dot_product_attention(q[None], k, v)
        divisor = math.sqrt(q.numel())
        scaled = k @ q / divisor
        expected = {"q": q, "k": k, "v": v, "products": q * k, "scores": k @ q}
        expected |= {"divisor": divisor, "scaled": scaled, "exponentials": scaled.exp()}
        expected |= {"total": float(scaled.exp().sum()), "weights": weights}
        expected |= {"weighted": weights[:, None] * v, "context": context}
        out.append(case("six_steps", "sixSteps", [x, w_q, w_k, w_v, asking], expected))
    return out
