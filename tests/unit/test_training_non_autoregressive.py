"""The losses of parallel models: what is hidden, what counts, and the length."""

import pytest
import torch
from torch.nn import functional

from attnsteps.model.config import TransformerConfig
from attnsteps.text.batch import collate
from attnsteps.training.non_autoregressive import (
    length_loss,
    mask_predict_loss,
    mask_some,
    one_shot_loss,
)
from tests.training import make_examples, make_model

BATCH = collate(make_examples(9))


@pytest.fixture
def model():
    return make_model(parallel=True).eval()


def spy(model, monkeypatch):
    """Record what the decoder reads."""
    read, decode = [], model.transformer.decode
    monkeypatch.setattr(
        model.transformer, "decode", lambda ids, *rest: read.append(ids) or decode(ids, *rest)
    )
    return read


def by_hand(model, hidden):
    """Sum the losses of hidden tokens and of all lengths, one after the other."""
    logits, length_logits = model(BATCH.src_ids, hidden)
    lengths = (BATCH.tgt_out != 0).sum(dim=1)
    loss = functional.cross_entropy(length_logits, lengths - 1, reduction="sum")
    for place in (hidden == model.config.mask_id).nonzero().tolist():
        b, t = place
        loss = loss - logits[b, t].log_softmax(dim=-1)[BATCH.tgt_out[b, t]]
    return loss


def test_one_shot_hides_every_token_and_tells_the_decoder_only_how_many(model, monkeypatch):
    read = spy(model, monkeypatch)
    loss, count = one_shot_loss(model, BATCH)
    is_token = BATCH.tgt_out != 0
    assert torch.equal(read[0], torch.where(is_token, 4, 0))
    assert int(count) == int(is_token.sum())
    torch.testing.assert_close(loss, by_hand(model, read[0]))


def test_mask_predict_counts_what_it_has_hidden_and_nothing_else(model, monkeypatch):
    read = spy(model, monkeypatch)
    for _ in range(5):
        loss, count = mask_predict_loss(model, BATCH)
        hidden = read.pop()
        is_hidden = hidden == 4
        assert torch.equal(hidden, BATCH.tgt_out.masked_fill(is_hidden, 4))
        assert is_hidden.any(dim=1).all()
        assert int(count) == int(is_hidden.sum())
        torch.testing.assert_close(loss, by_hand(model, hidden))


@pytest.mark.parametrize("loss_fn", [one_shot_loss, mask_predict_loss])
def test_sums_add_up_over_parts_of_a_batch(model, loss_fn):
    certain = collate([([5, 6], [])] * 4)  # one token each, eos_id: chance has no part in it
    batch = certain if loss_fn is mask_predict_loss else BATCH
    whole = loss_fn(model, batch, 0.1)
    parts = [
        loss_fn(model, type(batch)(*(tensor[rows] for tensor in batch)), 0.1)
        for rows in (slice(0, 2), slice(2, None))
    ]
    for needed, *got in zip(whole, *parts, strict=True):
        torch.testing.assert_close(sum(got), needed)


def test_the_length_counts_eos_and_no_padding():
    logits = torch.randn(9, 16)
    lengths = torch.tensor([len(tgt) for _, tgt in make_examples(9)])
    needed = functional.cross_entropy(logits, lengths, reduction="sum")  # class i: i + 1 tokens
    torch.testing.assert_close(length_loss(logits, BATCH.tgt_out), needed)


def test_a_sentence_longer_than_any_length_is_refused(refuses):
    refuses(
        lambda: length_loss(torch.zeros(9, 3), BATCH.tgt_out),
        "the longest target must be an integer in [1, max_len = 3]; got 7",
    )


@pytest.mark.parametrize("padding", ["left", "right"])
def test_any_number_is_hidden_wherever_the_padding_is(padding):
    words = [5, 6, 7, 2]
    row = [0, 0, *words] if padding == "left" else [*words, 0, 0]
    tgt_ids = torch.tensor([row]).expand(8000, -1)
    config = TransformerConfig.tiny(11, 13, causal=False, mask_id=3)
    hidden = mask_some(tgt_ids, config, generator=torch.Generator().manual_seed(0)) == 3
    counts = torch.bincount(hidden.sum(dim=1), minlength=5)
    assert counts[0] == 0
    assert ((counts[1:] / 2000 - 1).abs() < 0.1).all()  # as many of each number from 1 to 4
    share = hidden.float().mean(dim=0)[tgt_ids[0] != 0]
    assert ((share / 0.625 - 1).abs() < 0.05).all()  # and each position equally often
