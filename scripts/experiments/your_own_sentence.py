"""Chapter 23: what a leak and what more pairs do to the scores of real sentences.

    python -m scripts.experiments your_own_sentence

The corpora are downloaded and kept in the cache; ATTNSTEPS_TATOEBA and ATTNSTEPS_MULTI30K name
folders that have them.
"""

import copy
import math
import os
import re
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

import torch
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from attnsteps.cli.own import train_on_pairs
from attnsteps.corpora.parallel import (
    Parallel,
    TextPair,
    letters,
    multi30k,
    own_pairs,
    tatoeba,
)
from attnsteps.decoding.greedy import greedy
from attnsteps.model.config import TransformerConfig
from attnsteps.model.transformer import Transformer
from attnsteps.text.batch import Batch, Example, collate, encode_pairs
from attnsteps.text.tokenizer import Subwords
from attnsteps.text.vocab import Vocab
from attnsteps.training.config import TrainingConfig
from attnsteps.training.loop import train
from attnsteps.training.loss import autoregressive_loss
from attnsteps.translator.trained import Trained, pretrained
from scripts.experiments import SEEDS, record
from scripts.results import note
from scripts.train_everyday import SEARCHES, SIZES, taught

MERGES = 2000  # learned once, from all pairs, so that every run reads the same pieces
SENTENCES = 300  # of each part are looked at
GERMAN = (  # ours: two captions of photos, and the book's sentence
    "Ein Mann und ein Hund laufen über eine Straße.",
    "Zwei Frauen sitzen auf einer Bank und lesen.",
    "Das Tier ging nicht über die Straße, weil es zu müde war.",
)
PATIENCE = 2  # looks in a row without a lower validation loss end a run
MOST_STEPS = 6000
LOOK = {1000: 25, 3000: 50, 10000: 100, 28000: 200}  # steps from one look to the next
DATA = "tatoeba, both editions"
COMMAND = "python -m scripts.experiments your_own_sentence"
SIXTY = Path(__file__).with_name("sixty.tsv")
SEED = 23  # draws the examples
DRAWS = 1000  # of the test sentences, to see how far a difference of scores varies
APART = ("东京", "京都")
IN_PIECES = ("南京", "台北", "上海", "李明", "北京")
COMPANY = (  # a part of a name, and the words in which training shows it most
    ("京", ("京都",)),
    ("北", ("北海道",)),
    ("海", ("海边", "海滩")),
    ("李", ("行李",)),
)
PLACES = """日本 Japan, 波士顿 Boston, 伦敦 London, 东京 Tokyo, 澳大利亚 Australia, 加拿大 Canada,
    中国 China, 英国 England, 法国 France, 纽约 New York, 京都 Kyoto, 巴黎 Paris, 意大利 Italy,
    德国 Germany, 西班牙 Spain, 罗马 Rome, 印度 India, 芝加哥 Chicago, 神户 Kobe, 大阪 Osaka,
    上海 Shanghai, 马德里 Madrid, 香港 Hong Kong, 旧金山 San Francisco, 日内瓦 Geneva,
    墨尔本 Melbourne, 北京 Beijing, 首尔 Seoul, 莫斯科 Moscow, 柏林 Berlin, 广州 Guangzhou,
    台北 Taipei, 南京 Nanjing, 瑞士 Switzerland, 俄罗斯 Russia, 夏威夷 Hawaii, 墨西哥 Mexico,
    韩国 Korea, 名古屋 Nagoya, 悉尼 Sydney, 横滨 Yokohama, 苏格兰 Scotland"""
ASKED = ("我爱你.", "谢谢你的帮助.", "我住在东京.", "动物没有过马路,因为太累了.")  # of the opening
#: A place, the word that comes out instead of its name, and a piece that both may share.
INSTEAD = """上海 beach 海, 马德里 German 德, 日内瓦 day 日, 台北 Hokkaido 北, 南京 Kyoto 京,
    名古屋 house 屋, 旧金山 Sasay 山, 香港 Kobe 港, 北京 Kobe 京, 首尔 Britain 首, 悉尼 cube 悉,
    墨尔本 Bray 尔, 莫斯科 Sashristmas 斯, 柏林 crap 林, 广州 humiday 州, 横滨 Hokohaps 横,
    苏格兰 Frand 格"""


