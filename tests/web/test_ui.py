"""What every widget writes numbers with, and how it splits a text."""

import re
import unicodedata

import pytest

from attnsteps.text.byte_pairs import PIECE
from attnsteps.text.tokenizer import Words

BLANK = ("Zs", "Zl", "Zp", "Cc", "Cf")  # white space, and what looks like it


@pytest.mark.parametrize(
    ("module", "function", "number", "shown"),
    [
        ("ui", "asPercent", 0, "0 %"),
        ("ui", "asPercent", 0.0004, "< 0.1 %"),
        ("ui", "asPercent", 0.001, "0.1 %"),
        ("ui", "asPercent", 0.0949, "9.5 %"),
        ("ui", "asPercent", 0.5, "50 %"),
        ("ui", "asPercent", 0.99, "99 %"),
        ("ui", "asPercent", 0.996, "99.6 %"),
        ("ui", "asPercent", 0.9996, "> 99.9 %"),
        ("ui", "asPercent", 1, "100 %"),
        ("ui", "scientific", 0.00000024, "2.4·10⁻⁷"),
        ("ui", "scientific", -1234567, "−1.2·10⁶"),
        ("lit_names", "brief", 9999, "9,999"),
        ("lit_names", "brief", 999_499, "999 k"),
        ("lit_names", "brief", 999_600, "1.00 M"),
        ("lit_names", "brief", 999_600_000, "1.00 G"),
        ("lit_names", "brief", 1_234_000_000_000, "1.23 T"),
    ],
)
def test_no_share_is_rounded_to_none_or_to_all_and_no_count_to_a_thousand(
    maths_page, module, function, number, shown
):
    page, base = maths_page
    script = "async ([address, name, number]) => (await import(address))[name](number)"
    assert page.evaluate(script, [f"{base}{module}.js", function, number]) == shown


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
