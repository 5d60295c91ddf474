"""Show one chapter while it is edited: ``make page CHAPTER=22``.

The page is built alone, served, and loaded again by the browser whenever something of it changes:
the draft or the notebook, the package, the styles. Only a chapter that became stale is executed.
Of a widget's script or style the page needs nothing else, so that alone is exchanged.
Links to other pages lead to the site, if ``make site`` has built one.
"""

import argparse
import contextlib
import functools
import http.server
import importlib
import json
import multiprocessing
import re
import shutil
import sys
import threading
import time
import warnings
from collections.abc import Iterable
from pathlib import Path

import nbformat

from scripts.closure import PACKAGE, ROOT
from scripts.execution import BOOK, EXECUTED, up_to_date
from scripts.notebooks import DRAFTS, is_edited, write
from scripts.site import HTML, assemble

FOLDER = ROOT / "_build" / "page"
PAGE = FOLDER / "html"
WIDGETS = PACKAGE / "widgets"
#: Loaded once, so that each build begins at once. The package isn't: it may have changed.
HEAVY = ["torch", "matplotlib.pyplot", "anywidget", "jupyter_book.sphinx", "myst_nb.sphinx_ext"]
HEAVY += ["sphinx_book_theme", "sphinxcontrib.bibtex", "sphinx.ext.autodoc", "scripts.site"]
HEAVY += [
    "fontTools.subset",
    "math_core",
    "sphinx_design",
    "sphinx_comments",
    "sphinx_togglebutton",
]
MISSING = re.compile(
    r"cross-reference target not found|reference target not found|unknown document"
)
STATE = re.compile(
    r'<script type="application/vnd.jupyter.widget-state\+json">(.*?)</script>', re.S
)
RELOAD = b'<script>new EventSource("/changed").onmessage = () => location.reload();</script>'


def chapter(name: str) -> str:
    """Return the stem of a chapter from its number or its name."""
    stems = sorted(path.stem for path in BOOK.glob("*.ipynb") if "." not in path.stem)
    names = {name, name.zfill(2)} - {"", "00"}  # 6 is 06
    found = [stem for stem in stems if names & {stem, *stem.split("_", 1)}]
    if len(found) != 1:
        raise ValueError(f"CHAPTER must be a number or one of {', '.join(stems)}; got {name!r}")
    return found[0]


def snapshot(stem: str) -> dict[Path, int]:
    """Return when each file was changed that the chapter's page is made from."""
    folders = [PACKAGE, *(BOOK / name for name in ("_ext", "_templates", "_root", "assets"))]
    files = [BOOK / f"{stem}.ipynb", DRAFTS / f"{stem}.md", ROOT / "_config.yml"]
    files += [path for end in ("bib", "yml") for path in BOOK.glob(f"*.{end}")]
    for folder in folders:
        files += [path for path in folder.rglob("*") if "__pycache__" not in path.parts]
    return {path: path.stat().st_mtime_ns for path in files if path.is_file()}


def only_scripts(changed: Iterable[Path]) -> bool:
    """Tell whether nothing but widgets' scripts and styles has changed."""
    return all(path.suffix in (".js", ".css") and WIDGETS in path.parents for path in changed)


def build(stem: str) -> None:
    """Execute the chapter if it is stale, and write its page; if that fails, the last one stays."""
    path = BOOK / f"{stem}.ipynb"
    if is_edited(path):
        write([path])
    notebook = nbformat.read(path, as_version=4)
    shown = up_to_date({stem: notebook}, EXECUTED, everything=False)
    source, new, toc = FOLDER / "book", FOLDER / "new", FOLDER / "toc.yml"
    assemble(shown, source)
    contents = f"format: jb-book\nroot: {stem}\nchapters: [{{file: references}}]\n"
    toc.write_text(contents, encoding="utf-8")
    shutil.rmtree(new, ignore_errors=True)
    sys.stderr = Warnings()
    warnings.simplefilter("ignore", FutureWarning)  # Sphinx looks at objects of torch
    failed = importlib.import_module("jupyter_book.sphinx").build_sphinx(
        source,
        new,
        noconfig=True,
        path_config=ROOT / "_config.yml",
        confoverrides={"external_toc_path": str(toc), "latex_individualpages": False},
        freshenv=True,
        quiet=True,
    )
    if not failed:
        shutil.rmtree(PAGE, ignore_errors=True)
        new.rename(PAGE)
    sys.exit(bool(failed))


