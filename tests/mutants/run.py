"""Put mistakes into a copy of the package, and see whether the tests notice: `make mutants`.

First the bug zoo's, each of which must make the tests that bear its number fail. Then small random
ones, by mutmut: a fixed sample of them for each module of layers, model, decoding, translator and
analysis, held against that module's own tests. A mutant that no test notices is a survivor; the
share that is noticed is printed, and each survivor with its change.

Everything happens in .mutants/, where mutmut is installed too: the project itself needs it nowhere.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.mutants.bug_zoo import MISTAKES, Mistake

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / ".mutants"
STAGES = ("layers", "model", "storage", "decoding", "translator", "analysis")
SEED = 2017
GOOD_ENOUGH = 0.95
NO_FUNCTIONS = ("__init__", "attention_weights", "inference")  # or one that runs at import only
DECORATED = re.compile(r"^@(inference|contextmanager)\ndef (\w+)", flags=re.MULTILINE)
# A module's own tests must notice; these share tests with others, or have none under their stem.
TESTS = {
    "attention": ["attention", "multi_head"],
    "build": ["encoder", "decoder", "transformer", "since_2017"],
    "config": ["config", "since_2017"],
    "decoder": ["decoder", "step", "cache", "since_2017"],
    "encoder": ["encoder", "since_2017"],
    "flops": ["transformer", "config", "since_2017"],
    "greedy": ["greedy", "step"],
    "heads": ["heads", "since_2017"],
    "linear": ["multi_head", "feed_forward"],
    "masks": ["masks", "since_2017"],
    "memory": ["memory", "since_2017"],
    "mode": ["inference", "scores", "trained"],
    "model_file": ["weights"],
    "multi_head": ["multi_head", "cache", "rotary", "since_2017"],
    "new_file": ["weights", "log"],
    "positional": ["positional", "positions"],
    "result": ["greedy", "inference", "beam"],
    "search": ["trained"],
    "step": ["greedy", "sample", "beam", "step"],
    "tensor_file": ["weights"],
    "transformer": ["transformer", "cache", "since_2017"],
    "translator_file": ["trained", "eight_bits"],
    "writer_file": ["widgets_digit_writer"],
}

CONFIG = """
[tool.mutmut]
source_paths = {paths}
pytest_add_cli_args_test_selection = {tests}
pytest_add_cli_args = ["-p", "no:cacheprovider", "-k", "not compile and not export and not killed"]
also_copy = ["src", "tests", "scripts"]
"""


def copy_tree(name: str) -> Path:
    """Copy what the unit tests need into a fresh folder."""
    tree = HOME / name
    shutil.rmtree(tree, ignore_errors=True)
    nothing = shutil.ignore_patterns("__pycache__", "*.egg-info", "web", "parity")
    for folder in ("src", "tests", "scripts"):
        shutil.copytree(ROOT / folder, tree / folder, ignore=nothing)
    shutil.copy(ROOT / "pyproject.toml", tree)
    return tree


def modules() -> list[Path]:
    """List the modules that are tried, stage by stage."""
    return [
        path
        for stage in STAGES
        for path in sorted((ROOT / "src/attnsteps" / stage).glob("*.py"))
        if path.stem not in NO_FUNCTIONS
    ]


def test_files(stem: str) -> list[str]:
    """List a module's own unit tests, and those that it shares with others."""
    paths = [f"tests/unit/test_{name}.py" for name in TESTS.get(stem, [stem])]
    if lacking := [path for path in paths if not (ROOT / path).exists()]:
        raise ValueError(f"TESTS must name the tests of {stem}: there is no {', '.join(lacking)}")
    return paths


def environment(tree: Path) -> dict[str, str]:
    """Let a process in a tree import that tree's package."""
    return {**os.environ, "PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"}


def is_noticed(mistake: Mistake, tree: Path) -> bool:
    """Make one of the bug zoo's mistakes, run its tests, and take it back."""
    path = tree / "src/attnsteps" / mistake.module
    right = wrong = path.read_text(encoding="utf-8")
    for old, new in mistake.changes.items():
        if old not in wrong:
            raise ValueError(f"bug {mistake.number}: {mistake.module} holds no {old!r}")
        wrong = wrong.replace(old, new)
    path.write_text(wrong, encoding="utf-8")
    try:
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
        command += [f"tests/unit/{mistake.test}.py", "-k", f"test_bug_zoo_{mistake.number:02}"]
        done = subprocess.run(
            command, cwd=tree, env=environment(tree), capture_output=True, text=True, check=False
        )
    finally:
        path.write_text(right, encoding="utf-8")
    if done.returncode not in (0, 1):
        raise RuntimeError(f"bug {mistake.number}: pytest ended with {done.stdout[-2000:]}")
    return done.returncode == 1


