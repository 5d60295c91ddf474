"""The Transformer in JavaScript gives what the package gives, in a real browser."""

import base64
import json
from pathlib import Path

import pytest
import safetensors.torch
import torch

from scripts import parity_models as script
from tests.browser import JS
from tests.parity.test_parity import PLAIN, distance, label

CASES = json.loads(script.TARGET.read_text(encoding="utf-8"))
TOLERANCE = 1e-6
# What these do is compared in the results of those that call them.
USED_BY_OTHERS = {"encoder", "decoder", "next_token"}

CALL = """async ([base, { module, function: name, arguments: given, pick = null }, files]) => {PLAIN
  const { loadTransformer } = await import(`${base}maths/model/transformer.js`);
  const double = (x) => x.map((row) => row.map((value) => 2 * value));
  const bytes = (name) => Uint8Array.from(atob(files[name]), (c) => c.charCodeAt()).buffer;
  const revive = (x) => Array.isArray(x) ? x.map(revive)
    : x?.model ? loadTransformer(bytes(x.model)) : x?.function ? double
    : x && typeof x === "object"
      ? Object.fromEntries(Object.entries(x).map(([k, v]) => [k, revive(v)]))
    : x;
  const exported = await import(`${base}maths/${module}.js`);
  const all = exported[name](...revive(given));
  return plain(pick === null ? all : Array.isArray(pick)
    ? Object.fromEntries(pick.map((key) => [key, all[key]])) : all[pick]);
}""".replace("PLAIN", PLAIN)


def fixture(name: str) -> Path:
    return script.TARGET.with_name(f"{name}.safetensors")


def encoded(name: str) -> str:
    return base64.b64encode(fixture(name).read_bytes()).decode()


@pytest.mark.parametrize("case", CASES, ids=label)
def test_javascript_equals_the_package(case, maths_page):
    page, base = maths_page
    given = [item for item in case["arguments"] if isinstance(item, dict)]
    files = {item["model"]: encoded(item["model"]) for item in given if "model" in item}
    got = page.evaluate(CALL, [base, case, files])
    assert distance(got, case["expected"]) <= case.get("tolerance", TOLERANCE)


def test_cases_are_what_the_package_gives_now():
    fresh = json.loads(json.dumps(script.cases()))
    assert [label(case) for case in fresh] == [label(case) for case in CASES]
    assert distance(fresh, CASES) <= 1e-12


@pytest.mark.parametrize("name", script.CONFIGS)
def test_model_files_are_what_the_package_gives_now(name):
    fresh = safetensors.torch.load(script.safetensors_of(name))
    kept = safetensors.torch.load(fixture(name).read_bytes())
    assert fresh.keys() == kept.keys()
    assert all(torch.equal(fresh[key], kept[key]) for key in fresh)


def test_every_module_of_the_model_has_a_case():
    modules = {path.stem for path in (JS / "maths/model").glob("*.js")}
    assert modules == {case["module"].split("/")[1] for case in CASES} | USED_BY_OTHERS
