"""``python -m attnsteps evaluate``: a translator and a corpus → scores."""

import json
import time
from argparse import Namespace
from collections.abc import Sequence

from tqdm import tqdm

from attnsteps.analysis.alignment import alignment_error_rate, cross_attention_links
from attnsteps.analysis.scores import (
    bleu,
    chrf,
    exact_match,
    length_accuracy,
    pronoun_accuracy,
    teacher_forced_accuracy,
)
from attnsteps.checks import check_choice, check_positive
from attnsteps.cli.corpora import Sentence, read
from attnsteps.cli.translate import SIDE_BY_SIDE, open_model, translations
from attnsteps.corpora.generated.corpus import Pair
from attnsteps.model.transformer import Transformer
from attnsteps.text.batch import batches, encode_pairs
from attnsteps.translator.search import Translation
from attnsteps.translator.trained import Trained

PERCENT = (
    "exact match",
    "length",
    "pronouns of twins",
    "AER (teacher-forced)",
    "tokens (teacher-forced)",
)


def run(options: Namespace) -> int:
    """Translate parts of a corpus, print the scores and return the exit status 0."""
    if options.limit is not None:
        check_positive("limit", options.limit)
    trained = open_model(options.model)
    trained.model.to(options.device)
    corpus = read(
        options.corpus,
        directory=options.data,
        num_pairs=options.pairs,
        progress=not options.quiet,
    )
    report = {}
    for part in options.parts or list(corpus.parts):
        check_choice("parts", part, corpus.parts)
        sentences = corpus.parts[part][: options.limit]
        report[part] = scores(trained, sentences, options, are_twins=part == "pronouns")
        if not options.json:
            print(as_text(f"{corpus.name}, {part}", report[part]), flush=True)
    if options.json:
        print(json.dumps(report, ensure_ascii=False, indent=1))
    return 0


def scores(
    trained: Trained,
    sentences: Sequence[Sentence],
    options: Namespace,
    *,
    are_twins: bool = False,
) -> dict[str, float | str]:
    """Return scores by name: shares from 0 to 1, BLEU and chrF from 0 to 100 with their signatures.

    The model translates freely unless a score's name says otherwise. If are_twins, sentences 2i and
    2i + 1 differ in what a pronoun stands for.
    """
    started = time.perf_counter()
    translated: list[Translation] = []
    with tqdm(total=len(sentences), disable=options.quiet) as bar:
        for start in range(0, len(sentences), 4 * SIDE_BY_SIDE):
            sources = [sentence.src for sentence in sentences[start : start + 4 * SIDE_BY_SIDE]]
            translated += translations(trained, sources, options, need_weights=False)
            bar.update(len(sources))
    seconds = time.perf_counter() - started
    texts, tgt = [one.text for one in translated], [sentence.tgt for sentence in sentences]
    tokens = [trained.tgt_tokenizer.tokenize(text) for text in tgt]
    b, c = bleu(texts, tgt), chrf(texts, tgt)
    result = {
        "sentences": len(sentences),
        "seconds": round(seconds, 2),
        "exact match": exact_match(texts, [sentence.references for sentence in sentences]),
        "length": length_accuracy([one.tokens for one in translated], tokens),
        "BLEU": b.value,
        "BLEU signature": b.signature,
        "chrF": c.value,
        "chrF signature": c.signature,
    }
    gold = [sentence.pair for sentence in sentences]
    twins = _differing(gold) if are_twins else []
    if twins:
        ours = [translated[i].tokens for i in twins]
        result["pronouns of twins"] = pronoun_accuracy(ours, [gold[i] for i in twins])
    if isinstance(trained.model, Transformer):
        pairs = [
            (trained.src_tokenizer.tokenize(s.src), t)
            for s, t in zip(sentences, tokens, strict=True)
        ]
        examples = encode_pairs(pairs, trained.src_vocab, trained.tgt_vocab)
        on_device = (
            batch.to(options.device) for batch in batches(examples, batch_size=SIDE_BY_SIDE)
        )
        result["tokens (teacher-forced)"] = teacher_forced_accuracy(trained.model, on_device)
        if all(pair is not None and pair.alignment for pair in gold):
            links = cross_attention_links(trained.model, examples)
            sure = [pair.alignment for pair in gold]
            result["AER (teacher-forced)"] = alignment_error_rate(links, sure)
    return result


def _differing(pairs: Sequence[Pair]) -> list[int]:
    """List the positions of twins whose pronouns are different words: he and it, not it twice."""

    def pronouns(pair: Pair) -> list[str]:
        return [pair.tgt[position] for position, _ in pair.referents]

    starts = range(0, len(pairs) - 1, 2)
    differing = [i for i in starts if pronouns(pairs[i]) != pronouns(pairs[i + 1])]
    return [position for i in differing for position in (i, i + 1)]


def as_text(title: str, result: dict[str, float | str]) -> str:
    """Write scores below a title, one a line.

    Example:
        >>> print(as_text("unseen", {"sentences": 2, "exact match": 0.5}))
        unseen
          sentences                2
          exact match              50.00 %
    """
    lines = [title]
    for name, value in result.items():
        shown = f"{value:.2f}" if isinstance(value, float) else str(value)
        shown = f"{100 * value:.2f} %" if name in PERCENT else shown
        lines.append(f"  {name:<24} {shown}")
    return "\n".join(lines)
