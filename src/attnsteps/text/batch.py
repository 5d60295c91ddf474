"""ids → batches: pairs of similar length, padded to one length, with the target shifted."""

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from attnsteps.checks import check_number, check_positive
from attnsteps.text.vocab import Vocab

Example = tuple[list[int], list[int]]  # the ids of a source and its target, without bos and eos


class Batch(NamedTuple):
    """Sentence pairs as tensors, padded with pad_id.

    At every position the decoder reads tgt_in and has to predict tgt_out. That is the same sentence
    shifted by one; without the shift, the decoder could copy the answer.

    Args:
        src_ids: (B, S).
        tgt_in: (B, T), beginning with bos_id.
        tgt_out: (B, T), ending with eos_id.
        index: (B,), the position of each pair in the data.

    Example:
        >>> batch = collate([([7, 8], [5, 6])])
        >>> batch.tgt_in.tolist(), batch.tgt_out.tolist()  # 1 begins a sentence, 2 ends it
        ([[1, 5, 6]], [[5, 6, 2]])
    """

    src_ids: Int[Tensor, "B S"]
    tgt_in: Int[Tensor, "B T"]
    tgt_out: Int[Tensor, "B T"]
    index: Int[Tensor, " B"]

    def to(self, device: torch.device | str) -> "Batch":
        """Return the batch on another device."""
        return Batch(*(tensor.to(device, non_blocking=True) for tensor in self))


def encode_pairs(pairs: Iterable[Sequence], src_vocab: Vocab, tgt_vocab: Vocab) -> list[Example]:
    """Turn sentence pairs into ids; a word missing from a vocabulary becomes unk_id.

    Args:
        pairs: tuples that begin with a source and a target, both lists of tokens.
        src_vocab: the source vocabulary.
        tgt_vocab: the target vocabulary.

    Returns:
        The ids of each pair, without bos_id and eos_id, which collate adds.

    Raises:
        ValueError: if a sentence has no token.

    Example:
        >>> encode_pairs([(["累", "了"], ["tired"])], Vocab(["累"]), Vocab(["tired"]))
        [([5, 3], [5])]
    """
    examples = [(src_vocab.ids(src), tgt_vocab.ids(tgt)) for src, tgt, *_ in pairs]
    for i, (src, tgt) in enumerate(examples):
        if not src or not tgt:
            side = "target" if src else "source"
            raise ValueError(f"pairs[{i}] must have a token on both sides; got an empty {side}")
    return examples


def collate(examples: Sequence[Example], index: Sequence[int] | None = None) -> Batch:
    """Make one batch: shift the targets, and pad all rows to the longest.

    Args:
        examples: the ids of sources and targets, as encode_pairs returns them.
        index: the position of each pair in the data; None numbers them from 0.

    Returns:
        The batch.

    Raises:
        ValueError: if there is no example, or if index has another length.

    Example:
        >>> batch = collate([([7, 8, 9], [5, 6]), ([7], [6])])
        >>> batch.tgt_in.tolist(), batch.tgt_out.tolist()
        ([[1, 5, 6], [1, 6, 0]], [[5, 6, 2], [6, 2, 0]])
    """
    if not examples:
        raise ValueError("examples must hold at least one pair; got none")
    index = range(len(examples)) if index is None else index
    if len(index) != len(examples):
        raise ValueError(
            f"index must have one position for each of {len(examples)} examples; got {len(index)}"
        )
    bos, eos = [Vocab.bos_id], [Vocab.eos_id]
    return Batch(
        _pad([src for src, _ in examples]),
        _pad([bos + tgt for _, tgt in examples]),
        _pad([tgt + eos for _, tgt in examples]),
        torch.tensor(list(index)),
    )


