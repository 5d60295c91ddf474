"""The widgets' scripts, as far as Python can judge them: ``make lint`` does the rest with Node."""

import json
import re

import pytest

from tests.browser import JS, ROOT

SCRIPTS = [*sorted(JS.rglob("*.js")), *sorted((ROOT / "book" / "assets").glob("*.js"))]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_no_line_is_longer_than_100_columns(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [n for n, line in enumerate(lines, start=1) if len(line) > 100] == []


def test_no_script_is_excused_from_a_rule():
    assert '"overrides"' not in (ROOT / "biome.jsonc").read_text(encoding="utf-8")
    assert '"exclude"' not in (ROOT / "jsconfig.json").read_text(encoding="utf-8")


def test_the_linters_are_pinned():
    wanted = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    assert [name for name, version in wanted.items() if not re.fullmatch(r"[\d.]+", version)] == []
