"""``js/maths/words.js`` against the package."""

from attnsteps.text.tokenizer import Words
from tests.parity.case import case


def cases() -> list[dict]:
    zh = ["动物", "动", "没有", "没", "过", "马路", "，", "因为", "累", "了", "CD", "C++", "。"]
    en = ["was", "it", "tired", "?", "o'clock", "-"]
    texts = [
        "动物没有过马路，因为累了。",
        "  没动物  过CD 了CDs",
        "猫咪累了！C++ 3x",
        "",
        "the it  was-tired?",
    ]
    out = []
    for known in (zh, en, []):
        words = Words(known)
        out += [case("words", "splitWords", [text, known], words.tokenize(text)) for text in texts]
    entries = [["马", "mǎ", "horse"], ["马路", "mǎlù", "street"], ["累", "lèi", "tired"]]
    out += [
        case("words", "plainLetters", ["Méi yǒu, nǚ’er"], "meiyou,nuer"),
        case("words", "findWords", ["ma", entries, 5], entries[:2]),
        case("words", "findWords", ["malu", entries, 5], entries[1:2]),
        case("words", "findWords", ["马", entries, 1], entries[:1]),
        case("words", "findWords", ["TI", entries, 5], entries[2:]),
        case("words", "findWords", ["", entries, 5], []),
    ]
    return out
