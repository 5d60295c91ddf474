"""The daily check: run the tests that lie nearest to what changed, and say which those are.

Changed is what differs from the main branch; on the main branch itself, what the last commit and
the working tree changed. Tests of the finished site are named, not run: they need ``make site``.
"""

import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import nbformat

from scripts.closure import PACKAGE, ROOT, UnresolvedError, modules_of, names_imported
from scripts.execution import BOOK, EXECUTED, is_current, made_from, up_to_date
from scripts.notebooks import is_edited

MOST = 12  # files of tests that one change brings; more take longer than a minute
JS = PACKAGE / "widgets" / "js"
UNIT, WEB, PARITY = (ROOT / "tests" / name for name in ("unit", "web", "parity"))
OF_ALL_MODULES = ["tests/unit/test_imports.py", "tests/unit/test_docstrings.py"]
OF_ALL_SCRIPTS = ["tests/unit/test_bundle.py", "tests/unit/test_javascript.py"]
EQUAL = "tests/parity/test_parity.py::test_javascript_equals_the_package"
OF_THE_BOOK = "tests/notebooks/test_prose.py"


@dataclass
class Near:
    """What lies near one changed file."""

    tests: list[str] = field(default_factory=list)
    chapters: list[str] = field(default_factory=list)
    needs_site: list[str] = field(default_factory=list)
    left_out: int = 0


def git(*arguments: str) -> list[str]:
    """Return the lines that git prints, or none where it fails."""
    ran = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return ran.stdout.split("\n")[:-1] if ran.returncode == 0 else []


def changed() -> list[str]:
    """List the files that differ from the main branch, or from the commit before the last."""
    (head,) = git("rev-parse", "HEAD") or [""]
    bases = [git("merge-base", "HEAD", name) for name in ("origin/main", "main", "master")]
    base = next((found[0] for found in bases if found and found[0] != head), "HEAD~1")
    names = {*git("diff", "--name-only", base), *git("ls-files", "--others", "--exclude-standard")}
    return sorted(names)


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def by_name(stem: str, folder: Path) -> list[str]:
    """List the tests whose name says that they belong to a stem."""
    found = [*folder.glob(f"test_{stem}.py"), *folder.glob(f"test_*_{stem}.py")]
    return sorted(relative(path) for path in found)


def imports(path: Path) -> set[Path]:
    """List the files of the repository that one of its Python files imports itself."""
    above = ".".join(
        path.relative_to(PACKAGE.parent if PACKAGE in path.parents else ROOT).parts[:-1]
    )
    code = path.read_text(encoding="utf-8")
    found = set()
    for module, name in names_imported(code, above):
        if module.partition(".")[0] == PACKAGE.name:
            line = f"from {module} import {name}" if name else f"import {module}"
            try:
                found |= modules_of(line, above)
            except UnresolvedError:
                found.add(PACKAGE / "__init__.py")
        for dotted in (module, f"{module}.{name}"):
            place = ROOT.joinpath(*dotted.split(".")).with_suffix(".py")
            found |= {place} if place.is_file() else set()
    return found


def by_import(path: Path) -> list[str]:
    """List the unit tests that import a file themselves, else those next nearest to it."""
    tests = {test: imports(test) for test in [*UNIT.glob("test_*.py"), *PARITY.rglob("*.py")]}
    modules = {module: imports(module) for module in PACKAGE.rglob("*.py") if module.stem[0] != "_"}
    reached, level = {path}, {path}
    while level:
        found = [test for test, used in tests.items() if used & level and test.stem[:5] == "test_"]
        if found:
            return sorted(map(relative, found))
        level = {module for module, used in modules.items() if used & level} - reached
        reached |= level
    return []


def scripts_that_import(path: Path) -> set[Path]:
    """List a JavaScript module and all that import it, directly or not."""
    uses = {
        script: {
            (script.parent / name).resolve()
            for name in re.findall(r'from "(\.[^"]+)"', script.read_text(encoding="utf-8"))
        }
        for script in JS.rglob("*.js")
    }
    found: set[Path] = set()
    more = {path}
    while more:
        found |= more
        more = {script for script, used in uses.items() if used & found} - found
    return found


