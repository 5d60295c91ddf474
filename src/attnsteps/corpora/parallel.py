"""Real corpora of sentence pairs: Multi30k German–English and Tatoeba Chinese–English.

Normalisation: a caption is put into Unicode's composed form (NFC), and every run of white space
becomes one space, with none at the ends. Case, punctuation and spelling stay as they are. Tatoeba's
sentences, typed by many people in many ways, are brought into one form (plain.py), and so are your
own, except that their characters stay: nobody has said that they are Chinese.
"""

import gzip
import hashlib
import os
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from attnsteps.checks import check_choice, check_positive
from attnsteps.corpora.download import fetch
from attnsteps.corpora.plain import plain, simplified_characters


class TextPair(NamedTuple):
    """A sentence, its translation, and their authors if the corpus names them."""

    src: str
    tgt: str
    credit: str = ""


class Parallel(NamedTuple):
    """A corpus in three parts, with the credit and terms to show wherever you use it."""

    train: list[TextPair]
    val: list[TextPair]
    test: list[TextPair]
    credit: str


MULTI30K_CREDIT = (
    "Multi30k, task 1 (https://github.com/multi30k/dataset), for research and educational,"
    " non-commercial use. Desmond Elliott, Stella Frank, Khalil Sima'an and Lucia Specia (2016):"
    " Multi30K: Multilingual English-German Image Descriptions."
)
MULTI30K_URL = "https://raw.githubusercontent.com/multi30k/dataset/master/data/task1/raw/"
MULTI30K_SHA256 = {
    "train.de.gz": "726e39b2fa9eb9ffb6dc763fb35a179f80fae06ffc5d28b6ace5faa883de28a6",
    "train.en.gz": "d79cfa999dd4c51d2cb42499b6796d5a882c3a8a961923c25a898c90f8bbd56f",
    "val.de.gz": "f0cba2f995189cf5770f29a8a9a537a3ad3f51657ad873405082ff6863a5e75a",
    "val.en.gz": "14f7d25ddd868909a9213e361768460edcacdd6ab9d1e77b92560dc10c10dc28",
    "test_2016_flickr.de.gz": "9204244e408ccb38d2a55cfcd344df15005fc42a07a6e55ca6c52b6ababb8cc8",
    "test_2016_flickr.en.gz": "611d361c6334bc7246101d48097c13cf5c4413c5befc793cc629934359d532d9",
}
TATOEBA_CREDIT = (
    "Tatoeba (https://tatoeba.org), packaged by Tab-delimited Bilingual Sentence Pairs"
    " (https://www.manythings.org/anki/), CC BY 2.0 FR. Each pair names its authors if the edition"
    " does."
)
TATOEBA_URL = "https://www.manythings.org/anki/cmn-eng.zip"
TATOEBA_EDITIONS = ("cmn-eng.zip", "cmn.txt.gz", "cmn-eng.tsv.gz")  # the newest first
LEAST = 3  # different sentences: one for each part


def load(name: str, **choices: object) -> Parallel:
    """Load "multi30k" or "tatoeba" by name, with the same choices as the function of that name."""
    check_choice("name", name, CORPORA)
    return CORPORA[name](**choices)


