"""The corpora by name: sentences as text, and what splits them into tokens."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from attnsteps.shapes import check_choice
from attnsteps.text.batch import Example, encode_pairs
from attnsteps.text.corpus import Pair, generated
from attnsteps.text.parallel import CORPORA, TextPair, load
from attnsteps.text.tokenizer import Subwords, Words
from attnsteps.text.vocab import SPECIALS, Vocab

NAMES = ("generated", "ambiguous", *CORPORA)


class Sentence(NamedTuple):
    """A sentence to translate, and what is known about it.

    Args:
        src: the source, as text.
        tgt: the translation that the corpus names first, as text.
        references: every right translation, as text.
        pair: the words with their links, where the corpus knows them.
    """

    src: str
    tgt: str
    references: tuple[str, ...]
    pair: Pair | None = None


class Corpus(NamedTuple):
    """A corpus as it was read.

    Args:
        name: one of NAMES.
        train: the part to learn from: words of a generated corpus, texts of a real one.
        parts: the other parts, by name.
        credit: the source and terms to name.
    """

    name: str
    train: list[Pair] | list[TextPair]
    parts: dict[str, list[Sentence]]
    credit: str = ""


class Tokens(NamedTuple):
    """A corpus's tokens, learned from its training part.

    Args:
        src_vocab: those of the sources.
        tgt_vocab: those of the targets; the same where both languages share pieces of words.
        src_tokenizer: splits a source into tokens.
        tgt_tokenizer: does so with a target, and puts it together.
    """

    src_vocab: Vocab
    tgt_vocab: Vocab
    src_tokenizer: Words | Subwords
    tgt_tokenizer: Words | Subwords


def read(
    name: str,
    *,
    directory: str | os.PathLike | None = None,
    num_pairs: int = 40_000,
    progress: bool = True,
) -> Corpus:
    """Generate, download or read a corpus.

    Args:
        name: one of NAMES.
        directory: where the files of a real corpus lie; None downloads them.
        num_pairs: how many pairs to generate, always the same ones.
        progress: True shows a bar while it downloads.

    Returns:
        The corpus.

    Raises:
        ValueError: if there is no such corpus, if a directory is named for a generated one, or as
            in parallel.load.
        OSError: as in parallel.load.
    """
    check_choice("corpus", name, NAMES)
    if name in CORPORA:
        corpus = load(name, directory=directory, progress=progress)
        parts = {
            part: [Sentence(pair.src, pair.tgt, (pair.tgt,)) for pair in getattr(corpus, part)]
            for part in ("val", "test")
        }
        return Corpus(name, corpus.train, parts, corpus.credit)
    if directory is not None:
        raise ValueError(f"data must be left out where the corpus is {name}; got {directory}")
    splits = generated(num_pairs, ambiguous=name == "ambiguous")
    tokens = _words(splits.train)
    parts = {
        part: [_sentence(pair, tokens) for pair in getattr(splits, part)]
        for part in ("unseen", "combinations", "longer", "pronouns")
    }
    return Corpus(name, splits.train, parts)


def learn_tokens(corpus: Corpus, num_merges: int) -> Tokens:
    """Learn a corpus's tokens: its words, or pieces of words for both languages together.

    Args:
        corpus: what read has returned.
        num_merges: how many byte pairs to merge, in a real corpus.

    Returns:
        Vocabularies and tokenizers.
    """
    if corpus.name not in CORPORA:
        return _words(corpus.train)
    pieces = Subwords.learn([text for pair in corpus.train for text in pair[:2]], num_merges)
    vocab = Vocab(pieces.vocabulary())
    return Tokens(vocab, vocab, pieces, pieces)


def encode(corpus: Corpus, tokens: Tokens) -> list[Example]:
    """Turn the part to learn from into ids.

    Args:
        corpus: what read has returned.
        tokens: what learn_tokens has returned for it.

    Returns:
        The ids of sources and targets.
    """
    pairs = [pair[:2] for pair in corpus.train]
    if corpus.name in CORPORA:
        src, tgt = tokens.src_tokenizer, tokens.tgt_tokenizer
        pairs = [(src.tokenize(source), tgt.tokenize(target)) for source, target in pairs]
    return encode_pairs(pairs, tokens.src_vocab, tokens.tgt_vocab)


def _words(pairs: Sequence[Pair]) -> Tokens:
    """Collect the words of a generated corpus."""
    src = Vocab.build(pair.src for pair in pairs)
    tgt = Vocab.build(reference for pair in pairs for reference in pair.references)
    special = len(SPECIALS)
    return Tokens(src, tgt, Words(src.to_list()[special:]), Words(tgt.to_list()[special:]))


def _sentence(pair: Pair, tokens: Tokens) -> Sentence:
    """Write a pair of a generated corpus as text."""
    join = tokens.tgt_tokenizer.detokenize
    references = tuple(join(reference) for reference in pair.references)
    return Sentence(tokens.src_tokenizer.detokenize(pair.src), join(pair.tgt), references, pair)
