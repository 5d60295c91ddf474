"""Cross-entropy with label smoothing: PyTorch's, the paper's, and what goes wrong with it."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional

from attnsteps.text.batch import collate
from attnsteps.text.vocab import Vocab
from attnsteps.training.loss import (
    autoregressive_loss,
    cross_entropy,
    smoothed_targets,
    summed_cross_entropy,
)
from tests.training import VOCAB_SIZE, make_examples, make_model

V = 11
TARGETS = torch.tensor([[4, 9, 2, 0, 0], [10, 5, 6, 7, 2], [3, 2, 0, 0, 0]])


def make_logits(dtype=torch.float64, spread=3.0):
    return (spread * torch.randn(3, 5, V, dtype=dtype)).requires_grad_()


def mean_by_sums(logits, targets, **options):
    loss, count = summed_cross_entropy(logits, targets, **options)
    return loss / count


@pytest.mark.parametrize("ours", [cross_entropy, mean_by_sums])
@given(epsilon=st.floats(0, 0.99), pad_id=st.integers(0, V - 1), seed=st.integers(0, 99))
def test_the_loss_and_its_gradient_are_those_of_pytorch(ours, epsilon, pad_id, seed):
    torch.manual_seed(seed)
    logits = make_logits()
    theirs = nn.CrossEntropyLoss(ignore_index=pad_id, label_smoothing=epsilon)
    needed = theirs(logits.flatten(0, 1), TARGETS.flatten())
    got = ours(logits, TARGETS, label_smoothing=epsilon, pad_id=pad_id)
    torch.testing.assert_close(got, needed)
    gradients = [torch.autograd.grad(loss, logits)[0] for loss in (got, needed)]
    torch.testing.assert_close(*gradients)


def test_the_loss_by_hand():
    logits = torch.tensor([[[math.log(0.5), math.log(0.3), math.log(0.2)]]])
    # q = 0.9 · (0, 1, 0) + 0.1 / 3 on each
    by_hand = -(math.log(0.5) * 0.1 / 3 + math.log(0.3) * (0.9 + 0.1 / 3) + math.log(0.2) * 0.1 / 3)
    got = cross_entropy(logits, torch.tensor([[1]]), label_smoothing=0.1)
    assert float(got) == pytest.approx(by_hand, rel=1e-6)


def test_the_least_loss_is_the_entropy_of_the_smoothed_target():
    q = smoothed_targets(torch.tensor([[4]]), V, label_smoothing=0.1).double()
    got = cross_entropy(q.log(), torch.tensor([[4]]), label_smoothing=0.1)
    assert float(got) == pytest.approx(float(-(q * q.log()).sum()))
    worse = [q.log() + 0.1 * torch.randn(1, 1, V) for _ in range(20)]
    assert all(cross_entropy(w, torch.tensor([[4]]), label_smoothing=0.1) > got for w in worse)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("vocab_size", [3, 11, 1000])
def test_bug_zoo_16_label_smoothing_spread_over_the_wrong_count(epsilon, vocab_size):
    targets = torch.tensor([[0, 1, 2]])
    q = smoothed_targets(targets, vocab_size, label_smoothing=epsilon)
    torch.testing.assert_close(q.sum(dim=-1), torch.ones(1, 3))
    right = q.gather(-1, targets[:, :, None])[..., 0]
    torch.testing.assert_close(right, torch.full((1, 3), 1 - epsilon + epsilon / vocab_size))
    wrong = q.sum(dim=-1) - right
    share = torch.full((1, 3), epsilon / vocab_size * (vocab_size - 1))
    torch.testing.assert_close(wrong, share, atol=1e-6, rtol=0)


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
@pytest.mark.parametrize("ours", [cross_entropy, mean_by_sums])
def test_bug_zoo_16_the_logarithm_of_a_probability_that_rounds_to_zero(ours, epsilon):
    logits = torch.tensor([[[1e4, 0.0, -1e4]]], requires_grad=True)
    loss = ours(logits, torch.tensor([[2]]), label_smoothing=epsilon)
    # softmax gives exactly (1, 0, 0): its logarithm would be −∞, and 0 · −∞ is NaN.
    assert loss.item() == pytest.approx(2e4 * (1 - epsilon) + epsilon * (1e4 + 2e4) / 3)
    assert torch.autograd.grad(loss, logits)[0].isfinite().all()


def test_the_form_of_the_papers_program_is_this_one_with_another_epsilon():
    spread = 0.1  # among the V − 1 wrong tokens
    right = functional.one_hot(TARGETS, V).float()
    theirs = (1 - spread) * right + spread / (V - 1) * (1 - right)
    ours = smoothed_targets(TARGETS, V, label_smoothing=spread * V / (V - 1))
    torch.testing.assert_close(ours, theirs)


def test_padding_does_not_count():
    logits = make_logits().detach()
    longer = torch.cat([logits, make_logits().detach()], dim=1)
    targets = functional.pad(TARGETS, (0, 5))
    torch.testing.assert_close(cross_entropy(longer, targets), cross_entropy(logits, TARGETS))
    loss, count = summed_cross_entropy(longer, targets)
    torch.testing.assert_close((loss, count), summed_cross_entropy(logits, TARGETS))
    assert int(count) == 10


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_a_sum_of_many_losses_in_half_precision_does_not_overflow(dtype):
    logits, targets = torch.zeros(1, 40_000, V, dtype=dtype), torch.full((1, 40_000), 5)
    loss, count = summed_cross_entropy(logits, targets)
    assert loss.dtype == torch.float32
    assert float(loss / count) == pytest.approx(math.log(V), rel=1e-4)


class Copies(nn.Module):
    """A model that is sure of one thing: what comes next is what it has just read."""

    def forward(self, _src_ids, tgt_ids):
        return 100.0 * functional.one_hot(tgt_ids, VOCAB_SIZE).float()


def test_bug_zoo_18_target_not_shifted():
    # No sentence here has the same word twice in a row, so copying is always wrong; against
    # targets that are not shifted it would be always right, with a loss of 0.
    batch = collate([([7], [5, 6, 7]), ([8, 9], [9, 8])])
    loss, count = autoregressive_loss(Copies(), batch)
    assert int(count) == 7
    assert float(loss / count) == pytest.approx(100.0)


def test_bug_zoo_18_the_loss_at_a_position_cannot_see_the_word_it_asks_for():
    model = make_model().eval()
    batch = collate(make_examples(5))
    for t in range(1, batch.tgt_in.shape[1]):
        changed = batch.tgt_in.clone()
        changed[:, t] = torch.where(changed[:, t] == 5, 6, 5)
        before = model(batch.src_ids, batch.tgt_in)[:, :t]
        after = model(batch.src_ids, changed)[
            :, :t
        ]  # which predict tgt_out[:, : t] = tgt_in[:, 1 …]
        torch.testing.assert_close(before, after)
    assert torch.equal(batch.tgt_in[:, 1:].clamp(min=3), batch.tgt_out[:, :-1].clamp(min=3))
    assert (batch.tgt_in[:, 0] == Vocab.bos_id).all()


def test_the_loss_of_a_batch_is_the_mean_over_its_tokens():
    model = make_model().eval()
    batch = collate(make_examples(5))
    loss, count = autoregressive_loss(model, batch, 0.1)
    logits = model(batch.src_ids, batch.tgt_in)
    torch.testing.assert_close(
        loss / count, cross_entropy(logits, batch.tgt_out, label_smoothing=0.1)
    )
    assert int(count) == int((batch.tgt_out != 0).sum())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (torch.zeros(3, 5, V), TARGETS[:, :4]),
            "targets must have shape (B, T) with B = 3, T = 5; got (3, 4)",
        ),
        ((torch.zeros(15, V), TARGETS), "logits must have shape (B, T, V); got (15, 11)"),
        (
            (torch.zeros(3, 5, V).long(), TARGETS),
            "logits must be a floating-point tensor; got torch.int64",
        ),
        (
            (torch.zeros(3, 5, V), TARGETS.float()),
            "targets must be an int32 or int64 tensor; got torch.float32",
        ),
    ],
)
@pytest.mark.parametrize("ours", [cross_entropy, summed_cross_entropy])
def test_shapes_that_do_not_agree_are_refused(refuses, ours, arguments, message):
    refuses(lambda: ours(*arguments), message)


def test_values_that_make_no_loss_are_refused(refuses):
    logits = torch.zeros(3, 5, V)
    refuses(
        lambda: cross_entropy(logits, TARGETS + 1),
        "targets must lie in 0..10 (vocab_size = 11); got 11",
    )
    refuses(
        lambda: cross_entropy(logits, TARGETS * 0),
        "targets must hold a token; got only padding (pad_id = 0)",
    )
    for ours in (cross_entropy, summed_cross_entropy):
        refuses(
            lambda ours=ours: ours(logits, TARGETS, label_smoothing=1.0),
            "label_smoothing must be a number in [0, 1); got 1.0",
        )


def test_a_loss_in_double_precision_is_exact_to_it():
    logits = torch.randn(2, 3, 11, dtype=torch.float64)
    targets = torch.randint(1, 11, (2, 3))
    expected = nn.functional.cross_entropy(
        logits.flatten(0, 1), targets.flatten(), label_smoothing=0.1
    )
    torch.testing.assert_close(
        cross_entropy(logits, targets, label_smoothing=0.1), expected, rtol=1e-14, atol=1e-14
    )


@pytest.mark.parametrize("label_smoothing", [0.0, 0.1])
def test_a_word_that_cannot_come_costs_what_pytorch_says(label_smoothing):
    logits = torch.tensor([[[0.0, -math.inf, 1.0]]], requires_grad=True)
    targets = torch.tensor([[2]])
    ours = cross_entropy(logits, targets, label_smoothing=label_smoothing)
    summed, count = summed_cross_entropy(logits, targets, label_smoothing=label_smoothing)
    assert ours.item() == pytest.approx((summed / count).item())
    assert label_smoothing or ours.item() == pytest.approx(0.3133, abs=1e-4)
    if not label_smoothing:
        ours.backward()
        assert logits.grad.isfinite().all()


def test_a_target_outside_the_vocabulary_is_named(refuses):
    for loss in (cross_entropy, summed_cross_entropy):
        for target in (3, -2):
            refuses(
                lambda loss=loss, target=target: loss(
                    torch.zeros(1, 2, 3), torch.tensor([[target, 1]])
                ),
                f"targets must lie in 0..2 (vocab_size = 3); got {target}",
            )
    loss, count = summed_cross_entropy(torch.zeros(1, 2, 3), torch.tensor([[-100, 1]]), pad_id=-100)
    assert (loss.item(), int(count)) == (pytest.approx(math.log(3)), 1)
