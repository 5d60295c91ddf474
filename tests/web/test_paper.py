"""The book on paper: what was live, folded or linked on a page must be of use in print."""

import io
import re
import zipfile
from xml.etree import ElementTree as ET

import pytest
from pypdf import PdfReader

from scripts.paper.__main__ import make_paper
from scripts.paper.chapter import IDENTIFIER, Chapter, Edition, mend_links, site_address

NAMES = ["09_masks", "notation"]
TITLE = "9 What each word may attend to"
XHTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def paper(browser, tmp_path_factory):
    """A PDF and an EPUB of two pages."""
    if getattr(browser.browser_type, "name", "") != "chromium":
        pytest.skip("no other browser prints bookmarks")
    pdf, epub = make_paper(browser, tmp_path_factory.mktemp("paper"), Edition(), NAMES)
    return PdfReader(io.BytesIO(pdf.read_bytes())), zipfile.ZipFile(epub)


@pytest.fixture(scope="module")
def chapter(paper):
    return ET.fromstring(paper[1].read("OEBPS/09_masks.xhtml"))


def words(element: ET.Element) -> str:
    return re.sub(r"\s+", " ", "".join(element.itertext())).strip()


def test_the_contents_name_the_page_where_a_chapter_begins(paper):
    reader, _ = paper
    lines = [page.extract_text() for page in reader.pages]
    (contents,) = [text for text in lines if text.startswith("Contents")]
    number = int(re.search(rf"{TITLE}\s*(\d+)", contents)[1])
    assert lines[number - 1].startswith(TITLE)
    assert lines[number - 1].rstrip().endswith(str(number))  # at its foot


def test_bookmarks_are_the_chapters_with_their_sections(paper):
    reader, _ = paper
    place = [getattr(entry, "title", "") for entry in reader.outline].index(TITLE)
    sections = [entry.title for entry in reader.outline[place + 1] if hasattr(entry, "title")]
    assert {"Exercises", "What you now have", "Hints and solutions"} <= set(sections)


def test_every_link_of_the_pdf_leads_into_it_or_to_an_address(paper):
    reader, _ = paper
    inside = set(reader.named_destinations)
    links = [note.get_object() for page in reader.pages for note in page.get("/Annots", [])]
    assert len(links) > 20
    for link in links:
        if (action := link.get("/A")) is not None:
            assert re.match(r"https?://", action["/URI"])
        else:
            assert str(link["/Dest"]).lstrip("/") in {name.lstrip("/") for name in inside}


def test_every_font_is_in_the_file(paper):
    reader, _ = paper
    fonts = [
        font.get_object()
        for page in reader.pages
        for font in page["/Resources"].get("/Font", {}).values()
    ]
    assert fonts
    for font in fonts:
        if font["/Subtype"] == "/Type3":  # drawn in the file itself
            continue
        descriptor = font["/DescendantFonts"][0].get_object()["/FontDescriptor"].get_object()
        assert {"/FontFile", "/FontFile2", "/FontFile3"} & set(descriptor)


def test_the_epub_is_whole_and_every_link_in_it_leads_somewhere(paper):
    _, book = paper
    assert book.infolist()[0].filename == "mimetype"
    assert book.infolist()[0].compress_type == zipfile.ZIP_STORED
    files = {name.removeprefix("OEBPS/") for name in book.namelist() if name.startswith("OEBPS/")}
    package = ET.fromstring(book.read("OEBPS/content.opf"))
    listed = {item.get("href") for item in package.iter("{http://www.idpf.org/2007/opf}item")}
    assert listed == files - {"content.opf"}
    places = {}
    for name in files:
        if name.endswith(".xhtml"):
            ET.fromstring(book.read(f"OEBPS/{name}"))
            places[name] = IDENTIFIER.findall(book.read(f"OEBPS/{name}").decode())
            assert len(places[name]) == len(set(places[name]))
    for name in places:
        for link in re.findall(r'(?:href|src)="([^"]+)"', book.read(f"OEBPS/{name}").decode()):
            page, _, place = link.partition("#")
            if not link.startswith("http"):
                assert page in files
                assert not place or place in places[page]


def test_a_link_to_a_place_that_is_not_printed_leads_to_its_page():
    links = '<a href="b.xhtml#b--there"/><a href="b.xhtml#b--gone"/><a href="https://x.org#y"/>'
    one = Chapter("a", "", 1, "A", f'<section id="a">{links}</section>', {})
    two = Chapter("b", "", 2, "B", '<section id="b"><p id="b--there"/></section>', {})
    mended, _ = mend_links([one, two])
    assert re.findall('href="([^"]*)"', mended) == [
        "b.xhtml#b--there",
        "b.xhtml",
        "https://x.org#y",
    ]


def test_nothing_is_folded_or_to_be_pressed(chapter):
    for gone in ("details", "button", "script", "input", "select", "noscript"):
        assert not list(chapter.iter(XHTML + gone)), gone


def test_questions_come_before_their_answers_and_solutions_at_the_end(chapter):
    text = words(chapter)
    asked = re.findall(r"Exercise (\d+)\.", text[: text.index("Hints and solutions")])
    assert asked
    assert all(f"Exercise {number}" in text.split("Hints and solutions")[1] for number in asked)
    assert "Solution:" not in text.split("Hints and solutions")[0]
    assert re.search(r"Exercise \d: solution\.", text)  # that in code
    assert (
        "def " not in text.split("Exercises")[1].split("What you now have")[0].split("grade_")[-1]
    )
    assert text.index("Guess first.") < text.index("Answer:")


def test_figures_are_numbered_and_widgets_say_where_they_live(chapter):
    captions = [words(caption) for caption in chapter.iter(XHTML + "figcaption")]
    numbers = [re.match(r"Figure 9\.(\d+) \S", caption)[1] for caption in captions]
    assert numbers == [str(n) for n in range(1, len(captions) + 1)]
    (lab,) = [caption for caption in captions if "Mask lab" in caption]
    assert lab.endswith(f"{site_address()}09_masks.html")


def test_drawings_bring_their_colours(chapter):
    drawings = list(chapter.iter(SVG + "svg"))
    assert drawings
    fills = {node.get("fill") for each in drawings for node in each.iter() if node.get("fill")}
    assert len(fills) >= 5
    assert all(re.fullmatch(r"none|rgba?\([\d., ]+\)", fill) for fill in fills)
    assert not [node for each in drawings for node in each.iter() if node.get("class")]
