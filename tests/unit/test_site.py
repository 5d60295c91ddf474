"""What the book's Sphinx extension does to a page."""

import importlib.util

import pytest

from tests.browser import ROOT

PATH = ROOT / "book" / "_ext" / "attnsteps_site.py"
CLASSES = "math notranslate nohighlight"
FORMULA = f'<span class="{CLASSES}"><math><msub><mi>d</mi><mi>k</mi></msub></math></span>'


@pytest.fixture(scope="module")
def site():
    spec = importlib.util.spec_from_file_location(PATH.stem, PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("before", "after"),
    [("(", ")"), ("", "."), ("“", "”"), ("(", ""), ("", "),"), ("（", "），")],
)
def test_a_formula_is_tied_to_the_punctuation_that_touches_it(site, before, after):
    context = {"body": f"by {before}{FORMULA}{after} it"}
    site.keep_punctuation(None, "", "", context, None)
    tied = f'by <span class="with-formula">{before}{FORMULA}{after}</span> it'
    assert context == {"body": tied}


@pytest.mark.parametrize("body", [f"by {FORMULA} it", "(by) it.", f"the ( {FORMULA} )"])
def test_what_touches_no_formula_stays_as_it_is(site, body):
    context = {"body": body}
    site.keep_punctuation(None, "", "", context, None)
    assert context == {"body": body}


def test_a_page_without_a_body_is_left_alone(site):
    context = {}
    site.keep_punctuation(None, "", "", context, None)
    assert context == {}
