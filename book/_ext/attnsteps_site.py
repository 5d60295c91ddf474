"""Keeps each widget's script, styles and weights in one file of the site, not one for every use.

myst-nb writes the whole state of every widget into its page, the widget's JavaScript included, and
what is binary in it as base64. Before a page is written, all that moves to
``_static/widgets/<name>-<hash>``; the state keeps the names, which ``mount.js`` resolves. The hash
lets browsers cache them for good.
"""

import base64
import hashlib
import json
import re
from html import escape
from pathlib import Path
from shutil import rmtree

from myst_nb.core.render import sanitize_script_content
from myst_nb.sphinx_ import NbMetadataCollector
from sphinx.application import Sphinx

from attnsteps.diagrams.drawing import STYLE
from attnsteps.translator.trained import ASSETS
from attnsteps.widgets.bundle import styles

FOLDER = "_static/widgets"
NOTEBOOK_LINK = re.compile(r'(<a href="[\w/]+)\.ipynb(?=")')
VIEW = re.compile(
    r'<script type="application/vnd\.jupyter\.widget-view\+json">'
    r'[^<]*"model_id": "(?P<model_id>\w+)"[^<]*</script>'
)
AROUND_MARKS = re.compile(r"\s*([{};,])\s*")  # in styles, where no text holds one of these
# Hides the text of a page that is opened at a heading, or once more, until mount.js has drawn its
# widgets: what follows them would move in view.
ARRIVING = """<script>
  {
    const { dataset } = document.documentElement;
    const [{ type }] = performance.getEntriesByType("navigation");
    if (location.hash || type !== "navigate") {
      dataset.arriving = "";
      setTimeout(() => delete dataset.arriving, 1500);
    }
  }
</script>
"""
FORMULA = re.compile(
    r'([(“（]?)(<span class="math notranslate nohighlight"><math>.*?</math></span>)'
    r"([.,;:!?)”’，。；：！？、）]*)"
)


def start_empty(app: Sphinx) -> None:
    """Drop the files of an earlier build."""
    rmtree(Path(app.outdir) / FOLDER, ignore_errors=True)


def move_sources(
    app: Sphinx, pagename: str, templatename: str, context: dict, doctree: object
) -> None:
    """Replace ``_esm`` and ``_css`` in the page's widget state by file names."""
    if doctree is None:
        return
    files = NbMetadataCollector.get_js_files(app.env, pagename)
    if "ipywidgets_state" not in files:
        return
    path, options = files["ipywidgets_state"]
    state = json.loads(options["body"])
    # Layout models are for the stock front end; nothing here reads them.
    state["state"] = {k: v for k, v in state["state"].items() if "_esm" in v["state"]}
    names, live, asked = {}, set(), {}
    for model_id, model in state["state"].items():
        values = model["state"]
        name = names[model_id] = values["_anywidget_id"].rsplit(".", 1)[-1].lower()
        values["_esm"] = write(app, name, values["_esm"].encode(), "js")
        values["_css"] = [write(app, "styles", sheet, "css") for sheet in sheets(values["_css"])]
        if "everyday" in values:
            values["everyday"] = offer_later(app, values["everyday"])
        model["state"] = {
            k: v for k, v in values.items() if k in ("_esm", "_css") or not k.startswith("_")
        }
        model["files"] = {
            buffer["path"][0]: write(app, "weights", base64.b64decode(buffer["data"]), "bin")
            for buffer in model.pop("buffers", [])
            if buffer["data"]
        }
        if model["files"]:
            live.add(model_id)
        if "spec" in values:
            asked[model_id] = question(values["spec"])
    body = sanitize_script_content(json.dumps(state, ensure_ascii=False))
    files["ipywidgets_state"] = (path, {**options, "body": body})
    hold_places(context, names, live, asked)


