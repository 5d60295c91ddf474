"""Each chapter's exercises as notebooks: ``python -m scripts.worksheets`` (`make worksheets`).

_build/worksheets/<stem>.ipynb only asks; <stem>-solutions.ipynb has the hints and the solutions.
Both are read from the chapter as it is committed. They need the package, never the chapter: the
functions of the chapter that an exercise uses come with it.
"""

import ast
import builtins
import json
import re
import subprocess
from collections.abc import Iterator
from typing import NamedTuple

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from pybtex.database import parse_file
from ruff.__main__ import find_ruff_bin

from scripts.closure import ROOT
from scripts.execution import BOOK
from scripts.notebooks import COLUMNS, METADATA
from scripts.paper.chapter import site_address

SHEETS = ROOT / "_build" / "worksheets"
SPAN = re.compile(r"</?span[^>]*>")
FOLD = re.compile(r"<details[^>]*>\s*<summary>(.*?)</summary>(.*?)</details>", flags=re.DOTALL)
LINK = re.compile(r"\]\((\w+)\.(?:ipynb|md)(#[^)]*)?\)")
HEADING = re.compile(r"^## ", flags=re.MULTILINE)
CITE = re.compile(r"\{cite:(?P<kind>[pt])\}`(?P<keys>[^`]+)`")
LETTERS = "abcdefgh"


class Exercise(NamedTuple):
    """What a pupil reads and fills in, and what a teacher reads."""

    asked: list[NotebookNode]
    solved: list[NotebookNode]


def worksheets(chapter: NotebookNode, name: str) -> tuple[NotebookNode, NotebookNode]:
    """Return a chapter's exercises without an answer, and with them.

    Args:
        chapter: the notebook as it is committed.
        name: its name without ending, for the link to its page.
    """
    title = next(c.source for c in chapter.cells if c.cell_type == "markdown").split("\n")[0]
    page = f"Of the chapter [{title.lstrip('# ')}]({site_address()}{name}.html)"
    installs = next(c.source for c in chapter.cells if c.source.startswith("# Installs"))
    made = list(exercises(chapter))
    sheets = []
    for kind, cells in (
        ("Exercises", [cell for each in made for cell in each.asked]),
        ("Solutions", [cell for each in made for cell in each.solved]),
    ):
        needed = code_behind(cells, chapter)
        head = [new_markdown_cell(f"# {kind}\n\n{page}."), new_code_cell(installs)]
        head += [new_code_cell(tidy(code)) for code in needed if code]
        sheet = new_notebook(cells=[*head, *cells], metadata=METADATA)
        for n, cell in enumerate(sheet.cells):
            cell.id = f"cell-{n}"  # the same in every run
        sheets.append(sheet)
    return sheets[0], sheets[1]


def exercises(chapter: NotebookNode) -> Iterator[Exercise]:
    """Yield the exercises of a chapter, in order."""
    headings = [n for n, cell in enumerate(chapter.cells) if HEADING.search(cell.source)]
    start = next(n for n in headings if "## Exercises" in chapter.cells[n].source)
    end = min(n for n in headings if n > start)
    last = HEADING.split(chapter.cells[end].source)[0].strip()  # of the last exercise
    below = [*chapter.cells[start + 1 : end], *([new_markdown_cell(last)] if last else [])]
    yield from (closed(each) for each in filter(None, map(traits, below)))
    written = [n for n, cell in enumerate(below) if cell.source.startswith("**Exercise ")]
    for start, end in zip(written, [*written[1:], len(below)], strict=True):
        yield in_code(below[start:end], chapter)


def traits(cell: NotebookNode) -> dict | None:
    """Return what a cell's closed exercise says and asks; None if it shows none."""
    for output in cell.get("outputs", []):
        kept = json.loads(output.get("metadata", {}).get("attnsteps", "{}"))
        if kept.get("widget", "").endswith(".Exercise"):
            return kept["traits"]
    return None


def closed(exercise: dict) -> Exercise:
    """Write a question that the page would check: something to fill in, and its answer."""
    spec, answer = exercise["spec"], exercise["answer"]
    asked = f"**{exercise['title']}.** {spec['question']}\n\n"
    options = [f"{letter}. {text}" for letter, text in zip(LETTERS, spec["options"], strict=False)]
    asked += "\n\n".join(options) + "\n\n" if options else ""
    match spec["kind"]:
        case "number":
            blank, right = "Your answer:", f"{answer:.6g}"
        case "choice":
            blank, right = "Your choice:", LETTERS[answer]
        case "order":
            blank, right = "Your order:", ", ".join(LETTERS[n] for n in answer)
        case "cells":
            blank = table(spec["rows"], spec["columns"], [["…"] * len(row) for row in answer])
            numbers = [[f"{number:.6g}" for number in row] for row in answer]
            right = "\n\n" + table(spec["rows"], spec["columns"], numbers)
    told = [f"*Hint:* {exercise['hint']}", f"*Answer:* {right}"]
    told += [
        f"{option} *{why}*" for option, why in zip(options, exercise["feedback"], strict=False)
    ]
    told += [exercise["explanation"]]
    solved = asked + "\n\n".join(told)
    return Exercise([new_markdown_cell(asked + blank)], [new_markdown_cell(solved)])


