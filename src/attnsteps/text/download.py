"""A file from the network: fetched once, checked every time, kept in a cache."""

import hashlib
import os
from pathlib import Path
from uuid import uuid4


def fetch(
    url: str,
    *,
    sha256: str | None = None,
    cache: str | os.PathLike | None = None,
    progress: bool = True,
) -> Path:
    """Return a local copy of the file at an address, downloaded if there is none yet.

    The copy appears complete and checked, or not at all. A cached file that has been changed is
    downloaded again. Where the checksum is not known beforehand, because the publisher replaces
    the file from time to time, that of the first download is written down beside it, and holds
    from then on.

    Args:
        url: where the file is published.
        sha256: what the file's checksum must be, in hexadecimal; None: what it was at first.
        cache: the folder to keep it in; None: the environment's ATTNSTEPS_CACHE, or else
            this system's place for caches.
        progress: True shows a bar on standard error while it downloads.

    Returns:
        The path of the copy.

    Raises:
        ConnectionError: if it has to be downloaded, and cannot be or breaks off.
        ValueError: if what was downloaded has another checksum.
        OSError: if the cache cannot be written to.
    """
    import pooch  # noqa: PLC0415 - only those who download wait for it
    import requests  # noqa: PLC0415

    pooch.get_logger().setLevel("WARNING")
    folder = Path(cache or os.environ.get("ATTNSTEPS_CACHE") or pooch.os_cache("attnsteps"))
    path = folder / url.rsplit("/", 1)[-1]
    note = path.with_name(f"{path.name}.sha256")
    needed = sha256 or (note.read_text(encoding="utf-8").strip() if note.is_file() else None)
    if needed is None:
        path.unlink(missing_ok=True)  # a download that ended before its checksum was written down
    # A publisher of ours turns away programs that do not look like a browser.
    headers = {"User-Agent": "Mozilla/5.0 (compatible; attnsteps)"}
    downloader = pooch.HTTPDownloader(progressbar=progress, headers=headers, timeout=30)
    try:
        pooch.retrieve(
            url, needed and f"sha256:{needed}", fname=path.name, path=folder, downloader=downloader
        )
    except requests.RequestException as error:
        if error.response is not None:
            error.response.close()
        damaged = f"{path} is damaged, and " if path.exists() else ""
        raise ConnectionError(
            f"{damaged}{url} cannot be downloaded: is there a network? Without one, put a copy"
            f" into a folder and name that folder with directory= ({type(error).__name__})"
        ) from error
    except ValueError as error:
        raise ValueError(
            f"{url} must have the SHA-256 checksum {needed}; got another file, which was not kept"
            + ("" if sha256 else f". If that is the publisher's new edition, delete {note}")
        ) from error
    if needed is None:
        unfinished = note.with_name(f".{note.name}.{uuid4().hex}")
        unfinished.write_text(checksum(path) + "\n", encoding="utf-8")
        unfinished.replace(note)
    return path


def checksum(path: str | os.PathLike) -> str:
    """Return a file's SHA-256 in hexadecimal.

    Args:
        path: the file.

    Returns:
        64 digits.
    """
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