class EnoughError(Exception):
    """Ends a run that has stopped improving."""


class Run(NamedTuple):
    """A model at its best state, its losses at each look, and whether it stopped by itself."""

    best: Trained
    looks: list[dict]
    stopped: bool


class Split(NamedTuple):
    """The corpus and how it is cut into pieces."""

    corpus: Parallel
    tokenizer: Subwords
    vocab: Vocab


@cache
def data() -> Split:
    """Load the corpus, and learn the byte pairs."""
    folder = os.environ.get("ATTNSTEPS_TATOEBA")
    corpus = tatoeba(directory=Path(folder) if folder else None, progress=False)
    tokenizer = Subwords.learn([text for pair in corpus.train for text in pair[:2]], MERGES)
    return Split(corpus, tokenizer, Vocab(tokenizer.vocabulary()))


def encoded(pairs: list[TextPair]) -> list[Example]:
    """Return the ids of the pairs."""
    split = data().tokenizer.tokenize
    tokens = [(split(pair.src), split(pair.tgt)) for pair in pairs]
    return encode_pairs(tokens, data().vocab, data().vocab)


def per_token(model: Transformer, batch: Batch) -> float:
    """Return the mean loss per token, in nats, without smoothing."""
    loss, number = autoregressive_loss(model, batch, 0.0)
    return float(loss / number)


def fitted(chosen: list[TextPair], width: int, dropout: float, seed: int, every: int) -> Run:
    """Train on the pairs until the validation loss stops falling, and return the best state.

    At everyday's width, the model has everyday's shape; else it has a layer on each side.
    """
    corpus, tokenizer, vocab = data()
    examples, seen = encoded(chosen), collate(encoded(chosen[:SENTENCES]))
    unseen = collate(encoded(corpus.val[:SENTENCES]))
    torch.manual_seed(seed)
    small = {"d_ff": 2 * width, "num_encoder_layers": 1, "num_decoder_layers": 1}
    sizes = {"d_model": width, "num_heads": 4, "norm": "pre", "tie": "all", **small}
    sizes = (SIZES if width == SIZES["d_model"] else sizes) | {"dropout": dropout}
    config = TransformerConfig.tiny(len(vocab), len(vocab), **sizes)
    model = Transformer(config)
    looks: list[dict] = []
    best: dict[str, torch.Tensor] = {}

    def look(model: Transformer) -> dict:
        found = {"unseen": round(per_token(model, unseen), 3)}
        found["seen"] = round(per_token(model, seen), 3)
        lowest = min((one["unseen"] for one in looks), default=float("inf"))
        looks.append(found)
        if found["unseen"] < lowest:
            best.update(copy.deepcopy(model.state_dict()))
        elif found["unseen"] > lowest and all(one["unseen"] > lowest for one in looks[-PATIENCE:]):
            raise EnoughError
        return found

    steady = {"schedule": "constant", "peak": 0.003, "warmup": 100, "label_smoothing": 0.1}
    rhythm = {"max_tokens": 1000, "evaluate_every": every, "log": None}
    run = TrainingConfig(steps=MOST_STEPS, seed=seed, **steady, **rhythm)
    try:
        train(model, examples, run, validate=look, progress=False)
        stopped = False
    except EnoughError:
        stopped = True
    model.load_state_dict(best)
    return Run(Trained(model.eval(), vocab, vocab, tokenizer, tokenizer), looks, stopped)


def scores(trained: Trained, pairs: list[TextPair]) -> dict[str, float]:
    """Translate the pairs greedily, and score all of them together."""
    texts = [found.text for found in trained.translate([pair.src for pair in pairs])]
    references = [[pair.tgt for pair in pairs]]
    return {
        "BLEU": round(float(BLEU().corpus_score(texts, references).score), 2),
        "chrF": round(float(CHRF().corpus_score(texts, references).score), 2),
    }


