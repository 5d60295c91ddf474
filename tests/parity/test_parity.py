"""The widgets' JavaScript gives what the package gives, in a real browser."""

import json
import math
from pathlib import Path

import pytest

from scripts import parity_cases as script

ROOT = Path(__file__).resolve().parents[2]
CASES = json.loads((ROOT / "tests/parity/cases.json").read_text(encoding="utf-8"))
TOLERANCE = 1e-6

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
    return f"{case['module']}.{case['function']}"


@pytest.mark.parametrize("case", CASES, ids=label)
def test_javascript_equals_the_package(case, maths_page):
    page, base = maths_page
    assert distance(page.evaluate(CALL, [base, case]), case["expected"]) <= TOLERANCE


def test_cases_are_what_the_package_gives_now():
    fresh = json.loads(json.dumps(script.cases()))
    assert [label(case) for case in fresh] == [label(case) for case in CASES]
    assert distance(fresh, CASES) <= 1e-12


def test_every_maths_module_has_a_case():
    modules = {path.stem for path in (ROOT / "src/attnsteps/widgets/js/maths").glob("*.js")}
    assert modules == {case["module"] for case in CASES}
