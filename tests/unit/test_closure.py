"""What a chapter depends on: its imports, what those import, and all where that can't be told."""

import shutil

import nbformat
import pytest

from scripts.closure import PACKAGE, files_behind
from tests.browser import ROOT

MODULES = {
    "__init__.py": (
        '"""All."""\nimport os\nfrom pack.stage.one import first\n'
        'from pack.stage import second\n__all__ = ["first"]\nos.environ["A"] = "B"\n'
    ),
    "stage/__init__.py": '"""A stage."""\nfrom pack.stage.two import second\nown = 1\n',
    "stage/one.py": "from pack.base import helper\nfirst = helper\n",
    "stage/two.py": "from .three import third\nsecond = third\n",
    "stage/three.py": "def third():\n    from pack import first\n    return first\n",
    "base.py": "helper = 1\n",
    "data.py": 'PATH = "assets/results.json"\n',
    "weights.py": 'PATH = "assets/model.safetensors"\n',
    "outside.py": "import subprocess\n",
    "assets/results.json": "{}",
    "assets/model.safetensors": "0",
}
PASSED_THROUGH = {"__init__.py", "stage/__init__.py"}
ALL_MODULES = {name for name in MODULES if name.endswith(".py")}


@pytest.fixture
def package(tmp_path):
    for name, text in MODULES.items():
        path = tmp_path / "pack" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "pack"


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import torch", set()),
        ("from pack.base import helper", {"base.py", "__init__.py"}),
        ("from pack import first", {"stage/one.py", "base.py", *PASSED_THROUGH}),
        ("from pack.stage import one", {"stage/one.py", "base.py", *PASSED_THROUGH}),
        ("import pack.stage.one as x", {"stage/one.py", "base.py", *PASSED_THROUGH}),
        # passed on twice; then a relative import, then one inside a function
        ("from pack import second", ALL_MODULES - {"data.py", "weights.py", "outside.py"}),
        ("from pack.stage import own", ALL_MODULES - {"data.py", "weights.py", "outside.py"}),
        ("from pack import data", {"data.py", "__init__.py", "assets/results.json"}),
        ("from pack import weights", {"weights.py", "__init__.py", "assets/model.safetensors"}),
        ("if True:\n    %pip install x\nfrom pack import data",
         {"data.py", "__init__.py", "assets/results.json"}),
    ],
)  # fmt: skip
def test_only_what_is_imported_counts(package, code, found):
    assert set(files_behind(code, package)) == found


@pytest.mark.parametrize(
    "code",
    [
        "import pack",
        "from pack import *",
        "from pack import unknown",
        "import subprocess",
        "from importlib import import_module",
        "exec('1')",
        "!python -m pack",
        "%run pack",
        "from pack import outside",
        "import from",  # no Python
    ],
)
def test_what_cannot_be_resolved_counts_as_the_whole_package(package, code):
    assert set(files_behind(code, package)) >= ALL_MODULES


def test_a_package_that_only_passes_a_name_on_counts_for_what_it_does_itself(package):
    code = "from pack import first"
    before = files_behind(code, package)
    init = package / "__init__.py"
    init.write_text(MODULES["__init__.py"].replace("All.", "Everything.") + "from pack import data")
    assert files_behind(code, package) == before
    init.write_text(MODULES["__init__.py"].replace('"B"', '"C"'))
    assert files_behind(code, package) != before


def test_a_change_is_seen_at_once(package):
    code = "from pack import first"
    before = files_behind(code, package)
    (package / "stage/one.py").write_text("from pack import data\nfirst = data\n")
    after = files_behind(code, package)
    assert "data.py" in after
    assert after["stage/one.py"] != before["stage/one.py"]


def test_words_about_the_code_do_not_count(package):
    one = package / "stage/one.py"
    code = "from pack import first"
    one.write_text('first = "# 1"\n')
    before = files_behind(code, package)
    one.write_text(
        '"""A module,\n\nand more."""\n\n# a note\nfirst = "# 1"  # another\n', encoding="utf-8"
    )
    assert files_behind(code, package) == before
    one.write_text('first = "# 2"\n')
    assert files_behind(code, package) != before


def test_of_the_results_only_the_parts_that_are_named_count(package):
    results = package / "assets/results.json"
    results.write_text('{"scaling": 1, "other": 1}')
    code = "from pack import data\nread(data.PATH, 'scaling')"
    before = files_behind(code, package)
    results.write_text('{"scaling": 1, "other": 2, "new": 3}')
    assert files_behind(code, package) == before
    results.write_text('{"scaling": 2, "other": 2, "new": 3}')
    assert files_behind(code, package) != before
    assert files_behind("from pack import data", package) != before  # names none: all count


def test_of_the_weights_those_that_are_named_count_and_all_where_none_is(package):
    for name in ("step_0100", "step_0200", "other"):
        (package / f"assets/{name}.safetensors").write_text("1")
    found = files_behind("glob('assets/step_*.safetensors')", package)
    assert set(found) == {"assets/step_0100.safetensors", "assets/step_0200.safetensors"}
    assert len(files_behind("load(ASSETS / name)", package)) == 5


@pytest.fixture(scope="module")
def chapters():
    """The code of every chapter."""
    found = {}
    for path in sorted((ROOT / "book").glob("*.ipynb")):
        cells = nbformat.read(path, as_version=4).cells
        found[path.stem] = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    return found


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the package."""
    folder = tmp_path_factory.mktemp("copy") / "attnsteps"
    return shutil.copytree(PACKAGE, folder, ignore=lambda *_: ["__pycache__"])


@pytest.fixture(scope="module")
def changes(copy, chapters):
    """Tell which chapters depend on something else than when this was last asked."""

    def look():
        return {stem: files_behind(code, copy) for stem, code in chapters.items()}

    known = look()

    def ask():
        before = dict(known)
        known.update(look())
        return {stem for stem in known if known[stem] != before[stem]}

    return ask


@pytest.mark.parametrize(
    ("changed", "stale", "current"),
    [
        ("layers/masks.py", {"09_masks", "15_transformer"}, {"04_", "06_"}),
        ("exercises/masks.py", {"09_masks"}, {"08_", "10_", "13_", "bug_zoo", "intro"}),
        ("widgets/softmax.py", {"06_softmax"}, {"05_", "07_", "08_", "ledger"}),
        ("analysis/leaks.py", {"09_masks"}, {"14_", "16_", "17_"}),
        ("checks.py", {"01_sequence_to_sequence", "04_query_key_value", "22_since_2017"}, set()),
    ],
)
def test_a_change_makes_stale_what_uses_it(copy, changes, changed, stale, current):
    with (copy / changed).open("a", encoding="utf-8") as file:
        file.write("changed = True\n")
    found = changes()
    assert stale <= found
    assert not [stem for stem in found if stem.startswith(tuple(current))]
