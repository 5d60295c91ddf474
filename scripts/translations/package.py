"""The words that the package and the site show, found in their code."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import furo
import nbformat
import sphinx
import yaml
from babel.messages.pofile import read_po
from jinja2.ext import babel_extract

from scripts.closure import PACKAGE, ROOT
from scripts.notebooks import PROMPTS

BOOK = ROOT / "book"
FIELDS = re.compile(r"\{\d+\}")
WORD = re.compile(r"[^\W\d_]{2}")
HAN = re.compile(r"[\u4e00-\u9fff]")
NAMED = re.compile(r"[\W\d]*[A-Z][a-z]+(?:-[a-z]+)*\W*")  # one word, as labels begin
#: Words that are shown alone, in small letters: nothing in the code tells them from names.
ALONE = [
    *re.findall(
        r"\w+",
        """
        after before both column entry from hidden interleaved layer lost leak may not padding
        row score start to undivided weight word words yes Chinese English pass passes switch
        switches layers steps hide off on adds moved neither stable naive scaled sum bias none
        causal prefix guess each whole updates loss translation errors greedy bytes share gradients
        total fused explicit characters tokens longest unknown vocabulary concatenated end all state
        furry paved thing alive flat describes road context weights scores key now
        """,
    ),
    *("Answer: {0}.", "teacher,", "student,", "a letter", "as it is", "this book", "Chinese words"),
    *("all its parts", "the whole model"),  # what the map lights
    *("three sentences", "by √{0}", "÷ words", "16-bit copies"),
    "for d_model = {0}, {1}",
    *("the teacher", "as they are", "{0} of {1} right"),
]
SAID = re.compile(r"""\bsay\((?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')""")
SEEN = re.compile(r"furo/(?:page|base|search|components/\w*toc|sidebar/(?:search|brand))")
LABEL = re.compile(r'aria-label="([^"{}]+)"')
#: Words of single letters and of programs; an attribute's or an event's name is none to be seen.
OF_PROGRAMS = re.compile(
    r"aw-|^[a-z]+(?:[-_.:/][\w.]+)+$|^[\w-]+\(|^[#.]|^\S*[{}<>=;]\S*$|^https?:"
)


def of_the_package() -> list[str]:
    """List the texts of figures, graders and widgets, the computed parts as ``{0}``, ``{1}``."""
    found: list[str] = []
    for path in sorted((PACKAGE / "figures").glob("*.py")):
        found += said_in(path)
    drawn = ast.parse((PACKAGE / "diagrams" / "map.py").read_text(encoding="utf-8"))
    for node in ast.walk(drawn):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Drawing":
            found += _texts(node)
    for folder in ("exercises", "plotting"):
        for path in sorted((PACKAGE / folder).glob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found += [*_texts(tree), *_names(tree)]
    return list(dict.fromkeys([*found, *of_the_widgets()]))


def _names(tree: ast.AST) -> list[str]:
    """List what graders call the results that they speak of."""
    named = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.keyword) and node.arg == "name"
    ]
    return [value.value for value in named if isinstance(value, ast.Constant)]


def of_the_widgets() -> list[str]:
    """List the texts that widgets get from Python."""
    found: list[str] = []
    for path in sorted((PACKAGE / "widgets").glob("*.py")):
        found += _texts(ast.parse(path.read_text(encoding="utf-8")))
    return list(dict.fromkeys(found))


def of_the_scripts() -> list[str]:
    """List the texts of the widgets' scripts."""
    found: list[str] = []
    for path in sorted((PACKAGE / "widgets" / "js").rglob("*.js")):
        found += [one for one in literals(path.read_text(encoding="utf-8")) if _is_shown(one)]
    return list(dict.fromkeys([*found, *ALONE]))


def of_the_site() -> list[str]:
    """List the texts around the pages: of the theme, the table of contents, the glossary."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    found = [config["title"], *(part["caption"] for part in toc["parts"])]
    for path in sorted((BOOK / "_ext").glob("*.py")):
        found += said_in(path)
    for path in sorted((BOOK / "_templates").rglob("*.html")):
        found += [one or other for one, other in SAID.findall(path.read_text(encoding="utf-8"))]
    for path in sorted((BOOK / "assets").glob("*.js")):
        found += [one for one in literals(path.read_text(encoding="utf-8")) if _is_shown(one)]
    for path in sorted((ROOT / "scripts" / "paper").glob("*.py")):
        found += said_in(path)
    found += _of_the_theme(Path(furo.__file__).parent / "theme")
    found += [path.stem[3:].replace("_", " ") for path in sorted(BOOK.glob("[0-9]*_*.ipynb"))]
    found += _prompts()
    found += [f"{verb} {name}" for name in PROMPTS.values() for verb in ("Show", "Hide")]
    glossary = yaml.safe_load((BOOK / "glossary.yml").read_text(encoding="utf-8"))
    return list(dict.fromkeys([*found, *(entry["says"] for entry in glossary)]))


def _prompts() -> list[str]:
    """List what the folds of code are called that have a name of their own."""
    found: list[str] = []
    for path in sorted(BOOK.glob("*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells if "." not in path.stem else ():
            found += [
                one for one in cell.metadata.get("mystnb", {}).values() if isinstance(one, str)
            ]
    return found


def _of_the_theme(folder: Path) -> list[str]:
    """List what Furo says and Sphinx doesn't say in Chinese itself, with names of buttons."""
    with (Path(sphinx.__file__).parent / "locale/zh_CN/LC_MESSAGES/sphinx.po").open("rb") as file:
        known = {entry.id for entry in read_po(file) if entry.string}
    options = {"extensions": "jinja2.ext.i18n", "trimmed": "true", "silent": "false"}
    found = []
    for path in sorted(folder.rglob("*.html")):
        if not SEEN.search(path.as_posix()):
            continue
        with path.open("rb") as file:
            found += [entry[2] for entry in babel_extract(file, ["_", "gettext"], [], options)]
        found += LABEL.findall(path.read_text(encoding="utf-8"))
    return [one for one in found if isinstance(one, str) and one not in known]


def said_in(path: Path) -> list[str]:
    """List the literals that a module passes to ``say``."""
    return [
        node.args[0].value
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", getattr(node.func, "attr", "")) == "say"
        and isinstance(node.args[0], ast.Constant)
    ]


def _texts(node: ast.AST) -> Iterator[str]:
    """Find sentences in a module, but none of docstrings and none that an error says."""
    documents = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Raise) or documents:
        return
    if isinstance(node, ast.JoinedStr):
        text, number = "", 0
        for part in node.values:
            if isinstance(part, ast.Constant):
                text += part.value.replace("{", "{{").replace("}", "}}")
            else:
                text, number = f"{text}{{{number}}}", number + 1
        if _is_shown(text):
            yield text
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                yield from _texts(part.value)
        return
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str) and _is_shown(
            node.value.replace("{", "{{").replace("}", "}}")
        ):
            yield node.value.replace("{", "{{").replace("}", "}}")
        return
    for child in ast.iter_child_nodes(node):
        yield from _texts(child)


