"""Imports point upstream only, and the package stays light."""

import ast
import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import attnsteps

PACKAGE = Path(attnsteps.__file__).parent

# A stage may import from its own room and from the rows above it, but not from the other rooms in
# its own row. In the first rows are the modules that stand on nothing, so that all may use them.
ORDER = [
    {"checks", "glue", "language", "results", "running_example"},
    {"toy"},
    {"shapes"},
    {"corpora"},
    {"text"},
    {"layers"},
    {"model"},
    {"storage"},
    {"decoding", "training"},
    {"translator"},
    {"analysis"},
    {"diagrams"},
    {"plotting"},
    {"figures"},
    {"exercises"},
    {"widgets", "cli"},
    {"__main__"},
]
EXPORTED_FROM = {
    name: getattr(attnsteps, name).__module__.split(".")[1] for name in attnsteps.__all__
}
RANK = {stage: rank for rank, stages in enumerate(ORDER) for stage in stages}


def imported_modules(source: str, package: str) -> set[str]:
    """List the modules that a file imports, relative imports made absolute.

    Args:
        source: the file's text.
        package: the dotted name of the package that the file lies in.
    """
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")
                above = ".".join(parents[: len(parents) - node.level + 1])
                base = f"{above}.{base}" if base else above
            # "from attnsteps import layers" imports a stage; "from attnsteps.layers.x import f" x.
            found |= {
                f"{base}.{alias.name}" if base == "attnsteps" else base for alias in node.names
            }
    return found


def stages_used(source: str, package: str) -> set[str]:
    """List the stages that a file imports from; what the package exports counts as its stage."""
    modules = [name.split(".") for name in imported_modules(source, package)]
    names = {parts[1] if len(parts) > 1 else "" for parts in modules if parts[0] == "attnsteps"}
    return {EXPORTED_FROM.get(name, name) for name in names}


def wrong_way(stage: str, source: str, package: str) -> set[str]:
    """List the stages that a file of the given stage imports from although it must not."""
    others = stages_used(source, package) - {stage}
    return {used for used in others if RANK.get(used, 99) >= RANK[stage]}


FILES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_upstream_only(path):
    inside = path.relative_to(PACKAGE)
    stage = inside.parts[0].removesuffix(".py")
    assert stage in RANK, f"{inside} belongs to no stage: put {stage!r} into ORDER"
    package = ".".join(["attnsteps", *inside.parts[:-1]])
    assert wrong_way(stage, path.read_text(encoding="utf-8"), package) == set()


@pytest.mark.parametrize(
    ("stage", "source", "found"),
    [
        ("layers", "from attnsteps.shapes import check_shape", set()),
        ("layers", "from attnsteps.layers.masks import combine", set()),
        ("layers", "from . import masks", set()),
        ("layers", "import torch, math", set()),
        ("widgets", "from attnsteps import layers, plotting", set()),
        ("translator", "from attnsteps.decoding.greedy import greedy", set()),
        ("training", "from attnsteps.decoding.greedy import greedy", {"decoding"}),
        ("text", "from attnsteps.corpora.parallel import load", set()),
        ("corpora", "from attnsteps.text.vocab import Vocab", {"text"}),
        ("decoding", "from attnsteps.training.loop import train", {"training"}),
        ("layers", "from attnsteps.model.encoder import Encoder", {"model"}),
        ("layers", "from ..model import encoder", {"model"}),
        ("layers", "import attnsteps.widgets.attention", {"widgets"}),
        ("layers", "def late():\n    from attnsteps import plotting", {"plotting"}),
        ("widgets", "from attnsteps import MultiHeadAttention", set()),
        ("text", "from attnsteps import MultiHeadAttention", {"layers"}),
        ("widgets", "from attnsteps import nothing_known", {"nothing_known"}),
        ("widgets", "import attnsteps", {""}),
        ("figures", "from attnsteps import diagrams, plotting", set()),
        ("diagrams", "from attnsteps.figures.shared import with_axes", {"figures"}),
        ("figures", "from attnsteps.exercises.answer import answered", {"exercises"}),
    ],
)
def test_the_check_can_fail(stage, source, found):
    assert wrong_way(stage, source, f"attnsteps.{stage}") == found


ROOT = Path(__file__).parents[2]
APART = sorted([*ROOT.glob("bench/*.py"), *ROOT.glob("tests/peers/*.py")])


@pytest.mark.parametrize("path", APART, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_is_run_apart_imports_names_that_exist(path):
    """Only `make bench` and `make peers` run these files, so a name that has moved hides there."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module.partition(".")[0] == "attnsteps":
            module = importlib.import_module(node.module)
            assert {alias.name for alias in node.names} <= set(dir(module))


def test_importing_the_package_draws_nothing():
    code = (
        "import sys, attnsteps;"
        "print([name for name in ('matplotlib', 'ipywidgets', 'anywidget', 'IPython')"
        " if name in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=PACKAGE.parent,
    )
    assert result.stdout.strip() == "[]"


def test_importing_the_package_changes_nothing_in_the_process():
    code = (
        "import os, signal, torch;"
        "state = lambda: (dict(os.environ), signal.getsignal(signal.SIGINT),"
        " torch.get_num_threads(), torch.get_default_dtype(), torch.random.initial_seed());"
        "before = state(); import attnsteps; print(before == state())"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=PACKAGE.parent,
        env={"PATH": os.environ["PATH"]},  # nothing that an import in this process has set
    )
    assert result.stdout.strip() == "True"


def test_every_export_exists_and_is_listed_in_the_order_of_the_data():
    assert all(hasattr(attnsteps, name) for name in attnsteps.__all__)
    ranks = [RANK[EXPORTED_FROM[name]] for name in attnsteps.__all__]
    assert ranks == sorted(ranks)
    assert len(set(attnsteps.__all__)) == len(attnsteps.__all__)


def imports_of(name: str) -> set[str]:
    """List the modules of the package that one of them imports."""
    path = PACKAGE.parent.joinpath(*name.split(".")).with_suffix(".py")
    source = path.read_text(encoding="utf-8") if path.exists() else ""
    return imported_modules(source, name.rpartition(".")[0]) & {module_name(file) for file in FILES}


def module_name(path: Path) -> str:
    """Return a file's dotted name."""
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)


def between(start: str, end: str) -> set[str]:
    """List the modules on every chain of imports from one module to another, both included."""
    ways = [between(name, end) for name in imports_of(start) if name != end]
    found = set().union(*ways) | ({end} if end in imports_of(start) else set())
    return found | {start} if found else set()


def test_the_models_whole_path_is_seven_modules():
    path = between("attnsteps.model.transformer", "attnsteps.layers.attention")
    assert {name.rpartition(".")[2] for name in path} == {
        *("transformer", "build", "multi_head", "attention")
    }
    # These three import no attention: it is put into them.
    for other in ("encoder", "decoder"):
        assert not between(f"attnsteps.model.{other}", "attnsteps.layers.attention")
        assert f"attnsteps.model.{other}" in imports_of("attnsteps.model.build")
    assert "attnsteps.layers.sublayer" in imports_of("attnsteps.model.build")


def test_every_export_shows_an_example():
    """Each is run: pytest collects doctests (pyproject.toml)."""
    exported = {name: getattr(attnsteps, name) for name in attnsteps.__all__}
    described = {name: one.__doc__ or "" for name, one in exported.items() if callable(one)}
    assert [name for name, text in described.items() if "\n        >>> " not in f"\n{text}"] == []
