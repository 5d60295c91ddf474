"""Writes one style sheet from all that a page would have loaded, without what no page can match.

A selector stays where each of its tags, classes and identifiers is in some page, or is a word of
some script: what a script may add later, such as a tooltip, is named there. What stands in ``:not``
or ``:is`` is not asked for, nor are attributes.
"""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

import tinycss2
from sphinx.errors import ExtensionError
from tinycss2.ast import Node

# What the theme loads before everything else; the template no longer does.
FIRST = ["styles/theme.css", "basic.css", "styles/bootstrap.css", "styles/pydata-sphinx-theme.css"]
IMPORT = '@import "../basic.css";'
NESTED = ("media", "supports")  # rules that hold rules
TAG = re.compile(r"<([a-zA-Z][\w-]*)((?:[^<>\"']|\"[^\"]*\"|'[^']*')*)>")
NAMES = re.compile(r"\b(?:class|id)=[\"']([^\"']*)[\"']")


def write_styles(static: Path, own: list[str], words: set[str]) -> str:
    """Write ``site.css``, and return a checksum of it.

    Args:
        static: the site's folder of static files.
        own: names of the style sheets that follow the theme's, in order.
        words: what a selector may name.
    """
    parts = [read(static, name) for name in dict.fromkeys([*FIRST, *own])]
    font = static / "math-font.woff2"
    digest = hashlib.sha256(font.read_bytes()).hexdigest()[:8]
    whole = used("".join(parts), words).replace(font.name, f"{font.name}?v={digest}")
    (static / "site.css").write_text(whole, encoding="utf-8")
    return hashlib.sha256(whole.encode()).hexdigest()[:8]


def read(static: Path, name: str) -> str:
    """Return a style sheet, and refuse one that leads to other files: ``site.css`` would lose them.

    Args:
        static: the site's folder of static files.
        name: the style sheet's name in it.
    """
    text = (static / name).read_text(encoding="utf-8")
    if name == FIRST[0] and IMPORT not in text:
        raise ExtensionError(f"{name} no longer imports basic.css as it did")
    text = text.replace(IMPORT, "").replace('@charset "UTF-8";', "")
    if "@import" in text or (name.count("/") and re.search(r"url\((?!['\"]?data:)", text)):
        raise ExtensionError(f"{name} leads to another file: site.css would lose it")
    return text


def words_of(pages: Iterable[str], scripts: Iterable[str]) -> set[str]:
    """List the tags, classes and identifiers of pages, and every word of scripts.

    Args:
        pages: HTML.
        scripts: JavaScript.
    """
    words = {"html", "body"}
    for page in pages:
        for tag, attributes in TAG.findall(page):
            words.add(tag.lower())
            for names in NAMES.findall(attributes):
                words.update(names.split())
        words.update(word for body in re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
                     for word in re.findall(r"[\w-]+", body))  # fmt: skip
    for script in scripts:
        words.update(re.findall(r"[\w-]+", script))
    return words


def used(css: str, words: set[str]) -> str:
    """Return the rules of a style sheet that something can match, without comments.

    Args:
        css: the style sheet.
        words: what a selector may name; one that ends in a dash begins names.
    """
    # A script that puts a name together, such as `bs-${kind}-auto`, has only its beginning.
    beginnings = tuple(word for word in words if re.fullmatch(r"[a-z]{2,}-", word))
    rules = tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True)
    return "".join(kept(rules, words, beginnings))


def kept(rules: list[Node], words: set[str], beginnings: tuple[str, ...]) -> Iterable[str]:
    """Yield each rule that something can match, as text."""
    for rule in rules:
        if rule.type == "error":
            raise ExtensionError(f"a style sheet has an error: {rule.message}")
        if rule.type == "qualified-rule":
            selectors = [
                text for text, names in selectors_of(rule.prelude)
                if all(name in words or name.startswith(beginnings) for name in names)
            ]  # fmt: skip
            if selectors:
                yield f"{','.join(selectors)}{{{compact(rule.content)}}}\n"
        elif rule.content is not None and rule.lower_at_keyword in NESTED:
            inner = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
            if body := "".join(kept(inner, words, beginnings)):
                prelude = tinycss2.serialize(rule.prelude).strip()
                yield f"@{rule.at_keyword} {prelude}{{\n{body}}}\n"
        else:
            yield f"{rule.serialize()}\n"


def selectors_of(prelude: list[Node]) -> list[tuple[str, list[str]]]:
    """List a rule's selectors, each with the tags, classes and identifiers that it needs."""
    found: list[tuple[list[Node], list[str]]] = [([], [])]
    before = None
    for token in prelude:
        if token == ",":
            found.append(([], []))
        else:
            tokens, names = found[-1]
            tokens.append(token)
            if token.type == "hash" or (token.type == "ident" and before != ":"):
                names.append(token.value)
        before = token
    return [(tinycss2.serialize(tokens).strip(), names) for tokens, names in found]


def compact(declarations: list[Node]) -> str:
    """Return declarations without comments and line ends."""
    text = tinycss2.serialize([token for token in declarations if token.type != "comment"])
    return re.sub(r"\s*\n\s*", "", text).strip()