def more_pairs(pairs: int, width: int, dropout: float, seed: int) -> dict:
    """Train on so many pairs, drawn at random, and score the best state."""
    chosen = Random(seed).sample(data().corpus.train, pairs)
    best, looks, stopped = fitted(chosen, width, dropout, seed, LOOK[pairs])
    unseen_losses = [found["unseen"] for found in looks]
    return {
        "parameters": best.model.num_parameters(),
        **scores(best, data().corpus.test[:SENTENCES]),
        "steps": (1 + unseen_losses.index(min(unseen_losses))) * LOOK[pairs],
        "stopped": stopped,
        "every": LOOK[pairs],
        "unseen": unseen_losses,
        "seen": [found["seen"] for found in looks],
    }


def families(pairs: list[TextPair]) -> list[list[TextPair]]:
    """Group the pairs that hang together by a side they share, but for marks and capitals."""
    leader: dict[tuple[str, str], tuple[str, str]] = {}

    def first(side: tuple[str, str]) -> tuple[str, str]:
        while (above := leader.setdefault(side, side)) != side:
            side = above
        return side

    for pair in pairs:
        leader[first(("src", letters(pair.src)))] = first(("tgt", letters(pair.tgt)))
    groups: dict[tuple[str, str], list[TextPair]] = defaultdict(list)
    for pair in pairs:
        groups[first(("tgt", letters(pair.tgt)))].append(pair)
    return list(groups.values())


def leak(pairs: int, width: int, dropout: float, seed: int) -> dict:
    """Score two halves of a test by one model: a side of the first half's pairs is in training.

    All test pairs share a side, word for word, with another pair, and each is drawn from a family
    of its own. The draw decides which half a family is in. The rest of the first half's families
    is in training, none of the second half's is, and other pairs make up the number.
    """
    draw = Random(seed)
    groups = families(data().corpus.train)
    draw.shuffle(groups)
    halves: tuple[list[TextPair], list[TextPair]] = [], []
    known: list[TextPair] = []
    others: list[TextPair] = []
    for group in groups:
        shared = [Counter(pair[side] for pair in group) for side in (0, 1)]
        fit = [one for one in group if any(shared[i][one[i]] > 1 for i in (0, 1))]
        if not fit or len(halves[1]) == SENTENCES:
            others += group
            continue
        chosen = draw.choice(fit)
        half = len(halves[0]) == SENTENCES
        halves[half].append(chosen)
        known += [] if half else [one for one in group if one != chosen]
    training = known + draw.sample(others, pairs - len(known))
    draw.shuffle(training)
    best, looks, stopped = fitted(training, width, dropout, seed, LOOK[pairs])
    sides = [{one[i] for one in training} for i in (0, 1)]
    shares = [sum(one.src in sides[0] or one.tgt in sides[1] for one in half) for half in halves]
    unseen_losses = [found["unseen"] for found in looks]
    found = {}
    for name, half in zip(("known", "new"), halves, strict=True):
        found |= {f"{key}, {name}": value for key, value in scores(best, half).items()}
    return {
        **found,
        "shares a side, known": shares[0],
        "shares a side, new": shares[1],
        "steps": (1 + unseen_losses.index(min(unseen_losses))) * LOOK[pairs],
        "stopped": stopped,
    }


@torch.no_grad()
def least_sure(trained: Trained, src: str, found: str) -> float:
    """Return the lowest probability of a piece of a translation, each after those before it."""
    sides = trained.src_tokenizer.tokenize(src), trained.tgt_tokenizer.tokenize(found)
    batch = collate(encode_pairs([sides], trained.src_vocab, trained.tgt_vocab))
    p = trained.model.eval()(batch.src_ids, batch.tgt_in).softmax(-1)
    return round(p.gather(-1, batch.tgt_out[..., None])[0, :-1].min().item(), 2)


