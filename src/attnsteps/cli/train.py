"""``python -m attnsteps train``: a corpus → a translator in a file."""

import os
import time
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

from attnsteps.analysis.scores import bleu, exact_match
from attnsteps.checks import check_number
from attnsteps.cli.corpora import GENERATED, Corpus, Tokens, encode, learn_tokens, read
from attnsteps.model.config import TransformerConfig
from attnsteps.model.transformer import Transformer
from attnsteps.text.batch import Example
from attnsteps.training.config import TrainingConfig
from attnsteps.training.log import History, Record
from attnsteps.training.loop import train
from attnsteps.training.resume import NAME
from attnsteps.training.watchers import Validate
from attnsteps.translator.trained import Trained

REAL = {
    "d_model": 128,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "dropout": 0.1,
    "steps": 6000,
    "peak": 0.002,
    "label_smoothing": 0.1,
}
#: The defaults that depend on the corpus; pairs of one's own take those of tatoeba. Those of the
#: generated corpus are the book's recipe: it takes a minute on a laptop.
DEFAULTS = {
    "generated": {
        "d_model": 64,
        "encoder_layers": 2,
        "decoder_layers": 1,
        "dropout": 0.0,
        "steps": 1500,
        "batch_size": 64,
        "peak": 0.008,
        "label_smoothing": 0.05,
    },
    "ambiguous": {
        "d_model": 64,
        "encoder_layers": 2,
        "decoder_layers": 2,
        "dropout": 0.0,
        "steps": 2000,
        "peak": 0.004,
        "label_smoothing": 0.1,
    },
    "multi30k": REAL,
    "tatoeba": {**REAL, "dropout": 0.2},
}
STACKS = ("encoder_layers", "decoder_layers")
MODEL = "model.safetensors"
BLEU = "val BLEU"
#: Below this many parameters one thread is as fast as two, and isn't slowed down by a browser.
SMALL = 1_000_000


def run(options: Namespace) -> int:
    """Train a model, save it, print its scores on held-out sentences, and return exit status 0."""
    is_first = os.environ.get("RANK", "0") == "0"
    directory = Path(options.out or Path("runs") / Path(options.corpus).stem)
    if (directory / NAME).exists() and not options.resume:
        raise ValueError(
            f"{directory} already holds a training run: continue it (--resume) or choose another"
            " (--out DIR)"
        )
    show = not options.quiet
    corpus = read(
        options.corpus, directory=options.data, num_pairs=options.pairs, progress=show and is_first
    )
    trained, examples, config = start(options, corpus)
    say = print if is_first else lambda *_: None
    size = trained.model.num_parameters()
    if options.threads is None and size < SMALL:
        torch.set_num_threads(1)
    say(f"{corpus.name}: {len(corpus.train):,} pairs, {size:,} parameters")
    if corpus.credit:
        say(corpus.credit)
    validate = validation(trained, corpus, options.validate)
    keep = None if options.keep == "last" else keep_best(trained, directory / MODEL)
    if keep and (validate is None or corpus.name in GENERATED):
        raise ValueError(
            "--keep best needs held-out sentences of a real corpus;"
            f" got --validate {options.validate} of {corpus.name}"
        )
    wall, own = time.perf_counter(), time.process_time()
    history = train(
        trained.model,
        examples,
        config,
        validate=validate,
        on_record=keep,
        directory=directory,
        resume=options.resume,
        vocabularies=(trained.src_vocab, trained.tgt_vocab),
        device=options.device,
        progress=show,
    )
    wall, own = time.perf_counter() - wall, time.process_time() - own
    last = history.records[-1]
    kept = best(history) if keep and is_first else last
    if is_first and not keep:
        trained.save(directory / MODEL, dtype=torch.float32)
    scores = "".join(f"{name}: {value:.4g}\n" for name, value in kept.scores.items())
    state = f"the best state, of step {kept.step}, " if keep else ""
    say(
        f"{last.step} steps in {wall:.1f} s ({own:.1f} s of processor time), loss {last.loss:.3f}\n"
        f"{scores}{state}saved in {directory / MODEL}; translate with:\n"
        f"  python -m attnsteps translate --model {directory}"
    )
    return 0


