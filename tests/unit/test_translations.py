"""The editions in other languages: nothing is missing, stale or lost, and Chinese is set well."""

import ast
import functools
import re
from pathlib import Path

import nbformat
import pytest

from attnsteps.diagrams.sheet import text_width
from scripts.outputs import SPAN
from scripts.translations import alignment, cells, drawings, edition, package, prose
from scripts.translations.catalogue import (
    AROUND,
    BOOK,
    LANGUAGES,
    messages_of,
    path_of,
    read,
    said,
    stems,
    update,
    write,
)
from scripts.translations.check import wrong_with

EDITIONS = [(language, stem) for language in LANGUAGES for stem in stems()]
NOTEBOOKS = sorted(path.stem for path in BOOK.glob("*.ipynb") if "." not in path.stem)


def notebook(stem):
    return nbformat.read(BOOK / f"{stem}.ipynb", as_version=4)


@functools.cache
def in_chinese(stem):
    """Return a chapter in Chinese, which takes seconds, to be looked at only."""
    chapter = notebook(stem)
    edition.chapter(chapter, stem, "zh")
    return chapter


@pytest.mark.parametrize(("language", "stem"), EDITIONS)
def test_every_message_is_translated_and_nothing_is_lost(language, stem):
    entries = {entry.id: entry for entry in read(path_of(stem, language)) if entry.id}
    messages = messages_of(stem)
    help_ = f"`make translations` updates {path_of(stem, language)}"
    assert not [one for one in messages if one not in entries], f"new messages: {help_}"
    assert not [one for one in entries if one not in messages], f"gone messages: {help_}"
    assert not [one for one, entry in entries.items() if entry.fuzzy or not entry.string], "to do"
    wrong = {
        one: found
        for one, entry in entries.items()
        if (found := wrong_with(one, entry.string, prose=stem not in AROUND))
    }
    assert not wrong


@pytest.mark.parametrize("stem", NOTEBOOKS)
def test_without_other_words_a_chapter_stays_as_it_is(stem):
    for cell in notebook(stem).cells:
        kind = prose if cell.cell_type == "markdown" else cells
        same = kind.translated(cell.source, lambda one: one)
        assert SPAN.sub(r"\1\4", same) == SPAN.sub(r"\1\4", cell.source)


@pytest.mark.parametrize("stem", NOTEBOOKS)
def test_the_code_of_a_translated_chapter_differs_in_words_only(stem, monkeypatch):
    chapter, other = notebook(stem), in_chinese(stem)
    monkeypatch.setattr(cells, "LETTERS", re.compile(""))  # a Chinese word may be one sign
    for cell, said_cell in zip(chapter.cells, other.cells, strict=True):
        if cell.cell_type == "code":
            assert without_words(cell.source) == without_words(said_cell.source)
            assert len(cell.outputs) == len(said_cell.outputs)


def without_words(source: str) -> str:
    """Return code with each text that a question shows replaced by what it computes."""
    tree = cells.parsed(source)
    for node in cells.literals(tree):
        fields = [
            part for part in getattr(node, "values", []) if not isinstance(part, ast.Constant)
        ]
        node.__class__ = ast.Constant
        node.__dict__.update(value=sorted(map(ast.dump, fields)), kind=None)
    return ast.dump(tree)


@pytest.mark.parametrize("stem", NOTEBOOKS)
def test_no_words_in_drawings_stay_english(stem):
    chapter = in_chinese(stem)
    said_so = [*said(path_of("drawings", "zh")).values(), *said(path_of("package", "zh")).values()]
    known = {word for text in said_so for word in drawings.WORD.findall(text)}
    left = [
        text
        for cell in chapter.cells
        for text in drawings.texts_of(cell)
        if len(text) <= drawings.LABEL
        and drawings.wants_words(text)
        and not re.search(r"[\u4e00-\u9fff]", text)
    ]
    assert not [text for text in left if not known.issuperset(drawings.WORD.findall(text))]


