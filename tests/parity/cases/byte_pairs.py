"""``js/maths/byte_pairs.js`` against the package."""

import itertools
import re
import unicodedata
from collections import Counter

import torch
from torch import nn

from attnsteps.text.byte_pairs import PIECE, BytePairs, merge
from attnsteps.text.vocab import Vocab
from attnsteps.widgets.text import PENCIL_WORDS
from tests.parity.case import case


def cases() -> list[dict]:
    chinese = ["动物没有过马路，因为太累了", "动物没有过马路，因为太宽了", "孩子没有过马路"]
    english = [
        "the animal's  street, the_street",
        "it was too tired!? it was 3x too wide",
        "aaa aaa",
    ]
    rare = [
        "𠀀é🙂 𠀀é",
        "naïve Ｔhe，x",
        "",
        " ",
    ]  # also letters that JavaScript keeps as two halves
    out = [
        case("byte_pairs", "textPieces", [text], re.findall(PIECE, text))
        for text in (*chinese, *english, *rare, "a  b ,, c. ")
    ]
    out += [
        case("byte_pairs", "mergePair", [tokens, list(pair)], merge(tokens, pair))
        for tokens, pair in (
            (list("lolol"), ("l", "o")),
            (list("aaa"), ("a", "a")),
            ([], ("a", "b")),
        )
    ]
    for texts, most in (
        (PENCIL_WORDS, 5),
        (PENCIL_WORDS, 60),
        (chinese, 9),
        (english, 30),
        (rare, 9),
        ([], 3),
    ):
        bpe = BytePairs.learn(texts, most)
        pieces = Counter(piece for text in texts for piece in re.findall(PIECE, text))
        alphabet = sorted(set("".join(pieces)))
        ages = {
            token: i
            for i, token in enumerate(dict.fromkeys((*alphabet, *map("".join, bpe.merges))))
        }
        rankings = []
        for n in range(len(bpe.merges) + 1):
            counts = Counter()
            for piece, times in pieces.items():
                for pair in itertools.pairwise(BytePairs(bpe.merges[:n]).tokenize(piece)):
                    counts[pair] += times
            ranked = sorted(counts, key=lambda p, n=counts: (-n[p], ages[p[0]], ages[p[1]]))
            rankings.append([[*pair, counts[pair]] for pair in ranked[:4]])
        expected = {"alphabet": alphabet, "pieces": [*pieces.items()]}
        expected |= {"merges": bpe.merges, "rankings": rankings}
        out.append(case("byte_pairs", "learnMerges", [texts, most, 4], expected))
        out += [
            case("byte_pairs", "applyMerges", [text, bpe.merges], bpe.tokenize(text))
            for text in (*texts[:3], "the water was wider，因为太累了")
        ]
        tokens = list(dict.fromkeys((*alphabet, *map("".join, bpe.merges))))
        out.append(case("byte_pairs", "mergedVocabulary", [alphabet, bpe.merges], tokens))
        asked = [*tokens[::3], "?!", "<eos>"]
        out.append(case("byte_pairs", "tokenIds", [asked, tokens], Vocab(tokens).ids(asked)))
    rows = [[7, 8, 9], [5], []]
    padded = nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], True, Vocab.pad_id)
    out.append(case("byte_pairs", "padRows", [rows], padded.long()))
    for text in ("Ｔｈｅ　ａｎｉｍａｌ！", "动物没有过马路，因为太累了", "Café", "cafe\u0301"):
        folded = unicodedata.normalize("NFKC", text).lower()
        out.append(case("byte_pairs", "foldText", [text], folded))
    return out
