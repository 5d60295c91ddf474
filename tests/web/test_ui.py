"""What every widget writes numbers with, and how it splits a text."""

import re
import unicodedata

import pytest

from attnsteps.text.byte_pairs import PIECE
from attnsteps.text.tokenizer import Words

BLANK = ("Zs", "Zl", "Zp", "Cc", "Cf")  # white space, and what looks like it


@pytest.mark.parametrize(
    ("probability", "shown"),
    [
        (0, "0 %"),
        (0.0004, "< 0.1 %"),
        (0.001, "0.1 %"),
        (0.0949, "9.5 %"),
        (0.5, "50 %"),
        (0.99, "99 %"),
        (0.996, "99.6 %"),
        (0.9996, "> 99.9 %"),
        (1, "100 %"),
    ],
)
def test_no_share_is_rounded_to_none_or_to_all(maths_page, probability, shown):
    page, base = maths_page
    script = "async ([base, p]) => (await import(`${base}ui.js`)).asPercent(p)"
    assert page.evaluate(script, [base, probability]) == shown


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (9999, "9,999"),
        (999_499, "999 k"),
        (999_600, "1.00 M"),
        (999_600_000, "1.00 G"),
        (1_234_000_000_000, "1.23 T"),
    ],
)
def test_a_count_has_three_digits_and_the_next_unit_in_time(maths_page, count, shown):
    page, base = maths_page
    script = "async ([base, n]) => (await import(`${base}lit_names.js`)).brief(n)"
    assert page.evaluate(script, [base, count]) == shown


def test_white_space_is_pythons(maths_page):
    page, base = maths_page
    signs = [chr(code) for code in range(0x10000)]
    text = "a".join(sign for sign in signs if unicodedata.category(sign) in BLANK)
    script = """async ([base, text]) => [
      (await import(`${base}maths/words.js`)).splitWords(text, ["zz"]),
      (await import(`${base}maths/words.js`)).splitWords(text, []),
      (await import(`${base}maths/byte_pairs.js`)).textPieces(text),
    ]"""
    words, spaced, pieces = page.evaluate(script, [base, text])
    assert words == Words(["zz"]).tokenize(text)
    assert spaced == text.split()
    assert pieces == re.findall(PIECE, text)
