"""Chapter 2: what a list of words and a list of byte pairs miss in real sentences.

    python -m scripts.experiments text

The corpus is downloaded and kept in the cache; ATTNSTEPS_TATOEBA names a folder that has it.
"""

import re
from collections import Counter
from itertools import chain
from random import Random

from attnsteps.text.tokenizer import Subwords
from scripts.experiments import SEEDS, record
from scripts.experiments.your_own_sentence import DATA, data

MERGES = 4000  # as many as chapter 23's translator has
HELD_OUT = 1000  # English sentences, with all their pairs
WORD = re.compile(r"\w+(?:'\w+)?|[^\w\s]")


def measure(*, merges: int, held_out: int, seed: int) -> dict:
    """Hold sentences out, learn both lists from the others, and cut the sentences held out."""
    pairs = data().corpus.train
    english = sorted({pair.tgt for pair in pairs})
    held = set(Random(seed).sample(english, held_out))
    test = [pair for pair in pairs if pair.tgt in held]
    sides = {side for pair in test for side in pair[:2]}
    train = [pair for pair in pairs if sides.isdisjoint(pair[:2])]
    pieces = Subwords.learn(chain.from_iterable(pair[:2] for pair in train), merges)
    known = set(pieces.vocabulary())
    words = Counter(chain.from_iterable(WORD.findall(pair.tgt) for pair in train))
    frequent = {word for word, _ in words.most_common(len(known))}
    new = [WORD.findall(text) for text in sorted(held)]
    cut = [pieces.tokenize(text) for text in sorted(held)]
    cut_chinese = [pieces.tokenize(pair.src) for pair in test]

    def missed(sentences: list[list[str]], listed: set[str]) -> float:
        tokens = list(chain.from_iterable(sentences))
        return round(sum(token not in listed for token in tokens) / len(tokens), 4)

    def mean_length(sentences: list) -> float:
        return round(sum(map(len, sentences)) / len(sentences), 2)

    return {
        "words": len(words),
        "entries": len(known),
        "missed, all words": missed(new, set(words)),
        "missed, as many words": missed(new, frequent),
        "missed, byte pairs": missed([*cut, *cut_chinese], known),
        "words a sentence": mean_length(new),
        "tokens a sentence": mean_length(cut),
    }


def run(*, again: bool) -> None:
    """Draw the sentences five times."""
    tasks = [{"merges": MERGES, "held_out": HELD_OUT, "seed": seed} for seed in SEEDS]
    record("text", tasks, measure, data=DATA, again=again)
