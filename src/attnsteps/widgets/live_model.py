"""A trained model in the page: the arguments, checks and data that its widgets share."""

import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import torch
from torch import Tensor

from attnsteps.corpora.generated.corpus import MAX_SRC_LEN, SOURCE_WORDS, generated, gloss
from attnsteps.model.transformer import Transformer
from attnsteps.running_example import SENTENCE, TIRED, WIDE
from attnsteps.text.tokenizer import BytePairs, Characters, Subwords, Words
from attnsteps.text.vocab import SPECIALS, Vocab
from attnsteps.translator.trained import ASSETS, Trained, pretrained

#: 动物没有过马路，因为太累了, with its comma.
RUNNING = "".join(word.zh for word in SENTENCE[:4]) + "，" + "".join(w.zh for w in SENTENCE[4:])

#: The most parameters that a page can run at a bearable speed.
MAX_PARAMETERS = 20_000_000

#: The number of sentences that the button "Another sentence" draws from.
NUM_EXAMPLES = 60


def as_trained(model: object, vocabs: Sequence[Vocab] | None) -> Trained:
    """Return the bundle that a widget's arguments describe; None uses the package's translator.

    A bare Transformer needs vocabs; its text is split into the longest words of its vocabulary.
    """
    if model is None:
        return pretrained()
    if isinstance(model, Trained):
        return model
    if not isinstance(model, Transformer):
        raise ValueError(
            f"model must be a Trained or a Transformer with vocabs; got a {type(model).__name__}"
        )
    if vocabs is None or len(vocabs) != 2:
        raise ValueError(
            "vocabs must be the source and the target vocabulary if model is a bare"
            f" Transformer; got {'None' if vocabs is None else len(vocabs)}"
        )
    words = [Words(vocab.to_list()[len(SPECIALS) :]) for vocab in vocabs]
    return Trained(model, *vocabs, *words)


def check_fits(trained: Trained) -> None:
    """Refuse a model that the page cannot run: not causal, too large, or of another tokenizer."""
    config = trained.model.config
    if not isinstance(trained.model, Transformer) or not config.causal:
        raise ValueError("model must be causal to write word by word; got config.causal = False")
    if trained.model.num_parameters() > MAX_PARAMETERS:
        raise ValueError(
            f"model must have at most {MAX_PARAMETERS:,} parameters to run in a page;"
            f" got {trained.model.num_parameters():,}"
        )
    if changes := config.since_2017():
        raise ValueError(f"model must be of the paper's kind to run in a page; got {changes}")
    for name in ("src_tokenizer", "tgt_tokenizer"):
        if not isinstance(getattr(trained, name), Words | Characters | BytePairs | Subwords):
            raise ValueError(
                f"{name} must be Words, Characters, BytePairs or Subwords to run in a page;"
                f" got {type(getattr(trained, name)).__name__}"
            )


def file_of(trained: Trained, *, shipped: str | None = None) -> bytes:
    """Return the bytes of a model's file: the shipped one of this stem, otherwise in float32."""
    if shipped is not None:
        return (ASSETS / f"{shipped}.safetensors").read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.safetensors"
        trained.save(path, dtype=torch.float32)
        return path.read_bytes()


def known_words(trained: Trained) -> set[str]:
    """Return the words of a model's source vocabulary, without the special tokens."""
    return set(trained.src_vocab.to_list()[len(SPECIALS) :])


def glossary_of(trained: Trained) -> dict[str, list[str]]:
    """Return the reading and the meaning of each word that both the model and the corpus have.

    Example:
        >>> glossary_of(pretrained())["累"]
        ['lèi', 'tired']
    """
    known = known_words(trained)
    return {word: list(gloss(word)) for word in SOURCE_WORDS if word in known}


def sentence_traits(trained: Trained, examples: Sequence[str] | None, max_words: int) -> dict:
    """Return the traits of the input line: glossary, examples, twins, first and max_words.

    If examples is None, they are corpus sentences whose words the model knows.
    """
    known = known_words(trained)
    if examples is None:
        examples = [text for text, words in _corpus_examples() if known.issuperset(words)]
    if trained.model.config.positions == "learned":
        max_words = min(max_words, trained.model.config.max_len)
    return {
        "glossary": glossary_of(trained),
        "examples": list(examples),
        "twins": [TIRED.zh, WIDE.zh] if {TIRED.zh, WIDE.zh} <= known else [],
        "first": RUNNING,
        "max_words": max_words,
    }


def mean_cross_attention(trained: Trained, text: str) -> tuple[Tensor, list[str], list[str]]:
    """Translate a sentence, and return its cross-attention averaged over all heads and layers.

    The weights are (T, S); with them come labels for rows and columns that Matplotlib can draw.
    """
    (translation,) = trained.translate([text], need_weights=True)
    weights = torch.cat([layer[0] for layer in translation.weights.cross]).mean(dim=0)
    rows = [*translation.tokens, "(end)"][: len(weights)]
    words = trained.src_tokenizer.tokenize(text)
    glossary = glossary_of(trained)
    columns = [
        glossary[word][1] if word in glossary else f"word {place}"
        for place, word in enumerate(words, start=1)
    ]
    return (
        weights,
        [row if row.isascii() else f"token {place}" for place, row in enumerate(rows, start=1)],
        [label if len(label) <= 10 else f"{label[:9]}…" for label in columns],
    )


@cache
def _corpus_examples() -> list[tuple[str, tuple[str, ...]]]:
    """Draw sentences of a length that is easy to look at."""
    pairs = generated(400, seed=11).train
    fitting = [pair.src for pair in pairs if 6 <= len(pair.src) <= MAX_SRC_LEN]
    return [("".join(words), words) for words in fitting[:NUM_EXAMPLES]]