def test_another_processor_draws_with_the_same_words(request):
    folder = request.config.getoption("--executed")
    if folder is None:
        pytest.skip("`make test` executes the chapters as another processor; nothing has here")
    assert drawings.of_the_drawings(Path(folder)) == drawings.of_the_drawings()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "# A *title*\n\nTwo\nlines.\n\n- one\n- two",
            ["# A *title*", "Two\nlines.", "- one\n- two"],
        ),
        ('It is <span data-glue="x">3</span>.', ['It is <span data-glue="x"></span>.']),
        ("<details>\n<summary>Hint</summary>\n\nText\n\n</details>", ["Hint", "Text"]),
        ("```python\na = 1\n\nb = 2\n```\n\nAfter", ["After"]),
        ("$$\na + b\n$$\n\n$$a_{\\text{word}}$$", ["$$a_{\\text{word}}$$"]),
        ("1 + 1 = 2", []),
        ('<span data-glue="n">3</span> of them.', ['<span data-glue="n"></span> of them.']),
    ],
)
def test_messages_of_prose(text, found):
    assert prose.messages(text) == found


def test_messages_of_code():
    source = (
        'names = ["one way", f"{n:.1f} ways"]\n'
        'Exercise("key", "Exercise 1", "How " "many?", kind="choice", options=names, '
        'answer=runs("2017"), feedback=[f"It\'s {a[\'b\']}.", "No."])'
    )
    found = cells.messages(source)
    assert found[:2] == ["one way", "{n:.1f} ways"]
    assert found[2:4] == ["Exercise 1", "How many?"]
    assert len(found) == 6
    other = cells.translated(
        source, lambda one: one.replace("way", "W").replace("How many", 'a "b"')
    )
    assert ast.literal_eval(ast.parse(other).body[0].value.elts[0]) == "one W"
    assert 'a "b"?' in [
        node.value for node in ast.walk(ast.parse(other)) if isinstance(node, ast.Constant)
    ]


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ('el("p", {}, "A sentence here");', ["p", "A sentence here"]),
        ("const x = `Word ${i + 1} of ${n}` + ' and more';", ["Word {0} of {1} and more"]),
        ('`a ${b ? `inner ${c}` : "other"} d`', ["inner {0}", "other", "a {0} d"]),
        ("// 'none'\n/* \"none\" */ const r = /[\"']/g; f('one')", ["one"]),
        ("'multi\\u00adplied {x}'", ["multi\u00adplied {{x}}"]),
    ],
)
def test_literals_of_scripts(script, found):
    assert package.literals(script) == found


@pytest.mark.parametrize(
    ("message", "other", "said_"),
    [
        ('<span data-glue="a"></span> %', "a%", "glued value"),
        ("see [here](a.ipynb)", "看这里", "link"),
        ("by {cite:p}`x`", "由", "citation"),
        ("the `code`", "代码", "code"),
        ("$a$ and $b$", "$a$ 和 $c$", "formula"),
        ("# Title", "标题", "form"),
        ("| a | b |\n|---|---|\n| c | d |", "| 甲 |\n|---|\n| 乙 |", "form"),
        ("a word", "一个word", "a space is missing"),
        ("a word", "词, 词", "punctuation of half a width"),
        ("**A.** b", "**甲。**乙", "an asterisk stays"),
        ("*word*", "*词*", "slanted"),
        ("two queries and a key", "两个询问和一个键", "term: query"),
    ],
)
def test_what_a_translation_loses_is_found(message, other, said_):
    assert any(one.startswith(said_) for one in wrong_with(message, other, prose=True))


def test_a_field_that_is_lost_is_found():
    assert wrong_with("{n} of {total}", "{n} 个", prose=False)
    assert not wrong_with("{n} of {total}", "{total} 个中的 {n} 个", prose=False)
    assert wrong_with("{n} of {total}", "{total}{n}", prose=False)  # they would be found as one


