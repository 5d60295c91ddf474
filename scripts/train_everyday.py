"""Train the translator of any sentence that the package ships: assets/everyday.safetensors.

    torchrun --nproc-per-node 2 -m scripts.train_everyday
    torchrun --nproc-per-node 2 -m scripts.train_everyday --data DIR    from DIR, not downloaded
    torchrun --nproc-per-node 2 -m scripts.train_everyday --seed 1      only for its scores

An interrupted run continues where it was (--out names its folder). The learning rate stays at its
peak for the first steps, and then falls from a lower one to 0 in a straight line, on fewer of the
generated sentences. At the end its scores go into results.json; the weights of seed 0 are shipped.
"""

import argparse
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import torch
from sacrebleu.metrics import BLEU, CHRF
from torch import nn

from attnsteps.corpora.generated.corpus import TARGET_WORDS, Pair, generated
from attnsteps.corpora.parallel import TextPair, tatoeba
from attnsteps.model.config import TransformerConfig
from attnsteps.model.transformer import Transformer
from attnsteps.text.batch import Example, encode_pairs
from attnsteps.text.reading import Reading
from attnsteps.text.tokenizer import Subwords, Words
from attnsteps.text.vocab import Vocab
from attnsteps.training.config import TrainingConfig
from attnsteps.training.distributed import join
from attnsteps.training.loop import train
from attnsteps.translator.trained import Trained
from scripts.results import ASSETS, RESULTS, note

MERGES = 4000
SIZES = {
    "d_model": 160,
    "num_encoder_layers": 3,
    "num_decoder_layers": 2,
    "d_ff": 512,
    "norm": "pre",
    "dropout": 0.25,
    "tie": "all",
}
RECIPE = {"max_tokens": 1600, "label_smoothing": 0.1, "checkpoint_every": 100}
STEADY = {"schedule": "constant", "steps": 8000, "peak": 0.003}
FALLING = {"schedule": "linear", "steps": 3000, "peak": 0.002, "warmup": 50}
SEARCHES = {
    "greedy": {"search": "greedy"},
    "beam 4": {"search": "beam", "beam_width": 4, "alpha": 2.0},  # as on the website
}
ALPHAS = (1.0, 1.5, 2.0, 2.5)  # tried on the validation part; the best is that of the website
EVERYDAY = ASSETS / "everyday.safetensors"
AUTHORS = ASSETS / "everyday_authors.txt"
NUM_GENERATED = 6_000

#: Names that are written in Latin letters in Chinese, too, where their sound has no usual spelling.
NAMES = """Anna Ben Lisa Peter Maria John Kate Paul Emma David Laura Max Nina Leo Eva Jack Lily Sam
    Julia Mike Sophie Alex Rosa Karl Ivan Olga Yuki Ali Fatima Pedro"""
SYLLABLES = "ba do fi ka le mi no ra su ti va ze ho ju la ma pe ro sa ve"
COPIES = 6  # of each pair with a number or a name
NAMED = 1_500  # pairs about Tom that become pairs about somebody else


def without_stop(pair: TextPair) -> TextPair:
    """Leave out the source's final mark, as people do who type fast; the answer keeps its own."""
    return pair._replace(src=pair.src.rstrip(".!?"))


def written_out(pair: Pair) -> TextPair:
    """Write a pair of the generated corpus as people write, with a capital and a stop."""
    src = "".join(pair.src).replace("，", ",").replace("？", "?")
    tgt = Words(TARGET_WORDS).detokenize(pair.tgt)
    tgt = re.sub(r"\b(i|english)\b", lambda word: word[0].capitalize(), tgt)
    stop = "" if tgt.endswith("?") else "."
    return TextPair(src + stop, tgt[0].upper() + tgt[1:] + stop)


def copied(pairs: list[TextPair], chance: Random) -> Iterator[TextPair]:
    """Put other numbers and other names into pairs, so that the model learns to copy both."""
    for pair in pairs:
        numbers = re.findall(r"\d+", pair.src)
        words = set(re.findall("[A-Z][a-z]+", pair.src))
        if numbers and numbers == re.findall(r"\d+", pair.tgt):
            for _ in range(COPIES):
                new = {number: _number(len(number), chance) for number in numbers}
                yield TextPair(*(_replaced(side, new) for side in pair[:2]))
        elif len(words) == 1 and (name := words.pop()) in pair.tgt:
            for _ in range(COPIES):
                new = _name(chance)
                yield TextPair(pair.src.replace(name, new), pair.tgt.replace(name, new))
    about_tom = [p for p in pairs if p.src.count("汤姆") == 1 == len(re.findall(r"\bTom\b", p.tgt))]
    for pair in chance.sample(about_tom, min(NAMED, len(about_tom))):
        name = _name(chance)
        yield TextPair(pair.src.replace("汤姆", name), pair.tgt.replace("Tom", name))


def _replaced(text: str, new: dict[str, str]) -> str:
    """Put each number's new one in its place."""
    return re.sub(r"\d+", lambda number: new[number[0]], text)


def _number(length: int, chance: Random) -> str:
    """Draw a number with as many digits, or with more if it is a long one."""
    length = chance.randint(length, 8) if length > 2 else length
    return str(chance.randrange(10 ** (length - 1), 10**length))


def _name(chance: Random) -> str:
    """Draw a name: a common one, or one that nobody has."""
    if chance.random() < 0.5:
        return chance.choice(NAMES.split())
    return "".join(chance.choices(SYLLABLES.split(), k=chance.randint(2, 3))).capitalize()


