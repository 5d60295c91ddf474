"""The words of a question that stand in a cell's code: what they are, and the code with others."""

import ast
import re
from collections.abc import Callable, Iterator
from itertools import accumulate

from nbformat import NotebookNode

from scripts.closure import MAGIC

#: Calls whose words a reader sees → the places of those among the positional arguments.
ASKED = {"Exercise": (1, 2), "Predict": (1,), "confront": (1,)}
WORDS = {
    "title",
    "question",
    "options",
    "feedback",
    "rows",
    "columns",
    "hint",
    "explanation",
    "why",
}
LETTERS = re.compile(r"[^\W\d_]{2}")


def translated(source: str, say: Callable[[str], str]) -> str:
    """Return a cell's code with each of its messages replaced by what ``say`` makes of it.

    What an f-string computes stays in the message, in braces.
    """
    lines = source.encode().splitlines(keepends=True)
    starts = [0, *accumulate(map(len, lines))]
    code = source.encode()
    for node in reversed(list(literals(parsed(source)))):
        message = template(node)
        other = say(message)
        if other != message:
            first = starts[node.lineno - 1] + node.col_offset
            last = starts[node.end_lineno - 1] + node.end_col_offset
            literal = _literal(other, computed=isinstance(node, ast.JoinedStr))
            code = code[:first] + literal.encode() + code[last:]
    return code.decode()


def messages(source: str) -> list[str]:
    """List the messages of a cell's code in their order."""
    return [template(node) for node in literals(parsed(source))]


def described(cell: NotebookNode) -> list[str]:
    """Return what a cell's plot says to those who don't see it, if it has one."""
    picture = cell.metadata.get("mystnb", {}).get("image", {})
    return [picture["alt"]] if "alt" in picture else []


def parsed(source: str) -> ast.Module:
    """Parse a cell's code; what is IPython's counts as ``pass``."""
    return ast.parse(MAGIC.sub(r"\1pass", source))


def template(node: ast.Constant | ast.JoinedStr) -> str:
    """Return a literal's text, with what it computes in braces as it stands in the code."""
    if isinstance(node, ast.Constant):
        return node.value
    text = ""
    for part in node.values:
        if isinstance(part, ast.Constant):
            text += part.value.replace("{", "{{").replace("}", "}}")
        else:
            text += _field(part)
    return text


def _field(part: ast.FormattedValue) -> str:
    """Write what an f-string computes; not as `ast.unparse` does, which differs between Pythons."""
    code = ast.unparse(part.value)
    how = f"!{chr(part.conversion)}" if part.conversion != -1 else ""
    spec = f":{template(part.format_spec)}" if part.format_spec else ""
    return f"{{{code}{how}{spec}}}"


def literals(tree: ast.AST) -> Iterator[ast.Constant | ast.JoinedStr]:
    """Find the literals with words that a question shows."""
    found = []
    named = {
        node.targets[0].id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else None
        name = node.func.id if isinstance(node.func, ast.Name) else name
        if name in ASKED:
            shown = [node.args[place] for place in ASKED[name] if place < len(node.args)]
            shown += [word.value for word in node.keywords if word.arg in WORDS]
            for value in shown:
                found += _texts(
                    named.get(value.id, value) if isinstance(value, ast.Name) else value
                )
    places = {(node.lineno, node.col_offset): node for node in found}
    yield from (node for _, node in sorted(places.items()))


def _texts(node: ast.AST) -> Iterator[ast.Constant | ast.JoinedStr]:
    """Find texts, but no names of data, which are passed to a function or look something up."""
    if isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    ):
        if LETTERS.search(template(node)):
            yield node
    elif not isinstance(node, ast.Call | ast.Subscript):
        for child in ast.iter_child_nodes(node):
            yield from _texts(child)


def _literal(text: str, *, computed: bool) -> str:
    """Write a text as a literal of Python."""
    if not computed:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    quote = '"' if '"' not in text else '"""' if not text.endswith('"') else "'''"
    return "f" + quote + text.replace("\\", "\\\\").replace("\n", "\\n") + quote
