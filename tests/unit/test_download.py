"""Downloads: checked, kept, and nothing half-written, whatever the network does."""

import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from attnsteps.corpora.download import checksum, fetch

CONTENT = b"a corpus\n" * 1000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Publisher:
    """A server on this machine, which can send less than it promises, or something else."""

    def __init__(self):
        self.content, self.cut_at, self.asked = CONTENT, None, 0
        publisher = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                publisher.asked += 1
                self.send_response(200 if publisher.content else 404)
                self.send_header("Content-Length", str(len(publisher.content)))
                self.end_headers()
                self.wfile.write(publisher.content[: publisher.cut_at])

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/corpus.txt"

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@pytest.fixture
def publisher(monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server = Publisher()
    yield server
    server.close()


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_downloaded_once(publisher, tmp_path):
    for _ in range(2):
        path = fetch(publisher.url, sha256=SHA256, cache=tmp_path, progress=False)
        assert path.read_bytes() == CONTENT
        assert checksum(path) == SHA256
    assert publisher.asked == 1
    assert files(tmp_path) == ["corpus.txt"]


def test_a_bar_shows_how_far_it_is(publisher, tmp_path, capsys):
    fetch(publisher.url, sha256=SHA256, cache=tmp_path)
    out, err = capsys.readouterr()
    assert "100%" in err
    assert out == ""


def test_the_environment_can_name_the_cache(publisher, tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNSTEPS_CACHE", str(tmp_path / "here"))
    assert fetch(publisher.url, sha256=SHA256, progress=False).parent == tmp_path / "here"


@pytest.mark.parametrize("sha256", [SHA256, None])
@pytest.mark.parametrize("cut_at", [0, 100, len(CONTENT) - 1])
def test_an_interrupted_download_leaves_nothing_behind(publisher, tmp_path, cut_at, sha256):
    publisher.cut_at = cut_at
    with pytest.raises(ConnectionError, match="could not be downloaded"):
        fetch(publisher.url, sha256=sha256, cache=tmp_path, progress=False)
    assert files(tmp_path) == []
    publisher.cut_at = None
    path = fetch(publisher.url, sha256=sha256, cache=tmp_path, progress=False)
    assert path.read_bytes() == CONTENT


@pytest.mark.parametrize("sha256", [SHA256, None])
def test_a_tampered_cache_file_is_downloaded_again(publisher, tmp_path, sha256):
    path = fetch(publisher.url, sha256=sha256, cache=tmp_path, progress=False)
    path.write_bytes(CONTENT[:-1] + b"!")
    assert fetch(publisher.url, sha256=sha256, cache=tmp_path, progress=False) == path
    assert path.read_bytes() == CONTENT
    assert publisher.asked == 2


@pytest.mark.parametrize("sha256", [SHA256, None])
def test_a_tampered_cache_file_is_not_used_without_a_network(publisher, tmp_path, sha256):
    path = fetch(publisher.url, sha256=sha256, cache=tmp_path, progress=False)
    path.write_bytes(CONTENT[:-1] + b"!")
    publisher.content = b""
    with pytest.raises(ConnectionError) as caught:
        fetch(publisher.url, sha256=sha256, cache=tmp_path, progress=False)
    assert str(caught.value) == (
        f"{path} is damaged, and {publisher.url} could not be downloaded (HTTPError). If you have"
        " no network, put a copy into a folder and pass that folder as directory="
    )


def test_a_whole_cache_file_needs_no_network(publisher, tmp_path):
    for sha256 in (SHA256, None):
        cache = tmp_path / str(sha256)
        fetch(publisher.url, sha256=sha256, cache=cache, progress=False)
        publisher.content = b""
        path = fetch(publisher.url, sha256=sha256, cache=cache, progress=False)
        assert path.read_bytes() == CONTENT
        publisher.content = CONTENT


def test_another_file_than_was_promised_is_not_kept(publisher, tmp_path):
    publisher.content = b"something else"
    with pytest.raises(ValueError, match="so it was deleted") as caught:
        fetch(publisher.url, sha256=SHA256, cache=tmp_path, progress=False)
    assert str(caught.value) == (
        f"{publisher.url} must have the SHA-256 checksum {SHA256};"
        " the download has another, so it was deleted"
    )
    assert files(tmp_path) == []


def test_the_first_download_fixes_the_checksum_of_what_has_none(publisher, tmp_path):
    path = fetch(publisher.url, cache=tmp_path, progress=False)
    note = tmp_path / "corpus.txt.sha256"
    assert note.read_text(encoding="utf-8") == SHA256 + "\n"
    assert files(tmp_path) == ["corpus.txt", "corpus.txt.sha256"]
    path.unlink()
    publisher.content = b"a new edition"
    with pytest.raises(ValueError, match="new edition, delete ") as caught:
        fetch(publisher.url, cache=tmp_path, progress=False)
    assert str(caught.value).endswith(f"delete {note}")
    note.unlink()
    assert fetch(publisher.url, cache=tmp_path, progress=False).read_bytes() == b"a new edition"


def test_what_was_never_checked_is_not_trusted(publisher, tmp_path):
    """As if the program had been killed between the download and its checksum."""
    (tmp_path / "corpus.txt").write_bytes(b"who knows")
    assert fetch(publisher.url, cache=tmp_path, progress=False).read_bytes() == CONTENT


def test_without_a_network_the_message_says_what_to_do(tmp_path):
    url = "http://127.0.0.1:9/corpus.txt"  # nothing listens there
    with pytest.raises(ConnectionError) as caught:
        fetch(url, sha256=SHA256, cache=tmp_path, progress=False)
    assert str(caught.value) == (
        f"{url} could not be downloaded (ConnectionError). If you have no network, put a copy into"
        " a folder and pass that folder as directory="
    )
    assert files(tmp_path) == []


def test_a_cache_that_cannot_be_written_to_is_named(publisher, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(OSError, match="file"):
        fetch(publisher.url, sha256=SHA256, cache=tmp_path / "file" / "cache", progress=False)


def test_a_full_disk_leaves_nothing_half_written(publisher, tmp_path, monkeypatch):
    def full(_, url, output_file, *__):
        with open(output_file, "wb") as file:
            file.write(CONTENT[:100])
        raise OSError(28, "No space left on device", output_file)

    monkeypatch.setattr("pooch.HTTPDownloader.__call__", full)
    with pytest.raises(OSError, match="No space left on device"):
        fetch(publisher.url, sha256=SHA256, cache=tmp_path, progress=False)
    assert files(tmp_path) == []
