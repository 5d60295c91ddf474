"""What the book's Sphinx extensions leave out of a page, and that they notice another theme."""

import importlib
import json
import re
from pathlib import Path

import pydata_sphinx_theme
import pytest
from sphinx.errors import ExtensionError

from tests.browser import ROOT

THEME = Path(pydata_sphinx_theme.__file__).parent / "theme" / "pydata_sphinx_theme"
TEMPLATES = ROOT / "book" / "_templates"


@pytest.fixture
def light(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))
    return importlib.import_module("attnsteps_light")


@pytest.fixture
def styles(light):
    return importlib.import_module("attnsteps_styles")


# ── Patches of the theme: each stands or falls with what it was made for ─────────────────────────


def test_the_theme_still_asks_for_what_our_macros_replace():
    macros = re.compile(r"\{% macro (\w+)\(\) %\}")
    name = Path("static") / "webpack-macros.html"
    theirs = (THEME / name).read_text(encoding="utf-8")
    ours = (TEMPLATES / name).read_text(encoding="utf-8")
    assert macros.findall(theirs) == macros.findall(ours)
    scripts = re.compile(r"_static/scripts/([\w-]+\.js)[^>]*></script>")
    assert scripts.findall(theirs) == scripts.findall(ours)
    sheets = re.findall(r"_static/(styles/[\w-]+\.css)", theirs)
    extension = (ROOT / "book" / "_ext" / "attnsteps_styles.py").read_text(encoding="utf-8")
    named = re.findall(r'"(styles/[\w-]+\.css)"', extension)
    assert named == sheets


def test_the_search_page_still_has_the_scripts_that_ours_defers():
    scripts = re.compile(r"pathto\('([\w/]+\.js)'")
    theirs = (THEME / "search.html").read_text(encoding="utf-8")
    assert scripts.findall(theirs) == scripts.findall((TEMPLATES / "search.html").read_text())


def test_light_or_dark_is_still_told_as_our_head_tells_it():
    script = (THEME / "static" / "scripts" / "pydata-sphinx-theme.js").read_text(encoding="utf-8")
    assert 'var t=m.matches?"dark":"light"' in script
    assert 'var n="auto"==e?t:e;document.documentElement.dataset.theme=n' in script
    assert 'window.matchMedia("(prefers-color-scheme: dark)")' in script


# ── Styles ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("css", "left"),
    [
        (".a{color:red}", ".a{color:red}\n"),
        (".a .b{color:red}", ""),
        (".a,.b,p{color:red}", ".a,p{color:red}\n"),
        ("#a:hover::before{x:y}", "#a:hover::before{x:y}\n"),
        ("q{color:red}", ""),
        (".a:not(.b){color:red}", ".a:not(.b){color:red}\n"),
        (":root{--b:1}", ":root{--b:1}\n"),
        ("[data-b]{color:red}", "[data-b]{color:red}\n"),
        (".bs-auto{color:red}", ".bs-auto{color:red}\n"),
        ("/* b */ .a {\n  color : red; /* b */\n}", ".a{color : red;}\n"),
        ("@media print{.b{x:y}}", ""),
        ("@media print{.a{x:y}.b{x:y}}", "@media print{\n.a{x:y}\n}\n"),
        ("@font-face{font-family:b}", "@font-face{font-family:b}\n"),
        ("@keyframes b{from{x:y}}", "@keyframes b{from{x:y}}\n"),
    ],
)
def test_a_rule_stays_where_something_can_match(styles, css, left):
    assert styles.used(css, {"a", "p", "bs-"}) == left


def test_a_broken_style_sheet_is_an_error(styles):
    with pytest.raises(ExtensionError, match="a style sheet has an error"):
        styles.used(".a", set())


def test_words_are_names_in_pages_and_all_words_of_scripts(styles):
    page = '<p class="one two" title="> three"><math id="four">five</math>'
    words = styles.words_of(
        [f'{page}<script>six("7-x")</script>'], ["e.classList.add(`bs-${kind}`)"]
    )
    expected = {"p", "one", "two", "math", "four", "script", "six", "7-x", "classList", "bs-"}
    assert expected <= words
    assert not words & {"three", "five"}


def test_a_style_sheet_that_leads_to_another_file_is_an_error(styles, tmp_path):
    (tmp_path / "a.css").write_text('@import "b.css";')
    with pytest.raises(ExtensionError, match=r"a\.css leads to another file"):
        styles.read(tmp_path, "a.css")


# ── Notebooks to download ──────────────────────────────────────────────────────────────────────


def test_a_chapter_to_download_has_pictures_and_no_states(light, tmp_path):
    path = tmp_path / "a.ipynb"
    data = {light.VIEW: {"model_id": "a"}, "image/png": "b"}
    cells = [{"cell_type": "code", "outputs": [{"data": data}]}, {"cell_type": "markdown"}]
    path.write_text(json.dumps({"metadata": {"widgets": {}, "k": 1}, "cells": cells}))
    light.spare(path)
    left = json.loads(path.read_text(encoding="utf-8"))
    assert left["metadata"] == {"k": 1}
    assert left["cells"][0]["outputs"] == [{"data": {"image/png": "b"}}]
