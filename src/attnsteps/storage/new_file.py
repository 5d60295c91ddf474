"""A file that appears complete or not at all."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from safetensors import SafetensorError


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """Yield where to write a file that takes its place, or an older one's, once it is complete.

    It is written in a folder beside its place, brought to the disk and then moved. Whatever
    happens meanwhile, a full disk, a killed process or a loss of power, the file that was there
    before stays as it was, and what is left of a killed process goes with the next write. The new
    file may be read by whom the process lets read its files.

    Raises:
        OSError: if it cannot be written, with its name.
    """
    folder = path.with_name(f".{path.name}.unfinished")
    unfinished = folder / path.name
    try:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        unfinished.touch()
        mode = unfinished.stat().st_mode  # the usual one; safetensors keeps others from reading
        yield unfinished
        unfinished.chmod(mode)
        _sync(unfinished)
        unfinished.replace(path)
    except (SafetensorError, OSError) as error:
        raise OSError(f"{path} cannot be written: {error}") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if os.name == "posix":  # where the system lets a directory be opened
        _sync(path.parent)


def _sync(path: Path) -> None:
    """Bring a file, or the names in a directory, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