def table(rows: list[str], columns: list[str], entries: list[list[str]]) -> str:
    """Return a table in Markdown."""
    lines = [["", *columns], ["---"] * (len(columns) + 1)]
    lines += [[row, *line] for row, line in zip(rows, entries, strict=True)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def in_code(cells: list[NotebookNode], chapter: NotebookNode) -> Exercise:
    """Take a question that is answered in code, with what follows it in the chapter."""
    question, *others = cells
    asked = [new_markdown_cell(FOLD.sub("", outside(question.source)).strip())]
    solved = [new_markdown_cell(FOLD.sub(r"*\1:* \2", outside(question.source)))]
    stub = [c for c in others if c.cell_type == "code" and not c.metadata.get("tags")]
    asked += [new_code_cell(cell.source) for cell in stub or [new_code_cell("# your code")]]
    for cell in others:
        if cell.cell_type == "markdown":
            solved.append(new_markdown_cell(FOLD.sub(r"*\1:* \2", outside(cell.source))))
        elif "hide-cell" in cell.metadata.get("tags", []):
            solved.append(solution(cell.source, chapter))
    return Exercise(asked, solved)


def solution(code: str, chapter: NotebookNode) -> NotebookNode:
    """Return a cell with the solution: as text, if it uses tensors that only the chapter has."""
    cell = new_code_cell(code)
    imports, functions = code_behind([cell], chapter)
    if free_names("\n".join([imports, functions, code])):
        told = "This runs at the end of the chapter: it uses what was made there."
        return new_markdown_cell(f"{told}\n\n```python\n{code}\n```")
    return cell


def outside(text: str) -> str:
    """Return a chapter's prose as it reads outside of the book."""
    return LINK.sub(rf"]({site_address()}\1.html\2)", CITE.sub(cited, SPAN.sub("", text)))


def cited(match: re.Match) -> str:
    """Write a citation in plain words: who, when, and where to find it."""
    sources = parse_file(ROOT / "book" / "references.bib").entries
    found = []
    for key in match["keys"].split(","):
        source = sources[key.strip()]
        first, *others = source.persons["author"]
        name = " ".join([*first.prelast_names, *first.last_names]).strip("{}")
        year = source.fields["year"]
        found.append(f"[{name}{' et al.' if others else ''}, {year}]({source.fields['url']})")
    return f"({'; '.join(found)})" if match["kind"] == "p" else "; ".join(found)


def code_behind(cells: list[NotebookNode], chapter: NotebookNode) -> tuple[str, str]:
    """Return the imports and the functions of the chapter that some cells use."""
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    statements = [
        statement
        for cell in chapter.cells
        if cell.cell_type == "code" and not cell.source.startswith("# Installs")
        for statement in ast.parse(cell.source).body
    ]
    defined = {one.name: one for one in statements if isinstance(one, ast.FunctionDef)}
    imports = [one for one in statements if isinstance(one, ast.Import | ast.ImportFrom)]
    functions = ""
    while missing := [name for name in free_names(f"{functions}\n{code}") if name in defined]:
        functions = "\n\n\n".join([*(ast.unparse(defined[n]) for n in missing), functions]).strip()
    used = free_names(f"{functions}\n{code}")
    lines = dict.fromkeys(line for one in imports for line in imported(one) if line[1] in used)
    return "\n".join(line for line, _ in lines), functions


def imported(statement: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    """Yield one statement for each name that an import brings, and the name."""
    for alias in statement.names:
        renamed = f" as {alias.asname}" if alias.asname else ""
        source = f"from {statement.module} " if isinstance(statement, ast.ImportFrom) else ""
        name = alias.asname or alias.name.split(".")[0]
        yield f"{source}import {alias.name}{renamed}", name


def free_names(code: str) -> set[str]:
    """Return the names that some code uses and doesn't make itself."""
    nodes = list(ast.walk(ast.parse(code)))
    used = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    made = {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    made |= {n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    made |= {n.arg for n in nodes if isinstance(n, ast.arg)}
    for each in nodes:
        if isinstance(each, ast.Import | ast.ImportFrom):
            made |= {name for _, name in imported(each)}
    return used - made - set(dir(builtins))


def tidy(code: str) -> str:
    """Return code as ruff sorts and writes it."""
    for command in (["check", "--select", "I", "--fix"], ["format", "--line-length", str(COLUMNS)]):
        ruff = [find_ruff_bin(), *command, "--quiet", "--stdin-filename", "a.py", "-"]
        done = subprocess.run(ruff, input=code, capture_output=True, text=True, check=True)
        code = done.stdout
    return code.strip()


def main() -> None:
    SHEETS.mkdir(parents=True, exist_ok=True)
    for path in sorted(BOOK.glob("[0-9]*.ipynb")):
        sheets = worksheets(nbformat.read(path, as_version=4), path.stem)
        for sheet, ending in zip(sheets, ("", "-solutions"), strict=True):
            nbformat.write(sheet, SHEETS / f"{path.stem}{ending}.ipynb")
    print(f"{SHEETS.relative_to(ROOT)}: {len(list(SHEETS.iterdir()))} notebooks")


if __name__ == "__main__":
    main()