class Warnings:
    """Passes on what Sphinx warns of, but not of links to pages that aren't built here."""

    def write(self, text: str) -> None:
        if not MISSING.search(text):
            sys.__stderr__.write(text)

    def flush(self) -> None:
        sys.__stderr__.flush()


def exchange_scripts(stem: str) -> None:
    """Write the widgets' present scripts and styles in the place of those that the page has."""
    widgets = importlib.import_module("attnsteps.widgets")
    classes = {name.lower(): getattr(widgets, name) for name in widgets.__all__}
    page = (PAGE / f"{stem}.html").read_text(encoding="utf-8")
    models = [model for text in STATE.findall(page) for model in json.loads(text)["state"].values()]
    for model in models:
        script, style = model["state"]["_esm"], model["state"]["_css"]
        widget = classes[script.removeprefix("widgets/").rpartition("-")[0]]
        (PAGE / "_static" / script).write_text(str(widget._esm), encoding="utf-8")
        (PAGE / "_static" / style).write_text(str(widget._css), encoding="utf-8")


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the page, and the rest from the site; tells the browser when to load it again."""

    made = 0  # counts the pages

    def do_GET(self) -> None:
        if self.path == "/changed":
            self._wait()
        elif self.path.startswith("/sw.js"):  # what a browser keeps would hide each change
            self.send_error(404)
        elif (path := Path(self.translate_path(self.path))).suffix == ".html" and path.is_file():
            self._send("text/html; charset=utf-8", path.read_bytes() + RELOAD)
        else:
            super().do_GET()

    def translate_path(self, path: str) -> str:
        own = super().translate_path(path)
        if Path(own).exists():
            return own
        return str(HTML / Path(own).relative_to(self.directory))

    def _wait(self) -> None:
        """Answer when the next page is made."""
        made = Handler.made
        while made == Handler.made:
            time.sleep(0.05)
        self._send("text/event-stream", b"data: changed\n\n")

    def _send(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *args: object) -> None:
        pass


def make(target: object, stem: str) -> None:
    """Do one step in a process of its own, which sees the package as it is now."""
    start = time.perf_counter()
    process = multiprocessing.Process(target=target, args=(stem,))
    process.start()
    process.join()
    if process.exitcode:
        print("the page stays as it was; see above", flush=True)
    else:
        Handler.made += 1
        print(f"{stem}: {time.perf_counter() - start:.1f} s", flush=True)


def watch(stem: str) -> None:
    """Make the page again whenever something that it is made from changes."""
    seen = snapshot(stem)
    make(build, stem)
    seen |= written(stem)
    while True:
        time.sleep(0.25)
        now = snapshot(stem)
        if changed := [path for path in now | seen if now.get(path) != seen.get(path)]:
            seen = now
            swap = only_scripts(changed) and PAGE.exists()
            make(exchange_scripts if swap else build, stem)
            seen |= written(stem)


def written(stem: str) -> dict[Path, int]:
    """Return when the notebook was changed, which a build itself does."""
    path = BOOK / f"{stem}.ipynb"
    return {path: path.stat().st_mtime_ns}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("chapter", help="its number or name, such as 22 or bug_zoo")
    parser.add_argument("--port", type=int, default=8001)
    options = parser.parse_args()
    try:
        stem = chapter(options.chapter)
    except ValueError as error:
        sys.exit(str(error))
    multiprocessing.set_start_method("forkserver")
    multiprocessing.set_forkserver_preload(HEAVY)
    shutil.rmtree(PAGE, ignore_errors=True)
    handler = functools.partial(Handler, directory=str(PAGE))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", options.port), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}/{stem}.html (Ctrl-C ends it)", flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        watch(stem)


if __name__ == "__main__":
    main()