def own(pairs: int, steps: int, seed: int) -> dict:
    """Do what the chapter's last cell does with German captions of photos in a .tsv file."""
    directory = os.environ.get("ATTNSTEPS_MULTI30K")
    corpus = multi30k(directory=Path(directory) if directory else None, progress=False)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "german.tsv"
        lines = [f"{pair.src}\t{pair.tgt}\n" for pair in corpus.train[:pairs]]
        path.write_text("".join(lines), encoding="utf-8")
        options = ["--steps", str(steps), "--seed", str(seed), "--quiet"]
        trained = Trained.load(train_on_pairs(path, options, folder=folder))
        parts = own_pairs(path)
    found = [one.text for one in trained.translate([pair.src for pair in parts.test])]
    counts = [matches(*two) for two in zip(found, [pair.tgt for pair in parts.test], strict=True)]
    chance = torch.Generator().manual_seed(0)
    rows = torch.tensor(counts)
    draws = torch.randint(len(rows), (DRAWS, len(rows)), generator=chance)
    answers = [one.text for one in trained.translate(GERMAN)]
    return {
        "train": len(parts.train),
        "test": len(parts.test),
        "parameters": trained.model.num_parameters(),
        "BLEU": round(from_counts(rows), 2),
        "interval": middle([from_counts(rows[draw]) for draw in draws]),
        "answers": [
            [src, text, least_sure(trained, src, text)]
            for src, text in zip(GERMAN, answers, strict=True)
        ],
    }


def measure(look: str, **settings: float) -> dict:
    """Run one task."""
    return {"pairs": more_pairs, "leak": leak, "own": own}[look](**settings)


def in_bits(trained: Trained, bits: int, by: str) -> Trained:
    """Round every matrix to whole steps, with one scale for each row or for each matrix."""
    rounded = copy.deepcopy(trained)
    largest = 2 ** (bits - 1) - 1
    for weights in rounded.model.parameters():
        if weights.dim() == 2:
            size = weights.data.abs()
            reach = size.amax(dim=1, keepdim=True) if by == "row" else size.max()
            scale = (reach / largest).clamp(min=1e-12)
            weights.data = (weights.data / scale).round() * scale
    return rounded


def matches(found: str, wanted: str) -> list[int]:
    """Count what BLEU needs of a sentence: both lengths, and n-grams in common, n from 1 to 4."""
    ours, theirs = (Tokenizer13a()(text).split() for text in (found, wanted))
    counts = [len(ours), len(theirs)]
    for n in range(1, 5):
        sides = [
            Counter(zip(*(side[i:] for i in range(n)), strict=False)) for side in (ours, theirs)
        ]
        counts.append((sides[0] & sides[1]).total())
    return counts


def places(pairs: list[TextPair]) -> list[dict]:
    """Count the pairs that name each of some places, in both languages and in Chinese.

    The pairs made of real ones, or generated, are counted beside them.
    """
    made = made_from(pairs)
    named = [place.split(maxsplit=1) for place in " ".join(PLACES.split()).split(", ")]
    return [
        {
            "look": "place",
            "zh": zh,
            "en": en,
            "pairs": sum(zh in p.src and bool(re.search(rf"\b{en}\b", p.tgt)) for p in pairs),
            "in Chinese": sum(zh in pair.src for pair in pairs),
            "made": sum(zh in pair.src for pair in made),
        }
        for zh, en in named
    ]


def made_from(pairs: list[TextPair]) -> list[TextPair]:
    """Return what the shipped model learned from beside the real pairs: copies, generated ones."""
    everything = taught(pairs)
    return [*everything.real[len(pairs) :], *everything.invented]


def instead(trained: Trained, pairs: list[TextPair]) -> list[dict]:
    """Count the pairs that have a word which came out instead of a name, and a piece, and both."""
    pieces = [set(trained.src_tokenizer.tokenize(pair.src)) for pair in pairs]
    rows = []
    for one in " ".join(INSTEAD.split()).split(", "):
        zh, word, part = one.split()
        wanted = set(trained.src_tokenizer.tokenize(part))
        has = [bool(re.search(rf"\b{word}", pair.tgt, re.IGNORECASE)) for pair in pairs]
        shows = [wanted <= some for some in pieces]
        both = sum(a and b for a, b in zip(has, shows, strict=True))
        counts = {"word's": sum(has), "piece's": sum(shows), "both": both}
        rows.append({"look": "instead", "zh": zh, "word": word, "part": part, **counts})
    return rows