def near(name: str) -> Near:
    """Find what lies near a changed file."""
    path = ROOT / name
    stem = path.stem.removeprefix("attnsteps_")
    found = Near()
    chapters = sorted(one.stem for one in BOOK.glob("*.ipynb") if "." not in one.stem)
    if path.suffix == ".ipynb":
        found.chapters = [path.stem] if path.stem in chapters else []
        found.needs_site = by_name(stem.partition("_")[2], WEB)
    elif path.suffix == ".js" and JS in path.parents:
        users = scripts_that_import(path)
        maths = [one for one in users if one.parent == JS / "maths"]
        found.tests = [f"{EQUAL}[{one.stem}]" for one in sorted(maths)]
        found.tests += ["tests/parity/test_models.py"] * (JS / "maths/model" in path.parents)
        found.tests += OF_ALL_SCRIPTS
        for one in sorted(users - set(maths)):
            found.tests += by_name(f"widgets_{one.stem}", UNIT)
            found.needs_site += by_name(one.stem, WEB)
    elif path.suffix == ".css":
        found.needs_site = by_name(stem, WEB)
    elif path.name.startswith("test_") and path.suffix == ".py" and path.exists():
        (found.needs_site if WEB in path.parents else found.tests).append(name)
    elif PARITY in path.parents and path.suffix == ".py":
        found.tests = [f"{EQUAL}[{stem}]"]
    elif path.suffix == ".py":
        named = by_name(stem, UNIT)
        imported = [test for test in by_import(path) if test not in named] if path.exists() else []
        found.tests = [*named, *imported][:MOST]
        found.left_out = len(named) + len(imported) - len(found.tests)
        if PACKAGE in path.parents:
            found.tests += [*OF_ALL_MODULES, *([name] if path.exists() else [])]  # its examples
            found.chapters = [one for one in chapters if one.partition("_")[2] == stem]
    elif path.suffix in (".md", ".bib", ".yml") and BOOK in path.parents:
        found.tests = [OF_THE_BOOK]
    return found


def report(names: list[str]) -> tuple[list[str], list[str]]:
    """Print what lies near each changed file; return all tests and all chapters."""
    tests, chapters = [], []
    for name in names:
        found = near(name)
        tests += found.tests
        chapters += found.chapters
        if not (found.tests or found.chapters or found.needs_site):
            print(f"{name}: no test matches; `make test` runs all")
            continue
        chosen = [*found.chapters, *(test.removeprefix("tests/") for test in found.tests)]
        print(f"{name}: {', '.join(chosen) or 'nothing that runs without the site'}")
        if found.left_out:
            print(f"  and {found.left_out} more files of tests, which `make test` runs")
        if found.needs_site:
            print(
                f"  not run: `make site && {sys.executable} -m pytest {' '.join(found.needs_site)}`"
            )
    return sorted(set(tests)), sorted(set(chapters))


def stale() -> list[str]:
    """List the chapters whose outputs no longer follow from their code, or whose draft is newer."""
    found = []
    for path in sorted(BOOK.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        if is_edited(path) or not is_current(notebook, made_from(notebook)):
            found.append(path.stem)
    return found


def check(tests: list[str], chapters: list[str], old: list[str]) -> bool:
    """Execute the chapters that are near and run the tests; tell whether all passed.

    What is committed is checked of chapters that aren't old: of the others, it can't be right yet.
    """
    pytest = [sys.executable, "-m", "pytest", "-q", "-n", "2"]
    runs = [[*pytest, *tests, OF_THE_BOOK]]
    if chapters:
        notebooks = {stem: nbformat.read(BOOK / f"{stem}.ipynb", as_version=4) for stem in chapters}
        up_to_date(notebooks, EXECUTED, everything=True)
        files = [f"book/{stem}.ipynb" for stem in chapters]
        runs.append([*pytest, "--executed", EXECUTED, *files])
    if committed := [stem for stem in chapters if stem not in old]:
        runs.append([*pytest, "-k", " or ".join(committed), "tests/notebooks/test_committed.py",
                     "tests/notebooks/test_measures.py"])  # fmt: skip
    return all([subprocess.run(run, cwd=ROOT, check=False).returncode == 0 for run in runs])


def main() -> int:
    names = changed()
    if not names:
        print("Nothing has changed.")
        return 0
    tests, chapters = report(names)
    old = stale()
    if old:
        print(f"stale: {', '.join(old)}: `make notebooks` executes what must be", flush=True)
    sys.stdout.flush()
    return 0 if check(tests, chapters, old) else 1


if __name__ == "__main__":
    sys.exit(main())
