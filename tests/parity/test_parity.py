"""The widgets' JavaScript gives what the package gives, in a real browser."""

import importlib
import json
import math

import pytest

from tests.browser import JS

TOLERANCE = 1e-6
MODULES = sorted(path.stem for path in (JS / "maths").glob("*.js"))

# What a function returns, as JSON can hold it.
PLAIN = """
  const plain = (x) => typeof x === "number" && !Number.isFinite(x) ? String(x)
    : Array.isArray(x) || ArrayBuffer.isView(x) ? Array.from(x, plain)
    : x && typeof x === "object"
      ? Object.fromEntries(Object.entries(x).map(([k, v]) => [k, plain(v)]))
    : x;
"""

CALL = """async ([base, { module, function: name, arguments: given }]) => {PLAIN
  const revive = (x) => Array.isArray(x) ? x.map(revive)
    : x === "Infinity" ? Infinity : x === "-Infinity" ? -Infinity : x;
  const exported = await import(`${base}maths/${module}.js`);
  return plain(exported[name](...revive(given)));
}""".replace("PLAIN", PLAIN)


def distance(got: object, want: object) -> float:
    """Return the largest difference of two nested values; infinite where their forms differ."""
    if isinstance(want, dict):
        if not isinstance(got, dict) or got.keys() != want.keys():
            return math.inf
        return max((distance(got[name], want[name]) for name in want), default=0.0)
    if isinstance(want, list):
        if not isinstance(got, list) or len(got) != len(want):
            return math.inf
        return max((distance(a, b) for a, b in zip(got, want, strict=True)), default=0.0)
    if want is None or isinstance(want, bool | str) or not isinstance(got, int | float):
        return 0.0 if got == want else math.inf
    return abs(got - want)


def label(case: dict) -> str:
    """Name a case where its numbers differ."""
    return f"{case['module']}.{case['function']}({str(case['arguments'])[:60]}…)"


@pytest.mark.parametrize("module", MODULES)
def test_javascript_equals_the_package(module, maths_page):
    page, base = maths_page
    cases = json.loads(json.dumps(importlib.import_module(f"tests.parity.cases.{module}").cases()))
    assert module in {case["module"] for case in cases}
    for case in cases:
        got = page.evaluate(CALL, [base, case])
        assert distance(got, case["expected"]) <= TOLERANCE, label(case)
