"""Find the files of the package that a piece of code depends on, by reading its imports.

``import attnsteps`` loads every module, yet a name comes from one: ``from attnsteps import
causal_mask`` needs ``layers/masks.py``, and what that imports in turn. What can't be resolved by
reading, such as a subprocess, counts as the whole package.
"""

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "attnsteps"

#: Modules that can run code which no import names.
OPAQUE = {"subprocess", "runpy", "importlib", "multiprocessing"}
CALLS = {"exec", "eval", "__import__"}
EITHER = re.compile(rf"(?<![.\w])(?:{'|'.join(OPAQUE | CALLS)})\b")  # most code has neither
MAGIC = re.compile(r"^([ \t]*)[%!].*$", re.MULTILINE)  # of IPython, which is not Python
INSTALLS = re.compile(r"^\s*%pip install\b")


class UnresolvedError(Exception):
    """Reading the code doesn't tell what it uses."""


def files_behind(code: str, package: Path = PACKAGE) -> dict[str, bytes]:
    """Return the files of the package that the code depends on: relative path → what counts of it.

    Of a module, what runs counts, not its docstrings and comments; of an ``__init__.py`` through
    which a name is only passed on, its own statements.

    Args:
        code: the text of a module or of a chapter's cells.
        package: the folder of the package.
    """
    try:
        if any(not INSTALLS.match(line[0]) for line in MAGIC.finditer(code)):
            raise UnresolvedError
        modules = _modules_behind(MAGIC.sub(r"\1pass", code), package)
    except (UnresolvedError, SyntaxError):
        modules = set(package.rglob("*.py"))
    texts = [code, *(path.read_text(encoding="utf-8") for path in modules)]
    read = {path: _running(path.read_bytes()) for path in modules} | _assets(texts, package)
    found = {path.relative_to(package).as_posix(): content for path, content in read.items()}
    for path in modules:
        for folder in path.relative_to(package).parents:
            init = package / folder / "__init__.py"
            _, own = _init(init.read_text(encoding="utf-8"))
            found.setdefault((folder / "__init__.py").as_posix(), own)
    return dict(sorted(found.items()))


def _modules_behind(code: str, package: Path) -> set[Path]:
    """Follow the imports of the code, and those of every module that it reaches."""
    if _is_opaque(code):
        raise UnresolvedError
    found: set[Path] = set()
    todo = modules_of(code, package.name, package)
    while todo:
        path = todo.pop()
        if path not in found:
            found.add(path)
            text = path.read_text(encoding="utf-8")
            if _is_opaque(text):
                raise UnresolvedError
            above = ".".join(path.relative_to(package.parent).parts[:-1])
            todo |= modules_of(text, above, package)
    return found


def modules_of(code: str, above: str, package: Path = PACKAGE) -> set[Path]:
    """Return the modules that some code imports itself; ``above`` is the package that holds it.

    Raises:
        UnresolvedError: it imports the whole package, from which anything may be used.
    """
    return {
        _home(module, name, package)
        for module, name in names_imported(code, above)
        if module.partition(".")[0] == package.name
    }


@cache
def names_imported(code: str, above: str) -> list[tuple[str, str]]:
    """List what some code imports: a module and the name taken from it, which may be empty."""
    names = []
    for node in _statements(_parsed(code)):
        if isinstance(node, ast.Import):
            names += [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = above.split(".")[: len(above.split(".")) - node.level + 1]
                base = ".".join([*parents, base]).rstrip(".")
            names += [(base, alias.name) for alias in node.names]
    return names


@cache
def _parsed(code: str) -> ast.Module:
    """Parse a text once."""
    return ast.parse(code)


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Go through all statements in a piece of code, without what they compute."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield child
            yield from _statements(child)


@cache
def _is_opaque(code: str) -> bool:
    """Tell whether code can reach modules that no import names."""
    if not EITHER.search(code):
        return False
    imports = {module for module, _ in names_imported(code, "")}
    return bool(imports & OPAQUE) or any(
        isinstance(node, ast.Name) and node.id in CALLS for node in ast.walk(_parsed(code))
    )


def _home(module: str, name: str, package: Path) -> Path:
    """Return the file that defines a name, through every ``__init__.py`` that passes it on."""
    place = package.parent.joinpath(*module.split("."))
    if place.with_suffix(".py").is_file():
        return place.with_suffix(".py")
    init = place / "__init__.py"
    if not init.is_file() or (place == package and not name):
        raise UnresolvedError  # of `import attnsteps`, anything may be used
    if (place / f"{name}.py").is_file() or (name and (place / name).is_dir()):
        return _home(f"{module}.{name}", "", package)
    passed_on, _ = _init(init.read_text(encoding="utf-8"))
    if name in passed_on:
        return _home(*passed_on[name], package)
    if place == package:
        raise UnresolvedError
    return init


@cache
def _init(text: str) -> tuple[dict[str, tuple[str, str]], bytes]:
    """Return the names that an ``__init__.py`` passes on, each with its home, and the rest."""
    passed_on: dict[str, tuple[str, str]] = {}
    own = []
    for node in _parsed(text).body:
        if isinstance(node, ast.ImportFrom) and not node.level:
            passed_on |= {
                alias.asname or alias.name: (node.module or "", alias.name) for alias in node.names
            }
        documents = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        lists = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        if not (isinstance(node, ast.Import | ast.ImportFrom) or documents or lists):
            own.append(ast.get_source_segment(text, node) or "")
    return passed_on, "\n".join(own).encode()


@cache
def _running(source: bytes) -> bytes:
    """Return a module's lines without docstrings, comments and empty lines."""
    text = source.decode()
    lines = text.splitlines(keepends=True)
    holders = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    module = _parsed(text)
    for node in (module, *_statements(module)):
        if isinstance(node, holders) and ast.get_docstring(node, clean=False) is not None:
            first = node.body[0]
            if lines[first.lineno - 1][: first.col_offset].strip():
                continue  # all on one line
            for number in range(first.lineno - 1, first.end_lineno):
                lines[number] = "\n"
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    return "\n".join(line.rstrip() for line in lines if line.strip()).encode()


def _assets(texts: list[str], package: Path) -> dict[Path, bytes]:
    """Return the data that code reads: the files that it names of ``assets``, or all of them.

    Of a run's files, ``step_0100`` and so on, the name without its number counts; of
    ``results.json`` the parts that the code names.
    """
    code = "\n".join(texts)
    if not re.search(r"\bassets\b", code, re.IGNORECASE):
        return {}
    files = [path for path in (package / "assets").glob("*") if path.is_file()]
    named = [path for path in files if _names(code, path.stem.rstrip("0123456789"))] or files
    return {path: _parts(path, code) for path in named}


def _parts(path: Path, code: str) -> bytes:
    """Return what counts of one file: of results only what the code names, or all."""
    if path.name != "results.json":
        return path.read_bytes()
    parts = json.loads(path.read_text(encoding="utf-8"))
    named = {name: part for name, part in parts.items() if _names(code, name)}
    return json.dumps(named or parts, sort_keys=True).encode()


def _names(code: str, name: str) -> bool:
    """Tell whether a text or a path in the code begins with a name."""
    return any(f"{before}{name}" in code for before in "\"'/")
