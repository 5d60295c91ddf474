"""Files from the network: downloaded once, checked every time, kept in a cache."""

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
    """Return a local copy of a file, downloaded on first use into cache or ATTNSTEPS_CACHE.

    The copy appears complete and checked, or not at all; a cached file that has changed is
    downloaded again. If you pass no sha256, because the publisher may replace the file, the
    checksum of the first download is kept beside it and holds from then on.
    """
    import pooch  # noqa: PLC0415 - only those who download wait for it
    import requests  # noqa: PLC0415

    pooch.get_logger().setLevel("WARNING")
    folder = Path(cache or os.environ.get("ATTNSTEPS_CACHE") or pooch.os_cache("attnsteps"))
    path = folder / url.rsplit("/", 1)[-1]
    note = path.with_name(f"{path.name}.sha256")
    needed = sha256 or (note.read_text(encoding="utf-8").strip() if note.is_file() else None)
    if needed is None:
        path.unlink(missing_ok=True)  # an earlier run broke off before it wrote the checksum
    # manythings.org, which publishes Tatoeba, rejects programs that don't look like a browser.
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
            f"{damaged}{url} could not be downloaded ({type(error).__name__}). If you have no"
            " network, put a copy into a folder and pass that folder as directory="
        ) from error
    except ValueError as error:
        raise ValueError(
            f"{url} must have the SHA-256 checksum {needed}; the download has another, so it was"
            " deleted" + ("" if sha256 else f". If it is a new edition, delete {note}")
        ) from error
    if needed is None:
        unfinished = note.with_name(f".{note.name}.{uuid4().hex}")
        unfinished.write_text(checksum(path) + "\n", encoding="utf-8")
        unfinished.replace(note)
    return path


def checksum(path: str | os.PathLike) -> str:
    """Return a file's SHA-256 as 64 hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
