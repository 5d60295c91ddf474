"""Reads what longer training runs gave: assets/results.json, with the command behind each part."""

import json
from pathlib import Path

RESULTS = Path(__file__).parent / "assets" / "results.json"


def recorded(name: str, **settings: object) -> list[dict]:
    """Return the rows that one experiment recorded.

    Args:
        name: of the experiment, such as ``"ablations"``.
        **settings: values that a row must have, such as ``seed=0``.

    Returns:
        The rows that match, each with its settings and what was found.

    Raises:
        ValueError: nothing of that name was recorded, or no row has these settings.

    Example:
        >>> [row["seed"] for row in recorded("ablations", change="one head")]
        [0, 1, 2, 3, 4]
    """
    parts = json.loads(RESULTS.read_text(encoding="utf-8"))
    if name not in parts:
        raise ValueError(f"name must be one of {', '.join(parts)}; got {name!r}")
    rows = [row for row in parts[name]["rows"] if settings.items() <= row.items()]
    if not rows:
        raise ValueError(f"settings must fit at least one row of {name!r}; got {settings}")
    return rows
