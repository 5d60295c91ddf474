"""The arguments of ``python -m attnsteps``, and what is said when one of them is wrong."""

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from typing import NoReturn

import torch

from attnsteps.cli import evaluate, train, translate
from attnsteps.cli.corpora import NAMES
from attnsteps.training.translate import SEARCHES

TRAIN = """examples:
  python -m attnsteps train
      the book's corpus, a minute on a laptop; saved in runs/generated
  python -m attnsteps train --layers 2 --steps 2000 --seed 1 --out runs/two
  python -m attnsteps train --corpus multi30k --device cuda --precision bfloat16 \\
      --d-model 256 --layers 4 --dropout 0.3 --max-tokens 4096 --steps 8000
  python -m attnsteps train --resume
      go on where a training was interrupted; the other options have to be the same
  torchrun --nproc-per-node 2 -m attnsteps train
      the same training in two processes"""
TRANSLATE = """examples:
  python -m attnsteps translate 动物没有过马路，因为太累了
  python -m attnsteps translate --attention 动物没有过马路，因为太宽了
  python -m attnsteps translate --model runs/two --search beam --beam-width 4 < sentences.txt"""
EVALUATE = """examples:
  python -m attnsteps evaluate
  python -m attnsteps evaluate --model runs/multi30k --corpus multi30k --parts test --search beam
  python -m attnsteps evaluate --parts combinations pronouns --limit 500 --json"""


