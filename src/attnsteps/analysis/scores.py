"""How good are the translations? All scores are of free-running ones unless their name says not.

A model that runs freely reads its own words. Teacher-forced, it reads the true ones, so that one
mistake costs one word and no more: that flatters, and says nothing about a translator's use.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

from attnsteps.model.mode import in_mode
from attnsteps.model.transformer import Transformer
from attnsteps.text.batch import Batch

Words = Sequence[str]


class Score(NamedTuple):
    """A score, and all that has to be the same for another one to be comparable.

    Args:
        value: from 0 to 100.
        signature: what sacreBLEU says about references, tokenisation, smoothing and its version.
    """

    value: float
    signature: str


def exact_match(found: Sequence[str], references: Sequence[Iterable[str]]) -> float:
    """Return which part of the translations is right from the first letter to the last.

    Args:
        found: a translation for each sentence.
        references: all right ones for each sentence.

    Returns:
        The share, from 0 to 1.

    Raises:
        ValueError: if there is no sentence, or not as many of both.

    Example:
        >>> exact_match(["it was wide", "he"], [["it was wide", "wide it was"], ["she"]])
        0.5
    """
    _check_pairs(found, references)
    right = [one in _several(all_right) for one, all_right in zip(found, references, strict=True)]
    return sum(right) / len(right)


def bleu(found: Sequence[str], references: Sequence[str]) -> Score:
    """Return BLEU as sacreBLEU counts it: word sequences in common with a reference.

    Source: Papineni et al. 2002; Post 2018, on why the signature has to be named.

    Args:
        found: a translation for each sentence, as text: no special tokens, not split into pieces.
        references: the right one for each sentence, as text.

    Returns:
        The score of the whole corpus, which is no mean of sentences' scores.

    Raises:
        ValueError: if there is no sentence, or not as many of both.

    Example:
        >>> round(bleu(["the cat sat on the mat"], ["the cat sat on the mat"]).value, 1)
        100.0
        >>> round(bleu(["the cat sat on a mat"], ["the cat sat on the mat"]).value, 1)
        53.7
    """
    from sacrebleu.metrics import BLEU  # noqa: PLC0415 - only those who score wait for it

    return _sacrebleu(BLEU(), found, references)


def chrf(found: Sequence[str], references: Sequence[str]) -> Score:
    """Return chrF as sacreBLEU counts it: character sequences in common with a reference.

    Source: Popović 2015.

    Args:
        found: a translation for each sentence, as text.
        references: the right one for each sentence, as text.

    Returns:
        The score of the whole corpus.

    Raises:
        ValueError: if there is no sentence, or not as many of both.

    Example:
        >>> round(chrf(["the cats"], ["the cat"]).value, 1)
        93.3
    """
    from sacrebleu.metrics import CHRF  # noqa: PLC0415

    return _sacrebleu(CHRF(), found, references)


def length_accuracy(found: Sequence[Words], references: Sequence[Words]) -> float:
    """Return which part of the translations has as many tokens as the right one.

    Args:
        found: a translation for each sentence, in tokens.
        references: the right one for each sentence, in tokens.

    Returns:
        The share, from 0 to 1.

    Raises:
        ValueError: if there is no sentence, or not as many of both.

    Example:
        >>> length_accuracy([["it", "is"], ["he"]], [["he", "is"], ["he", "is"]])
        0.5
    """
    _check_pairs(found, references)
    pairs = zip(found, references, strict=True)
    return sum(len(ours) == len(right) for ours, right in pairs) / len(found)


def pronoun_accuracy(found: Sequence[Words], pairs: Sequence[Sequence]) -> float:
    """Return which part of the translations has the right pronouns, in the right order.

    A pronoun is any word that a referent in the data has. Of two twins whose pronouns differ, a
    translator that cannot tell what is meant gets one right: 50 % is chance.

    Args:
        found: a translation for each pair, in words.
        pairs: (src, tgt, alignment, referents, …), as in corpus.Pair.

    Returns:
        The share, from 0 to 1.

    Raises:
        ValueError: if there is no pair, or not as many of both.

    Example:
        >>> twins = [("他累", ["he", "is", "tired"], (), ((0, 0),)),
        ...          ("它宽", ["it", "is", "wide"], (), ((0, 0),))]
        >>> pronoun_accuracy([["he", "was", "tired"], ["he", "is", "wide"]], twins)
        0.5
    """
    _check_pairs(found, pairs)
    pronouns = {pair[1][position] for pair in pairs for position, _ in pair[3]}
    right = [
        [word for word in ours if word in pronouns]
        == [word for word in pair[1] if word in pronouns]
        for ours, pair in zip(found, pairs, strict=True)
    ]
    return sum(right) / len(right)


def teacher_forced(model: Transformer, batch: Batch) -> Int[Tensor, "B T"]:
    """Return the most probable token at each position, given the true ones before it.

    This is what the model is trained for. It is no translation: word t + 1 follows the reference's
    word t, not the model's own, so that a score of it is not the score of a translator.

    Args:
        model: a causal model; it is left in the mode it was in.
        batch: the sentences.

    Returns:
        One token for each of batch.tgt_out, (B, T), and pad_id where that is padding.

    Example:
        >>> from attnsteps import Transformer, TransformerConfig
        >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=11, tgt_vocab_size=13))
        >>> from attnsteps import collate
        >>> teacher_forced(model, collate([([5, 6], [7, 8, 9])])).shape
        torch.Size([1, 4])
    """
    pad_id = model.config.pad_id
    with in_mode(model), torch.no_grad():
        ids = model(batch.src_ids, batch.tgt_in).argmax(dim=-1)
    return ids.masked_fill(batch.tgt_out == pad_id, pad_id)


def teacher_forced_accuracy(model: Transformer, batches: Iterable[Batch]) -> float:
    """Return which part of the tokens the model predicts, given the true ones before them.

    Args:
        model: a causal model.
        batches: the sentences, on the model's device; eos_id counts as a token.

    Returns:
        The share, from 0 to 1.

    Raises:
        ValueError: if there is no token.

    Example:
        >>> from attnsteps import Transformer, TransformerConfig
        >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=11, tgt_vocab_size=13))
        >>> from attnsteps import collate
        >>> 0 <= teacher_forced_accuracy(model, [collate([([5, 6], [7, 8, 9])])]) <= 1
        True
    """
    right = total = 0
    for batch in batches:
        is_token = batch.tgt_out != model.config.pad_id
        right += int(((teacher_forced(model, batch) == batch.tgt_out) & is_token).sum())
        total += int(is_token.sum())
    if total == 0:
        raise ValueError("batches must hold at least one token; got none")
    return right / total


def _sacrebleu(metric: object, found: Sequence[str], references: Sequence[str]) -> Score:
    """Let sacreBLEU count."""
    _check_pairs(found, references)
    value = metric.corpus_score(list(found), [list(references)]).score
    return Score(value, str(metric.get_signature()))


def _check_pairs(found: Sequence, references: Sequence) -> None:
    """Check that there is something to compare, and something to compare it with."""
    if len(found) == 0:
        raise ValueError("found must hold at least one translation; got none")
    if len(references) != len(found):
        raise ValueError(
            f"references must hold one entry for each of the {len(found)} translations;"
            f" got {len(references)}"
        )


def _several(references: Iterable[str]) -> set[str]:
    """Refuse a single text, in which every letter would count as a reference."""
    if isinstance(references, str):
        raise ValueError(f"references must hold a list for each sentence; got {references!r}")
    return set(references)
