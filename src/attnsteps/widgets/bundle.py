"""Joins the JavaScript of one widget into the single ES module that anywidget needs.

anywidget imports a widget's module from a Blob URL, where ``import "./maths/softmax.js"`` finds
nothing. The source stays in small modules (``js/<stem>.js`` for the view, ``js/ui.js`` for shared
controls, ``js/maths/*.js`` for pure functions); :func:`bundle` pastes each module once, before the
first module that imports it. Node is never needed. :func:`styles` joins their style sheets.
"""

import re
from functools import cache
from pathlib import Path

from attnsteps.diagrams.palette import palette

JS = Path(__file__).parent / "js"
CSS = Path(__file__).parent / "css"

_IMPORT = re.compile(r'^import\s*\{[^}]*\}\s*from\s*"(?P<path>\.[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|let|function|class)\b)", re.MULTILINE)
_TOP_LEVEL = re.compile(r"^(?:export )?(?:const|let|function|class)\s+(\w+)", re.MULTILINE)
_VIEW = re.compile(r"^export default \{[^;]*\brender\b", re.MULTILINE)
_FOR_READERS = re.compile(
    r"""(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\\n])*`)  # stays as it is
    |   ^\s*/\*\*(?:(?!\*/).)*\*/[ \t]*\n  # a comment on lines of its own: types, mostly
    |   ^\s*//[^\n]*\n
    |   ^\s+
    |   [ \t]+//[ ][^\n]*$  # a comment after code
    |   /\*\*(?:(?!\*/).)*\*/[ ]  # a type before an expression""",
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
_IN_STYLES = re.compile(r"\s*/\*.*?\*/|^\s+", re.MULTILINE | re.DOTALL)  # comments, indentation


@cache
def bundle(stem: str) -> str:
    """Return ``js/<stem>.js`` with every module it imports, as one ES module.

    Every import must read ``import { a } from "./b.js";``, and top-level names must differ. The
    view itself must end in ``export default { render };``, which is what anywidget calls.
    """
    modules = _modules(stem)
    if not _VIEW.search(modules[JS / f"{stem}.js"]):
        raise ValueError(
            f"a view must end in `export default {{ render }};`; {stem}.js exports no such thing"
        )
    owner: dict[str, Path] = {}
    for path, source in modules.items():
        if any(line.count("`") % 2 for line in source.splitlines()):
            raise ValueError(f"a text in backticks must end on its own line; see {path.name}")
        for name in _TOP_LEVEL.findall(source):
            if name in owner:
                raise ValueError(
                    f"top-level names must be unique in a bundle; {name!r} is in both "
                    f"{owner[name].name} and {path.name}"
                )
            owner[name] = path
    *imported, view = modules
    parts = [_EXPORT.sub("", modules[path]) for path in imported] + [modules[view]]
    return "\n".join(_to_run(_IMPORT.sub("", part)) for part in parts) + "\n"


def _to_run(source: str) -> str:
    """Drop what only readers of the source need: comments, types, empty lines, indentation."""
    return _FOR_READERS.sub(lambda found: found["text"] or "", source).strip()


def _modules(stem: str) -> dict[Path, str]:
    """Return the source of ``js/<stem>.js`` and all its imports, each after those it needs."""
    modules: dict[Path, str] = {}
    _collect(JS / f"{stem}.js", modules)
    return modules


def _collect(path: Path, modules: dict[Path, str]) -> None:
    """Add ``path`` to ``modules`` after everything it imports (depth first)."""
    if path in modules:
        return
    if not path.is_file():
        raise ValueError(f"stem must name a module in {JS}; got {path.name}, which does not exist")
    source = path.read_text(encoding="utf-8")
    for match in _IMPORT.finditer(source):
        _collect((path.parent / match["path"]).resolve(), modules)
    if re.search(r"^import\b", _IMPORT.sub("", source), re.MULTILINE):
        raise ValueError(f'imports must read `import {{ a }} from "./b.js";`; see {path.name}')
    modules[path] = source


@cache
def styles(*stems: str) -> str:
    """Return the roles' colours, the shared styles, then each stem's and those of what it imports.

    A part of the page that several widgets show keeps its styles in ``css/<name>.css``, beside its
    script; a module without styles has no such file.
    """
    views = [path.stem for stem in stems for path in _modules(stem) if path.parent == JS]
    sheets = [CSS / f"{name}.css" for name in dict.fromkeys(["base", *views])]
    texts = [path.read_text(encoding="utf-8") for path in sheets if path.is_file()]
    return _IN_STYLES.sub("", "\n".join([palette(".aw"), *texts]))
