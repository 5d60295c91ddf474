"""The process that kernels fork from (scripts/kernels.py): it has imported the large libraries.

For each line that it reads it forks a kernel, and answers with the number of its process.
"""

import importlib
import json
import os
import signal
import sys

LIBRARIES = ("anywidget", "ipykernel.kernelapp", "ipywidgets", "matplotlib.pyplot", "torch")


def main() -> None:
    """Import the libraries; fork a kernel for each line, until there are no more."""
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"  # as a kernel sets it
    os.environ["JPY_PARENT_PID"] = str(os.getpid())  # without this process a kernel ends
    for name in LIBRARIES:
        importlib.import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # a kernel that has ended is gone at once
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one that reads the answers
    for line in iter(sys.stdin.readline, ""):
        if number := os.fork():
            print(number, flush=True)
        else:
            become_kernel(**json.loads(line))


def become_kernel(arguments: list[str], folder: str, environment: dict[str, str]) -> None:
    """Be what a kernel that is started alone would be; end when it ends."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # what was the answer to the line is now nobody's
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = arguments
    sys.modules["ipykernel.kernelapp"].launch_new_instance()
    os._exit(0)


if __name__ == "__main__":
    main()
