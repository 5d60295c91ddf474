"""What every widget writes numbers with."""

import pytest


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
