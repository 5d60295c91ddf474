"""``js/maths/softmax_steps.js`` against the package."""

import math

import torch
from torch import Tensor

from tests.parity.case import case


def softmax_in_format(scores: Tensor, dtype: torch.dtype) -> dict:
    """Compute exp(x) / Σ exp(x) with every result rounded to ``dtype``."""
    powers = scores.exp().to(dtype).double()
    total = torch.zeros((), dtype=torch.float64)
    for power in powers:
        total = (total + power).to(dtype).double()
    weights = (powers / total).to(dtype).double()
    return {"exponents": scores, "powers": powers, "sum": float(total), "weights": weights}


def cases() -> list[dict]:
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
