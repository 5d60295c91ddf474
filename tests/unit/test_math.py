"""Formulas become MathML when the site is built."""

import importlib.util

import pytest
from sphinx.errors import ExtensionError

from tests.browser import ROOT

PATH = ROOT / "book" / "_ext" / "attnsteps_math.py"


@pytest.fixture(scope="module")
def maths():
    spec = importlib.util.spec_from_file_location(PATH.stem, PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_formula_that_cannot_be_translated_is_named(maths):
    with pytest.raises(ExtensionError, match=r"\\nonsense"):
        maths.to_mathml(r"a + \nonsense{b}")


def test_extra_space_between_lines_is_not_shown_as_text(maths):
    formula = maths.to_mathml(r"\begin{aligned} a &= b \\[4pt] c &= d \end{aligned}", display=True)
    assert "[" not in formula
    assert formula.count("<mtr>") == 2


@pytest.mark.parametrize("text", [r"a = b \\ c = d", "a = b\n\nc = d"])
def test_lines_stand_under_one_another(maths, text):
    assert maths.to_mathml(maths.one_formula(text), display=True).count("<mtr>") == 2


def test_the_font_has_the_italics_of_single_letters_only(maths):
    formula = maths.to_mathml(r"h + \alpha + \operatorname{ln} N")
    found = maths.signs([f"x<p>y</p>{formula}"])
    assert {ord(sign) for sign in "ℎ𝛼𝑁ln√"} <= found
    assert not {ord(sign) for sign in "x𝑥y𝑦𝑙"} & found