def multi30k(
    *,
    directory: str | os.PathLike | None = None,
    cache: str | os.PathLike | None = None,
    progress: bool = True,
) -> Parallel:
    r"""Load captions of photos, German → English: 29,000 to train on, 1,014 and 1,000 held out.

    Source: Elliott et al. 2016; the splits are the authors', the test part is test_2016_flickr.

    Args:
        directory: a folder with the published files (train.de.gz …), read instead of the network.
        cache: the folder for downloads; None: ATTNSTEPS_CACHE, or else the system's cache.
        progress: True shows a bar during the download.

    Returns:
        The corpus; its licence allows research and education, but no commercial use.

    Raises:
        ConnectionError: if the download fails.
        FileNotFoundError: if the directory lacks a file.
        ValueError: if a file is damaged or has an empty line, or if the two files of a part differ
            in their number of lines.

    Example:
        >>> import gzip, tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> for name in ("train", "val", "test_2016_flickr"):
        ...     _ = (folder / f"{name}.de.gz").write_bytes(gzip.compress("Ein Hund .\n".encode()))
        ...     _ = (folder / f"{name}.en.gz").write_bytes(gzip.compress("A dog .\n".encode()))
        >>> multi30k(directory=folder).test[0][:2]
        ('Ein Hund .', 'A dog .')
    """

    def lines(name: str) -> list[str]:
        if directory is None:
            options = {"sha256": MULTI30K_SHA256[name], "cache": cache, "progress": progress}
            return _lines(fetch(MULTI30K_URL + name, **options))
        return _lines(Path(directory) / name)

    parts = []
    for part in ("train", "val", "test_2016_flickr"):
        src, tgt = lines(f"{part}.de.gz"), lines(f"{part}.en.gz")
        if len(src) != len(tgt):
            raise ValueError(
                f"{part}.de.gz and {part}.en.gz must have the same number of lines;"
                f" got {len(src)} and {len(tgt)}"
            )
        pairs = [TextPair(normalise(de), normalise(en)) for de, en in zip(src, tgt, strict=True)]
        for number, pair in enumerate(pairs, start=1):
            if not pair.src or not pair.tgt:
                raise ValueError(
                    f"{part}.de.gz and {part}.en.gz must have a sentence in each line; got"
                    f" {pair.src!r} and {pair.tgt!r} in line {number}"
                )
        parts.append(pairs)
    return Parallel(*parts, MULTI30K_CREDIT)


def tatoeba(
    *,
    directory: str | os.PathLike | None = None,
    cache: str | os.PathLike | None = None,
    progress: bool = True,
    held_out: int = 1000,
) -> Parallel:
    r"""Load everyday sentences, Chinese → English: about 29,000, of which 1,000 are for the test.

    Every sentence is written in the one form of plain, in simplified characters. If the directory
    holds several editions of the corpus, they are joined: of pairs that are then alike, the first
    that names its authors is kept.

    The split depends only on the sentences. English sentences are sorted by their SHA-256; the
    first ones go to the test part, the next to the validation part, each with the first of its
    Chinese translations. A pair that shares a side with one of them, but for marks, spaces and
    capitals, is left out of training, so the model trains on no sentence of the test, in either
    language.

    Args:
        directory: a folder with at least one edition (cmn-eng.zip, cmn.txt.gz or cmn-eng.tsv.gz),
            read instead of the network, from which the newest comes.
        cache: the folder for the download; None: ATTNSTEPS_CACHE, or else the system's cache.
        progress: True shows a bar during the download.
        held_out: the number of sentences in the test part, and in the validation part.

    Returns:
        The corpus; show its credit wherever you show any of it.

    Raises:
        ConnectionError: if the download fails.
        FileNotFoundError: if the directory lacks the file.
        ValueError: if the file is damaged, has a line without a translation, or has too few
            different sentences to hold so many out.

    Example:
        >>> import gzip, tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> lines = "Hi.\t嗨。\nRun!\t跑！\nWait!\t等等！\n"
        >>> _ = (folder / "cmn-eng.tsv.gz").write_bytes(gzip.compress(lines.encode()))
        >>> [len(part) for part in tatoeba(directory=folder, held_out=1)[:3]]  # train, val, test
        [1, 1, 1]
    """
    check_positive("held_out", held_out)
    if directory is None:
        paths = [fetch(TATOEBA_URL, cache=cache, progress=progress)]
    else:
        editions = [Path(directory) / name for name in TATOEBA_EDITIONS]
        paths = [path for path in editions if path.exists()] or editions[-1:]
    joined: dict[tuple[str, str], TextPair] = {}
    for pair in chain.from_iterable(map(_everyday, paths)):
        known = joined.setdefault(pair[:2], pair)
        if not known.credit:
            joined[pair[:2]] = pair
    return _split(list(joined.values()), held_out, TATOEBA_CREDIT)


