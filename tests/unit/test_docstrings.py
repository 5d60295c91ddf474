"""Everything public says what it does; an export, also what goes in and what comes out."""

import ast
from pathlib import Path

import pytest

import attnsteps

PACKAGE = Path(attnsteps.__file__).parent
Function = ast.FunctionDef | ast.AsyncFunctionDef


def public_definitions(tree: ast.Module) -> list[ast.ClassDef | Function]:
    """List a module's public functions and classes, and the forward methods of the latter."""
    found = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef | Function) and not node.name.startswith("_"):
            found.append(node)
            if isinstance(node, ast.ClassDef):
                found += [method for method in methods(node) if method.name == "forward"]
    return found


def methods(node: ast.ClassDef) -> list[Function]:
    """List the methods that a class defines itself."""
    return [child for child in node.body if isinstance(child, Function)]


def takes_arguments(node: ast.ClassDef | Function) -> bool:
    """Tell whether a function, or the creation of a class's object, takes arguments."""
    if isinstance(node, ast.ClassDef):
        return any(takes_arguments(m) for m in methods(node) if m.name == "__init__")
    arguments = node.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    stars = [star for star in (arguments.vararg, arguments.kwarg) if star]
    return any(argument.arg not in ("self", "cls") for argument in [*named, *stars])


def returns_something(node: ast.ClassDef | Function) -> bool:
    """Tell whether a function is annotated to return anything but None."""
    if isinstance(node, ast.ClassDef) or node.returns is None:
        return False
    return not (isinstance(node.returns, ast.Constant) and node.returns.value is None)


def what_is_missing(node: ast.ClassDef | Function, *, is_export: bool, is_layer: bool) -> list[str]:
    """List the parts that a public docstring lacks."""
    text = ast.get_docstring(node)
    if text is None:
        return ["docstring"]
    text = text.replace("Yields:", "Returns:")
    is_derived = is_export and is_layer
    needed = {
        "Args:": is_export and takes_arguments(node),
        "Returns:": is_export and returns_something(node),
        ">>> ": is_derived,
        "Source:": is_derived,
    }
    return [part for part, is_needed in needed.items() if is_needed and part not in text]


EXPORTED = {(one.__module__, one.__name__) for one in map(attnsteps.__dict__.get, attnsteps.__all__)
            if callable(one)}  # fmt: skip
CASES = [
    pytest.param(
        node,
        (".".join(["attnsteps", *inside.with_suffix("").parts]), node.name) in EXPORTED,
        inside.parts[0] == "layers",
        id=f"{inside}:{node.name}",
    )
    for inside in sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))
    for node in public_definitions(ast.parse((PACKAGE / inside).read_text(encoding="utf-8")))
]


@pytest.mark.parametrize(("node", "is_export", "is_layer"), CASES)
def test_public_names_are_documented(node, is_export, is_layer):
    assert what_is_missing(node, is_export=is_export, is_layer=is_layer) == []


def test_exports_are_among_them():
    assert sum(case.values[1] for case in CASES) == len(EXPORTED)


MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("inside", MODULES, ids=str)
def test_modules_are_documented(inside):
    assert ast.get_docstring(ast.parse((PACKAGE / inside).read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("source", "is_export", "is_layer", "missing"),
    [
        ("def f(): pass", False, False, ["docstring"]),
        ("def f(x):\n    'Do it.'", False, True, []),
        ("def f():\n    'Do it.'", True, False, []),
        ("def f(x):\n    'Do it.'", True, False, ["Args:"]),
        ("def f(*x) -> int:\n    'Do it.'", True, False, ["Args:", "Returns:"]),
        ("def f() -> None:\n    'Do it.'", True, True, [">>> ", "Source:"]),
        ("class C:\n    'It.'\n    def __init__(self, x): pass", True, False, ["Args:"]),
    ],
)
def test_the_check_can_fail(source, is_export, is_layer, missing):
    node = ast.parse(source).body[0]
    assert what_is_missing(node, is_export=is_export, is_layer=is_layer) == missing


def test_the_check_looks_at_forward_and_not_at_private_names():
    tree = ast.parse("def _f(): pass\nclass C:\n    def forward(self): pass\n    def g(self): pass")
    assert [node.name for node in public_definitions(tree)] == ["C", "forward"]
