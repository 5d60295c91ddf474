"""ids → batches: padded to one length, with the shifted target, similar lengths side by side."""

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from attnsteps.shapes import check_count, check_integer, check_positive
from attnsteps.text.vocab import Vocab

Example = tuple[list[int], list[int]]  # the ids of a source and of its target, no special ones


class Batch(NamedTuple):
    """Sentence pairs as tensors, filled up with pad_id.

    At every position the decoder reads tgt_in and has to predict tgt_out, which is the same
    sentence one place further: without that shift it could copy what it is asked for.

    Args:
        src_ids: (B, S).
        tgt_in: (B, T), from bos_id on.
        tgt_out: (B, T), up to eos_id.
        index: (B,), the position of each pair in the data.

    Example:
        >>> batch = collate([([7, 8], [5, 6])])
        >>> batch.tgt_in.tolist(), batch.tgt_out.tolist()  # 1 begins a sentence, 2 ends it
        ([[1, 5, 6]], [[5, 6, 2]])
    """

    src_ids: Int[Tensor, "B S"]
    tgt_in: Int[Tensor, "B T"]
    tgt_out: Int[Tensor, "B T"]
    index: Int[Tensor, "B"]

    def to(self, device: torch.device | str) -> "Batch":
        """Return the batch on a device."""
        return Batch(*(tensor.to(device, non_blocking=True) for tensor in self))


def encode_pairs(pairs: Iterable[Sequence], src_vocab: Vocab, tgt_vocab: Vocab) -> list[Example]:
    """Turn sentence pairs into ids; a word that a vocabulary lacks becomes unk_id.

    Args:
        pairs: tuples that begin with a source and a target, both token lists.
        src_vocab: that of the source.
        tgt_vocab: that of the target.

    Returns:
        The ids of both for each pair, without bos_id and eos_id, which collate puts in place.

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
            raise ValueError(f"pairs must have a token on both sides; got an empty {side} in {i}")
    return examples


def collate(examples: Sequence[Example], index: Sequence[int] | None = None) -> Batch:
    """Make one batch: shift the targets, and pad all rows to the longest.

    Args:
        examples: the ids of sources and targets, as encode_pairs returns them.
        index: the position of each in the data; None numbers them from 0.

    Returns:
        The batch.

    Raises:
        ValueError: if there is no example, or not one index for each.

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
    """Say which pairs make up each batch of an epoch: every pair once, in random order.

    Bucketed, the pairs are shuffled, sorted by length (equal ones stay shuffled), cut into batches,
    and the batches are shuffled: every batch then holds pairs of about one length, and little of it
    is padding. Sorted means by the target first; within one length of it the sources rise, within
    the next they fall, so that neighbours are alike on both sides.

    The same arguments give the same list on every machine, so that (epoch, step) says where in the
    data a training stands.

    Source: Vaswani et al. 2017, section 5.1 (pairs batched by approximate length, 25,000 tokens of
    each language to a batch).

    Args:
        examples: the ids of sources and targets, as encode_pairs returns them.
        batch_size: B, the pairs of each batch; the last one may be smaller.
        max_tokens: in place of batch_size: how many ids (B, S) and (B, T) may each hold, padding,
            bos_id and eos_id included.
        seed: of all epochs.
        epoch: from 0 on; each has an order of its own.
        bucketed: False cuts the shuffled pairs as they come.

    Returns:
        The positions in examples, a list for each batch.

    Raises:
        ValueError: if not exactly one of batch_size and max_tokens is given, or it is not a
            positive integer; if a pair alone has more than max_tokens; if seed is no integer, or
            epoch is below 0.

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
    check_integer("seed", seed)
    check_count("epoch", epoch)
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
        start: the number of batches to leave out, so that a training goes on where it stopped.
        choices: batch_size or max_tokens, seed, epoch and bucketed, as in index_batches.

    Returns:
        The batches, each made when it is asked for.

    Raises:
        ValueError: as in index_batches; if start is below 0.

    Example:
        >>> examples = [([5] * n, [5] * n) for n in (1, 2, 8, 9)]
        >>> sorted(batch.src_ids.shape[1] for batch in batches(examples, batch_size=2))
        [2, 9]
    """
    check_count("start", start)
    plan = index_batches(examples, **choices)
    return (collate([examples[i] for i in index], index) for index in plan[start:])


def padding_share(examples: Sequence[Example], plan: Iterable[Sequence[int]]) -> float:
    """Return which part of all ids in a plan's batches, sources and targets, is padding.

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
    """Make rows one length with pad_id."""
    return pad_sequence(
        [torch.tensor(row, dtype=torch.long) for row in rows], True, padding_value=Vocab.pad_id
    )


def _shuffled(items: Iterable, chance: random.Random) -> list:
    """Shuffle, by the one method whose numbers are the same in every version of Python."""
    return [
        item for _, item in sorted(((chance.random(), i), item) for i, item in enumerate(items))
    ]


def _snake(tgt_len: int, src_len: int) -> tuple[int, int]:
    """Return what to sort a pair by: the source's length rises and falls in turn."""
    return tgt_len, src_len if tgt_len % 2 else -src_len


def _cut_by_tokens(order: list[int], lengths: list[int], max_tokens: int) -> list[list[int]]:
    """Cut an order into batches that have at most max_tokens ids a side once they are padded."""
    if lengths and max(lengths) > max_tokens:
        raise ValueError(
            f"max_tokens must be at least the longest example's {max(lengths)}; got {max_tokens}"
        )
    cut, longest = [], 0
    for i in order:
        longest = max(longest, lengths[i])
        if not cut or longest * (len(cut[-1]) + 1) > max_tokens:
            cut.append([])
            longest = lengths[i]
        cut[-1].append(i)
    return cut
