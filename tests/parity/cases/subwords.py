"""``js/maths/subwords.js`` against the package, and how it calls the pieces of a word."""

import sys
import unicodedata

from attnsteps.text.tokenizer import Subwords
from tests.parity.case import case

TEXTS = [
    "动物没有过马路，因为太累了。",
    "Tom didn't cross the street, because he was too tired.",
    "  two  spaces\tand\u3000more \n",
    "Ünïcode: café, cafe\u0301, naïve; x² + ½ = Ⅳ ⓐ",
    "😀👍🏽 龘 \u200d\ufeff\x00\x1c\x85",
    "",
]
LEARNED = Subwords.learn([*TEXTS, "the the the tired tiring 太累了太宽了"], num_merges=40)


def every_kind() -> str:
    """Return each kind of character between two letters, where it decides what is a piece."""
    kinds: dict[str, list[str]] = {}
    for char in map(chr, range(sys.maxunicode + 1)):
        kind = unicodedata.category(char)
        if kind not in ("Cs", "Cn"):  # newer editions of Unicode name more of the latter
            kinds.setdefault(kind, []).append(char)
    some = {chr(code) for code in (0xB2, 0xB3, 0xB9, 0xBC, 0xBD, 0xBE, 0x24D0, 0x1F130)}
    for those in kinds.values():
        some.update(those[:40], those[:: len(those) // 9 + 1])
    return "\n".join(f"t{char}i {char}e" for char in sorted(some))


def cases() -> list[dict]:
    out = [
        case("subwords", "splitSubwords", [text, merges], Subwords(merges).tokenize(text))
        for text in (*TEXTS, every_kind())
        for merges in ((), LEARNED.merges)
    ]
    emoji = Subwords().tokenize("😀")
    names = {
        ("The", "Ġumb", "rella", "Ġ", ".", "Tom"): ["The", "umb", "‑rella", "␣", ".", "Tom"],
        ("å¤ª", "ç´¯", "äº", "Ĩ"): ["太", "累", "了 1/2", "了 2/2"],
        ("Ġand", "äº", "b"): ["and", "E4·BA", "b"],
        ("<unk>", "a"): ["<unk>", "a"],
    }
    out += [case("subwords", "subwordNames", [list(given)], want) for given, want in names.items()]
    texts = ["a", "", "", "", "😀", " b", "\ufffd"]
    out.append(case("subwords", "subwordTexts", [["a", *emoji, "Ġb", emoji[0]]], texts))
    return out
