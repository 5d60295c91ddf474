"""The drawings' grammar: sizes, numbers, names and messages; the map agrees with the contents."""

import math
import re
from xml.etree import ElementTree as ET

import pytest
import torch

from attnsteps import diagrams
from attnsteps.diagrams import Drawing, Wire, block, column, matrix, named, row, vector, words
from attnsteps.diagrams.map import CHAPTERS
from attnsteps.diagrams.palette import ROLES
from attnsteps.diagrams.sheet import Box, text_width
from tests.browser import ROOT


def svgs(drawing: Drawing) -> list[ET.Element]:
    """Parse the arrangements of a drawing."""
    return [ET.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", drawing._repr_html_())]


def texts(svg: ET.Element) -> list[str]:
    return [element.text for element in svg.iter("text")]


def test_cells_show_the_tensors_numbers():
    values = torch.tensor([[1.25, -0.5], [0.0, -math.inf]])
    (svg,) = svgs(Drawing("t", "d", matrix(values, "query", digits=2)))
    assert texts(svg) == ["1.25", "−0.50", "0", "−∞"]
    cells = list(svg.iter("rect"))
    assert [cell.get("style") for cell in cells] == ["--a:1", "--a:0.4", None, None]
    assert [cell.get("class") for cell in cells] == [None, "minus", None, "minus"]


def test_a_masked_cell_is_empty_and_crossed():
    piece = matrix([[1, 2]], "weights", crossed=[[False, True]])
    (svg,) = svgs(Drawing("t", "d", piece))
    assert texts(svg) == ["1"]
    assert [rect.get("class") for rect in svg.iter("rect")] == [None, "hidden"]
    assert len(list(svg.iter("path"))) == 1


def test_labels_shape_rows_and_columns_are_written():
    piece = matrix([[1], [2]], "key", label="K", shape="(2, 1)", rows=["a", "b"], columns=["c"])
    (svg,) = svgs(Drawing("t", "d", piece))
    assert texts(svg) == ["K  (2, 1)", "c", "a", "b", "1", "2"]


def test_a_columns_label_of_two_lines_has_room_and_ends_beside_the_others():
    low = matrix([[1, 2]], "key", columns=["paved", "furry"])
    high = matrix([[1, 2]], "key", columns=["paved", "it's\nfurry"])
    assert high.height == low.height + 14
    (svg,) = svgs(Drawing("t", "d", high))
    tops = {text.text: float(text.get("y")) for text in svg.iter("text")}
    assert tops["it's"] == tops["furry"] - 14
    assert tops["paved"] == tops["furry"] < tops["1"]


def test_a_head_gives_each_column_its_own_colour():
    piece = matrix([[1, 1]], "plain", bands=["query", "key"])
    (svg,) = svgs(Drawing("t", "d", piece))
    assert [rect.get("class") for rect in svg.iter("rect")] == ["fill-query", "fill-key"]


def test_a_strip_is_cut_in_proportion_and_numbered_where_there_is_room():
    piece = diagrams.strip([0.75, 0.23, 0.02, 0], ["key"] * 4, labels=list("abcd"), size=(200, 20))
    (svg,) = svgs(Drawing("t", "d", piece))
    assert [float(rect.get("width")) for rect in svg.iter("rect")] == [150, 46, 4]
    assert texts(svg) == ["a 0.75", "b 0.23"]


def test_rows_and_columns_add_up():
    a, b = vector([1, 2], "query"), vector([1, 2, 3], "key")
    assert row(a, b, gap=5).width == a.width + b.width + 5
    assert column(a, b, gap=5).height == a.height + b.height + 5
    assert column(a, b).width == b.width
    assert diagrams.grid([[a, b], [b, a]], gap=(7, 3)).width == 2 * b.width + 7


def test_a_wire_joins_the_sides_that_face_each_other():
    pieces = row(block("a", name="a"), block("b", name="b"), gap=40)
    (svg,) = svgs(Drawing("t", "d", pieces, wires=[Wire("a", "b", "(T, D)")]))
    first, second = [rect for rect in svg.iter("rect")]
    path = next(svg.iter("path")).get("d")
    x1, y1, x2, y2 = map(float, re.findall(r"[\d.]+", path))
    assert (x1, y1) == (float(first.get("x")) + float(first.get("width")), y2)
    assert x2 == float(second.get("x")) - 7  # room for the arrow's tip
    assert "(T, D)" in texts(svg)


def test_two_arrangements_switch_where_the_wide_one_fits():
    drawing = Drawing("t", "d", words("wide " * 12), words("tall"))
    wide, tall = svgs(drawing)
    assert wide.get("class") == "wide"
    assert tall.get("class") == "tall"
    assert f"(min-width:{wide.get('width')}px)" in drawing._repr_html_()
    ids = re.findall(r' id="([^"]+)"', drawing._repr_html_())
    assert len(ids) == len(set(ids)) == 4


def test_title_and_description_are_there_and_escaped():
    (svg,) = svgs(Drawing("a < b", 'so "it" is', words("x & y")))
    assert svg.find("title").text == "a < b"
    assert svg.find("desc").text == 'so "it" is'
    assert texts(svg) == ["x & y"]
    assert repr(Drawing("a < b", "", words("x"))) == "Drawing('a < b')"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: vector([1], "colour"), "role must be one of query, key, .*; got 'colour'"),
        (lambda: matrix([1, 2], "key"), r"values must have 2 axes of at least 1; got shape \(2,\)"),
        (lambda: matrix([[1, 2]], "key", rows=["a", "b"]), "rows must be 1 labels or none; got 2"),
        (
            lambda: matrix([[1, 2]], "key", crossed=[[True]]),
            r"crossed must have shape \(1, 2\); got \(1, 1\)",
        ),
        (lambda: diagrams.bars([-1.0], "key"), "values must be one axis .* at least 0"),
        (lambda: diagrams.strip([0.5, 0.6], ["key"] * 2), "shares that add up to 1; got"),
        (lambda: diagrams.strip([0.5, 0.5], ["key"]), "roles must be 2, one for each share; got 1"),
        (lambda: diagrams.curve([(0, 0)], "key"), "points must be at least 2; got 1"),
        (lambda: Drawing("t", "d", words("x", size=11)), "size must be at least 12 px"),
        (lambda: Drawing("t", "d", words("x" * 200)), "wide must be at most 684 px wide; got"),
        (lambda: Drawing("t", "d", words("x" * 60)), "tall must be at most 324 px wide"),
        (
            lambda: Drawing("t", "d", named("a", words("x")), wires=[Wire("a", "b")]),
            "a wire must end at a named piece, one of a; got 'b'",
        ),
        (
            lambda: Drawing("t", "d", row(named("a", words("x")), named("a", words("y")))),
            "each name must be used once in a drawing; got 'a' twice",
        ),
        (lambda: diagrams.transformer_map("gpt"), "chapter must be one of .*; got 'gpt'"),
        (lambda: diagrams.grid([[words("x")], []]), r"rows must be equally long; got \[1, 0\]"),
    ],
)
def test_bad_input_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_no_text_is_too_small_for_a_phone():
    for chapter in CHAPTERS:
        for svg in svgs(diagrams.transformer_map(chapter)):
            assert all(float(text.get("font-size", 14)) >= 12 for text in svg.iter("text"))


