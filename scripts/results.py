"""Writes what was measured into assets/results.json, with how it came about."""

import json
import os
import platform
from pathlib import Path

import torch

ASSETS = Path(__file__).parents[1] / "src/attnsteps/assets"
RESULTS = ASSETS / "results.json"


def note(
    name: str,
    rows: list[dict],
    *,
    command: str | None = None,
    corpus: str = "generated(40000, seed=0)",
) -> None:
    """Record the results of one part in the file, and print the new ones.

    Where rows of another processor stay, both are named.
    """
    where = {
        "command": command or f"python -m scripts.train_assets {name}",
        "hardware": processor(),
        "threads": torch.get_num_threads(),
        "torch": torch.__version__.split("+")[0],
        "corpus": corpus,
    }
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    before = results.get(name, {})
    recorded = before.get("rows", [])
    if any(row in rows for row in recorded):  # measured elsewhere, perhaps
        both = *before["hardware"].split("; "), processor()
        where["hardware"] = "; ".join(dict.fromkeys(both))
    results[name] = {**where, "rows": rows}
    unfinished = RESULTS.with_suffix(".tmp")
    unfinished.write_text(as_text(results), encoding="utf-8")
    os.replace(unfinished, RESULTS)
    for row in rows:
        if row not in recorded:
            print(name, json.dumps(row, ensure_ascii=False), flush=True)


def as_text(results: dict[str, dict]) -> str:
    """Write results as JSON with one line per row, so that a diff shows what is new."""

    def dumps(value: object) -> str:
        return json.dumps(value, ensure_ascii=False)

    parts = []
    for name, part in results.items():
        settings = [
            f"  {dumps(key)}: {dumps(value)}" for key, value in part.items() if key != "rows"
        ]
        rows = ",\n".join(f"   {dumps(row)}" for row in part["rows"])
        lines = ",\n".join([*settings, f'  "rows": [\n{rows}\n  ]'])
        parts.append(f" {dumps(name)}: {{\n{lines}\n }}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def processor() -> str:
    """Return the name of the processor."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