def test_a_changed_message_is_fuzzy_until_it_is_looked_at(tmp_path):
    path = tmp_path / "page.po"
    update(path, ["The animal did not cross the street.", "Gone."])
    catalogue = read(path)
    catalogue.get("The animal did not cross the street.").string = "动物没有过马路。"
    write(catalogue, path)
    assert said(path) == {"The animal did not cross the street.": "动物没有过马路。"}
    before = path.read_bytes()
    update(path, ["The animal did not cross the street.", "Gone."])
    assert path.read_bytes() == before
    update(path, ["The animal did not cross the road."])
    (entry,) = [entry for entry in read(path) if entry.id]
    assert entry.fuzzy
    assert said(path) == {}


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("39 to 50", "39 到 50"),
        ("95 % to 97 %", "95% 到 97%"),
        ("1, 2 and 3", "1、2 和 3"),
        ("2.6 million", "260 万"),
        ("the the the", "the the the"),
    ],
)
def test_glued_values_in_chinese(value, shown):
    cell = nbformat.v4.new_markdown_cell(f'<span data-glue="x">{value}</span>')
    chapter = nbformat.v4.new_notebook(cells=[cell])
    edition.in_words(chapter)
    assert f">{shown}<" in chapter.cells[0].source


def test_glued_numbers_before_a_unit():
    cell = nbformat.v4.new_markdown_cell('<span data-glue="x">206</span> 百万个参数')
    chapter = nbformat.v4.new_notebook(cells=[cell])
    edition.in_words(chapter)
    assert chapter.cells[0].source == '<span data-glue="x">2.06 亿</span>个参数'


def test_texts_stay_aligned_when_they_become_shorter():
    words = {"scaled scores": "分数", "weights": "权重", "mean": "平均值", "a longer one": "长"}

    def text(said, x, y):
        return f'<text x="{x:.1f}" y="{y}" font-size="12">{said}</text>'

    def middle(said, left):
        return left + text_width(said, 12) / 2

    left = [text(one, middle(one, 20), 30 * i) for i, one in enumerate(words)]
    centred = [text(one, 300, 30 * i) for i, one in enumerate(words)]
    legend = '<rect x="400" y="4" width="12" height="12"/>' + text(
        "weights", middle("weights", 418), 10
    )
    svg = f"<svg>{''.join([*left, *centred])}{legend}</svg>"
    moved = [
        (match["text"], float(match["x"]))
        for match in alignment.TEXT.finditer(alignment.realigned(svg, words.get))
    ]
    for one, x in moved[:4]:
        assert x - text_width(words[one], 12) / 2 == pytest.approx(20, abs=0.1)
    assert [x for _, x in moved[4:8]] == [300] * 4
    assert moved[8][1] - text_width("权重", 12) / 2 == pytest.approx(418, abs=0.1)
    assert alignment.realigned(svg, lambda one: one) == svg


def test_a_plot_and_what_is_said_of_it_are_in_the_other_language(monkeypatch):
    plot = "<svg><style>*{stroke-linejoin: round}</style><text>learning rate</text></svg>"
    cell = nbformat.v4.new_code_cell(
        "lines()",
        metadata={"mystnb": {"image": {"alt": "One falling curve."}}},
        outputs=[nbformat.v4.new_output("display_data", data={"image/svg+xml": plot})],
    )
    assert cells.described(cell) == ["One falling curve."]
    assert "learning rate" in drawings.texts_of(cell)
    says = {"learning rate": "学习率", "One falling curve.": "一条下降的曲线。"}
    monkeypatch.setattr(edition, "said", lambda path: says)
    chapter = nbformat.v4.new_notebook(cells=[cell])
    edition.chapter(chapter, "a_chapter", "zh")
    (cell,) = chapter.cells
    assert "<text>学习率</text>" in cell.outputs[0].data["image/svg+xml"]
    assert cell.metadata.mystnb.image.alt == "一条下降的曲线。"
