"""Makes pages light: one style sheet, deferred scripts, sized pictures, and what a head should say.

``_templates`` leaves the theme's icon font out and asks for ``site.css``. That is written here when
all pages are, from every style sheet that they would have loaded, in the same order.
"""

import hashlib
import html
import re
import shutil
from pathlib import Path

import imagesize
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.html._assets import _JavaScript
from sphinx.errors import ExtensionError

# What the theme loads before everything else; the template no longer does.
FIRST = ["styles/theme.css", "basic.css", "styles/bootstrap.css", "styles/pydata-sphinx-theme.css"]
IMPORT = '@import "../basic.css";'
UNUSED = ["vendor", "locales", "images/logo_binder.svg", "images/logo_deepnote.svg"]
UNUSED += ["images/logo_jupyterhub.svg"]
ABOVE = 1500  # characters of text above a picture that is loaded at once
DESCRIPTION = 200  # characters
IMAGE = re.compile(r'<img (?![^>]*\bwidth=)([^>]*?)src="([^":]+)"([^>]*?) ?/?>')
MADE = {"search": "Search", "genindex": "Index"}  # pages that have no title of their own
TAG = re.compile(r"<[^>]*>")


def lighten(
    app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None
) -> None:
    """Let no script or style hold up the page; describe it to those who have not opened it."""
    known = {css.filename for css in app.builder._orig_css_files}
    if new := [css.filename for css in context["css_files"] if css.filename not in known]:
        raise ExtensionError(f"{pagename} alone has the style sheets {new}; site.css has not")
    context["css_files"] = []
    scripts = sorted(context["script_files"], key=lambda script: script.priority)
    context["script_files"] = [deferred(app, script) for script in scripts]
    context["metatags"] = context.get("metatags", "") + about(app, pagename, context, doctree)


def deferred(app: Sphinx, script: _JavaScript) -> _JavaScript:
    """Defer a script. What others need while the page is read is written into the page instead."""
    if not script.filename or script.attributes.get("type") == "module":
        return script
    if script.filename == "_static/documentation_options.js":
        body = (Path(app.outdir) / script.filename).read_text(encoding="utf-8")
        return _JavaScript("", priority=script.priority, body=re.sub(r"\s+", " ", body))
    attributes = {**script.attributes, "defer": "defer"}
    return _JavaScript(script.filename, priority=script.priority, **attributes)


def about(app: Sphinx, pagename: str, context: dict, doctree: nodes.document | None) -> str:
    """Write the tags by which search engines and messengers show a page."""
    title = html.unescape(TAG.sub("", context.get("title") or MADE.get(pagename, pagename)))
    description = first_sentences(doctree) or f"{title} – {app.config.html_title}"
    properties = {"og:title": title, "og:description": description, "og:type": "article"}
    properties["og:site_name"] = app.config.html_title
    base = app.config.html_baseurl.rstrip("/")
    if base:
        properties["og:url"] = f"{base}/{pagename}.html"
    pictures = doctree.findall(nodes.image) if doctree else ()
    names = (app.builder.images.get(picture["uri"]) for picture in pictures)
    if base and (name := next(filter(None, names), None)):
        properties["og:image"] = f"{base}/_images/{name}"
    up = "../" * pagename.count("/")
    tags = [f'<meta name="description" content="{html.escape(description)}" />']
    tags += [
        f'<meta property="{key}" content="{html.escape(value)}" />'
        for key, value in properties.items()
    ]
    tags.append(f'<link rel="manifest" href="{up}manifest.webmanifest" />')
    return "\n    ".join(["", *tags])


def first_sentences(doctree: nodes.document | None) -> str:
    """Return how a page begins, to the last whole word within what a search engine shows."""
    for paragraph in doctree.findall(nodes.paragraph) if doctree else ():
        parts = [
            child.astext() for child in paragraph.findall(nodes.Text)
            if not isinstance(child.parent, nodes.math)
        ]  # fmt: skip
        text = " ".join("".join(parts).split())
        if len(text) > 60:
            short = text[:DESCRIPTION]
            return text if text == short else short.rpartition(" ")[0] + " …"
    return ""


def finish(app: Sphinx, exception: Exception | None) -> None:
    """Write the style sheet, and put into the pages what is known only now."""
    if exception or app.builder.format != "html":
        return
    out = Path(app.outdir)
    styles = write_styles(app, out / "_static")
    everything = hashlib.sha256()
    for path in sorted(out.rglob("*.html")):
        page = path.read_text(encoding="utf-8").replace("?v=STYLES", f"?v={styles}")
        path.write_text(with_sizes(page, path.parent), encoding="utf-8")
        everything.update(page.encode())
    for name in UNUSED:
        path = out / "_static" / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    worker = out / "sw.js"
    text = worker.read_text(encoding="utf-8")
    worker.write_text(text.replace("VERSION", everything.hexdigest()[:12]), encoding="utf-8")


def write_styles(app: Sphinx, static: Path) -> str:
    """Write every style sheet into one, in the order in which they were loaded; return its hash."""
    own = sorted(app.builder._orig_css_files, key=lambda css: css.priority)
    names = FIRST + [str(css.filename).removeprefix("_static/") for css in own]
    parts = []
    for name in dict.fromkeys(names):
        text = (static / name).read_text(encoding="utf-8")
        if name == FIRST[0] and IMPORT not in text:
            raise ExtensionError(f"{name} no longer imports basic.css as it did")
        text = re.sub(r"/\*.*?\*/", "", text.replace(IMPORT, ""), flags=re.DOTALL)
        if "@import" in text or (name.count("/") and re.search(r"url\((?!['\"]?data:)", text)):
            raise ExtensionError(f"{name} leads to another file: site.css would lose it")
        text = text.replace('@charset "UTF-8";', "")
        parts.append(re.sub(r"\s*\n\s*", "\n", text))
    font = static / "math-font.woff2"
    digest = hashlib.sha256(font.read_bytes()).hexdigest()[:8]
    whole = "".join(parts).replace(font.name, f"{font.name}?v={digest}")
    (static / "site.css").write_text(whole, encoding="utf-8")
    return hashlib.sha256(whole.encode()).hexdigest()[:8]


def with_sizes(page: str, folder: Path) -> str:
    """Tell a page the size of its pictures, and load those further down when they are near.

    Args:
        page: the page's HTML.
        folder: where it lies, for what its addresses are relative to.
    """
    start = page.find("<article")

    def sized(match: re.Match) -> str:
        before, source, after = match.groups()
        path = folder / source.partition("?")[0]
        width, height = imagesize.get(path) if path.exists() else (-1, -1)
        if width <= 0 or height <= 0:
            return match[0]
        near = match.start() < start or len(TAG.sub("", page[start : match.start()])) < ABOVE
        lazy = "" if near else ' loading="lazy"'
        size = f' width="{width}" height="{height}" decoding="async"{lazy}'
        return f'<img {before}src="{source}"{after}{size} />'

    return IMAGE.sub(sized, page)


def setup(app: Sphinx) -> dict:
    """Run after everything else that changes a page."""
    app.connect("html-page-context", lighten, priority=950)
    app.connect("build-finished", finish, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
