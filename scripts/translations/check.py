"""What a translation may not lose, and how Chinese is set."""

import re
from collections import Counter
from functools import cache
from pathlib import Path

import yaml
from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[2]
HAN = "\u3400-\u4dbf\u4e00-\u9fff"
MATHS = re.compile(r"\$\$.+?\$\$|\$[^$\n]+\$", re.DOTALL)
WORDS = re.compile(r"\\text\w*\{[^{}]*\}")
CODE = re.compile(r"`[^`\n]+`")
KEPT = {
    "glued value": re.compile(r'<span data-glue="[\w-]+"></span>'),
    "citation": re.compile(r"\{cite:\w+\}`[^`]+`"),
    "code": CODE,
    "link": re.compile(r"\]\(([^)\s]+)\)"),
    "field": re.compile(r"(?:(?<!\{)\{(?!cite)[^{}]+\}(?!\}))+"),  # those that touch are one
}
#: What is no prose: it may stand in any alphabet and with any punctuation.
ASIDE = re.compile(
    r"\{cite:\w+\}`[^`]+`|`[^`\n]+`|\$\$.+?\$\$|\$[^$\n]+\$|\]\([^)\s]+\)|<[^>]+>", re.DOTALL
)
CROWDED = re.compile(rf"[{HAN}][A-Za-z0-9$`]|[A-Za-z0-9%$`][{HAN}]")
HALF = re.compile(rf"[{HAN}][,;:!?.](?!\w)|[{HAN}]\(|\)[{HAN}]")
PARSER = MarkdownIt("commonmark").enable("table")


def wrong_with(message: str, other: str, *, prose: bool) -> list[str]:
    """List what is wrong with the translation of one message.

    Args:
        message: in English.
        other: what it says in Chinese.
        prose: it is Markdown of a page, not a text of the package.
    """
    found = []
    for name, pattern in KEPT.items():
        if not prose and name in ("link", "code"):
            continue
        if name == "field" and prose:
            continue
        here, there = (Counter(pattern.findall(text)) for text in (message, other))
        if here != there:
            lost, extra = sorted((here - there).elements()), sorted((there - here).elements())
            found.append(f"{name}: lost {lost}, not in the English {extra}")
    if prose:
        here, there = (Counter(map(_formula, MATHS.findall(text))) for text in (message, other))
        if here != there:
            lost, extra = sorted((here - there).elements()), sorted((there - here).elements())
            found.append(f"formula: lost {lost}, not in the English {extra}")
        found += _form(message, other)
        found += [
            f"term: {term} is {ways[0]}"
            for term, pattern, ways in _terms()
            if pattern.search(ASIDE.sub("", message))
            and not any(way in other for way in ways)
            and not pattern.search(other)
        ]
    plain = other.replace("\n", " ")
    for match in CROWDED.finditer(ASIDE.sub(_stand_in, plain)):
        found.append(f"a space is missing in {match[0]!r}")
    for match in HALF.finditer(ASIDE.sub("", plain)):
        found.append(f"punctuation of half a width in {match[0]!r}")
    return found


@cache
def _terms() -> list[tuple[str, re.Pattern, list[str]]]:
    """Read the glossary: a term, how English writes it, how Chinese does."""
    entries = yaml.safe_load((ROOT / "book" / "glossary.yml").read_text(encoding="utf-8"))
    found = []
    for entry in entries:
        if forms := entry.get("forms", [entry["term"]]):
            written = "|".join(map(re.escape, forms))
            pattern = re.compile(rf"(?<![\w/-])(?:{written})s?(?![\w/-])", re.IGNORECASE)
            chinese = re.sub("（.*?）", "", entry["chinese"])
            found.append((entry["term"], pattern, [chinese, *entry.get("chinese_too", [])]))
    return found


def _stand_in(match: re.Match) -> str:
    """Keep the edges of code and formulas, which want a space beside Chinese."""
    return match[0][0] + match[0][-1] if match[0][0] in "$`" else ""


def _formula(text: str) -> str:
    """Return a formula without its words and without spaces."""
    return re.sub(r"\s+", "", WORDS.sub("", text))


def _form(message: str, other: str) -> list[str]:
    """Compare headings, lists and tables, and look for emphasis that isn't one."""
    found = []
    here, there = PARSER.parse(message), PARSER.parse(other)
    shapes = []
    for tokens in (here, there):
        shapes.append([t.tag for t in tokens if t.type.endswith("_open") and t.tag != "p"])
    if shapes[0] != shapes[1]:
        found.append(f"form: {shapes[0]} became {shapes[1]}")
    for token in there:
        for number, child in enumerate(token.children or []):
            if (
                child.type == "text"
                and "*" in ASIDE.sub("", child.content)
                and "*" not in _texts(here)
            ):
                found.append(f"an asterisk stays in {child.content[:40]!r}")
            if child.type == "em_open" and re.search(
                f"[{HAN}]", token.children[number + 1].content
            ):
                found.append(f"slanted: {token.children[number + 1].content!r}")
    return found


def _texts(tokens: list) -> str:
    return "".join(
        child.content for token in tokens for child in token.children or [] if child.type == "text"
    )
