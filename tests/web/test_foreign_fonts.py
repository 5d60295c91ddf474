"""What must hold whatever fonts a reader has, once more with a set that may be foreign here."""

import pytest

from tests.fonts import FOREIGN
from tests.web.test_pages import (  # noqa: F401 (pytest runs what it finds here)
    path,
    test_code_of_76_columns_fits_on_a_desk,
    test_drawings_are_readable,
    test_no_sideways_scroll,
    test_nothing_moves_while_the_page_is_skimmed,
    test_nothing_moves_while_the_page_loads,
    test_touch_targets_are_large_enough,
    test_what_scrolls_is_reached_by_keyboard,
)


@pytest.fixture(scope="module")
def browser(start_browser):
    """A browser that has the foreign set alone."""
    return start_browser(FOREIGN)
