"""The reference holds everything public, and leads to the chapters and back."""

import ast
import re
from pathlib import Path

import pytest
from sphinx.util.inventory import InventoryFile

import attnsteps
from tests.browser import ROOT, SITE

PACKAGE = Path(attnsteps.__file__).parent
LISTED = re.findall(r"file: (\S+)", (ROOT / "_toc.yml").read_text(encoding="utf-8"))
MODULES = sorted(
    path.relative_to(PACKAGE)
    for path in PACKAGE.rglob("*.py")
    if path.name != "__init__.py" and "js" not in path.parts
)


@pytest.fixture(scope="module")
def entries():
    """Everything in the reference, as full name → page."""
    with (SITE / "objects.inv").open("rb") as file:
        kinds = InventoryFile.load(file, "", lambda base, page: page)
    return {
        name: place[2].partition("#")[0]
        for kind, places in kinds.items()
        if kind.startswith("py:")
        for name, place in places.items()
    }


def public_names(source: str) -> set[str]:
    """List the functions and classes that a file defines under a public name."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    names = {node.name for node in ast.parse(source).body if isinstance(node, kinds)}
    return {name for name in names if not name.startswith("_")}


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_every_public_name_has_an_entry(entries, path):
    module = ".".join(["attnsteps", *path.with_suffix("").parts])
    names = public_names((PACKAGE / path).read_text(encoding="utf-8"))
    assert {name for name in names if f"{module}.{name}" not in entries} == set()


def test_every_export_has_an_entry(entries):
    exported = [getattr(attnsteps, name) for name in attnsteps.__all__]
    assert all(f"{one.__module__}.{one.__qualname__}" in entries for one in exported)


@pytest.mark.parametrize("page", [page for page in LISTED if re.match(r"\d\d_", page)])
def test_what_a_chapter_derives_links_to_it_and_back(entries, page):
    html = (SITE / f"{page}.html").read_text(encoding="utf-8")
    back = html.partition('<p class="reference-links">')[2].partition("</p>")[0]
    modules = re.findall(r'href="(api/\w+\.html)#module-([\w.]+)"', back)
    # A module of the chapter's own stem, if there is one, is among those that it leads to.
    stem = page[3:]
    own = {f"attnsteps.{'.'.join(p.with_suffix('').parts)}" for p in MODULES if p.stem == stem}
    assert own <= {name for _, name in modules}
    for target, name in modules:
        assert entries[name] == target
        section = (SITE / target).read_text(encoding="utf-8").partition(f'id="module-{name}"')
        assert f'href="../{page}.html"' in section[0][-1500:] + section[2][:1500]
