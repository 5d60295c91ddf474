"""How `make bench` measures: side by side, in turn, and what the machine itself can do."""

import os
import platform
import re
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import torch


def race(
    runners: dict[str, Callable[[], object]], *, seconds: float, most: int = 100
) -> dict[str, list[float]]:
    """Time functions in turn, in one process and alternating order: all meet the same noise.

    Args:
        runners: what to time, by name; each was run once before, to be warm.
        seconds: stop after the round in which this time has passed; there is at least one.
        most: the number of rounds at most.

    Returns:
        Milliseconds of each round, by name.
    """
    times = {name: [] for name in runners}
    begin = time.perf_counter()
    for number in range(most):
        for name in list(runners) if number % 2 == 0 else reversed(runners):
            start = time.perf_counter()
            runners[name]()
            synchronize()
            times[name].append(1e3 * (time.perf_counter() - start))
        if time.perf_counter() - begin > seconds:
            break
    return times


def synchronize() -> None:
    """Wait until a GPU, if there is one, has done what it was asked to do."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def ratio(times: dict[str, list[float]], other: str, one: str) -> float:
    """Return how many times as long one took as the other: the median of the rounds' ratios."""
    return statistics.median(b / a for a, b in zip(times[other], times[one], strict=True))


def bandwidth(device: str = "cpu", size: int = 2**28) -> float:
    """Measure how many bytes a second a copy moves, reading and writing counted, at best."""
    source = torch.ones(size, dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    return max(2 * size / seconds_of(lambda: target.copy_(source)) for _ in range(10))


def matrix_rate(device: str = "cpu", dtype: torch.dtype = torch.float32, size: int = 2048) -> float:
    """Measure how many operations a second a product of two matrices does, at best."""
    one, other = (torch.randn(size, size, dtype=dtype, device=device) for _ in range(2))
    return max(2 * size**3 / seconds_of(lambda: one @ other) for _ in range(10))


def seconds_of(run: Callable[[], object]) -> float:
    """Time one run."""
    synchronize()
    start = time.perf_counter()
    run()
    synchronize()
    return time.perf_counter() - start


def peak_memory(path: str, *, backward: bool, length: int = 4096) -> int:
    """Return the bytes by which attention raises a fresh process's peak of resident memory.

    Args:
        path: "explicit", which returns weights, or "fused".
        backward: True also computes the gradients.
        length: of queries and keys, in 8 heads of width 64.
    """
    command = [sys.executable, "-m", "bench.measure", path, str(int(backward)), str(length)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(done.stdout)


def attend(path: str, backward: bool, length: int, device: str = "cpu") -> None:
    """Run attention once: 8 heads of width 64."""
    from attnsteps import scaled_dot_product_attention  # noqa: PLC0415 - a child needs no more

    q, k, v = (
        torch.randn(1, 8, length, 64, device=device, requires_grad=backward) for _ in range(3)
    )
    context, _ = scaled_dot_product_attention(q, k, v, need_weights=path == "explicit")
    if backward:
        context.sum().backward()


def machine() -> str:
    """Describe hardware, versions and date in one line."""
    info = Path("/proc/cpuinfo")
    names = re.findall(r"model name\s*: (.+)", info.read_text() if info.exists() else "")
    processor = names[0] if names else platform.processor() or platform.machine()
    gpu = f", {torch.cuda.get_device_name()}" if torch.cuda.is_available() else ""
    return (
        f"{datetime.now(UTC):%d %B %Y}; {processor}, {torch.get_num_threads()} of"
        f" {os.cpu_count()} cores used{gpu}; {platform.system()},"
        f" Python {platform.python_version()}, PyTorch {torch.__version__}"
    )


def peak() -> int:
    """Return the most resident memory that this process has had, in bytes, and start anew from now.

    Only Linux can start anew; elsewhere it is the most since the process began.
    """
    status, reset = Path("/proc/self/status"), Path("/proc/self/clear_refs")
    if not reset.exists():
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most * (1 if sys.platform == "darwin" else 1024)
    kibibytes = int(re.search(r"VmHWM:\s*(\d+) kB", status.read_text())[1])
    reset.write_text("5")
    return kibibytes * 1024


def main() -> None:
    """Print by how many bytes one run of attention raises this process's peak."""
    path, backward, length = sys.argv[1], sys.argv[2] == "1", int(sys.argv[3])
    attend(path, backward, 64)  # loads the kernels
    peak()
    before = peak()
    attend(path, backward, length)
    print(peak() - before)


if __name__ == "__main__":
    main()