class _Parser(ArgumentParser):
    """Says in one line what is wrong."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {message} (--help shows what there is)\n")


def parser() -> ArgumentParser:
    """Return the parser of the whole command line.

    Returns:
        The parser; what it returns has ``run``, the function of the command.
    """
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
    p = command("translate", translate.run, "Translate sentences, one a line.", TRANSLATE)
    p.add_argument("texts", nargs="*", metavar="SENTENCE", help="default: standard input's lines")
    _search_options(p)
    p.add_argument("--attention", action="store_true", help="print the cross-attention as a table")
    p.add_argument("--layer", type=int, default=-1, help="of the table; default: the last")
    p.add_argument("--head", type=int, help="of the table, from 0 on; default: the mean of all")
    p = command("evaluate", evaluate.run, "Score translations of unseen sentences.", EVALUATE)
    _corpus_options(p)
    _search_options(p)
    p.add_argument("--parts", nargs="+", help="of the corpus; default: all but the training part")
    p.add_argument("--limit", type=int, help="how many sentences of each part; default: all")
    p.add_argument("--lowercase", action="store_true", help="BLEU takes upper for lower case")
    p.add_argument("--json", action="store_true", help="print the scores as JSON")
    return top


def _corpus_options(p: ArgumentParser) -> None:
    """Add what says which sentences to take."""
    p.add_argument("--corpus", choices=NAMES, default="generated", help="default: generated")
    p.add_argument(
        "--data", metavar="DIR", help="copies of a real corpus's files; default: download"
    )
    p.add_argument("--pairs", type=int, default=40_000, help="how many to generate; default: 40000")
    p.add_argument("--device", default="cpu", help="cpu, cuda, …; default: cpu")
    p.add_argument("--threads", type=int, help="of the processor; default: torch's choice")
    p.add_argument("--quiet", action="store_true", help="no progress bar")


def _search_options(p: ArgumentParser) -> None:
    """Add what says which model translates, and how."""
    searches = [name for by_name in SEARCHES.values() for name in by_name]
    p.add_argument(
        "--model",
        metavar="PATH",
        help="a model's file, a run, or one of ours by its name; default: zh_en",
    )
    p.add_argument("--search", choices=searches, help="default: the model's first")
    p.add_argument("--beam-width", type=int, help="of --search beam; default: 4")
    p.add_argument("--max-len", type=int, help="tokens of a translation; default: by the source's")


def _train_options(p: ArgumentParser) -> None:
    """Add what says how large the model is and how it learns."""
    _corpus_options(p)
    sizes = p.add_argument_group("model", "defaults depend on the corpus")
    sizes.add_argument("--d-model", type=int, metavar="D", help="width")
    sizes.add_argument("--layers", type=int, metavar="N", help="of encoder and decoder each")
    sizes.add_argument("--encoder-layers", type=int, metavar="N", help="of the encoder alone")
    sizes.add_argument("--decoder-layers", type=int, metavar="N", help="of the decoder alone")
    sizes.add_argument("--heads", type=int, default=4, metavar="H", help="default: 4")
    sizes.add_argument("--d-ff", type=int, metavar="DFF", help="default: four times the width")
    sizes.add_argument(
        "--dropout", type=float, metavar="P", help="in training; 0 on the generated corpora"
    )
    sizes.add_argument("--norm", choices=("pre", "post"), default="pre", help="default: pre")
    sizes.add_argument("--merges", type=int, default=4000, help="byte pairs of a real corpus; 4000")
    steps = p.add_argument_group("training")
    steps.add_argument("--steps", type=int, help="updates; the default depends on the corpus")
    batch = steps.add_mutually_exclusive_group()
    batch.add_argument("--batch-size", type=int, metavar="B", help="pairs a batch; default: 128")
    batch.add_argument("--max-tokens", type=int, help="ids of each side a batch, in its place")
    steps.add_argument(
        "--schedule",
        choices=("linear", "paper", "constant"),
        default="linear",
        help="of the learning rate; default: linear",
    )
    steps.add_argument("--peak", type=float, help="highest learning rate; 0.002 to 0.008")
    steps.add_argument("--warmup", type=int, help="steps; default: 400, of linear a third at most")
    steps.add_argument("--label-smoothing", type=float, help="0.1, or 0.05 on the book's corpus")
    steps.add_argument("--accumulate", type=int, default=1, help="batches an update; default: 1")
    steps.add_argument(
        "--precision",
        choices=("float32", "bfloat16", "float16"),
        default="float32",
        help="of the matrix products; default: float32",
    )
    steps.add_argument("--compile", action="store_true", help="with torch.compile")
    steps.add_argument("--seed", type=int, default=0, help="default: 0")
    run = p.add_argument_group("run")
    run.add_argument("--out", metavar="DIR", help="where to keep it; default: runs/<corpus>")
    run.add_argument("--resume", action="store_true", help="go on from the last checkpoint")
    run.add_argument("--validate", type=int, default=500, help="sentences; default: 500")
    run.add_argument("--evaluate-every", type=int, metavar="STEPS", help="default: at the end")
    run.add_argument(
        "--checkpoint-every", type=int, default=250, metavar="STEPS", help="default: 250"
    )
    run.add_argument(
        "--log",
        choices=("csv", "tensorboard", "none"),
        default="csv",
        help="of the training; default: csv",
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        arguments: those after ``python -m attnsteps``; None takes the process's own.

    Returns:
        The exit status: 0, or 2 where something was wrong, which one line on standard error names;
        130 where it was interrupted.
    """
    options = parser().parse_args(arguments)
    try:
        _set_up(options)
        return options.run(options)
    except KeyboardInterrupt:
        hint = " --resume goes on from the last checkpoint." if options.command == "train" else ""
        print(f"interrupted.{hint}", file=sys.stderr)
        return 130
    except BrokenPipeError:  # whoever reads our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, OSError, FloatingPointError, torch.OutOfMemoryError) as error:
        message = " ".join(str(error).split()) or type(error).__name__
        print(f"python -m attnsteps {options.command}: error: {message}", file=sys.stderr)
        return 2


def _set_up(options: Namespace) -> None:
    """Choose device and threads, and make the output able to show every character."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if getattr(options, "threads", None) is not None:
        if options.threads < 1:
            raise ValueError(f"threads must be a positive integer; got {options.threads}")
        torch.set_num_threads(options.threads)
    if hasattr(options, "device"):
        try:
            torch.zeros(1, device=options.device)
        except (RuntimeError, AssertionError) as error:
            reason = str(error).splitlines()[0]
            raise ValueError(f"device {options.device!r} cannot be used: {reason}") from error
