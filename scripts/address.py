"""Copy the repository's public address from ``pyproject.toml`` to every other file that needs it.

``[project.urls] repository`` is the one place to edit. ``make address`` then replaces the address
that ``_config.yml`` still holds (each page's links to Colab and to its source are made from it) in
all files that name it; ``tests/unit/test_address.py`` checks that they agree.
"""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONFIG = ROOT / "_config.yml"


def address() -> str:
    """Return the address in ``pyproject.toml``, such as ``https://github.com/owner/name``."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)["project"]["urls"]["repository"]


def written_address() -> str:
    """Return the address in ``_config.yml``."""
    return re.search(
        r"^ +source_repository: (\S+)$", CONFIG.read_text(encoding="utf-8"), re.MULTILINE
    )[1]


def site_address(repository: str) -> str:
    """Return the address at which GitHub Pages publishes a repository's site."""
    owner, name = repository.removeprefix("https://github.com/").split("/")
    return f"https://{owner.lower()}.github.io/{name}"


def files() -> list[Path]:
    """Return every file that names the address, except ``pyproject.toml``."""
    notebooks = sorted((ROOT / "book").glob("*.ipynb"))
    return [CONFIG, ROOT / "README.md", ROOT / "CITATION.cff", *notebooks]


if __name__ == "__main__":
    old, new = written_address(), address()
    for path in files():
        text = path.read_text(encoding="utf-8")
        text = text.replace(old, new).replace(site_address(old), site_address(new))
        path.write_text(text, encoding="utf-8")
