"""Writes the reference: one page for each stage, from the docstrings of its modules.

A page holds one ``{stage}`` directive. It becomes a section for each module, in the order of the
table in the stage's docstring, with the module's docstrings (autodoc, napoleon) and a link to the
chapter that derives it; that chapter ends with links back. Links appear as chapters do: a module
belongs to the chapter of its own stem, or to one named here, if that is in the table of contents.
"""

import ast
import importlib
import pkgutil
import re
from types import ModuleType

from docutils import nodes
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

PACKAGE = "attnsteps"
# Where a module has another stem than its chapter, or than its stage's.
CHAPTERS = {
    "layers.heads": "multi_head",
    "layers.cache": "decoding",
    "layers.linear": "embedding",
    "layers.layer_norm": "residual_and_norm",
    "layers.rms_norm": "since_2017",
    "layers.rotary": "since_2017",
    "layers.tiled_attention": "since_2017",
    "layers.mixture": "since_2017",
    "layers.prefix_mask": "family",
    "model.language_model": "family",
    "corpora.images": "family",
    "layers.sublayer": "residual_and_norm",
    "model.attention_weights": "multi_head",
    "model.build": "transformer",
    "decoding.mask_predict": "non_autoregressive",
    "training.distributed": "scale",
    "training.mixture": "since_2017",
    "translator.search": "decoding",
    "translator.trained": "training",
    "analysis.scores": "training",
    "analysis.alignment": "inside",
    "analysis.interventions": "inside",
    "analysis.pronouns": "inside",
    "analysis.leaks": "masks",
    "analysis.memory": "scale",
    "analysis.speed": "scale",
}
# A stage belongs to the chapter of its own stem otherwise: text, training, decoding.
STAGE_CHAPTERS = {"corpora": "text", "model": "transformer", "storage": "training"}


class Stage(SphinxDirective):
    """Show everything that a stage, or a module on its own such as shapes, offers."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write the sections as Markdown, and let MyST read it."""
        lines = []
        for module in modules_of(self.arguments[0]):
            name = module.__name__
            if name != f"{PACKAGE}.{self.arguments[0]}":
                lines += [f"## {name.rpartition('.')[2]}", ""]
            if docname := chapter_of(name, self.env):
                lines += [f"Derived in {{doc}}`/{docname}`.", ""]
            lines += ["```{eval-rst}", f".. automodule:: {name}"]
            lines += ["   :members:", "   :no-value:", "```", ""]
        parent = nodes.section()
        parent.document = self.state.document
        self.state.nested_parse(StringList(lines), self.content_offset, parent, match_titles=True)
        return parent.children


class DrawingExample(SphinxDirective):
    """Show a piece of Python that ends in a drawing, and the drawing below it."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Run all statements but the last, which is the picture."""
        source = "\n".join(self.content)
        *before, last = ast.parse(source).body
        names: dict[str, object] = {}
        exec(compile(ast.Module(before, []), "drawing", "exec"), names)
        drawing = eval(compile(ast.Expression(last.value), "drawing", "eval"), names)
        code = nodes.literal_block(source, source, language="python")
        return [code, nodes.raw("", drawing._repr_html_(), format="html")]


def modules_of(stage: str) -> list[ModuleType]:
    """List the modules of a stage that define something public, in the order of its docstring.

    Args:
        stage: the name of a package inside the package, or of a single module.
    """
    package = importlib.import_module(f"{PACKAGE}.{stage}")
    if not hasattr(package, "__path__"):
        return [package]
    named = re.findall(r"^(\w+)  ", package.__doc__, flags=re.MULTILINE)
    stems = sorted(info.name for info in pkgutil.iter_modules(package.__path__))
    stems.sort(key=lambda stem: named.index(stem) if stem in named else len(named))
    modules = [importlib.import_module(f"{package.__name__}.{stem}") for stem in stems]
    return [module for module in modules if public_names(module)]


def public_names(module: ModuleType) -> list[str]:
    """List the functions and classes that a module defines under a public name."""
    return [
        name
        for name, value in vars(module).items()
        if callable(value)
        and getattr(value, "__module__", None) == module.__name__
        and not name.startswith("_")
    ]


def chapter_of(module: str, env: BuildEnvironment) -> str | None:
    """Find the page that derives a module, if it is part of this build.

    Args:
        module: its dotted name.
        env: the build.
    """
    _, stage, *rest = module.split(".")
    inside = ".".join([stage, *rest])
    stems = [CHAPTERS.get(inside), rest[0] if rest else None, STAGE_CHAPTERS.get(stage, stage)]
    pages = {match[1]: page for page in env.found_docs if (match := re.match(r"\d\d_(\w+)$", page))}
    return next((pages[stem] for stem in stems if stem in pages), None)


def link_back(app: Sphinx, doctree: nodes.document) -> None:
    """End a chapter with links to the modules that it derives, where the reference is built too."""
    env = app.env
    order = re.findall(r"^(\w+)  ", importlib.import_module(PACKAGE).__doc__, flags=re.MULTILINE)
    stages = [stage for stage in order if f"api/{stage}" in env.found_docs]
    if "corpora" in stages:
        stages.insert(stages.index("corpora") + 1, "corpora.generated")
    names = [module.__name__ for stage in stages for module in modules_of(stage)]
    found = [name for name in names if chapter_of(name, env) == env.docname]
    section = next(iter(doctree.findall(nodes.section)), None)
    if not found or section is None:
        return
    paragraph = nodes.paragraph("", "In the reference: ", classes=["reference-links"])
    for name in found:
        if name != found[0]:
            paragraph += nodes.Text(", ")
        inside = name.removeprefix(f"{PACKAGE}.")
        link = addnodes.pending_xref(
            "", nodes.literal("", inside), refdomain="py", reftype="mod", reftarget=name,
            refdoc=env.docname, refexplicit=True, refwarn=True,
        )  # fmt: skip
        paragraph += link
    paragraph += nodes.Text(".")
    section += paragraph


def leave_out(app: Sphinx, *event: object) -> bool:
    """Leave out what a NamedTuple says about its fields: the class's docstring says more."""
    _, _, obj, skip, _ = event
    return skip or (getattr(obj, "__doc__", None) or "").startswith("Alias for field number")


def keep_colons(app: Sphinx, what: str, *event: object) -> None:
    """Let a sentence have a colon where napoleon would take what is before it for a type."""
    lines = event[-1]
    if what in ("attribute", "data", "property") and lines:
        lines[0] = f": {lines[0]}"
    for number, line in enumerate(lines[:-1]):
        if line in ("Returns:", "Yields:"):
            text = lines[number + 1].lstrip()
            lines[number + 1] = lines[number + 1].replace(text, f": {text}")


def name_the_arrow(app: Sphinx, *event: object) -> None:
    """Give the arrow beside a page with pages below it a name, for those who cannot see it."""
    context = event[2]
    if generate := context.get("generate_toctree_html"):
        context["generate_toctree_html"] = lambda **options: str(generate(**options)).replace(
            "<summary>", '<summary aria-label="Show the pages below">'
        )


def setup(app: Sphinx) -> dict:
    """Add the directive and the links."""
    app.connect("html-page-context", name_the_arrow, priority=900)  # after the theme's
    app.connect("autodoc-process-docstring", keep_colons, priority=400)  # before napoleon's
    app.add_directive("stage", Stage)
    app.add_directive("drawing", DrawingExample)
    app.connect("doctree-read", link_back)
    app.connect("autodoc-skip-member", leave_out)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
