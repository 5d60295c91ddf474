"""Imitate other machines: other CPU instructions and threads, other fonts, another browser.

    python -m scripts.elsewhere                  all of them
    python -m scripts.elsewhere "no vectors"     one of them
    python -m scripts.elsewhere --chapters "no vectors"    only its chapters and their parity

Every processor can act as an older one, and older ones round differently: over some hundred steps
of training, that changes the digits. The book's claims must hold there too. So must its pages with
other fonts and in Firefox: there the tests in tests/web run, on the site as it is built here.
"""

import argparse
import os
import subprocess
import sys
import time

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


def play(name: str, *, chapters_only: bool) -> bool:
    """Run the chapters and the tests on one of the machines, and tell whether all passed."""
    if name in READERS:
        return read(READERS[name])
    folder = FOLDER / name.replace(" ", "-").replace("'", "")
    environment = {"OMP_NUM_THREADS": "1", **os.environ, **MACHINES[name]}
    environment["ATTNSTEPS_SITE"] = str(folder / "html")
    site = [sys.executable, "-m", "scripts.site", "--execute", "--executed", folder / "executed"]
    site += ["--chapters-only"] if chapters_only else ["--html", folder / "html"]
    tests = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile"]
    tests += ["--executed", folder / "executed", "book", "tests/parity"]
    if not chapters_only:
        tests += ["tests/unit", "tests/notebooks/test_pages.py"]
    return all(
        subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0
        for command in (site, tests)
    )


def read(reader: dict[str, str]) -> bool:
    """Try the pages with other fonts or in another browser, and tell whether all passed."""
    environment = {"OMP_NUM_THREADS": "1", **os.environ, **reader}
    tests = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "tests/web"]
    tests += ["--ignore", "tests/web/test_foreign_fonts.py"]
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
    parser.add_argument(
        "--chapters", action="store_true", help="only the chapters and their parity tests"
    )
    options = parser.parse_args()
    if unknown := set(options.machines) - set(known):
        parser.error(f"MACHINE must be one of {', '.join(known)}; got {unknown.pop()!r}")
    results = {}
    for name in options.machines or known:
        if lack := lacking(name):
            results[name] = f"skipped: {lack}"
            continue
        print(f"\n{name}: {' '.join(f'{k}={v}' for k, v in known[name].items())}", flush=True)
        start = time.perf_counter()
        held = play(name, chapters_only=options.chapters)
        took = time.perf_counter() - start
        results[name] = f"{'holds' if held else 'FAILS'} ({took / 60:.1f} minutes)"
    print("\n".join(["", *(f"{name:29} {result}" for name, result in results.items())]))
    return any(result.startswith("FAILS") for result in results.values())


if __name__ == "__main__":
    sys.exit(main())