def start(options: Namespace, corpus: Corpus) -> tuple[Trained, list[Example], TrainingConfig]:
    """Return an untrained translator, the ids to train it on, and the training configuration.

    Options left open are filled in with the corpus's defaults.
    """
    both = {} if options.layers is None else dict.fromkeys(STACKS, options.layers)
    for name, value in {**DEFAULTS.get(options.corpus, DEFAULTS["tatoeba"]), **both}.items():
        is_given = getattr(options, name) is not None
        if not is_given and not (name == "batch_size" and options.max_tokens is not None):
            setattr(options, name, value)
    if not -(2**63) <= options.seed < 2**64:
        raise ValueError(f"seed must fit into 64 bits; got {options.seed}")
    tokens = learn_tokens(corpus, options.merges)
    torch.manual_seed(options.seed)
    trained = Trained(Transformer(model_config(options, tokens)), *tokens)
    return trained, encode(corpus, tokens), training_config(options)


def model_config(options: Namespace, tokens: Tokens) -> TransformerConfig:
    """Return the model's sizes; if both languages share a vocabulary, they share one matrix too."""
    return TransformerConfig(
        src_vocab_size=len(tokens.src_vocab),
        tgt_vocab_size=len(tokens.tgt_vocab),
        d_model=options.d_model,
        num_heads=options.heads,
        num_encoder_layers=options.encoder_layers,
        num_decoder_layers=options.decoder_layers,
        d_ff=4 * options.d_model if options.d_ff is None else options.d_ff,
        dropout=options.dropout,
        norm=options.norm,
        tie="all" if tokens.src_vocab == tokens.tgt_vocab else "target",
    )


def training_config(options: Namespace) -> TrainingConfig:
    """Return the training configuration that the options ask for."""
    names = (
        "steps", "batch_size", "max_tokens", "schedule", "peak", "warmup", "label_smoothing",
        "accumulate", "precision", "compile", "seed", "evaluate_every", "checkpoint_every",
    )  # fmt: skip
    log = None if options.log == "none" else options.log
    return TrainingConfig(**{name: getattr(options, name) for name in names}, log=log)


def validation(trained: Trained, corpus: Corpus, count: int) -> Validate | None:
    """Return a function that scores the model by greedy search on ``count`` held-out sentences.

    The score is exact match on unseen combinations of a generated corpus, BLEU on the validation
    part of a real one. A sentence too long for the model is refused now, before the training run.
    """
    check_number("validate", count, at_least=0, integer=True)
    part = "combinations" if corpus.name in GENERATED else "val"
    sentences = corpus.parts[part][:count]
    if not sentences:
        return None
    limit = trained.model.config.max_len
    for number, sentence in enumerate(sentences, start=1):
        length = len(trained.src_tokenizer.tokenize(sentence.src))
        if not 1 <= length <= limit:
            raise ValueError(
                f"every sentence of {part} must have from 1 to {limit} tokens; sentence"
                f" {number} has {length}"
            )

    def validate(model: nn.Module) -> dict[str, float]:
        texts = [one.text for one in trained.translate([sentence.src for sentence in sentences])]
        if part == "val":
            return {BLEU: bleu(texts, [sentence.tgt for sentence in sentences]).value}
        references = [sentence.references for sentence in sentences]
        return {"exact match on unseen combinations": exact_match(texts, references)}

    return validate


def best(history: History) -> Record | None:
    """Return the record with the highest BLEU on held-out sentences, the last of several."""
    looks = [record for record in history.records if BLEU in record.scores]
    return max(looks, key=lambda record: (record.scores[BLEU], record.step), default=None)


def keep_best(trained: Trained, path: Path) -> Callable[[History], None]:
    """Return a function that saves the model if no BLEU before was higher.

    It goes by BLEU and not by the loss: where pairs are few, the loss on held-out sentences rises
    while their translations still get better.
    """

    def keep(history: History) -> None:
        if best(history) is history.records[-1]:
            trained.save(path, dtype=torch.float32)

    return keep
