"""The arguments of ``python -m attnsteps``, and the message if one of them is wrong."""

import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from typing import NoReturn

import torch

from attnsteps.checks import check_positive
from attnsteps.cli import evaluate, train, translate
from attnsteps.cli.corpora import NAMES, OWN
from attnsteps.training.update import PRECISIONS
from attnsteps.translator.search import SEARCHES

TRAIN = """examples:
  python -m attnsteps train
      the book's corpus, a minute on a laptop; saved in runs/generated
  python -m attnsteps train --layers 2 --steps 2000 --seed 1 --out runs/two
  python -m attnsteps train --corpus multi30k --device cuda --precision bfloat16 \\
      --d-model 256 --layers 4 --dropout 0.3 --max-tokens 4096 --steps 8000
  python -m attnsteps train --corpus my.tsv
      your own pairs, saved in runs/my
  python -m attnsteps train --resume
      continue an interrupted training run; the other options must be the same
  torchrun --nproc-per-node 2 -m attnsteps train
      the same training run in two processes"""
TRANSLATE = """examples:
  python -m attnsteps translate 动物没有过马路，因为太累了
  python -m attnsteps translate --attention 动物没有过马路，因为太宽了
  python -m attnsteps translate --model runs/two --search beam --beam-width 4 < sentences.txt"""
EVALUATE = """examples:
  python -m attnsteps evaluate
  python -m attnsteps evaluate --model runs/multi30k --corpus multi30k --parts test --search beam
  python -m attnsteps evaluate --parts combinations pronouns --limit 500 --json"""


class _Parser(ArgumentParser):
    """A parser that reports an error in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {message} (see --help)\n")


def parser() -> ArgumentParser:
    """Return the parser of the whole command line; it sets ``run`` to the command's function."""
    top = _Parser(
        prog="python -m attnsteps",
        description="A Transformer that learns to translate.",
        epilog="train --help, translate --help and evaluate --help show examples.",
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="train|translate|evaluate")

    def command(name: str, run: object, summary: str, examples: str) -> ArgumentParser:
        added = commands.add_parser(
            name,
            usage=f"{top.prog} {name} [options]" + " [SENTENCE ...]" * (name == "translate"),
            help=summary,
            description=summary,
            epilog=examples,
            formatter_class=RawDescriptionHelpFormatter,
        )
        added.set_defaults(run=run)
        return added

    _train_options(command("train", train.run, "Train a translator and save it.", TRAIN))
    p = command("translate", translate.run, "Translate sentences, one per line.", TRANSLATE)
    p.add_argument(
        "texts", nargs="*", metavar="SENTENCE", help="default: the lines of standard input"
    )
    _search_options(p)
    p.add_argument("--attention", action="store_true", help="print the cross-attention as a table")
    p.add_argument(
        "--layer", type=int, default=-1, help="decoder layer of the table; default: the last"
    )
    p.add_argument("--head", type=int, help="head of the table, from 0; default: the mean")
    p = command("evaluate", evaluate.run, "Score translations of unseen sentences.", EVALUATE)
    _corpus_options(p)
    _search_options(p)
    p.add_argument("--parts", nargs="+", help="parts of the corpus; default: all but training")
    p.add_argument("--limit", type=int, help="sentences of each part; default: all")
    p.add_argument("--json", action="store_true", help="print the scores as JSON")
    return top


def _corpus_options(p: ArgumentParser) -> None:
    """Add the options that choose the sentences."""
    p.add_argument(
        "--corpus",
        type=_corpus,
        default="generated",
        metavar="NAME",
        help=f"{', '.join(NAMES)}, or a {OWN} file: a sentence, a tab and its translation in"
        " each line; default: generated",
    )
    p.add_argument(
        "--data", metavar="DIR", help="folder with a published corpus; default: download it"
    )
    p.add_argument("--pairs", type=int, default=40_000, help="pairs to generate; default: 40000")
    p.add_argument("--device", default="cpu", help="cpu, cuda, …; default: cpu")
    p.add_argument("--threads", type=int, help="processor threads; default: 1 for a small model")
    p.add_argument("--quiet", action="store_true", help="no progress bar")


def _corpus(name: str) -> str:
    """Check the name of a corpus, before anything is read."""
    if name not in NAMES and not name.endswith(OWN):
        raise ArgumentTypeError(f"must be {', '.join(NAMES)} or a {OWN} file; got {name!r}")
    return name


def _search_options(p: ArgumentParser) -> None:
    """Add the options that choose the model and the search."""
    searches = [name for by_name in SEARCHES.values() for name in by_name]
    p.add_argument(
        "--model",
        metavar="PATH",
        help="a model file, a run's directory, or the name of a shipped model; default: zh_en",
    )
    p.add_argument("--search", choices=searches, help="default: the first that suits the model")
    p.add_argument("--beam-width", type=int, help="for --search beam; default: 4")
    p.add_argument(
        "--max-len", type=int, help="most tokens in a translation; default: set by the source"
    )


