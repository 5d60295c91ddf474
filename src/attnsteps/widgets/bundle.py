"""Joins the JavaScript of one widget into the single ES module that anywidget needs.

anywidget imports a widget's module from a Blob URL, where ``import "./maths/softmax.js"`` finds
nothing. The source stays in small modules (``js/<stem>.js`` for the view, ``js/ui.js`` for shared
controls, ``js/maths/*.js`` for pure functions); :func:`bundle` pastes each module once, before
the first module that imports it. Node is never needed.
"""

import re
from functools import cache
from pathlib import Path

JS = Path(__file__).parent / "js"
CSS = Path(__file__).parent / "css"

_IMPORT = re.compile(r'^import\s*\{[^}]*\}\s*from\s*"(?P<path>\.[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|let|function|class)\b)", re.MULTILINE)
_TOP_LEVEL = re.compile(r"^(?:export )?(?:const|let|function|class)\s+(\w+)", re.MULTILINE)


@cache
def bundle(stem: str) -> str:
    """Return ``js/<stem>.js`` with every module it imports, as one ES module.

    Args:
        stem: name of the view module without its ending, such as ``"softmax"``.

    Returns:
        The source of one module, whose default export is anywidget's ``{ render }``.

    Raises:
        ValueError: a module is missing, an import is of a form other than
            ``import { a } from "./b.js";``, or two modules define the same top-level name.
    """
    modules: dict[Path, str] = {}
    _collect(JS / f"{stem}.js", modules)
    owner: dict[str, Path] = {}
    for path, source in modules.items():
        for name in _TOP_LEVEL.findall(source):
            if name in owner:
                raise ValueError(
                    f"top-level names must be unique in a bundle; {name!r} is in both "
                    f"{owner[name].name} and {path.name}"
                )
            owner[name] = path
    *imported, view = modules
    parts = [_EXPORT.sub("", modules[path]) for path in imported] + [modules[view]]
    return "\n".join(_IMPORT.sub("", part).strip() for part in parts) + "\n"


def _collect(path: Path, modules: dict[Path, str]) -> None:
    """Add ``path`` to ``modules`` after everything it imports (depth first)."""
    if path in modules:
        return
    if not path.is_file():
        raise ValueError(f"stem must name a module in {JS}; there is no {path.name}")
    source = path.read_text(encoding="utf-8")
    for match in _IMPORT.finditer(source):
        _collect((path.parent / match["path"]).resolve(), modules)
    if re.search(r"^import\b", _IMPORT.sub("", source), re.MULTILINE):
        raise ValueError(f'imports must read `import {{ a }} from "./b.js";`; see {path.name}')
    modules[path] = source


@cache
def styles(*stems: str) -> str:
    """Return the shared widget styles, then those of one widget.

    Args:
        stems: name of the widget, after those whose pieces it shows; ``css/<stem>.css`` need not
            exist.

    Returns:
        One style sheet.
    """
    own = [CSS / f"{stem}.css" for stem in stems]
    parts = [CSS / "base.css", *(path for path in own if path.is_file())]
    return "\n".join(part.read_text(encoding="utf-8") for part in parts)
