"""``js/maths/reading.js`` against the package."""

import dataclasses

from attnsteps.text.reading import Reading
from tests.parity.case import case

READING = Reading.learn(
    ["我爱你,你爱我.", '汤姆说:"你好吗?"', "'Tom' is here; (12)!", "欢迎来到马路~-"]
)
TEXTS = [
    "我愛你！你好嗎？「Tom」來了。他說：『歡迎』…… 好。",
    "Mr. Smith is 3.5 m tall.He left. 你好.我很好",
    " 我 爱 你 。 Tom  ,  I  love ( you ) ! ",
    "Ｔｏｍ１２３，ｙｅｓ；·•・【a】〔b〕—–−～〜‘a’`b`«c»",
    "😀👍🏽 龘\u200b\ufeff\x00我\x85你\x1c他\u3000她\nline\r\nother\u2028third\u00adx",
    "，".join(["我爱你你爱我"] * 15) + "。" + "我" * 80,
    "?!?!",
    "...",
    "   ",
    "",
]


def cases() -> list[dict]:
    stored, out = dataclasses.asdict(READING), []
    for text in TEXTS:
        kept, left_out = READING.readable(text)
        out += [
            case("reading", "sentencesOf", [text, stored], READING.sentences(text)),
            case("reading", "readable", [text, stored], {"text": kept, "leftOut": left_out}),
        ]
    return out
