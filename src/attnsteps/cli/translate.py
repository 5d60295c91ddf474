"""``python -m attnsteps translate``: sentences → translations, line by line."""

import io
import sys
from argparse import Namespace
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from attnsteps.checks import check_number
from attnsteps.cli.table import table
from attnsteps.cli.train import MODEL
from attnsteps.translator.search import Translation
from attnsteps.translator.trained import Trained, pretrained, shipped

SIDE_BY_SIDE = 64
LONG = 40  # a message shows so many characters of an unknown word


def run(options: Namespace) -> int:
    """Translate lines from the command line or standard input; return 0, or 2 if a line failed.

    A line that cannot be translated is reported on standard error and gives an empty line, so that
    the others keep their places.
    """
    trained = open_model(options.model)
    _check_layer_and_head(trained, options)
    if not options.texts and sys.stdin is None:  # as after <&-
        raise ValueError("standard input must be open where no sentence is given; got none")
    if not options.texts and sys.stdin.isatty():
        print("one sentence per line; Ctrl-D ends", file=sys.stderr)
    status, last = 0, 0
    for lines in [options.texts] if options.texts else read_lines(sys.stdin.buffer):
        chunk = list(enumerate(lines, start=last + 1))
        last += len(chunk)
        sentences: dict[int, list[str]] = {}
        for number, line in chunk:
            try:
                sentences[number] = checked(line, trained)
            except ValueError as error:
                print(f"line {number}: {error}", file=sys.stderr)
                status = 2
        done = translations(trained, list(chain.from_iterable(sentences.values())), options)
        for number, _ in chunk:
            shown = [_show(number, next(done), options) for _ in sentences.get(number, ())]
            print(*shown, sep="\n" if options.attention else " ", flush=True)
    return status


def read_lines(stream: io.BufferedIOBase) -> Iterator[list[bytes]]:
    r"""Yield the lines that are there, up to SIDE_BY_SIDE of them, without waiting for more.

    Example:
        >>> list(read_lines(io.BytesIO(b"one\ntwo\n\nthree")))
        [[b'one', b'two', b''], [b'three']]
    """
    rest = b""
    while block := stream.read1():
        *lines, rest = (rest + block).split(b"\n")
        for start in range(0, len(lines), SIDE_BY_SIDE):
            yield lines[start : start + SIDE_BY_SIDE]
    if rest:
        yield [rest]


def open_model(path: str | None) -> Trained:
    """Load a translator from a file, a run's directory or the package; None loads zh_en."""
    if path is None:
        return pretrained()
    if path in shipped():
        return pretrained(path)
    return Trained.load(Path(path) / MODEL if Path(path).is_dir() else path)


def checked(line: str | bytes, trained: Trained) -> list[str]:
    """Return a line's sentences as text, or none; ValueError if the model can't take one."""
    raw = line if isinstance(line, bytes) else line.encode("utf-8", "surrogateescape")
    try:
        text = raw.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        byte = raw[error.start]
        raise ValueError(
            f"a sentence must be valid UTF-8; got the byte 0x{byte:02x} at position {error.start}"
        ) from None
    sentences = trained.sentences(text) if text else []
    length = max((len(trained.src_tokenizer.tokenize(one)) for one in sentences), default=0)
    limit = trained.model.config.max_len
    if length > limit:
        raise ValueError(f"a sentence must have at most {limit} tokens; got {length}")
    return sentences if length else []


def translations(
    trained: Trained, texts: list[str], options: Namespace, *, need_weights: bool | None = None
) -> Iterator[Translation]:
    """Translate non-empty texts as the options say, in order."""
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
    """Check, before anything is translated, that the requested table exists."""
    layers, heads = trained.model.config.num_decoder_layers, trained.model.config.num_heads
    check_number("layer", options.layer, at_least=-layers, at_most=layers - 1, integer=True)
    if options.head is not None:
        check_number("head", options.head, at_least=0, at_most=heads - 1, integer=True)


def _show(number: int, one: Translation, options: Namespace) -> str:
    """Return the text to print for a translation, and report anything odd on standard error."""
    if one.unknown:
        words = " ".join(word if len(word) <= LONG else f"{word[:LONG]}…" for word in one.unknown)
        is_read = set(one.unknown) <= set(one.src_tokens)
        what = "unknown words, read as <unk>" if is_read else "left out, as it is unknown"
        print(f"line {number}: {what}: {words}", file=sys.stderr)
    if not one.is_whole:
        print(f"line {number}: cut off after {len(one.tokens)} tokens", file=sys.stderr)
    if not options.attention:
        return one.text
    weights = one.weights.cross[options.layer][0]  # (H, T, S)
    one_map = weights.mean(dim=0) if options.head is None else weights[options.head]
    rows = [*one.tokens, "<eos>"] if one.is_whole else one.tokens
    return f"{one.text}\n\n{table(one_map, rows, one.src_tokens)}\n"
