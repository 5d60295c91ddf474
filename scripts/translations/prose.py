"""The prose of a page as messages: one for each paragraph, heading, list or table."""

import re
from collections.abc import Callable, Iterator

SPAN = re.compile(r'(<span data-glue="[\w-]+">).*?(</span>)')
SUMMARY = re.compile(r"(<summary>)(.+?)(</summary>)", re.DOTALL)
GAP = re.compile(r"(\n[ \t]*(?:\n[ \t]*)*\n)")
FENCE = re.compile(r"^(`{3,}|:{3,})")
LETTERS = re.compile(r"[^\W\d_]{2}")


def translated(text: str, say: Callable[[str], str]) -> str:
    """Return Markdown with each of its messages replaced by what ``say`` makes of it.

    Formulas without words, code and HTML stay; of a fold, its summary is a message. Values that
    were glued in are left out of messages, so that a new number makes none stale.
    """
    return "".join(piece if is_gap else _said(piece, say) for is_gap, piece in _pieces(text))


def messages(text: str) -> list[str]:
    """List the messages of some Markdown in their order."""
    found: list[str] = []

    def note(message: str) -> str:
        found.append(message)
        return message

    translated(text, note)
    return found


def _pieces(text: str) -> Iterator[tuple[bool, str]]:
    """Split at empty lines, but not within a fence; tell gaps from blocks."""
    fence = ""
    block = ""
    for number, piece in enumerate(GAP.split(text)):
        is_gap = number % 2 == 1
        if is_gap and not fence:
            yield False, block
            yield True, piece
            block = ""
            continue
        block += piece
        if not is_gap:
            for line in piece.split("\n"):
                mark = FENCE.match(line)
                if mark and not fence:
                    fence = mark[1]
                elif fence and line.strip() == fence:
                    fence = ""
    yield False, block


def _said(block: str, say: Callable[[str], str]) -> str:
    start = block.lstrip()
    if start.startswith("<") and not SPAN.match(start):
        return SUMMARY.sub(lambda match: match[1] + say(match[2].strip()) + match[3], block)
    is_formula = start.startswith("$$") and start.rstrip().endswith("$$") and r"\text" not in start
    if is_formula or FENCE.match(start) or not LETTERS.search(block):
        return block
    lead, end = block[: len(block) - len(start)], block[len(block.rstrip()) :]
    return lead + say(SPAN.sub(r"\1\2", block.strip())) + end
