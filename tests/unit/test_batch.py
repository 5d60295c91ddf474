"""Batches: the shifted target, padding, and every pair exactly once an epoch."""

import collections
import random

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnsteps.corpora.generated.corpus import generated
from attnsteps.text.batch import (
    Batch,
    batches,
    collate,
    encode_pairs,
    index_batches,
    padding_share,
)
from attnsteps.text.vocab import Vocab

IDS = st.lists(st.integers(5, 40), min_size=1, max_size=12)
EXAMPLES = st.lists(st.tuples(IDS, IDS), max_size=40)


def some_examples(count=1000, longest=20):
    chance = random.Random(7)
    return [
        ([5] * chance.randint(1, longest), [6] * chance.randint(1, longest)) for _ in range(count)
    ]


def test_bug_zoo_18_the_target_is_shifted_by_one():
    """What the decoder reads at a position is not what it has to predict there."""
    batch = collate([([7, 8], [10, 11, 12]), ([9], [13])])
    assert batch.src_ids.tolist() == [[7, 8], [9, 0]]
    assert batch.tgt_in.tolist() == [[1, 10, 11, 12], [1, 13, 0, 0]]
    assert batch.tgt_out.tolist() == [[10, 11, 12, 2], [13, 2, 0, 0]]
    assert batch.index.tolist() == [0, 1]
    assert all(tensor.dtype == torch.int64 for tensor in batch)


@given(examples=EXAMPLES.filter(bool))
def test_a_batch_holds_its_examples_and_nothing_else(examples):
    batch = collate(examples)
    for i, (src, tgt) in enumerate(examples):
        assert [x for x in batch.src_ids[i].tolist() if x] == src
        assert [x for x in batch.tgt_in[i].tolist() if x] == [1, *tgt]
        assert [x for x in batch.tgt_out[i].tolist() if x] == [*tgt, 2]
        has_both = (batch.tgt_in[i] != 0) & (batch.tgt_out[i] != 0)
        assert has_both.sum() == len(tgt) + 1
    assert batch.src_ids.shape[1] == max(len(src) for src, _ in examples)
    assert batch.tgt_in.shape[1] == 1 + max(len(tgt) for _, tgt in examples)


def test_a_batch_moves_to_a_device_as_a_whole():
    moved = collate([([5], [5])]).to("meta")
    assert isinstance(moved, Batch)
    assert {tensor.device.type for tensor in moved} == {"meta"}


def test_pairs_are_encoded_without_special_tokens():
    pairs = [(("累", "了"), ("tired",), "more"), (["宽"], ["wide", "<eos>"])]
    assert encode_pairs(pairs, Vocab(["累", "了"]), Vocab(["tired", "wide"])) == [
        ([5, 6], [5]),
        ([3], [6, 3]),
    ]


@given(
    examples=EXAMPLES,
    size=st.sampled_from([{"batch_size": 1}, {"batch_size": 7}, {"max_tokens": 30}]),
    bucketed=st.booleans(),
    epoch=st.integers(0, 3),
)
def test_an_epoch_holds_every_pair_once(examples, size, bucketed, epoch):
    plan = index_batches(examples, **size, bucketed=bucketed, epoch=epoch)
    assert sorted(i for batch in plan for i in batch) == list(range(len(examples)))
    for batch in plan:
        assert len(batch) <= size.get("batch_size", 99)
        for ids in collate([examples[i] for i in batch])[:3]:
            assert ids.numel() <= size.get("max_tokens", 999)


def test_an_epochs_order_depends_on_seed_and_epoch_alone():
    examples = some_examples(60)
    plan = index_batches(examples, batch_size=8, seed=3, epoch=1)
    assert plan == index_batches(examples, batch_size=8, seed=3, epoch=1)
    others = [
        index_batches(examples, batch_size=8, seed=3, epoch=2),
        index_batches(examples, batch_size=8, seed=4, epoch=1),
        index_batches(examples, batch_size=8, seed=1, epoch=3),
    ]
    assert plan not in others


def test_the_order_is_the_same_on_every_machine_and_in_every_python():
    examples = [([5] * n, [5]) for n in range(1, 9)]
    plan = index_batches(examples, batch_size=3, seed=1)
    assert plan == [[4, 3, 2], [7, 6, 5], [1, 0]]
    plan = index_batches(examples, batch_size=3, seed=1, bucketed=False)
    assert plan == [[2, 3, 4], [5, 6, 1], [7, 0]]


