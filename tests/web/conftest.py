"""Tests of the finished site refuse one that was built from something else."""

import pytest

from scripts.site import INPUTS, inputs
from tests.browser import SITE


@pytest.fixture(scope="session", autouse=True)
def _fresh_site() -> None:
    """Fail at once where the package, the book or the settings have changed since the build."""
    stamp = SITE / INPUTS
    if not stamp.exists() or stamp.read_text() != inputs():
        pytest.fail(f"{SITE} is stale: something that it is made from has changed; run `make site`")