def test_the_map_follows_the_table_of_contents():
    listed = re.findall(r"file: (\d\d_\w+)", (ROOT / "_toc.yml").read_text(encoding="utf-8"))
    assert [f"{i:02d}_{stem}" for i, stem in enumerate(CHAPTERS, 1)] == listed


@pytest.mark.parametrize("chapter", ["", *CHAPTERS])
def test_the_map_lights_its_chapter_and_links_to_all_others(chapter):
    drawing = diagrams.transformer_map(chapter)
    assert len(drawing._repr_html_()) < 30_000
    for svg in svgs(drawing):
        links = {link.get("href") for link in svg.iter("a")}
        assert all((ROOT / "book" / link).exists() for link in links)
        assert {"04_query_key_value.ipynb", "23_your_own_sentence.ipynb"} <= links
        states = {}
        for link in svg.iter("a"):
            block_class = link.find("rect").get("class").split()[-1]
            states.setdefault(link.get("href")[3:-6], set()).add(block_class)
        here = CHAPTERS.index(chapter) if chapter else len(CHAPTERS)
        for stem, found in states.items():
            number = CHAPTERS.index(stem)
            assert found == {"lit" if number == here else "built" if number < here else "coming"}
        lit = [
            rect for rect in svg.iter("rect") if re.search(r"\b(lit|strong)\b", rect.get("class"))
        ]
        assert bool(lit) == bool(chapter)


def test_every_roles_colours_are_readable_as_text():
    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    def contrast(one: str, other: str) -> float:
        light, dark = sorted((luminance(one), luminance(other)), reverse=True)
        return (light + 0.05) / (dark + 0.05)

    for light, dark in ROLES.values():
        assert contrast(light, "#ffffff") >= 4.5
        assert contrast(dark, "#14181e") >= 4.5


def test_widths_are_estimated_and_boxes_have_sides():
    assert text_width("动物", 10) == 20
    assert text_width("mm") > text_width("ii")
    box = Box(1, 2, 10, 20)
    assert box.point("left") == (1, 12)
    assert box.point("bottom") == (6, 22)
    assert box.point("middle") == (6, 12)