def test_equally_long_pairs_meet_others_in_every_epoch():
    examples = [([5], [5])] * 64
    meet = collections.Counter(
        frozenset(batch)
        for epoch in range(3)
        for batch in index_batches(examples, batch_size=8, epoch=epoch)
    )
    assert max(meet.values()) == 1


def test_short_and_long_batches_come_mixed():
    examples = some_examples()
    plan = index_batches(examples, batch_size=20)
    lengths = [len(examples[batch[0]][1]) for batch in plan]
    assert lengths != sorted(lengths)
    assert sum(lengths[:25]) == pytest.approx(sum(lengths[25:]), rel=0.3)


def test_a_training_goes_on_where_it_stopped():
    examples = some_examples(50)
    choices = {"batch_size": 8, "seed": 5, "epoch": 2}
    whole = list(batches(examples, **choices))
    rest = list(batches(examples, start=3, **choices))
    assert [b.index.tolist() for b in whole] == index_batches(examples, **choices)
    assert len(rest) == len(whole) - 3
    for ours, theirs in zip(rest, whole[3:], strict=True):
        assert all(torch.equal(a, b) for a, b in zip(ours, theirs, strict=True))
    assert list(batches(examples, start=99, **choices)) == []


def test_the_share_of_padding_is_that_of_the_tensors():
    examples = some_examples(100)
    plan = index_batches(examples, batch_size=16)
    ids = [t for index in plan for t in collate([examples[i] for i in index])[:2]]
    padding = sum(int((t == 0).sum()) for t in ids) / sum(t.numel() for t in ids)
    assert padding_share(examples, plan) == pytest.approx(padding)
    assert padding_share([], []) == 0


@pytest.mark.parametrize("size", [{"batch_size": 64}, {"max_tokens": 1024}])
def test_bucketing_wastes_little_even_where_the_lengths_of_both_sides_are_unrelated(size):
    examples = some_examples(20_000)
    assert padding_share(examples, index_batches(examples, **size)) < 0.1
    assert padding_share(examples, index_batches(examples, **size, bucketed=False)) > 0.4


@pytest.mark.parametrize("size", [{"batch_size": 128}, {"max_tokens": 2048}])
def test_bucketing_wastes_little_on_the_generated_corpus(size):
    pairs = generated(10_000).train
    words = [Vocab.build(pair[side] for pair in pairs) for side in (0, 1)]
    examples = encode_pairs(pairs, *words)
    assert padding_share(examples, index_batches(examples, **size)) < 0.05
    assert padding_share(examples, index_batches(examples, **size, bucketed=False)) > 0.2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: collate([]), "examples must hold at least one pair; got none"),
        (
            lambda: collate([([5], [5])], [1, 2]),
            "index must have one position for each of 1 examples; got 2",
        ),
        (
            lambda: encode_pairs([(["a"], ["a"]), ([], ["a"])], Vocab(), Vocab()),
            "pairs[1] must have a token on both sides; got an empty source",
        ),
        (
            lambda: encode_pairs([(["a"], [])], Vocab(), Vocab()),
            "pairs[0] must have a token on both sides; got an empty target",
        ),
        (
            lambda: index_batches([]),
            "exactly one of batch_size and max_tokens must be given; got None and None",
        ),
        (
            lambda: index_batches([], batch_size=1, max_tokens=1),
            "exactly one of batch_size and max_tokens must be given; got 1 and 1",
        ),
        (
            lambda: index_batches([], batch_size=0),
            "batch_size must be a positive integer; got 0",
        ),
        (
            lambda: index_batches([], max_tokens=-1),
            "max_tokens must be a positive integer; got -1",
        ),
        (
            lambda: index_batches([([5] * 9, [5] * 3)], max_tokens=8),
            "max_tokens must be at least 9, the length of the longest example; got 8",
        ),
        (
            lambda: index_batches([([5], [5] * 8)], max_tokens=8),
            "max_tokens must be at least 9, the length of the longest example; got 8",
        ),
        (lambda: index_batches([], batch_size=1, seed=0.5), "seed must be an integer; got 0.5"),
        (
            lambda: index_batches([], batch_size=1, epoch=-1),
            "epoch must be an integer of at least 0; got -1",
        ),
        (
            lambda: batches([], batch_size=1, start=-1),
            "start must be an integer of at least 0; got -1",
        ),
    ],
)
def test_bad_input_is_named(refuses, call, message):
    refuses(call, message)