def asked(trained: Trained, pairs: list[TextPair]) -> list[dict]:
    """Say of the opening's sentences, and of their translations, whether training has them."""
    rows = []
    for src, translation in zip(ASKED, trained.translate(ASKED), strict=True):
        found = translation.text
        sides = {"known": known(pairs, 0, src), "known English": known(pairs, 1, found)}
        rows.append({"look": "asked", "src": src, "found": found, **sides})
    return rows


def known(pairs: list[TextPair], side: int, *texts: str) -> bool:
    """Say whether a side of some pair says one of these, whatever its marks and capitals."""
    wanted = set(map(letters, texts))
    return any(letters(pair[side]) in wanted for pair in pairs)


def twins(pairs: list[TextPair], test: list[TextPair]) -> dict:
    """Find the test sentences whose English differs in one word from a training sentence's.

    Marks and capitals don't count, and a sentence has three words or more.
    """

    def gaps(text: str) -> set[tuple[str, ...]]:
        said = re.findall(r"[a-z0-9']+", text.lower())
        return {(*said[:i], "", *said[i + 1 :]) for i in range(len(said)) if len(said) > 2}

    seen = set().union(*(gaps(pair.tgt) for pair in pairs))
    return {"look": "twins", "at": [i for i, one in enumerate(test) if gaps(one.tgt) & seen]}


def apart(trained: Trained, pairs: list[TextPair]) -> list[dict]:
    """Count the training pairs in which a name is one piece, and those where it is cut in two."""
    rows = []
    split = trained.src_tokenizer.tokenize
    for name in APART:
        whole, halves = split(name), [piece for half in name for piece in split(half)]
        found = [split(pair.src) for pair in pairs if name in pair.src]
        cut = sum(halves in [tokens[i : i + 2] for i in range(len(tokens))] for tokens in found)
        once = sum(len(whole) == 1 and whole[0] in tokens for tokens in found)
        rows.append({"look": "apart", "zh": name, "whole": once, "cut": cut})
    return rows


def in_pieces(trained: Trained, pairs: list[TextPair]) -> list[dict]:
    """Count the pairs that have each piece of some names, and a part's pieces with the next word.

    The pairs that were made of the real ones, or generated, are counted beside them.
    """
    split = trained.src_tokenizer.tokenize
    parts = [[(pair.src, split(pair.src)) for pair in some] for some in (pairs, made_from(pairs))]

    def have(pieces: list[str], some: list[tuple[str, list[str]]]) -> list[str]:
        """Return the sentences that have these pieces in a row."""
        n = len(pieces)
        return [
            text
            for text, tokens in some
            if any(tokens[i : i + n] == pieces for i in range(len(tokens) - n + 1))
        ]

    rows = []
    for name in IN_PIECES:
        real, made = ([len(have([piece], some)) for piece in split(name)] for some in parts)
        rows.append({"look": "pieces", "zh": name, "pairs": real, "made": made})
    for part, words in COMPANY:
        real, made = (have(split(part), some) for some in parts)
        shown = sum(any(word in text for word in words) for text in real)
        one = {"look": "company", "part": part, "words": list(words), "shown": shown}
        rows.append({**one, "pairs": len(real), "made": len(made)})
    return rows