def literals(script: str) -> list[str]:
    """List the literals of a script, those joined by + as one, what is computed as ``{0}``."""
    found: list[str] = []
    end = _scan(script, 0, found, "")
    assert end == len(script)
    return found


def _scan(script: str, at: int, found: list[str], until: str) -> int:
    """Read code up to a closing brace; nested code is read first."""
    depth, before = 0, ""
    while at < len(script):
        sign = script[at]
        if sign == until and depth == 0:
            return at
        if script.startswith("//", at):
            at = script.find("\n", at) if "\n" in script[at:] else len(script)
            continue
        if script.startswith("/*", at):
            at = script.index("*/", at) + 2
            continue
        if sign == "/" and before in "(,=:[!&|?{};+\n" and before != ")":
            at = _after_pattern(script, at)
            before = "/"
            continue
        if sign in "\"'`":
            text, at = _joined(script, at, found)
            found.append(text)
            before = '"'
            continue
        depth += (sign in "{[(") - (sign in "}])")
        before = sign if not sign.isspace() else before
        at += 1
    return at


def _after_pattern(script: str, at: int) -> int:
    """Return where a regular expression ends."""
    at += 1
    group = False
    while script[at] != "/" or group:
        group = {"[": True, "]": False}.get(script[at], group)
        at += 2 if script[at] == "\\" else 1
    return at + 1


def _joined(script: str, at: int, found: list[str]) -> tuple[str, int]:
    """Read a literal and those that are added to it; number what is computed."""
    text = ""
    while True:
        piece, at = _one(script, at, found)
        fields = len(re.findall(r"\{\d+\}", text))
        text += re.sub(r"\{(\d+)\}", lambda m: f"{{{int(m[1]) + fields}}}", piece)  # noqa: B023
        more = re.compile(r"\s*\+\s*(?=[\"'`])").match(script, at)
        if not more:
            return text, at
        at = more.end()


def _one(script: str, at: int, found: list[str]) -> tuple[str, int]:
    """Read one literal."""
    quote, at = script[at], at + 1
    text, number = "", 0
    while script[at] != quote:
        if script[at] == "\\":
            code = re.compile(r"\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2}))").match(script, at)
            if code:
                text, at = text + chr(int(code[1] or code[2], 16)), code.end()
                continue
            text += {"n": "\n", "t": "\t"}.get(script[at + 1], script[at + 1])
            at += 2
        elif quote == "`" and script.startswith("${", at):
            at = _scan(script, at + 2, found, "}") + 1
            text, number = f"{text}{{{number}}}", number + 1
        else:
            text += {"{": "{{", "}": "}}"}.get(script[at], script[at])
            at += 1
    return text, at + 1


def _is_shown(text: str) -> bool:
    """Tell whether a literal may be a text that a reader sees."""
    if text[:1] in ".#[:" or HAN.search(text):
        return False
    own = FIELDS.sub(" ", text)
    words = [one for one in own.split() if WORD.search(one)]
    several = len(own.split()) > 1 or own != text
    return (
        bool(words)
        and (several or bool(NAMED.fullmatch(own)))
        and not all(OF_PROGRAMS.search(one) for one in words)
    )
