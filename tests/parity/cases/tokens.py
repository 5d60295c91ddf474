"""``js/maths/tokens.js`` against the package: each tokenizer splits and joins as in Python."""

import json

from attnsteps.text.tokenizer import BytePairs, Characters, Subwords, Words, to_json
from tests.parity.case import case
from tests.parity.cases.subwords import LEARNED, TEXTS

ZH = ["动物", "动", "没有", "没", "过", "马路", "，", "因为", "累", "了", "CD", "C++", "。"]
EN = ["was", "it", "tired", "?", "o'clock", "-"]


def cases() -> list[dict]:
    out = []
    pairs = BytePairs.learn(TEXTS, num_merges=60)
    for tokenizer in (Words(ZH), Words(EN), Words(), Characters(), pairs, Subwords(), LEARNED):
        stored = json.loads(to_json(tokenizer))
        for text in (
            *TEXTS,
            "动物没有过马路，因为累了。",
            "  没动物  过CD 了CDs",
            "the it  was-tired?",
        ):
            tokens = tokenizer.tokenize(text)
            out.append(case("tokens", "splitText", [text, stored], tokens))
            joined = tokenizer.detokenize(tokens)
            out.append(case("tokens", "joinTokens", [tokens, stored], joined))
    cut = Subwords().tokenize("太")[:2]  # not a whole character
    stored = json.loads(to_json(LEARNED))
    for tokens in ([*cut, "a"], [*cut, *cut], ["<unk>", "Ġa"], []):
        joined = LEARNED.detokenize(tokens)
        out.append(case("tokens", "joinTokens", [tokens, stored], joined))
    return out
