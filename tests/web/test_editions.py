"""The book in other languages: its pages, what leads from one edition to the other, the search."""

import json
import re
import shutil
import subprocess

import imagesize
import pytest
from playwright.sync_api import expect

from attnsteps.corpora.generated.glossary import TARGET_WORDS
from attnsteps.language import Catalogue
from scripts.site import LANGUAGES
from tests.browser import ROOT, SITE
from tests.web.test_pages import PAGES, WIDE, serious

TRANSLATED = [name for name in PAGES if not name.startswith("api")]
SECTION = re.compile(r'<section[^>]*\bid="([^"]+)"')
WIDGETS_READY = "performance.getEntriesByName('attnsteps:widgets-ready').length"
CHAPTERS = [name for name in TRANSLATED if re.match(r"\d\d_", name)]
#: What a widget may show in English: examples, names of code, signs.
SHOWN = r"""() => [...document.querySelectorAll('.attnsteps-widget')].flatMap((widget) => {
  const walker = document.createTreeWalker(widget, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const text = walker.currentNode.data.trim();
    const { parentElement } = walker.currentNode;
    if (parentElement.closest('textarea, noscript, [lang=en]')) continue;
    if (/[a-z]{3,} [a-z]{3,} [a-z]{2,}/.test(text)) found.push(text);
  }
  return found;
})"""


def page_of(name, language="en"):
    return (SITE / ("" if language == "en" else language) / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", TRANSLATED)
def test_both_editions_have_a_page_with_the_same_sections(name):
    english = page_of(name)
    for language in LANGUAGES:
        other = page_of(name, language)
        assert SECTION.findall(other) == SECTION.findall(english)
        assert re.search(rf'<html[^>]* lang="{language}', other)
        for page in (english, other):
            for each in ("en", *LANGUAGES):
                assert f'rel="alternate" hreflang="{each}"' in page
        assert f'href="{language}/{name}" lang="{language}"' in english
        assert f'href="../{name}" lang="en"' in other


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chinese_chapter_works_on_a_phone(open_page, name):
    page = open_page(f"zh/{name}", width=360)
    page.wait_for_function(WIDGETS_READY)
    assert page.evaluate(WIDE, ".table-wrapper, .highlight, pre, .output, math, .aw") == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    english = [text for text in page.evaluate(SHOWN) if not is_example(text)]
    assert english == []


@pytest.mark.parametrize(
    "name",
    [
        "intro.html",
        "glossary.html",
        pytest.param("06_softmax.html", marks=pytest.mark.elsewhere),
    ],
)
def test_axe_finds_nothing_serious_in_chinese(look_at, name):
    """What the editions share is tested in English, page by page; here, what they don't."""
    page, _ = look_at(f"zh/{name}", phone=True)
    assert serious(page) == []


def test_what_stands_before_an_english_sentence_is_chinese(open_page):
    page = open_page("zh/19_inside.html")
    page.locator(".in").scroll_into_view_if_needed()
    expect(page.locator(".in .tr-output .in-label").first).to_contain_text("完整的模型写出")
    expect(page.locator(".in .tr-output [lang=en]")).to_contain_text("the girl did not cross")


def is_example(text):
    """Tell whether a text quotes English, or says only words of the corpus of examples."""
    said = re.sub(r"“[^”]*”|\w+_\w+", "", text)
    return set(re.findall("[a-z]{3,}", said.lower())) <= set(TARGET_WORDS)


def test_the_choice_is_remembered_and_leads_to_the_same_place(browser, site):
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{site}04_query_key_value.html#exercises")
    page.get_by_role("link", name="中文").click()
    expect(page).to_have_url(f"{site}zh/04_query_key_value.html#exercises")
    page.close()
    page = context.new_page()
    page.goto(f"{site}intro.html")
    expect(page).to_have_url(f"{site}zh/intro.html")
    page.get_by_role("link", name="English", exact=True).click()
    expect(page).to_have_url(f"{site}intro.html")
    page.close()
    page = context.new_page()
    page.goto(f"{site}zh/intro.html")
    expect(page).to_have_url(f"{site}intro.html")
    context.close()


@pytest.mark.parametrize("query", ["词向量", "掩码", "累", "softmax"])
def test_chinese_is_found(open_page, query):
    page = open_page(f"zh/search.html?q={query}")
    expect(page.locator("#search-results ul.search > li").first).to_be_visible()


def test_what_scripts_write_is_in_the_language_of_the_edition(open_page):
    page = open_page("zh/06_softmax.html")
    page.wait_for_function(WIDGETS_READY)
    expect(page.locator(".aw").get_by_role("button", name="重新开始").first).to_be_visible()
    assert page.evaluate(
        """async () => {
          const script = document.querySelector('script[src*="words.js"]').src;
          const { say } = await import(script);
          return [say("no such text at all"), say("  Hint "), say("3")];
        }"""
    ) == ["no such text at all", "  提示 ", "3"]


def test_python_and_the_page_find_the_same_words(open_page):
    page = open_page("zh/06_softmax.html")
    text = page.evaluate(
        """async () => (await (await fetch("_static/words_of_edition.js")).text())"""
    )
    entries = json.loads(text.removeprefix("export const entries = ").rstrip().rstrip(";"))
    texts = [re.sub(r"\{\d+\}", "7", one) for one in entries if "{{" not in one]
    texts += [re.sub(r"\{\d+\}", "key, no such word", one) for one in entries if "{{" not in one]
    texts += [
        re.sub(r"\{\d+\}", "what nobody here knows", one) for one in entries if "{{" not in one
    ]
    known = Catalogue(entries)
    shown = page.evaluate(
        """async (texts) => {
          const { say } = await import(document.querySelector('script[src*="words.js"]').src);
          return texts.map(say);
        }""",
        texts,
    )
    assert shown == [known.say(text) for text in texts]


def test_the_chinese_front_page_offers_the_book_on_paper_in_chinese():
    assert "/paper/attention-step-by-step-zh.pdf" in page_of("intro.html", "zh")
    assert "/paper/attention-step-by-step.pdf" in page_of("intro.html")


def test_the_card_of_a_chinese_page_is_in_chinese_where_the_machine_has_a_font_for_it():
    english, own = (
        re.search(r'property="og:image" content="([^"]+)"', page_of("06_softmax.html", one))[1]
        for one in ("en", "zh")
    )
    if own == english:
        fonts = (
            shutil.which("fc-list")
            and subprocess.run(
                ["fc-list", ":lang=zh-cn"], capture_output=True, text=True, check=True
            ).stdout
        )
        assert not fonts, "there's a Chinese font, but no Chinese card"
        pytest.skip(
            "no Chinese font on this machine (Debian's fonts-noto-cjk): the card is English"
        )
    cards = [card.partition("_static/")[2] for card in (english, own)]
    first, second = SITE / "_static" / cards[0], SITE / "zh/_static" / cards[1]
    assert "/zh/_static/" in own
    assert imagesize.get(second) == (1200, 630)
    assert first.read_bytes() != second.read_bytes()


def test_colab_opens_the_chinese_notebook(open_page):
    page = open_page("zh/05_scaling.html")
    link = page.get_by_role("link", name="Open in Colab")
    assert link.get_attribute("href").endswith("/blob/zh/05_scaling.ipynb")
    workflow = (ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8")
    assert "_build/html/zh/_sources" in workflow
