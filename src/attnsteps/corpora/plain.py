"""One way to write a sentence: simplified characters, plain punctuation, no spaces in Chinese.

People write the same sentence in many ways: 你好嗎？, 你好吗? or 你 好 吗 ？. A model that reads
anything learns from few sentences, so each of them is brought into one form, in training and when
it translates. The website does the same, step by step (js/maths/model/plain.js).
"""

import re
import unicodedata
from pathlib import Path

TABLE = Path(__file__).parents[1] / "assets" / "simplified.txt"

#: Chinese characters, as a range of a regular expression.
HAN = "\u3007\u3400-\u9fff\U00020000-\U0003ffff"
_MARKS = {
    "。": ".",
    "、": ",",
    "〜": "~",
    **dict.fromkeys("“”„‟«»「」『』《》〈〉", '"'),
    **dict.fromkeys("‘’‛`", "'"),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    **dict.fromkeys("【〔", "("),
    **dict.fromkeys("】〕", ")"),
    **dict.fromkeys("·•・", " "),
}
_SPACES = re.compile("[ \t-\r\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
_NEEDLESS = re.compile(rf"(?<=[{HAN}]) | (?=[{HAN}.,!?:;)])")


def plain(text: str, simplified: dict[int, str]) -> str:
    """Write a sentence in the one form that the everyday translator knows.

    In this order: Unicode's compatibility form (NFKC), which makes full-width letters, digits and
    marks half-width; a simplified character for each traditional one; an ASCII mark for each other
    mark of punctuation; white space becomes single spaces, and other control characters and
    invisible ones (categories Cc and Cf) go; so do spaces beside Chinese, before . , ! ? : ; ) and
    at the ends.

    Args:
        text: a sentence, in any language.
        simplified: the table, as table and simplified_characters return it.

    Returns:
        The sentence; of a sentence in this form, the same.

    Example:
        >>> plain(" 我 愛 你！「Tom」來了。", simplified_characters())
        '我爱你!"Tom"来了.'
    """
    text = unicodedata.normalize("NFKC", text).translate(simplified).translate(_TO_ASCII)
    text = _SPACES.sub(" ", text)
    text = "".join(char for char in text if unicodedata.category(char) not in ("Cc", "Cf"))
    return _NEEDLESS.sub("", _SPACES.sub(" ", text)).strip()


def simplified_characters() -> dict[int, str]:
    """Return the package's table from traditional to simplified characters."""
    return table(*TABLE.read_text(encoding="utf-8").split())


def table(traditional: str, simplified: str) -> dict[int, str]:
    """Return what plain takes: for each character of the first text, that of the second."""
    return dict(zip(map(ord, traditional), simplified, strict=True))


_TO_ASCII = str.maketrans(_MARKS)