def own_pairs(path: str | os.PathLike) -> Parallel:
    r"""Load your own sentence pairs from a file: in each line a source, a tab, its translation.

    Spaces and punctuation are brought into the one form of plain; every character stays what it
    is, traditional or simplified. A tenth of the different translations, at most 1,000, is held
    out for the test, and as many for validation, in the same way as in tatoeba.

    Args:
        path: a file in UTF-8; further columns and empty lines are passed over.

    Returns:
        The corpus, without a credit: the pairs are yours.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if it is no text in UTF-8, if a line has no two sentences, or if there are fewer
            than three different ones.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "my.tsv"
        >>> _ = path.write_text("Ein Hund.\tA dog.\nEin Baum.\tA tree.\nEin Haus.\tA house.\n")
        >>> [len(part) for part in own_pairs(path)[:3]]  # train, val, test
        [1, 1, 1]
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {path}") from None
    except UnicodeDecodeError as error:
        number = error.object.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{path} must be text in UTF-8; got another byte in line {number}"
        ) from None
    pairs = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        src, tgt = ([*(plain(side, {}) for side in line.split("\t")), ""])[:2]
        if not src or not tgt:
            raise ValueError(
                f"{path} must have two sentences in each line, with a tab between them;"
                f" got {line!r} in line {number}"
            )
        pairs.append(TextPair(src, tgt))
    pairs = list(dict.fromkeys(pairs))
    count = len({pair.tgt for pair in pairs})
    if count < LEAST:
        raise ValueError(f"{path} must have at least {LEAST} different sentences; got {count}")
    return _split(pairs, max(1, min(1000, count // 10)), credit="")


def _split(pairs: list[TextPair], held_out: int, credit: str) -> Parallel:
    """Hold sentences out for test and validation, by a rule that asks the sentences alone."""
    first: dict[str, TextPair] = {}
    for pair in pairs:
        first.setdefault(pair.tgt, pair)
    held: list[TextPair] = []
    held_texts: set[str] = set()
    for english in sorted(first, key=_hash):
        sides = {letters(text) for text in first[english][:2]}
        if len(held) < 2 * held_out and held_texts.isdisjoint(sides):
            held.append(first[english])
            held_texts |= sides
    train = [pair for pair in pairs if held_texts.isdisjoint(map(letters, pair[:2]))]
    if not train:
        raise ValueError(
            f"held_out must leave some of the {len(first)} sentences to train on; got {held_out}"
        )
    test, val = held[:held_out], held[held_out:]
    return Parallel(train, val, test, credit)


def _everyday(path: Path) -> Iterator[TextPair]:
    """Read one edition of Tatoeba's pairs, in the plain form."""
    simplified = simplified_characters()
    for number, line in enumerate(_lines(path, member="cmn.txt"), start=1):
        english, chinese, credit = ([*line.split("\t"), "", ""])[:3]
        pair = TextPair(plain(chinese, simplified), plain(english, {}), normalise(credit))
        if not pair.src or not pair.tgt:
            raise ValueError(
                f"{path} must have two sentences in each line; got {line!r} in line {number}"
            )
        yield pair


CORPORA: dict[str, Callable[..., Parallel]] = {"multi30k": multi30k, "tatoeba": tatoeba}


def normalise(text: str) -> str:
    """Return a sentence in composed characters (NFC), with single spaces and none at the ends.

    Example:
        >>> normalise("  Ein  Hu\N{COMBINING DIAERESIS}hnchen. ")
        'Ein Hühnchen.'
    """
    return " ".join(unicodedata.normalize("NFC", text).split())


def _lines(path: Path, member: str = "") -> list[str]:
    """Read the lines of a gzipped file, or of one file in a zip archive."""
    try:
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                data = archive.read(member)
        else:
            data = gzip.decompress(path.read_bytes())
        if not data:
            raise EOFError("the file is empty")
        return data.decode("utf-8").removesuffix("\n").split("\n")
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {path}") from None
    except (
        *(OSError, EOFError, KeyError, UnicodeError, zlib.error, zipfile.BadZipFile),
        RuntimeError,  # the archive needs a password, or uses an unknown compression
    ) as error:
        raise ValueError(
            f"{path} must be a complete compressed file of UTF-8 text; reading it gave: {error}"
        ) from error


def letters(text: str) -> str:
    """Return what a sentence says, whatever its marks, spaces and capitals."""
    return "".join(filter(str.isalnum, text.casefold()))


def _hash(text: str) -> str:
    """Return 64 digits that depend only on the text, the same on every machine."""
    return hashlib.sha256(text.encode()).hexdigest()
