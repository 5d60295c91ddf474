"""What Sphinx puts around a chapter's text: the strip, and the imports at the end."""

import itertools
import re
from types import SimpleNamespace

import attnsteps_chapter as chapter
import pytest
from docutils import nodes

from tests.browser import ROOT


def section(title, *content):
    return nodes.section("", nodes.title("", title), *content)


def page(*content):
    found = nodes.document(None, None)
    found += section("Softmax", *content)
    return found


def test_the_parts_are_those_of_the_table_of_contents():
    *parts, _ = (ROOT / "_toc.yml").read_text(encoding="utf-8").split("caption:")[1:]
    listed = [re.findall(r"file: (\d\d_\w+)", part) for part in parts]
    assert [count for _, count in chapter.PARTS] == [len(files) for files in listed]
    assert [*itertools.chain(*listed)] == chapter.DOCNAMES


@pytest.mark.parametrize("here", chapter.DOCNAMES)
def test_the_strip_links_to_every_chapter_and_lights_one(here):
    html = chapter.strip(here, {here: "Mine & yours"}, "You are here").astext()
    links = re.findall(
        r"<a href=\"(\w+)\.html\"[^>]*?( aria-current=\"page\"| class=\"coming\")?>", html
    )
    assert [name for name, _ in links] == chapter.DOCNAMES
    place = chapter.DOCNAMES.index(here)
    states = [state.strip() for _, state in links]
    assert states == [""] * place + ['aria-current="page"'] + ['class="coming"'] * (
        len(states) - 1 - place
    )
    assert f'aria-label="{place + 1} Mine &amp; yours"' in html


def test_the_strip_is_under_the_title_and_before_the_folds_of_the_closing():
    fold = nodes.raw("", '<details class="deeper">', format="html")
    text = nodes.paragraph("", "Three sentences.")
    app = SimpleNamespace(env=SimpleNamespace(titles={}), builder=SimpleNamespace(format="html"))
    doctree = page(section("Why"), section(chapter.CLOSING, text, fold))
    chapter.add_strips(app, doctree, "06_softmax")
    top, (*_, closing) = doctree[0][1], doctree[0]
    assert "You are here" in top.astext()
    assert [type(node) for node in closing] == [nodes.title, nodes.paragraph, nodes.raw, nodes.raw]
    assert "You are still here" in closing[2].astext()
    untouched = page(section(chapter.CLOSING, text.deepcopy()))
    chapter.add_strips(app, untouched, "notation")
    assert not list(untouched.findall(nodes.raw))


def test_the_imports_go_to_the_end():
    imports = nodes.container(classes=["cell", "tag_hide-input", "tag_imports"])
    doctree = page(imports, nodes.paragraph("", "Tired"), section(chapter.CLOSING))
    chapter.imports_last(None, doctree)
    assert doctree[0][-1] is imports
    assert [type(node) for node in doctree[0]][:2] == [nodes.title, nodes.paragraph]
