"""The page for teachers: its graph and its table say what the chapters say."""

import re

import nbformat
import pytest
from attnsteps_chapter import DOCNAMES
from attnsteps_teaching import NEEDS, exercises, leaned_on
from playwright.sync_api import expect

from scripts.execution import BOOK
from scripts.measures import main_path

LINK = re.compile(r"\]\((\d\d)_\w+\.ipynb")


@pytest.mark.parametrize("number", range(1, 24))
def test_what_a_chapter_refers_back_to_has_been_read_before_it(number):
    notebook = nbformat.read(BOOK / f"{DOCNAMES[number - 1]}.ipynb", as_version=4)
    prose, _ = main_path(notebook)
    back = {int(one) for one in LINK.findall(prose) if int(one) < number}
    assert back <= leaned_on(number), "NEEDS lacks a chapter that this one refers to"


def test_the_graph_shows_every_chapter_once_with_its_link(browser, site):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{site}teaching.html")
    shown = page.locator(".ad svg:visible a")
    assert {a.get_attribute("href") for a in shown.all()} == {f"{name}.html" for name in DOCNAMES}
    assert shown.count() == len(DOCNAMES)
    assert set(NEEDS) == set(range(2, len(DOCNAMES) + 1))
    page.close()


def test_the_table_counts_the_exercises_of_every_chapter(browser, site):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{site}teaching.html")
    rows = page.locator("table", has_text="minutes").locator("tbody tr")
    expect(rows).to_have_count(len(DOCNAMES) + 1)
    listed = [[int(cell) for cell in row.inner_text().split("\t")[2:]] for row in rows.all()]
    for name, numbers in zip(DOCNAMES, listed, strict=False):
        assert numbers[1:] == exercises(name)
        assert 10 <= numbers[0] <= 30
    assert listed[-1] == [sum(column) for column in zip(*listed[:-1], strict=True)]
    page.goto(f"{site}06_softmax.html")
    boxes = page.locator("[data-widget=exercise]").count()
    assert exercises("06_softmax")[0] == boxes
    page.close()