def sheets(css: str) -> list[bytes]:
    """Return the styles that all widgets share, and a widget's own, which come after them.

    A page loads the shared ones once and first, so that a widget's own rules win wherever both say
    something, whichever widgets stand before it.
    """
    shared = styles()
    own = css.removeprefix(shared)
    assert own != css or css == shared, "a widget's styles must begin with those of bundle.styles()"
    parts = [shared, own] if own.strip() else [shared]
    return [AROUND_MARKS.sub(r"\1", part).strip().encode() for part in parts]


def offer_later(app: Sphinx, offered: dict) -> dict:
    """Write a file that a widget fetches when its reader wishes it, and name its address for it.

    The address begins where the widget's script lies. offline.js knows the name of all weights that
    a page needs; this is none of them.
    """
    if not offered:
        return {}
    content = (ASSETS / offered["file"]).read_bytes()
    name = Path(write(app, Path(offered["file"]).stem, content, "bin")).name
    return {"bytes": len(content), "url": f"./{name}"}


def write(app: Sphinx, name: str, content: bytes, ending: str) -> str:
    """Write one file below the static folder and return its name relative to that folder."""
    digest = hashlib.sha256(content).hexdigest()[:12]
    relative = f"widgets/{name}-{digest}.{ending}"
    target = Path(app.outdir) / "_static" / relative
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    return relative


def question(spec: dict) -> str:
    """Write a question for readers whose browser runs no script."""
    lines = [spec["question"], *(f"• {option}" for option in spec["options"])]
    return f"<noscript><p>{'<br>'.join(map(escape, lines))}</p></noscript>"


def hold_places(
    context: dict, names: dict[str, str], live: set[str], asked: dict[str, str]
) -> None:
    """Put an empty box where each widget will be; mount.js draws it there.

    Args:
        context: what the page is made from.
        names: the name of each widget.
        live: the widgets around a model, which are higher than a screen once it has come.
        asked: what a question says where no script runs.
    """

    def hold(view: re.Match) -> str:
        name = names.get(view["model_id"], "")
        kind = " data-live" if view["model_id"] in live else ""
        text = asked.get(view["model_id"], "")
        return f'{view[0]}<div class="attnsteps-widget" data-widget="{name}"{kind}>{text}</div>'

    context["body"] = ARRIVING + VIEW.sub(hold, context["body"])


def mend_bibliography(
    app: Sphinx, pagename: str, templatename: str, context: dict, doctree: object
) -> None:
    """Drop docutils' roles: a list may not hold its entries', and that one is deprecated."""
    if "body" in context:
        body = context["body"].replace('<div role="list" class="citation', '<div class="citation')
        context["body"] = body.replace(' role="doc-biblioentry"', "")


def keep_punctuation(
    app: Sphinx, pagename: str, templatename: str, context: dict, doctree: object
) -> None:
    """Tie a formula to the punctuation that touches it: browsers break lines between the two."""

    def tie(match: re.Match) -> str:
        touched = match[1] or match[3]
        return f'<span class="with-formula">{match[0]}</span>' if touched else match[0]

    if "body" in context:
        context["body"] = FORMULA.sub(tie, context["body"])


def mend_drawings(
    app: Sphinx, pagename: str, templatename: str, context: dict, doctree: object
) -> None:
    """Let drawings link to pages, not to notebooks, and keep the style that all share only once."""
    body = context.get("body", "")
    if 'class="ad ' in body:
        first, style, rest = body.partition(f"<style>{STYLE}</style>")
        body = first + style + rest.replace(style, "")
        context["body"] = NOTEBOOK_LINK.sub(r"\1.html", body)


def setup(app: Sphinx) -> dict:
    """Run before myst-nb's own handler, which adds the scripts to the page."""
    app.setup_extension("attnsteps_api")
    app.connect("builder-inited", start_empty)
    app.connect("html-page-context", move_sources, priority=100)
    app.connect("html-page-context", mend_bibliography)
    app.connect("html-page-context", keep_punctuation)
    app.connect("html-page-context", mend_drawings)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
