"""Kernels that fork from one process, so that not each of them imports torch for seconds.

What they import of the package is their own: it may have changed since the last one started.
"""

import contextlib
import json
import os
import signal
import subprocess
import uuid
from functools import cache
from pathlib import Path

from jupyter_client import AsyncKernelManager
from jupyter_client.provisioning import LocalProvisioner


@cache
def fork_server(python: str, search_path: str) -> subprocess.Popen:
    """Start the process that kernels fork from; it ends when this one does."""
    return subprocess.Popen(
        [python, "-Xfrozen_modules=off", "-P", Path(__file__).with_name("kernel_fork.py")],
        env={**os.environ, "PYTHONPATH": search_path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


class Forked:
    """A process that another one has forked, as what ``subprocess.Popen`` gives."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def poll(self) -> int | None:
        """Return None while it runs, then 0: what it ended with is told to nobody."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0
        return None

    def wait(self) -> int:
        """Return at once: who asks has seen that it ended."""
        return 0

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it still runs."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class ForkProvisioner(LocalProvisioner):
    """Forks a kernel in place of starting it."""

    async def launch_kernel(self, cmd: list[str], **options: object) -> dict:
        """Fork a kernel with the arguments that the command would give it."""
        environment = options["env"]
        server = fork_server(cmd[0], environment.get("PYTHONPATH", ""))
        wanted = {
            "arguments": cmd[cmd.index("ipykernel_launcher") :],
            "folder": str(options["cwd"]),
            "environment": dict(environment),
        }
        print(json.dumps(wanted), file=server.stdin, flush=True)
        if not (answer := server.stdout.readline()):
            raise RuntimeError("the process that kernels fork from has ended: its error is above")
        self.process = Forked(int(answer))
        self.pid = self.pgid = self.process.pid
        return self.connection_info


class ForkManager(AsyncKernelManager):
    """Manages a kernel that is forked."""

    def __init__(self, **options: object) -> None:
        super().__init__(**options)
        self.kernel_id = str(uuid.uuid4())
        self.provisioner = ForkProvisioner(
            kernel_id=self.kernel_id, kernel_spec=self.kernel_spec, parent=self
        )