def cut_by_force(trained: Trained) -> list[dict]:
    """Translate *I left …* whole, with the place cut into characters, and with the verb cut so.

    The places are those that the model gets right in *I live in …*, and that a cut changes.
    """
    split, rows = trained.src_tokenizer.tokenize, []

    def characters(text: str) -> list[str]:
        return [piece for one in text for piece in split(one)]

    def written(pieces: list[str]) -> str:
        ids = torch.tensor([trained.src_vocab.ids(pieces)])
        found = greedy(trained.model, ids, max_len=20).ids[0, :-1].tolist()
        return trained.tgt_tokenizer.detokenize(trained.tgt_vocab.tokens(found))

    for place in " ".join(PLACES.split()).split(", "):
        zh, en = place.split(maxsplit=1)
        known = written([*split("我住在"), *split(zh), "."]) == f"I live in {en}."
        if known and split(zh) != characters(zh):
            whole = written([*split("我离开"), *split(zh), "."])
            name = written([*split("我离开"), *characters(zh), "."])
            verb = written([*split("我"), *characters("离开"), *split(zh), "."])
            one = {"look": "cut", "zh": zh, "en": en, "whole": whole, "name": name, "verb": verb}
            rows.append(one)
    return rows


def paired(first: list[list[int]], second: list[list[int]]) -> list[float]:
    """Return 95 % of the differences in BLEU when both versions are scored on the same draws."""
    torch.manual_seed(SEED)
    counts = torch.tensor([first, second])
    draws = torch.randint(len(first), (DRAWS, len(first)))
    return middle([from_counts(counts[1, draw]) - from_counts(counts[0, draw]) for draw in draws])


def middle(values: list[float]) -> list[float]:
    """Return the ends of the middle 95 %."""
    ends = torch.tensor(values).quantile(torch.tensor([0.025, 0.975]))
    return [round(float(end), 2) for end in ends]


def from_counts(rows: torch.Tensor) -> float:
    """Compute BLEU from what matches counts of each sentence, (N, 6)."""
    ours, theirs, *same = rows.sum(0).tolist()
    runs = [int((rows[:, 0] - n).clamp(min=0).sum()) for n in range(4)]
    brevity = min(1.0, math.exp(1 - theirs / ours))
    return 100 * brevity * math.prod(s / r for s, r in zip(same, runs, strict=True)) ** 0.25


