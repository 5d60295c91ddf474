"""What every test shares: checked shapes, repeatable chance, one way to look at error messages."""

from collections.abc import Callable

import jaxtyping
import pytest
from hypothesis import settings

from scripts.closure import PACKAGE

collect_ignore = ["peers"]  # needs transformers: `make peers` runs it in an environment of its own

# Must run before any test imports the package: from here on, beartype holds every jaxtyping
# annotation of these stages to the tensors that really pass.
# Without the generated corpus: its words have no shapes, and checked it would take minutes.
CHECKED = (
    "shapes",
    "corpora.images",
    "corpora.parallel",
    "text",
    "layers",
    "model",
    "training",
    "decoding",
)
for stage in CHECKED:
    place = PACKAGE.joinpath(*stage.split("."))
    assert place.is_dir() or place.with_suffix(".py").is_file(), f"tests/conftest.py: no {stage}"
jaxtyping.install_import_hook([f"attnsteps.{stage}" for stage in CHECKED], "beartype.beartype")

import torch  # noqa: E402

settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=40)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def checked(request: pytest.FixtureRequest) -> None:
    """Check shapes in the tests of units; those of whole models need half of the time without."""
    jaxtyping.config.update("jaxtyping_disable", "unit" not in request.path.parts)


@pytest.fixture(autouse=True)
def seeded() -> None:
    """Start every test from the same random state."""
    torch.manual_seed(2017)


@pytest.fixture
def refuses() -> Callable[[Callable[[], object], str], None]:
    """Check that a call raises ValueError with exactly this message.

    A reader has no beartype between the call and the package's own message, so it steps aside.
    """

    def check(call: Callable[[], object], message: str) -> None:
        jaxtyping.config.update("jaxtyping_disable", True)
        try:
            with pytest.raises(ValueError) as caught:  # noqa: PT011 (the message is held below)
                call()
        finally:
            jaxtyping.config.update("jaxtyping_disable", False)
        assert str(caught.value) == message

    return check
