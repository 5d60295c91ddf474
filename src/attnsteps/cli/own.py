"""One call for a notebook: a file of pairs → a translator in one file."""

import os
import shutil
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import torch

from attnsteps.cli.corpora import OWN
from attnsteps.cli.main import parser
from attnsteps.cli.train import MODEL

BEST = ("--keep", "best", "--evaluate-every", "200")


def train_on_pairs(
    pairs: str | os.PathLike, options: Sequence[str] = (), *, folder: str | os.PathLike = "."
) -> Path:
    """Train a translator on your own pairs, and write it as one file.

    It is ``python -m attnsteps train --corpus PAIRS --keep best``, on a GPU where there is one: of
    the states it looks at, every 200 steps, the file holds the one with the best BLEU on held-out
    pairs. The translator of the website's front page opens the file; so do ``Trained.load`` and
    ``translate --model``.

    Args:
        pairs: a .tsv file: in each line a sentence, a tab and its translation.
        options: more options of the command, such as ``["--steps", "2000"]``.
        folder: where the file goes, named after the pairs; one of that name is replaced. The
            training run is kept beside it, in a new folder in runs.

    Returns:
        The file.

    Raises:
        FileNotFoundError: if there is no file of pairs.
        ValueError: if it is not such a file, or an option has a wrong value.

    Example:
        >>> train_on_pairs("pairs.docx")
        Traceback (most recent call last):
        ValueError: pairs must be a .tsv file; got pairs.docx
    """
    pairs, folder = Path(pairs), Path(folder)
    if pairs.suffix != OWN:
        raise ValueError(f"pairs must be a {OWN} file; got {pairs}")
    names = (f"{pairs.stem}-{n}" if n > 1 else pairs.stem for n in count(1))
    run = next(path for name in names if not (path := folder / "runs" / name).exists())
    device = "cuda" if torch.cuda.is_available() else "cpu"
    asked = ["train", "--corpus", str(pairs), "--device", device, "--out", str(run), *BEST]
    command = parser().parse_args([*asked, *options])
    command.run(command)
    return Path(shutil.copy(run / MODEL, folder / f"{pairs.stem}.safetensors"))