def index_batches(
    examples: Sequence[Example],
    *,
    batch_size: int | None = None,
    max_tokens: int | None = None,
    seed: int = 0,
    epoch: int = 0,
    bucketed: bool = True,
) -> list[list[int]]:
    """Choose the pairs of each batch of an epoch: every pair once, in random order.

    With bucketed, the pairs are shuffled, sorted by length and cut into batches, and then the
    batches are shuffled. Each batch therefore holds pairs of similar length and little padding. The
    sort goes by the target's length; at one target length the sources get longer, at the next they
    get shorter, so that neighbours are alike on both sides.

    The same arguments give the same list everywhere, so (epoch, step) is a place in the data.

    Source: Vaswani et al. 2017, section 5.1 (pairs of similar length, 25,000 tokens a side).

    Args:
        examples: the ids of sources and targets, as encode_pairs returns them.
        batch_size: B, the number of pairs in each batch; the last one may be smaller.
        max_tokens: instead: the most ids in (B, S), and in (B, T), all special tokens included.
        seed: the seed of all epochs.
        epoch: the number of the epoch, from 0; each epoch has its own order.
        bucketed: False cuts the shuffled pairs without sorting them.

    Returns:
        A list for each batch, of positions in examples.

    Raises:
        ValueError: if not exactly one of batch_size and max_tokens is given, if a single pair has
            more than max_tokens, or if a number is out of range.

    Example:
        >>> examples = [([5] * n, [5] * n) for n in (1, 9, 2, 8)]
        >>> sorted(sorted(batch) for batch in index_batches(examples, batch_size=2))
        [[0, 2], [1, 3]]
    """
    if (batch_size is None) == (max_tokens is None):
        raise ValueError(
            f"exactly one of batch_size and max_tokens must be given;"
            f" got {batch_size!r} and {max_tokens!r}"
        )
    check_positive(
        *("batch_size", batch_size) if max_tokens is None else ("max_tokens", max_tokens)
    )
    check_number("seed", seed, integer=True)
    check_number("epoch", epoch, at_least=0, integer=True)
    chance = random.Random(f"{seed}/{epoch}")
    lengths = [(len(tgt) + 1, len(src)) for src, tgt in examples]
    order = _shuffled(range(len(lengths)), chance)
    if bucketed:
        order.sort(key=lambda i: _snake(*lengths[i]))
    if max_tokens is None:
        cut = [order[i : i + batch_size] for i in range(0, len(order), batch_size)]
    else:
        cut = _cut_by_tokens(order, [max(pair) for pair in lengths], max_tokens)
    return _shuffled(cut, chance)


def batches(examples: Sequence[Example], *, start: int = 0, **choices: object) -> Iterator[Batch]:
    """Go through one epoch, batch by batch.

    Args:
        examples: the ids of sources and targets, as encode_pairs returns them.
        start: the number of batches to skip, so that a training run can resume where it stopped.
        choices: batch_size or max_tokens, seed, epoch and bucketed, as in index_batches.

    Returns:
        The batches, each made when you ask for it.

    Raises:
        ValueError: as in index_batches; if start is below 0.

    Example:
        >>> examples = [([5] * n, [5] * n) for n in (1, 2, 8, 9)]
        >>> sorted(batch.src_ids.shape[1] for batch in batches(examples, batch_size=2))
        [2, 9]
    """
    check_number("start", start, at_least=0, integer=True)
    plan = index_batches(examples, **choices)
    return (collate([examples[i] for i in index], index) for index in plan[start:])


def padding_share(examples: Sequence[Example], plan: Iterable[Sequence[int]]) -> float:
    """Return the share of padding among all ids of the batches, sources and targets together.

    Args:
        examples: the ids of sources and targets, as encode_pairs returns them.
        plan: what index_batches returned for them.

    Returns:
        The share, from 0 to 1.

    Example:
        >>> padding_share([([5], [5]), ([5, 6], [5, 6, 7])], [[0, 1]])
        0.25
    """
    used = room = 0
    for index in plan:
        for sizes in (
            [len(examples[i][0]) for i in index],
            [len(examples[i][1]) + 1 for i in index],
        ):
            used += sum(sizes)
            room += len(sizes) * max(sizes)
    return 1 - used / room if room else 0.0


def _pad(rows: list[list[int]]) -> Int[Tensor, "B T"]:
    """Pad rows to one length with pad_id."""
    return pad_sequence(
        [torch.tensor(row, dtype=torch.long) for row in rows], True, padding_value=Vocab.pad_id
    )


def _shuffled(items: Iterable, chance: random.Random) -> list:
    """Shuffle by a method that gives the same order in every version of Python."""
    return [
        item for _, item in sorted(((chance.random(), i), item) for i, item in enumerate(items))
    ]


def _snake(tgt_len: int, src_len: int) -> tuple[int, int]:
    """Return a pair's sort key: sources get longer at one target length and shorter at the next."""
    return tgt_len, src_len if tgt_len % 2 else -src_len


def _cut_by_tokens(order: list[int], lengths: list[int], max_tokens: int) -> list[list[int]]:
    """Cut an order into batches with at most max_tokens ids a side, padding included."""
    if lengths and max(lengths) > max_tokens:
        raise ValueError(
            f"max_tokens must be at least {max(lengths)}, the length of the longest example;"
            f" got {max_tokens}"
        )
    cut, longest = [], 0
    for i in order:
        longest = max(longest, lengths[i])
        if not cut or longest * (len(cut[-1]) + 1) > max_tokens:
            cut.append([])
            longest = lengths[i]
        cut[-1].append(i)
    return cut
