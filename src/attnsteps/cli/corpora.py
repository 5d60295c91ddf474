"""The corpora by name: sentences as text, with their tokenizers and vocabularies."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from attnsteps.checks import check_choice
from attnsteps.corpora.generated.corpus import Pair, generated
from attnsteps.corpora.parallel import CORPORA, Parallel, TextPair, load, own_pairs
from attnsteps.text.batch import Example, encode_pairs
from attnsteps.text.reading import Reading
from attnsteps.text.tokenizer import Subwords, Words
from attnsteps.text.vocab import SPECIALS, Vocab

GENERATED = ("generated", "ambiguous")
NAMES = (*GENERATED, *CORPORA)
OWN = ".tsv"  # how the name of a file of one's own pairs ends


class Sentence(NamedTuple):
    """A sentence to translate, with every correct translation as text."""

    src: str
    tgt: str
    references: tuple[str, ...]
    pair: Pair | None = None  # the words with their links, from a generated corpus


class Corpus(NamedTuple):
    """A corpus in parts: the training part as words or texts, the others by name."""

    name: str
    train: list[Pair] | list[TextPair]
    parts: dict[str, list[Sentence]]
    credit: str = ""


class Tokens(NamedTuple):
    """A corpus's vocabularies and tokenizers, learned from its training part."""

    src_vocab: Vocab
    tgt_vocab: Vocab
    src_tokenizer: Words | Subwords
    tgt_tokenizer: Words | Subwords
    reading: Reading | None = None


def read(
    name: str,
    *,
    directory: str | os.PathLike | None = None,
    num_pairs: int = 40_000,
    progress: bool = True,
) -> Corpus:
    """Generate, download or read the corpus of this name: one of NAMES, or a .tsv file of pairs.

    If directory is None, a published corpus is downloaded.
    """
    if name in CORPORA:
        return _real(name, load(name, directory=directory, progress=progress))
    if directory is not None:
        raise ValueError(f"--data only fits a published corpus, not {name}; got {directory}")
    if name.endswith(OWN):
        return _real(name, own_pairs(name))
    check_choice("corpus", name, NAMES)
    splits = generated(num_pairs, ambiguous=name == "ambiguous")
    tokens = _words(splits.train)
    parts = {
        part: [_sentence(pair, tokens) for pair in getattr(splits, part)]
        for part in ("unseen", "combinations", "longer", "pronouns")
    }
    return Corpus(name, splits.train, parts)


def _real(name: str, corpus: Parallel) -> Corpus:
    """Return a corpus of texts in the form that the command line uses."""
    parts = {
        part: [Sentence(pair.src, pair.tgt, (pair.tgt,)) for pair in getattr(corpus, part)]
        for part in ("val", "test")
    }
    return Corpus(name, corpus.train, parts, corpus.credit)


def learn_tokens(corpus: Corpus, num_merges: int) -> Tokens:
    """Learn a corpus's tokens: its words, or num_merges byte pairs shared by both languages."""
    if corpus.name in GENERATED:
        return _words(corpus.train)
    texts = [text for pair in corpus.train for text in pair[:2]]
    pieces = Subwords.learn(texts, num_merges)
    vocab = Vocab(pieces.vocabulary())
    is_plain = corpus.name == "tatoeba" or corpus.name.endswith(OWN)  # both are in the plain form
    reading = Reading.learn(texts) if is_plain else None
    return Tokens(vocab, vocab, pieces, pieces, reading)


def encode(corpus: Corpus, tokens: Tokens) -> list[Example]:
    """Return the ids of the training part."""
    pairs = [pair[:2] for pair in corpus.train]
    if corpus.name not in GENERATED:
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
