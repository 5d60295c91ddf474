"""What `make page` watches and serves; its build is the site's."""

import functools
import http.client
import http.server
import json
import threading

import pytest

from scripts import page as script
from scripts.closure import PACKAGE
from tests.browser import ROOT


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("22", "22_since_2017"),
        ("6", "06_softmax"),
        ("since_2017", "22_since_2017"),
        ("bug_zoo", "bug_zoo"),
    ],
)
def test_a_chapter_is_named_by_its_number_or_its_stem(name, stem):
    assert script.chapter(name) == stem


@pytest.mark.parametrize("name", ["", "99", "softmx"])
def test_an_unknown_chapter_is_refused_with_those_there_are(name):
    with pytest.raises(ValueError, match=rf"CHAPTER must be .* 06_softmax.*; got '{name}'"):
        script.chapter(name)


def test_what_a_page_is_made_from_is_watched():
    seen = script.snapshot("06_softmax")
    for name in (
        "_config.yml",
        "book/06_softmax.ipynb",
        "book/assets/book.css",
        "src/attnsteps/layers/softmax.py",
        "src/attnsteps/widgets/js/softmax.js",
    ):
        assert ROOT / name in seen
    assert ROOT / "book/05_scaling.ipynb" not in seen


def test_scripts_and_styles_of_widgets_need_no_new_page():
    js, css = (PACKAGE / "widgets" / name for name in ("js/maths/softmax.js", "css/base.css"))
    assert script.only_scripts([js, css])
    assert not script.only_scripts([js, PACKAGE / "widgets/softmax.py"])
    assert not script.only_scripts([ROOT / "book/assets/book.css"])


@pytest.fixture
def served(tmp_path, monkeypatch):
    """A page and a site, served as `make page` does; the address's port."""
    monkeypatch.setattr(script, "HTML", tmp_path / "site")
    for name, text in {
        "page/one.html": "<p>one</p>",
        "site/one.html": "<p>old</p>",
        "site/two.html": "<p>two</p>",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    handler = functools.partial(script.Handler, directory=str(tmp_path / "page"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def get(port: int, path: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def test_the_page_is_served_and_links_lead_to_the_site(served):
    assert get(served, "/one.html") == (200, "<p>one</p>" + script.RELOAD.decode())
    assert get(served, "/two.html") == (200, "<p>two</p>" + script.RELOAD.decode())
    assert get(served, "/three.html")[0] == 404
    assert get(served, "/sw.js")[0] == 404


def test_the_browser_is_told_when_the_next_page_is_made(served, monkeypatch):
    monkeypatch.setattr(script.Handler, "made", 1)
    threading.Timer(0.3, lambda: setattr(script.Handler, "made", 2)).start()
    assert get(served, "/changed") == (200, "data: changed\n\n")


def test_the_scripts_of_a_page_are_exchanged_in_their_place(tmp_path, monkeypatch):
    monkeypatch.setattr(script, "PAGE", tmp_path)
    places = ("widgets/softmax-0123456789ab.js", "widgets/styles-ba9876543210.css")
    (tmp_path / "_static/widgets").mkdir(parents=True)
    for place in places:
        (tmp_path / "_static" / place).write_text("old")
    model = {"state": {"_css": places[1], "z": [], "_esm": places[0]}}
    state = json.dumps({"state": {"0": model}})
    kind = "application/vnd.jupyter.widget-state+json"
    (tmp_path / "06_softmax.html").write_text(f'<script type="{kind}">\n{state}\n</script>')
    script.exchange_scripts("06_softmax")
    js, css = ((tmp_path / "_static" / place).read_text(encoding="utf-8") for place in places)
    assert "export default" in js
    assert ".aw" in css
