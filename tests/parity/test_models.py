"""The Transformer in JavaScript gives what the package gives, in a real browser."""

import base64
import json

import pytest
import safetensors.torch
import torch

from tests.browser import JS
from tests.parity.cases.model import CASES, CONFIGS, safetensors_of
from tests.parity.test_parity import PLAIN, distance, label

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


@pytest.mark.parametrize("cases", CASES, ids=lambda cases: cases.__name__)
def test_javascript_equals_the_package(cases, maths_page):
    page, base = maths_page
    files = {name: base64.b64encode(safetensors_of(name)).decode() for name in CONFIGS}
    for case in json.loads(json.dumps(cases())):
        got = page.evaluate(CALL, [base, case, files])
        allowed = case.get("tolerance", TOLERANCE)
        assert distance(got, case["expected"]) <= allowed, label(case)


@pytest.mark.parametrize("shape", [None, (12,), (13, 1)])
def test_bytes_without_a_step_for_each_row_are_refused(maths_page, shape):
    page, base = maths_page
    tensors = safetensors.torch.load(safetensors_of("8 bits"))
    name = "src_embedding.weight"
    del tensors[f"{name}.scale"]
    if shape is not None:
        tensors[f"{name}.scale"] = torch.ones(shape)
    file = base64.b64encode(safetensors.torch.save(tensors)).decode()
    said = page.evaluate(
        """async ([base, file]) => {
          const { readSafetensors } = await import(`${base}maths/model/safetensors.js`);
          const bytes = Uint8Array.from(atob(file), (c) => c.charCodeAt()).buffer;
          try { readSafetensors(bytes); } catch (error) { return error.message; } }""",
        [base, file],
    )
    assert said == f"The weights are damaged: {name} lacks a scale for each of its rows."


def test_every_module_of_the_model_has_a_case():
    modules = {path.stem for path in (JS / "maths/model").glob("*.js")}
    named = {case["module"].split("/")[1] for cases in CASES for case in cases()}
    assert modules == named | USED_BY_OTHERS
