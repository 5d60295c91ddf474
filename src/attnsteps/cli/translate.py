"""``python -m attnsteps translate``: sentences → translations, line by line."""

import sys
from argparse import Namespace
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from attnsteps.cli.table import table
from attnsteps.cli.train import MODEL
from attnsteps.training.trained import ASSETS, Trained, pretrained
from attnsteps.training.translate import Translation

SIDE_BY_SIDE = 64
LONG = 40  # characters of an unknown word that a message shows


def run(options: Namespace) -> int:
    """Translate the sentences of the command line or of standard input.

    A line that cannot be translated is named on standard error and gives an empty line, so that
    the others keep their places.

    Args:
        options: what main has read from the command line.

    Returns:
        0, or 2 if a line could not be translated.

    Raises:
        ValueError: if there is no such model, search, layer or head.
        OSError: if the model's file cannot be read.
    """
    trained = open_model(options.model)
    _check_layer_and_head(trained, options)
    is_live = not options.texts and sys.stdin.isatty()
    if is_live:
        print("one sentence a line; Ctrl-D ends", file=sys.stderr)
    lines = enumerate(options.texts or sys.stdin.buffer, start=1)
    status = 0
    while some := list(islice(lines, 1 if is_live else SIDE_BY_SIDE)):
        texts: dict[int, str] = {}
        for number, line in some:
            try:
                texts[number] = checked(line, trained)
            except ValueError as error:
                print(f"line {number}: {error}", file=sys.stderr)
                status = 2
        found = translations(trained, [t for t in texts.values() if t], options)
        for number, _ in some:
            print(_show(number, next(found), options) if texts.get(number) else "", flush=True)
    return status


def open_model(path: str | None) -> Trained:
    """Load a translator.

    Args:
        path: its file, or the run's directory, or the name of one that comes with the package;
            None takes zh_en of these.

    Returns:
        The translator.

    Raises:
        ValueError: if the file holds none, or none comes with the package.
        FileNotFoundError: if there is no such file.
    """
    if path is None:
        return pretrained()
    if (ASSETS / f"{path}.safetensors").is_file():
        return pretrained(path)
    return Trained.load(Path(path) / MODEL if Path(path).is_dir() else path)


def checked(line: str | bytes, trained: Trained) -> str:
    """Return a line as text, if the model can take it.

    Args:
        line: as it came: bytes from standard input, or a text from the command line.
        trained: the translator.

    Returns:
        The text without the line's end; "" if there is nothing to translate.

    Raises:
        ValueError: if it is not valid UTF-8, or has more tokens than the model takes.
    """
    raw = line if isinstance(line, bytes) else line.encode("utf-8", "surrogateescape")
    try:
        text = raw.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        byte = raw[error.start]
        raise ValueError(
            f"a sentence must be valid UTF-8; got the byte 0x{byte:02x} at position {error.start}"
        ) from None
    length, limit = len(trained.src_tokenizer.tokenize(text)), trained.model.config.max_len
    if length > limit:
        raise ValueError(f"a sentence must have at most {limit} tokens; got {length}")
    return text if length else ""


def translations(
    trained: Trained, texts: list[str], options: Namespace, *, need_weights: bool | None = None
) -> Iterator[Translation]:
    """Translate texts as the options say.

    Args:
        trained: the translator.
        texts: what checked has returned, none of them empty.
        options: search, beam_width, max_len and attention.
        need_weights: in place of options.attention.

    Returns:
        The translations, in order.
    """
    width = {} if options.beam_width is None else {"beam_width": options.beam_width}
    return iter(
        trained.translate(
            texts,
            search=options.search,
            max_len=options.max_len,
            batch_size=SIDE_BY_SIDE,
            need_weights=options.attention if need_weights is None else need_weights,
            **width,
        )
    )


def _check_layer_and_head(trained: Trained, options: Namespace) -> None:
    """Check, before anything is translated, that the table asked for exists."""
    layers, heads = trained.model.config.num_decoder_layers, trained.model.config.num_heads
    if not -layers <= options.layer < layers:
        raise ValueError(f"layer must lie in 0..{layers - 1}; got {options.layer}")
    if options.head is not None and not 0 <= options.head < heads:
        raise ValueError(f"head must lie in 0..{heads - 1}; got {options.head}")


def _show(number: int, one: Translation, options: Namespace) -> str:
    """Return what to print for a translation, and say on standard error what is odd about it."""
    if one.unknown:
        words = " ".join(word if len(word) <= LONG else f"{word[:LONG]}…" for word in one.unknown)
        print(f"line {number}: unknown to the model, read as <unk>: {words}", file=sys.stderr)
    if not one.is_whole:
        print(f"line {number}: cut off after {len(one.tokens)} tokens", file=sys.stderr)
    if not options.attention:
        return one.text
    weights = one.weights.cross[options.layer][0]  # (H, T, S)
    one_map = weights.mean(dim=0) if options.head is None else weights[options.head]
    rows = [*one.tokens, "<eos>"] if one.is_whole else one.tokens
    return f"{one.text}\n\n{table(one_map, rows, one.src_tokens)}\n"
