"""Write ``tests/parity/cases.json``: inputs and the package's outputs, in float64.

The JavaScript in ``widgets/js/maths`` must give the same within 1e-6; ``tests/parity`` checks that
in a real browser, and that this script still writes the committed file.

A case is ``{module, function, arguments, expected}``: ``maths/<module>.js`` exports ``function``.
Infinities and NaN are written as the strings "Infinity", "-Infinity" and "NaN", which JSON has no
numbers for.
"""

import json
import math
from pathlib import Path

import torch
from torch import Tensor

from attnsteps import masked_softmax, scaled_dot_product_attention
from attnsteps.exercises.answer import check_answer
from attnsteps.running_example import SENTENCE, TWIN, W_K, W_Q, W_V, toy_embeddings
from attnsteps.widgets.attention import spelling_vector
from attnsteps.widgets.random import normals

TARGET = Path(__file__).resolve().parent.parent / "tests" / "parity" / "cases.json"


def case(module: str, function: str, arguments: list, expected: object) -> dict:
    return {
        "module": module,
        "function": function,
        "arguments": plain(arguments),
        "expected": plain(expected),
    }


def plain(value: object) -> object:
    """Return tensors as nested lists, infinities and NaN as text."""
    if isinstance(value, Tensor):
        return plain(value.tolist())
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def numbers(*shape: int, seed: int, scale: float = 1.0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return scale * torch.randn(*shape, dtype=torch.float64, generator=generator)


def linear_cases() -> list[dict]:
    a, b = numbers(3, 5, seed=1), numbers(5, 2, seed=2)
    return [
        case("linear", "matmul", [a, b], a @ b),
        case("linear", "transpose", [a], a.T),
        case("linear", "dot", [a[0], a[1]], float(a[0] @ a[1])),
    ]


def softmax_cases() -> list[dict]:
    rows = [
        torch.tensor([8.0, 4.0, 4.0], dtype=torch.float64),
        torch.tensor([1000.0, 999.0, -1000.0], dtype=torch.float64),
        torch.tensor([0.0, -math.inf, 2.0], dtype=torch.float64),
        numbers(12, seed=3, scale=3.0),
    ]
    out = []
    for row in rows:
        weights = row.softmax(-1)
        jacobian = torch.diag(weights) - torch.outer(weights, weights)
        out += [
            case("softmax", "softmax", [row], weights),
            case("softmax", "entropy", [weights], float(torch.special.entr(weights).sum())),
            case("softmax", "softmaxJacobian", [weights], jacobian),
            case("softmax", "frobenius", [jacobian], float(jacobian.norm())),
        ]
    out.append(case("softmax", "naiveSoftmax", [rows[0]], rows[0].softmax(-1)))
    nothing = torch.full((1, 3), -math.inf, dtype=torch.float64)
    empty = masked_softmax(
        torch.zeros(1, 3, dtype=torch.float64), torch.zeros(1, 3, dtype=torch.bool)
    )
    out.append(case("softmax", "softmax", [nothing[0]], empty[0]))
    return out


def softmax_in_format(scores: Tensor, dtype: torch.dtype) -> dict:
    """Compute exp(x) / Σ exp(x) with every result rounded to ``dtype``."""
    powers = scores.exp().to(dtype).double()
    total = torch.zeros((), dtype=torch.float64)
    for power in powers:
        total = (total + power).to(dtype).double()
    weights = (powers / total).to(dtype).double()
    return {"exponents": scores, "powers": powers, "sum": float(total), "weights": weights}


def softmax_steps_cases() -> list[dict]:
    formats = {"float64": torch.float64, "float32": torch.float32, "float16": torch.float16}
    settings = [
        ([4.0, 2.0, 2.0], [False, False, False], 0.0, 1.0, ["fine"] * 3),
        ([4.0, 2.0, 2.0], [False, False, False], 1000.0, 1.0, ["overflow"] * 3),
        ([4.0, 2.0, 2.0], [False, True, False], 80.0, 0.5, ["fine", "overflow", "overflow"]),
        ([-1.0, 0.0, 2.5, 7.0], [False] * 4, -1000.0, 0.63, ["underflow"] * 3),
        ([4.0, 2.0, 2.0], [False, False, False], -19.0, 1.0, ["fine", "fine", "drift"]),
        ([9.0, 10.5, 10.5], [False, False, False], 0.0, 1.0, ["fine", "fine", "sum"]),
        ([4.0, 2.0], [True, True], 0.0, 1.0, ["empty"] * 3),
    ]
    halves = [0.0, -0.1, 1 / 3, 2049.0, 2051.0, 65519.0, 65520.0, -1e9, 3e-8, 2.9e-8, -math.inf]
    out = [case("softmax_steps", "toHalf", [x], float(torch.tensor(x).half())) for x in halves]
    for tenths in range(-10, 11):
        temperature = float(f"{10 ** (tenths / 10):.2g}")
        out.append(case("softmax_steps", "temperatureAt", [tenths], temperature))
        out.append(case("softmax_steps", "placeOf", [temperature], tenths))
    for scores, excluded, shift, temperature, diagnoses in settings:
        for (name, dtype), diagnosis in zip(formats.items(), diagnoses, strict=True):
            moved = (torch.tensor(scores, dtype=torch.float64) + shift).to(dtype).double()
            moved = (moved / temperature).to(dtype).double()
            moved = moved.masked_fill(torch.tensor(excluded), -math.inf)
            naive = softmax_in_format(moved, dtype)
            if all(excluded):
                zeros = torch.zeros_like(moved)
                stable = {"exponents": moved, "powers": zeros, "sum": 0.0, "weights": zeros}
            else:
                stable = softmax_in_format((moved - moved.max()).to(dtype).double(), dtype)
            given = [scores, excluded, shift, temperature, name]
            out += [
                case("softmax_steps", "movedScores", given, moved),
                case("softmax_steps", "naiveSteps", [moved, name], naive),
                case("softmax_steps", "stableSteps", [moved, name], stable),
            ]
            distance = 0.0
            if diagnosis in ("fine", "sum", "drift"):
                rows = [naive["weights"], stable["weights"]]
                distance = float((rows[0] - rows[1]).abs().max())
                out.append(case("softmax_steps", "apart", rows, distance))
            given = [moved, naive["powers"], naive["sum"], distance]
            out.append(case("softmax_steps", "diagnose", given, diagnosis))
    return out


def attention_cases() -> list[dict]:
    inputs = [
        (toy @ W_Q, toy @ W_K, toy @ W_V)
        for toy in (toy_embeddings(SENTENCE), toy_embeddings(TWIN))
    ]
    inputs.append((numbers(3, 7, seed=4), numbers(5, 7, seed=5), numbers(5, 2, seed=6)))
    out = []
    for q, k, v in inputs:
        mask = torch.ones(q.shape[0], k.shape[0], dtype=torch.bool).tril()
        mask[0] = False
        for allowed in (None, mask):
            context, weights = scaled_dot_product_attention(q, k, v, allowed)
            scores = q @ k.T / math.sqrt(k.shape[-1])
            expected = {"scores": scores, "weights": weights, "context": context}
            out.append(case("attention", "attention", [q, k, v, allowed], expected))
    q, k, v = inputs[0]
    weights = (q @ k.T).softmax(-1)
    expected = {"scores": q @ k.T, "weights": weights, "context": weights @ v}
    out.append(case("attention", "attention", [q, k, v, None, False], expected))
    return out


def six_steps_cases() -> list[dict]:
    asked = [(toy_embeddings(SENTENCE), W_Q, W_K, W_V, j) for j in (6, 7)]
    asked.append((toy_embeddings(TWIN), W_Q, W_K, W_V, 6))
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


def answer_cases() -> list[dict]:
    questions = [
        ("number", 0.70, 0.707, 0.01),
        ("number", 0.65, 0.707, 0.01),
        ("choice", 1, 1, 0.0),
        ("choice", 0, 1, 5.0),
        ("order", [0, 2, 1], [0, 2, 1], 0.0),
        ("order", [0, 1, 2], [0, 2, 1], 5.0),
        ("cells", [[1.0, 0.0], [0.5, 0.5]], [[1.0, 0.0], [0.5, 0.51]], 0.02),
        ("cells", [[1.0, 0.0], [0.4, 0.6]], [[1.0, 0.0], [0.5, 0.5]], 0.02),
    ]
    return [
        case("answer", "isRight", list(question), check_answer(*question)) for question in questions
    ]


def random_cases() -> list[dict]:
    draws = numbers(50, seed=7, scale=2.0)
    return [case("random", "variance", [draws], float(draws.var(correction=0)))]


def scaling_cases() -> list[dict]:
    rows, keys, width = 5, 3, 7
    draws = torch.from_numpy(normals(seed=3, count=rows * (1 + keys) * width))
    q, k = draws.view(rows, 1 + keys, width).split([1, keys], dim=1)
    dots = (q * k).cumsum(-1).permute(2, 0, 1)
    table = 4.0 * dots[-1]
    out = [
        case("random", "normals", [5, 7], normals(seed=5, count=7).tolist()),
        case("scaling", "dotsByWidth", [draws, rows, keys, width], dots.flatten()),
        case("scaling", "median", [table[0]], float(table[0].median())),
        case("scaling", "median", [[4.0, -1.0, 2.0, 10.0]], 3.0),
    ]
    for divisor in (1.0, math.sqrt(width), float(width)):
        scores = table / divisor
        weights = scores.softmax(-1)
        entropies = torch.special.entr(weights).sum(-1)
        jacobians = torch.diag_embed(weights) - weights[:, :, None] * weights[:, None, :]
        sizes = jacobians.flatten(1).norm(dim=1)
        row = {"weights": weights[0], "entropy": float(entropies[0]), "slopes": float(sizes[0])}
        average = {
            "spread": float(scores.std(correction=0)),
            "largest": float(weights.amax(-1).mean()),
            "entropy": float(entropies.mean()),
            "slopes": float(sizes.mean()),
            "typicalSlopes": float(sizes.median()),
        }
        counts = torch.histc(scores, bins=4, min=-2, max=2)
        shares = {
            "shares": counts / scores.numel(),
            "outside": 1 - float(counts.sum()) / scores.numel(),
        }
        out += [
            case("scaling", "jacobianSize", [weights[0]], float(sizes[0])),
            case("scaling", "weigh", [table[0], divisor], row),
            case("scaling", "summarise", [table, divisor], average),
            case("scaling", "histogram", [table, divisor, 2.0, 4], shares),
        ]
    return out


def spelling_cases() -> list[dict]:
    words = ["tired", "马路", "a", "𠀀é🙂"]  # also letters that JavaScript keeps as two halves
    return [
        *(case("spelling", "spellingVector", [word, 4], spelling_vector(word)) for word in words),
        case("spelling", "spellingVector", ["street", 5], spelling_vector("street", 5)),
    ]


def worked_cases() -> list[dict]:
    q, k, v = numbers(4, seed=8), numbers(5, 4, seed=9), numbers(5, 3, seed=10)
    some = torch.tensor([True, True, False, True, False])
    out = []
    for j, allowed, scaled, size in [
        (0, None, True, 1.0),
        (2, None, False, 1.0),
        (1, None, False, 40.0),  # far above 6: the largest score is taken off
        (3, some, True, 1.0),
        (2, some, True, 1.0),  # a hidden key
        (4, torch.zeros(5, dtype=torch.bool), True, 1.0),  # nothing to look at
    ]:
        key = size * k
        divisor = math.sqrt(4) if scaled else 1.0
        hidden = torch.zeros(5, dtype=torch.bool) if allowed is None else ~allowed
        scores = (key @ q / divisor).masked_fill(hidden, -math.inf)
        shift = scores.max().item() if scores.max() > 6 else 0.0
        exponentials = (scores - shift).exp()
        expected = {
            "products": q * key[j],
            "product": float(q @ key[j]),
            "divisor": divisor,
            "score": scores[j].item(),
            "shift": shift,
            "exponentials": exponentials,
            "total": exponentials.sum().item(),
            "weight": masked_softmax(scores[None], ~hidden[None])[0, j].item(),
        }
        out.append(case("worked", "workedWeight", [q, key, j, allowed, scaled], expected))
    weights = numbers(5, seed=11).softmax(-1)
    expected = {"products": weights * v[:, 1], "entry": (weights @ v)[1].item()}
    out.append(case("worked", "workedContext", [weights, v, 1], expected))
    return out


def cases() -> list[dict]:
    return [
        *linear_cases(),
        *softmax_cases(),
        *softmax_steps_cases(),
        *attention_cases(),
        *spelling_cases(),
        *worked_cases(),
        *six_steps_cases(),
        *answer_cases(),
        *random_cases(),
        *scaling_cases(),
    ]


if __name__ == "__main__":
    TARGET.parent.mkdir(exist_ok=True)
    lines = ",\n".join(json.dumps(item, ensure_ascii=False) for item in cases())
    TARGET.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
