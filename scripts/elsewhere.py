"""Imitate other machines: run the chapters and tests with other CPU instructions and threads.

    python -m scripts.elsewhere                  all of them
    python -m scripts.elsewhere "no vectors"     one of them
    python -m scripts.elsewhere --chapters "no vectors"    only its chapters and their parity

Every processor can act as an older one, and older ones round differently: over some hundred steps
of training, that changes the digits. The book's claims must hold there too.
"""

import argparse
import os
import subprocess
import sys
import time

from scripts.notebooks import ROOT

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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument(
        "machines", nargs="*", metavar="MACHINE", help=f"one or more of {', '.join(MACHINES)}"
    )
    parser.add_argument(
        "--chapters", action="store_true", help="only the chapters and their parity tests"
    )
    options = parser.parse_args()
    if unknown := set(options.machines) - set(MACHINES):
        parser.error(f"MACHINE must be one of {', '.join(MACHINES)}; got {unknown.pop()!r}")
    results = {}
    for name in options.machines or MACHINES:
        if name == "Colab's torch" and not lay_over_torch():
            results[name] = f"skipped: {TORCH} for the CPU cannot be installed here"
            continue
        print(f"\n{name}: {' '.join(f'{k}={v}' for k, v in MACHINES[name].items())}", flush=True)
        start = time.perf_counter()
        held = play(name, chapters_only=options.chapters)
        took = time.perf_counter() - start
        results[name] = f"{'holds' if held else 'FAILS'} ({took / 60:.1f} minutes)"
    print("\n".join(["", *(f"{name:14} {result}" for name, result in results.items())]))
    return any(result.startswith("FAILS") for result in results.values())


if __name__ == "__main__":
    sys.exit(main())