def _train_options(p: ArgumentParser) -> None:
    """Add the options for the model's size and its training."""
    _corpus_options(p)
    sizes = p.add_argument_group("model", "defaults depend on the corpus")
    sizes.add_argument("--d-model", type=int, metavar="D", help="width of the model")
    sizes.add_argument("--layers", type=int, metavar="N", help="layers in each stack")
    sizes.add_argument("--encoder-layers", type=int, metavar="N", help="layers in the encoder")
    sizes.add_argument("--decoder-layers", type=int, metavar="N", help="layers in the decoder")
    sizes.add_argument("--heads", type=int, default=4, metavar="H", help="default: 4")
    sizes.add_argument("--d-ff", type=int, metavar="DFF", help="default: four times the width")
    sizes.add_argument("--dropout", type=float, metavar="P", help="share of components dropped")
    sizes.add_argument("--norm", choices=("pre", "post"), default="pre", help="default: pre")
    sizes.add_argument(
        "--merges", type=int, default=4000, help="byte-pair merges of a real corpus; default: 4000"
    )
    steps = p.add_argument_group("training", "where no default is named, the corpus decides")
    steps.add_argument("--steps", type=int, help="updates")
    batch = steps.add_mutually_exclusive_group()
    batch.add_argument("--batch-size", type=int, metavar="B", help="pairs per batch")
    batch.add_argument("--max-tokens", type=int, help="instead: most tokens per side of a batch")
    schedules = ("linear", "paper", "constant")
    steps.add_argument(
        "--schedule", choices=schedules, default="linear", help="learning rate; default: linear"
    )
    steps.add_argument("--peak", type=float, help="highest learning rate; default: 0.002 to 0.008")
    steps.add_argument(
        "--warmup", type=int, help="steps; default: 400, or a third of a short linear run"
    )
    steps.add_argument(
        "--label-smoothing", type=float, help="default: 0.1, or 0.05 on the book's corpus"
    )
    steps.add_argument("--accumulate", type=int, default=1, help="batches per update; default: 1")
    steps.add_argument(
        "--precision", choices=PRECISIONS, default="float32", help="of products; default: float32"
    )
    steps.add_argument("--compile", action="store_true", help="use torch.compile")
    steps.add_argument("--seed", type=int, default=0, help="default: 0")
    run = p.add_argument_group("run")
    run.add_argument("--out", metavar="DIR", help="directory of the run; default: runs/<corpus>")
    run.add_argument("--resume", action="store_true", help="continue from the last checkpoint")
    run.add_argument(
        "--validate", type=int, default=500, help="held-out sentences to score; default: 500"
    )
    run.add_argument("--evaluate-every", type=int, metavar="STEPS", help="default: only at the end")
    run.add_argument(
        "--keep",
        choices=("last", "best"),
        default="last",
        help="the state that is saved: the last, or of those evaluated the one with the best BLEU"
        " on held-out sentences of a real corpus; default: last",
    )
    run.add_argument(
        "--checkpoint-every", type=int, default=250, metavar="STEPS", help="default: 250"
    )
    run.add_argument(
        "--log", choices=("csv", "none"), default="csv", help="the training log; default: csv"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status: 0, 2 after an error, 130 after an interruption.

    An error is reported in one line on standard error.
    """
    options = parser().parse_args(arguments)
    try:
        _set_up(options)
        return options.run(options)
    except KeyboardInterrupt:
        hint = " --resume continues from the last checkpoint." if options.command == "train" else ""
        print(f"interrupted.{hint}", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output, such as head, has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, OSError, FloatingPointError, MemoryError, RuntimeError) as error:
        if type(error) is RuntimeError and "DefaultCPUAllocator" not in str(error):
            raise  # of these, only what PyTorch says of a processor's memory is the user's
        message = " ".join(str(error).split()) or type(error).__name__
        print(f"python -m attnsteps {options.command}: error: {message}", file=sys.stderr)
        return 2


def _set_up(options: Namespace) -> None:
    """Choose the device and the threads, and make the output accept every character."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if getattr(options, "threads", None) is not None:
        check_positive("threads", options.threads)
        torch.set_num_threads(options.threads)
    if hasattr(options, "device"):
        try:
            torch.zeros(1, device=options.device)
        except (RuntimeError, AssertionError) as error:
            reason = str(error).splitlines()[0]
            raise ValueError(f"device {options.device!r} cannot be used: {reason}") from error
