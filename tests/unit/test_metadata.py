"""What the project asks for admits what it is tested with, and what Colab has."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = [line for lines in PROJECT["optional-dependencies"].values() for line in lines]


def pins(path: str) -> dict[str, str]:
    """Return name → version of a file of exact pins."""
    lines = [re.split("[#;]", line)[0].strip() for line in (ROOT / path).read_text().splitlines()]
    pairs = [line.split("==") for line in lines if line]
    return {name.lower().replace("_", "-"): version for name, version in pairs}


@pytest.mark.parametrize("line", [*PROJECT["dependencies"], *EXTRAS])
def test_every_requirement_is_pinned_within_its_range(line):
    requirement = Requirement(line)
    assert pins("requirements.txt")[requirement.name.lower()] in requirement.specifier


def test_colabs_versions_are_admitted_and_little_is_new_to_colab():
    colab = {"torch": "2.11.0", "safetensors": "0.8.0", "tqdm": "4.67.3", "pooch": "1.9.0"}
    colab |= {"tokenizers": "0.22.2"} | pins("book/_colab/versions.txt")
    wanted = {line.name: line.specifier for line in map(Requirement, PROJECT["dependencies"])}
    assert wanted.keys() - colab.keys() == {"jaxtyping", "sacrebleu"}
    assert all(colab[name] in wanted[name] for name in wanted.keys() & colab.keys())


def test_python_is_admitted_from_3_11():
    assert PROJECT["requires-python"] == ">=3.11"
