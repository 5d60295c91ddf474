"""Kill a training with SIGKILL after every so many lines of its code, resume it, compare.

A program of its own: ``python -m tests.kill DIRECTORY STRIDE PART`` prints one line of JSON. Each
training runs in a fork, so that torch is imported once.
"""

import functools
import hashlib
import itertools
import json
import os
import signal
import sys
from pathlib import Path
from types import FrameType

import safetensors.torch

from attnsteps import storage
from attnsteps.training import loop, resume
from tests.training import make_config, make_examples, make_model, trained

TRAINING = Path(loop.__file__).parent
SAVING = {str(path) for path in Path(storage.__file__).parent.glob("*.py")} | {resume.__file__}
WATCHED = {str(path) for path in TRAINING.glob("*.py")} | SAVING
CONFIG = {"steps": 6, "checkpoint_every": 2, "log_every": 1, "evaluate_every": 3, "accumulate": 2}


def run(directory: Path, *, resume: bool) -> str:
    """Train from the first step or from the last checkpoint; return a checksum of the weights."""
    model, history = trained(
        make_model(),
        make_examples(20),
        config=make_config(**CONFIG),
        directory=directory,
        resume=resume,
        validate=lambda _: {"score": 0.5},
    )
    losses = [(record.step, record.loss, record.scores) for record in history.records]
    digest = hashlib.sha256(repr(losses).encode())
    for parameter in model.parameters():
        digest.update(parameter.detach().numpy())
    log = (directory / "log.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in log] == ["step", *map(str, range(1, 7))], log
    return digest.hexdigest()


def in_a_fork(job) -> tuple[int, str]:
    """Run a job in a process of its own; return how it ended, and what it returned."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            result = job()
            os.write(write, str(result).encode())
        except BaseException as error:
            os.write(write, repr(error).encode())
            os._exit(1)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        result = pipe.read().decode()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), result


def watched(job, *, die_at: int | None = None) -> list[tuple[str, int]]:
    """List the lines that run in the watched files, and end the process at one of them."""
    lines = []

    def on_line(frame: FrameType, event: str, _argument: object):
        if event == "line":
            lines.append((frame.f_code.co_filename, frame.f_lineno))
            if len(lines) == die_at:
                os.kill(os.getpid(), signal.SIGKILL)
        return on_line

    def on_call(frame: FrameType, _event: str, _argument: object):
        return on_line if frame.f_code.co_filename in WATCHED else None

    sys.settrace(on_call)
    job()
    sys.settrace(None)
    return lines


def half_a_file(tensors, filename, metadata) -> None:
    """Die in the middle of writing a file, which safetensors does under a name of its own."""
    filename.with_name(".tmp0123").write_bytes(safetensors.torch.save(tensors, metadata)[:1000])
    os.kill(os.getpid(), signal.SIGKILL)


def places(lines: list[tuple[str, int]], stride: int) -> list[int]:
    """Choose when to die: at every line that saves, in the middle of the run, and at others."""
    when = {}
    for i, line in enumerate(lines, start=1):
        if line[0] in SAVING:
            when.setdefault(line, []).append(i)
    middles = {every[len(every) // 2] for every in when.values()}
    return sorted(middles | set(range(1, len(lines) + 1, stride)))


def main(root: Path, stride: int, part: int) -> None:
    """Try every third place, and report."""
    run(root / "first", resume=False)  # what torch imports on first use is imported once
    status, needed = in_a_fork(lambda: run(root / "whole", resume=False))
    assert status == 0, needed
    lines = watched(lambda: run(root / "watched", resume=False))

    def killed(directory: Path, place: int) -> None:
        watched(lambda: run(directory, resume=False), die_at=place)

    def killed_while_writing(directory: Path, which: int) -> None:
        saves, save_file = itertools.count(), safetensors.torch.save_file
        safetensors.torch.save_file = lambda *a: (
            half_a_file(*a) if next(saves) == which else save_file(*a)
        )
        run(directory, resume=False)

    jobs = [functools.partial(killed, place=place) for place in places(lines, stride)]
    jobs += [functools.partial(killed_while_writing, which=which) for which in range(3)]
    wrong = []
    jobs = jobs[part::3]
    for number, job in enumerate(jobs):
        directory = root / str(number)
        status, message = in_a_fork(functools.partial(job, directory))
        assert status == -signal.SIGKILL, (number, status, message)
        resumed = in_a_fork(functools.partial(run, directory, resume=True))
        left = sorted(path.name for path in directory.iterdir())
        if resumed != (0, needed) or left != [resume.NAME, "log.csv"]:
            wrong.append((number, resumed, left))
    print(json.dumps({"kills": len(jobs), "lines": len(lines), "wrong": wrong}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