def dirt(corpus: Parallel) -> dict[str, int | float | list[int]]:
    """Count what is twice or rare in the corpus, and what a split at random would give away."""
    pairs = [*corpus.train, *corpus.val, *corpus.test]
    shuffled = Random(0).sample(corpus.train, len(corpus.train))
    sides = [{pair.src for pair in shuffled[1000:]}, {pair.tgt for pair in shuffled[1000:]}]
    known = [(pair.src in sides[0], pair.tgt in sides[1]) for pair in shuffled[:1000]]
    chinese, english = (Counter(pair[side] for pair in corpus.train) for side in (0, 1))
    characters = Counter("".join(pair.src for pair in corpus.train))
    seen_once = sum(number == 1 for number in characters.values())
    lengths = sorted(len(pair.tgt.split()) for pair in pairs)
    made = made_from(corpus.train)
    made_sides = [{pair[side] for pair in made} for side in (0, 1)]
    return {
        "train": len(corpus.train),
        "copies": len(taught(corpus.train).real) - len(corpus.train),
        "京": sum("京" in pair.src for pair in corpus.train),
        "chinese twice": sum(number > 1 for number in chinese.values()),
        "english twice": sum(number > 1 for number in english.values()),
        "known english": sum(eng for _, eng in known),
        "known either": sum(chi or eng for chi, eng in known),
        "test made": [
            i
            for i, pair in enumerate(corpus.test)
            if pair.src in made_sides[0] or pair.tgt in made_sides[1]
        ],
        "characters": len(characters),
        "characters once": seen_once,
        "median words": lengths[len(lengths) // 2],
        "longest words": lengths[-1],
    }


def judged(trained: Trained, pairs: list[TextPair]) -> list[dict]:
    """Translate sentences of our own, as the page does, and put our verdicts beside the answers.

    The Chinese is known if it is, but for marks and capitals, that of a training pair; the English
    is known if the answer, or what we meant, is that of one.

    sixty.tsv holds each sentence's kind, the sentence, the answer that was judged, the verdict
    (yes, just for what is clumsy or loses a shade, or no), and what the sentence means. A new
    model's answers have to be judged anew.
    """
    lines = SIXTY.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    sources = [source for _, source, *_ in rows]
    found = trained.translate(sources, **SEARCHES["beam 4"])
    answers = [translation.text for translation in found]
    if changed := [a for a, row in zip(answers, rows, strict=True) if a != row[2]]:
        raise ValueError(f"{SIXTY.name} must be judged anew; these answers are others: {changed}")
    keys = ("kind", "src", "found", "verdict", "meant")
    return [
        {
            "look": "judged",
            **dict(zip(keys, row, strict=True)),
            "known": known(pairs, 0, row[1]),
            "known English": known(pairs, 1, row[2], row[4]),
        }
        for row in rows
    ]


def look_at_the_shipped() -> None:
    """Measure the shipped model on the held-out sentences, and record it."""
    torch.set_num_threads(1)
    corpus = data().corpus
    trained = pretrained("everyday")
    rows = [{"look": "corpus", **dirt(corpus)}]
    rows += asked(trained, [*corpus.train, *made_from(corpus.train)])
    rows.append(twins(corpus.train, corpus.test))
    rows += places(corpus.train)
    rows += instead(trained, corpus.train)
    rows += apart(trained, corpus.train)
    rows += in_pieces(trained, corpus.train)
    rows += cut_by_force(trained)
    rows += judged(trained, [*corpus.train, *made_from(corpus.train)])
    rows += rounded(trained, corpus.test)
    note("your_own_sentence_shipped", rows, command=COMMAND, corpus=DATA)


def rounded(trained: Trained, test: list[TextPair]) -> list[dict]:
    """Score the model as it is shipped and with coarser weights, and draw examples of it."""
    sources, wanted = [pair.src for pair in test], [pair.tgt for pair in test]
    rows, shipped = [], []
    for bits, by in ((8, "row"), (4, "row"), (4, "matrix")):
        one = trained if (bits, by) == (8, "row") else in_bits(trained, bits, by)
        found = [translation.text for translation in one.translate(sources)]
        counts = [matches(*texts) for texts in zip(found, wanted, strict=True)]
        shipped = shipped or counts
        row = {
            "look": "bits",
            "bits": bits,
            "by": by,
            "BLEU": round(float(BLEU().corpus_score(found, [wanted]).score), 2),
            "chrF": round(float(CHRF().corpus_score(found, [wanted]).score), 2),
            "difference": paired(shipped, counts),
        }
        rows.append(row)
        if counts is shipped:
            rows.append({"look": "matches", "counts": counts})
            by_beam = one.translate(sources, **SEARCHES["beam 4"])
            beam = [matches(each.text, tgt) for each, tgt in zip(by_beam, wanted, strict=True)]
            rows.append({"look": "beam", "difference": paired(shipped, beam)})
            for i in Random(SEED).sample(range(len(found)), 20):
                texts = {"src": test[i].src, "tgt": test[i].tgt, "found": found[i]}
                rows.append({"look": "drawn", **texts, "credit": test[i].credit})
    return rows


def run(*, again: bool) -> None:
    """Train on more pairs, on what leaks, on German; look at the shipped model."""
    usual = {"width": 64, "dropout": 0.15}
    seeds = {1000: SEEDS, 3000: SEEDS, 10000: SEEDS[:2], 28000: SEEDS[:1]}  # these take long
    tasks = [
        {"look": "pairs", **usual, "seed": seed, "pairs": pairs}
        for pairs, some in seeds.items()
        for seed in some
    ]
    tasks.append(tasks[-1] | {"width": SIZES["d_model"]})  # as large as everyday
    tasks += [{"look": "leak", **usual, "seed": seed, "pairs": 3000} for seed in SEEDS]
    tasks.append({"look": "own", "pairs": 10_000, "steps": 2000, "seed": 0})
    record("your_own_sentence", tasks, measure, data=DATA, again=again)
    look_at_the_shipped()
