"""Sets of fonts that a browser can be given in place of the machine's own.

Fonts are played as processors are: ``ATTNSTEPS_FONTS=narrow`` in the environment of the tests lets
their browser see that set alone (fontconfig does it, so on Linux only).
"""

import functools
import os
import subprocess
from pathlib import Path
from typing import NamedTuple


class Fonts(NamedTuple):
    """Families of one set, and the Debian packages that bring them."""

    sans: str
    mono: str
    others: tuple[str, ...]
    packages: str

    @property
    def families(self) -> tuple[str, ...]:
        """All families of the set."""
        return self.sans, self.mono, *self.others


SETS = {
    "DejaVu": Fonts("DejaVu Sans", "DejaVu Sans Mono", ("DejaVu Serif",), "fonts-dejavu-core"),
    "Liberation and Noto CJK": Fonts(
        "Liberation Sans",
        "Liberation Mono",
        ("Liberation Serif", "Noto Sans CJK SC", "Noto Serif CJK SC"),
        "fonts-liberation fonts-noto-cjk",
    ),
    "wide": Fonts("Comfortaa", "DejaVu Sans Mono", (), "fonts-comfortaa fonts-dejavu-core"),
    "narrow": Fonts("Liberation Sans Narrow", "Liberation Mono", (), "fonts-liberation"),
}
FOREIGN = "Liberation and Noto CJK"  # the one that `make test` plays beside the machine's own
NAMED = ("sans-serif", "serif", "system-ui", "Arial", "Helvetica", "Helvetica Neue", "Segoe UI")
CONFIGURATION = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  {folders}
  <cachedir>{cache}</cachedir>
  {aliases}
  <include ignore_missing="yes">/etc/fonts/conf.d</include>
</fontconfig>
"""
ALIAS = """<match><test name="family"><string>{name}</string></test>
  <edit name="family" mode="assign" binding="strong"><string>{family}</string></edit></match>"""


@functools.cache
def folders(family: str) -> list[str]:
    """List the folders in which a family's files lie; none if it isn't installed."""
    command = ["fc-list", f":family={family}", "file"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return []
    return sorted({str(Path(line.rstrip(": ")).parent) for line in found.splitlines()})


def missing(name: str) -> str:
    """Say what a set lacks on this machine; an empty string if it can be played.

    Args:
        name: a key of ``SETS``.

    Raises:
        ValueError: if there is no such set.
    """
    if name not in SETS:
        raise ValueError(f"ATTNSTEPS_FONTS must be one of {', '.join(SETS)}; got {name!r}")
    fonts = SETS[name]
    lacking = [family for family in fonts.families if not folders(family)]
    return f"{lacking[0]} isn't installed: apt-get install {fonts.packages}" if lacking else ""


def environment(name: str, folder: Path) -> dict[str, str]:
    """Return the environment of a program that is to see one set of fonts only.

    Args:
        name: a key of ``SETS``.
        folder: where fontconfig's settings and cache are written.
    """
    fonts = SETS[name]
    played = {**dict.fromkeys(NAMED, fonts.sans), "monospace": fonts.mono}
    where = [each for family in fonts.families for each in folders(family)]
    text = CONFIGURATION.format(
        folders="".join(f"<dir>{each}</dir>" for each in dict.fromkeys(where)),
        cache=folder / "fontconfig",
        aliases="".join(ALIAS.format(name=name, family=family) for name, family in played.items()),
    )
    path = folder / f"{name.replace(' ', '-')}.conf"
    path.write_text(text, encoding="utf-8")
    return {**os.environ, "FONTCONFIG_FILE": str(path)}