class Taught(NamedTuple):
    """What the model learns from, in pairs of text."""

    real: list[TextPair]
    invented: list[TextPair]

    def pairs(self) -> list[TextPair]:
        """Return all of it, with and without the final mark of each source."""
        pairs = [*self.real, *self.invented]
        return [*pairs, *map(without_stop, pairs)]


def taught(train: list[TextPair]) -> Taught:
    """Return the pairs to train on: real ones, real ones with other names, and generated ones."""
    generated_pairs = generated().train[:NUM_GENERATED]
    real = [*train, *copied(train, Random(0))]
    return Taught(real, list(map(written_out, generated_pairs)))


def untrained(pairs: list[TextPair], seed: int) -> Trained:
    """Make the model, with subwords and characters learned from the pairs."""
    texts = [text for pair in pairs for text in pair[:2]]
    tokenizer = Subwords.learn(texts, MERGES)
    vocab = Vocab(tokenizer.vocabulary())
    torch.manual_seed(seed)
    config = TransformerConfig.tiny(len(vocab), len(vocab), **SIZES)
    reading = Reading.learn(texts)
    return Trained(Transformer(config), vocab, vocab, tokenizer, tokenizer, reading)


def encoded(trained: Trained, pairs: list[TextPair]) -> list[Example]:
    """Return the ids of the pairs."""
    split = trained.src_tokenizer.tokenize
    tokens = [(split(pair.src), split(pair.tgt)) for pair in pairs]
    return encode_pairs(tokens, trained.src_vocab, trained.tgt_vocab)


def authors(pairs: list[TextPair]) -> list[str]:
    """Name everybody who wrote one of the sentences, as far as an edition names them."""
    return sorted(
        {name for pair in pairs for name in re.findall(r"#\d+ \((.*?)\)(?= & |$)", pair.credit)}
    )


def scores(trained: Trained, pairs: list[TextPair]) -> dict[str, float]:
    """Return BLEU and chrF of the test part, each with half of its interval of 95 %."""
    found = {}
    for name, options in SEARCHES.items():
        texts = [one.text for one in trained.translate([pair.src for pair in pairs], **options)]
        for metric in (BLEU(), CHRF()):
            score = metric.corpus_score(texts, [[pair.tgt for pair in pairs]], n_bootstrap=1000)
            found[f"{score.name}, {name}"] = round(float(score.score), 2)
            found[f"{score.name}, {name}, ±"] = round(float(score._ci), 2)
    return found


def by_alpha(trained: Trained, pairs: list[TextPair]) -> dict[str, float]:
    """Return BLEU of the website's search for each exponent of the length penalty."""
    sources, wanted = [pair.src for pair in pairs], [[pair.tgt for pair in pairs]]
    found = {}
    for alpha in ALPHAS:
        texts = trained.translate(sources, **SEARCHES["beam 4"] | {"alpha": alpha})
        score = BLEU().corpus_score([one.text for one in texts], wanted).score
        found[str(alpha)] = round(float(score), 2)
    return found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    arguments.add_argument("--data", type=Path, metavar="DIR", help="folder with the corpus")
    arguments.add_argument("--out", type=Path, default=Path("runs/everyday"), metavar="DIR")
    arguments.add_argument("--seed", type=int, default=0, metavar="N", help="0 is what is shipped")
    options = arguments.parse_args()
    torch.set_num_threads(1)
    folder = options.out / f"seed_{options.seed}"
    corpus = tatoeba(directory=options.data, progress=False)
    steady = taught(corpus.train)
    falling = steady._replace(invented=steady.invented[::4])
    trained = untrained(steady.pairs(), options.seed)

    def keep(model: nn.Module, step: int) -> None:
        if step % 100 == 0:
            trained.save(folder / f"falling_{step:04}.safetensors")

    histories = []
    phases = {"steady": (steady, STEADY, None), "falling": (falling, FALLING, keep)}
    with join(torch.device("cpu")):
        for later, (name, (part, phase, on_step)) in enumerate(phases.items()):
            history = train(
                trained.model,
                encoded(trained, part.pairs()),
                TrainingConfig(**RECIPE, **phase, seed=options.seed + later),
                directory=folder / name,
                resume=True,
                on_step=on_step,
            )
            histories.append(history.records[-1])
    if int(os.environ.get("RANK", "0")) == 0:
        quantised = folder / EVERYDAY.name
        if options.seed == 0:
            quantised = EVERYDAY
            AUTHORS.write_text("\n".join(authors(corpus.train)) + "\n", encoding="utf-8")
        trained.save(quantised, dtype=torch.int8)
        row = {
            **({"asset": EVERYDAY.stem} if options.seed == 0 else {}),
            "parameters": trained.model.num_parameters(),
            "bytes": quantised.stat().st_size,
            "pairs": len(corpus.train),
            "steps": sum(last.step for last in histories),
            "tokens": sum(last.tokens for last in histories),
            "seed": options.seed,
            "processes": 2,
            "wall_seconds": round(sum(last.seconds for last in histories)),
        }
        weights = {"float32": trained, "8 bits": Trained.load(quantised)}
        row["validation BLEU by alpha"] = by_alpha(weights["8 bits"], corpus.val)
        rows = [
            {**row, "weights": name, **scores(one, corpus.test)} for name, one in weights.items()
        ]
        before = json.loads(RESULTS.read_text(encoding="utf-8"))["everyday"]["rows"]
        others = [row for row in before if row["seed"] != options.seed]
        rows = sorted(others + rows, key=lambda row: row["seed"])
        command = "torchrun --nproc-per-node 2 -m scripts.train_everyday"
        note("everyday", rows, command=command, corpus="tatoeba, both editions")


if __name__ == "__main__":
    main()
