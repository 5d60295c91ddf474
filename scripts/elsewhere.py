"""Imitate other machines: other CPU instructions and threads, other fonts, another browser.

    python -m scripts.elsewhere                  all of them
    python -m scripts.elsewhere "no vectors"     one of them
    python -m scripts.elsewhere --execute AVX2       only execute chapters, as `make test` does

Every processor can act as an older one, and older ones round differently: over some hundred steps
of training, that changes the digits. The book's claims must hold there too. So must its pages with
other fonts and in Firefox: there the tests in tests/web run, on the site as it is built here.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from scripts.notebooks import ROOT
from tests.browser import find_firefox
from tests.fonts import SETS, missing

FOLDER = ROOT / "_build" / "elsewhere"
TORCH = "torch==2.11.0"  # what Colab has (August 2026)
CPU_INDEX = "https://download.pytorch.org/whl/cpu"

#: The environment of each machine. `make` sets one thread for everything.
MACHINES = {
    "as it is": {},
    "AVX2": {"ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2", "MKL_CBWR": "AVX2"},
    "no vectors": {
        "ATEN_CPU_CAPABILITY": "default",
        "ONEDNN_MAX_CPU_ISA": "SSE41",
        "MKL_CBWR": "COMPATIBLE",
    },
    "two threads": {"OMP_NUM_THREADS": "2"},
    "Colab's torch": {"PYTHONPATH": str(FOLDER / "torch")},
}
#: Where only the pages are tried.
READERS = {f"{name} fonts": {"ATTNSTEPS_FONTS": name} for name in SETS}
READERS["Firefox"] = {"ATTNSTEPS_BROWSER": "firefox"}


def lacking(name: str) -> str:
    """Say why a machine or a reader can't be played here; an empty string if it can."""
    if name == "Colab's torch" and not lay_over_torch():
        return f"{TORCH} for the CPU cannot be installed here"
    if fonts := READERS.get(name, {}).get("ATTNSTEPS_FONTS"):
        return missing(fonts)
    if name == "Firefox" and not find_firefox():
        return "firefox-esr isn't installed"
    return ""


def lay_over_torch() -> bool:
    """Install Colab's torch beside the environment's own, and tell whether it can be used."""
    target = FOLDER / "torch"
    if not target.exists():
        pip = [sys.executable, "-m", "pip", "install", "-qq", "--no-deps", "--target", str(target)]
        subprocess.run(
            [*pip, "--index-url", CPU_INDEX, TORCH], check=False, stderr=subprocess.DEVNULL
        )
    uses = {**os.environ, **MACHINES["Colab's torch"]}
    version = [sys.executable, "-c", "import torch; print(torch.__version__)"]
    found = subprocess.run(version, env=uses, capture_output=True, text=True, check=False).stdout
    return found.startswith(TORCH.partition("==")[2])


def play(name: str) -> bool:
    """Run the chapters and the tests on one of the machines, and tell whether all passed."""
    if name in READERS:
        return read(READERS[name])
    folder = folder_of(name)
    html = ["--executed", folder / "executed", "--html", folder / "html"]
    workers = 2 // int(MACHINES[name].get("OMP_NUM_THREADS", 1))
    tests = [sys.executable, "-m", "pytest", "-q", "-n", str(workers), "--dist", "loadfile"]
    tests += ["--all", "--executed", folder / "executed", "book", "tests/parity"]
    tests += ["tests/unit", "tests/notebooks/test_pages.py"]
    commands = [sys.executable, "-m", "scripts.site", "--execute", *html], tests
    return all(run(name, command, ATTNSTEPS_SITE=str(folder / "html")) for command in commands)


def execute(name: str) -> bool:
    """Execute the chapters on one of the machines, and tell whether none failed."""
    folder = folder_of(name) / "executed"
    chapters = ["--execute", "--chapters-only", "--executed", folder]
    return run(name, [sys.executable, "-m", "scripts.site", *chapters])


def folder_of(name: str) -> Path:
    """Return where a machine's executions and its site are kept."""
    return FOLDER / name.replace(" ", "-").replace("'", "")


def run(name: str, command: list, **more: str) -> bool:
    """Run a command as on one of the machines, and tell whether it passed."""
    environment = {"OMP_NUM_THREADS": "1", **os.environ, **MACHINES[name], **more}
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0


def read(reader: dict[str, str]) -> bool:
    """Try the pages with other fonts or in another browser, and tell whether all passed."""
    environment = {"OMP_NUM_THREADS": "1", **os.environ, **reader}
    tests = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile"]
    tests += ["--all", "tests/web"]
    return all(
        subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0
        for command in ([sys.executable, "-m", "scripts.site"], tests)
    )


def main() -> int:
    known = MACHINES | READERS
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument(
        "machines", nargs="*", metavar="MACHINE", help=f"one or more of {', '.join(known)}"
    )
    parser.add_argument("--execute", action="store_true", help="only execute the chapters")
    options = parser.parse_args()
    if unknown := set(options.machines) - set(known):
        parser.error(f"MACHINE must be one of {', '.join(known)}; got {unknown.pop()!r}")
    if options.execute and set(options.machines) & set(READERS):
        parser.error("--execute is for processors; fonts and Firefox execute nothing")
    results = {}
    for name in options.machines or known:
        if lack := lacking(name):
            results[name] = f"skipped: {lack}"
            continue
        print(f"\n{name}: {' '.join(f'{k}={v}' for k, v in known[name].items())}", flush=True)
        start = time.perf_counter()
        held = execute(name) if options.execute else play(name)
        took = time.perf_counter() - start
        results[name] = f"{'holds' if held else 'FAILS'} ({took / 60:.1f} minutes)"
    print("\n".join(["", *(f"{name:29} {result}" for name, result in results.items())]))
    return any(result.startswith("FAILS") for result in results.values())


if __name__ == "__main__":
    sys.exit(main())