def bug_zoo() -> bool:
    """Make every mistake of the bug zoo, and say whether all were noticed."""
    tree = copy_tree("zoo")
    missed = 0
    for mistake in MISTAKES:
        noticed = is_noticed(mistake, tree)
        missed += not noticed
        verdict = "noticed" if noticed else "MISSED "
        print(f"bug {mistake.number:2}  {verdict}  {mistake.what} ({mistake.test})", flush=True)
    print(f"bug zoo: {len(MISTAKES) - missed} of {len(MISTAKES)} mistakes noticed\n")
    return missed == 0


def mutmut(tree: Path, *arguments: str) -> None:
    """Run mutmut in a tree."""
    command = [sys.executable, "-m", "mutmut", "run", *arguments]
    log = (HOME / "mutmut.log").open("a", encoding="utf-8")
    done = subprocess.run(
        command, cwd=tree, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=log, stderr=log, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise RuntimeError(f"mutmut failed; see {log.name}")


def outcomes(tree: Path) -> dict[str, int | None]:
    """Read every mutant's name, and the exit status of its tests; None if they were not run."""
    found: dict[str, int | None] = {}
    for path in sorted((tree / "mutants").rglob("*.meta")):
        found |= json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"]
    return found


def sample(names: list[str], count: int) -> list[str]:
    """Draw so many mutants of each module, always the same ones."""
    modules: dict[str, list[str]] = {}
    for name in names:
        modules.setdefault(name.rpartition(".")[0], []).append(name)
    return [
        name
        for module, here in sorted(modules.items())
        for name in random.Random(f"{SEED} {module}").sample(sorted(here), min(count, len(here)))
    ]


def decorate_below(path: Path) -> None:
    """Apply decorators at the end of a module: mutmut leaves decorated functions alone."""
    source = path.read_text(encoding="utf-8")
    found = DECORATED.findall(source)
    source = DECORATED.sub(r"def \2", source)
    source += "".join(f"\n{name} = {decorator}({name})\n" for decorator, name in found)
    path.write_text(source, encoding="utf-8")


def mutants(module: Path, count: int, children: int) -> tuple[list[str], list[str]]:
    """Run a sample of one module's mutants; return what was tried, and what survived.

    Args:
        module: its path inside the repository.
        count: how many to try.
        children: how many at a time.
    """
    tree = copy_tree("tree")
    decorate_below(tree / module)
    with (tree / "pyproject.toml").open("a", encoding="utf-8") as file:
        tests = json.dumps(test_files(module.stem))
        file.write(CONFIG.format(paths=json.dumps([str(module)]), tests=tests))
    options = ["--max-children", str(children)]
    mutmut(tree, *options, "*__mutmut_1")  # makes all mutants, and tries a few of them
    chosen = sample(sorted(outcomes(tree)), count)
    mutmut(tree, *options, *chosen)
    found = outcomes(tree)
    survivors = [name for name in chosen if found[name] in (0, 33)]  # 33: no test comes this way
    for name in survivors:
        print(f"survivor {name}\n{change(tree, name)}", flush=True)
    return chosen, survivors


def change(tree: Path, name: str) -> str:
    """Return the lines that a mutant changes."""
    command = [sys.executable, "-m", "mutmut", "show", name]
    shown = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False).stdout
    lines = [line for line in shown.splitlines() if line[:1] in "+-"]
    return "\n".join(f"    {line}" for line in lines if line[:3] not in ("+++", "---"))


def all_mutants(stems: list[str], count: int, children: int) -> bool:
    """Try every module, and say whether enough mutants were noticed."""
    (HOME / "mutmut.log").unlink(missing_ok=True)
    tried, survived = 0, 0
    for path in modules():
        if stems and path.stem not in stems:
            continue
        chosen, survivors = mutants(path.relative_to(ROOT), count, children)
        tried, survived = tried + len(chosen), survived + len(survivors)
        stage = path.parent.name
        print(f"{stage}.{path.stem}: {len(survivors)} of {len(chosen)} survived", flush=True)
    share = 1 - survived / tried
    print(f"mutants: {tried} tried, {share:.1%} killed, {survived} survived")
    return share >= GOOD_ENOUGH


def main() -> None:
    """Run both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=15, help="mutants of each module")
    parser.add_argument("--modules", nargs="+", default=[], help="their stems; all if none")
    parser.add_argument("--children", type=int, default=os.cpu_count())
    parser.add_argument("--only", choices=["zoo", "mutants"])
    arguments = parser.parse_args()
    good = True
    if arguments.only != "mutants":
        good = bug_zoo()
    if arguments.only != "zoo":
        good = all_mutants(arguments.modules, arguments.sample, arguments.children) and good
    raise SystemExit(not good)


if __name__ == "__main__":
    main()
