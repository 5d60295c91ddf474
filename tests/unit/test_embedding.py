"""Token embedding: against nn.Embedding, at the right scale, and deaf to padding."""

import math

import pytest
import torch
from torch import nn

from attnsteps.layers.embedding import TokenEmbedding
from attnsteps.layers.positional import sinusoidal_positions

# Every size is another prime, so that swapped axes cannot pass.
B, T, V, D = 2, 5, 13, 11
PAD = 3


def ids_with_padding():
    return torch.tensor([[0, 12, 7, PAD, PAD], [1, 1, 7, 2, PAD]])


def test_by_hand():
    embedding = TokenEmbedding(3, 4)
    with torch.no_grad():
        embedding.weight.copy_(torch.arange(12.0).view(3, 4))
    assert embedding(torch.tensor([[2, 0]])).tolist() == [
        [[16.0, 18.0, 20.0, 22.0], [0.0, 2.0, 4.0, 6.0]]
    ]


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("pad_id", [None, PAD])
def test_values_and_gradients_equal_pytorchs(pad_id, dtype):
    ours = TokenEmbedding(V, D, pad_id=pad_id).to(dtype)
    theirs = nn.Embedding(V, D, padding_idx=pad_id, _weight=ours.weight.detach().clone())
    factor = math.sqrt(D)
    direction = torch.randn(B, T, D, dtype=dtype)

    output = ours(ids_with_padding())
    (output * direction).sum().backward()
    expected = theirs(ids_with_padding()) * factor
    (expected * direction).sum().backward()

    assert output.shape == (B, T, D)
    assert output.dtype == dtype
    assert torch.equal(output, expected)
    assert torch.equal(ours.weight.grad, theirs.weight.grad)


def test_a_look_up_is_one_hot_times_the_matrix():
    embedding = TokenEmbedding(V, D).double()
    ids = ids_with_padding()
    one_hot = nn.functional.one_hot(ids, V).double()
    torch.testing.assert_close(
        embedding(ids), one_hot @ embedding.weight * D**0.5, rtol=0, atol=1e-12
    )


def test_gradcheck():
    embedding = TokenEmbedding(V, 3, pad_id=None).double()
    assert torch.autograd.gradcheck(
        lambda weight: torch.func.functional_call(
            embedding, {"weight": weight}, (ids_with_padding(),)
        ),
        embedding.weight,
    )


@pytest.mark.parametrize("d_model", [32, 512])
def test_bug_zoo_11_outputs_have_unit_variance_and_leave_the_positions_audible(d_model):
    embedding = TokenEmbedding(1009, d_model)
    assert embedding.weight.std().item() == pytest.approx(d_model**-0.5, rel=0.02)
    output = embedding(torch.arange(1009))
    assert output.std().item() == pytest.approx(1.0, rel=0.02)
    assert output.mean().item() == pytest.approx(0.0, abs=0.02)
    positions = sinusoidal_positions(1009, d_model)
    ratio = output.square().mean().sqrt() / positions.square().mean().sqrt()
    assert ratio.item() == pytest.approx(math.sqrt(2), rel=0.02)  # 32 with the mistake


def test_padding_is_zero_and_stays_so():
    embedding = TokenEmbedding(V, D, pad_id=PAD)
    output = embedding(ids_with_padding())
    assert not output[ids_with_padding() == PAD].any()
    output.square().sum().backward()
    assert not embedding.weight.grad[PAD].any()
    assert embedding.weight.grad[7].all()
    torch.optim.SGD(embedding.parameters(), lr=1.0).step()
    assert not embedding.weight[PAD].any()


def test_without_a_pad_id_every_token_learns():
    embedding = TokenEmbedding(V, D)
    embedding(torch.arange(V)).square().sum().backward()
    assert embedding.weight.grad.any(dim=-1).all()


def test_output_projection_shares_the_weight_or_draws_one_like_it():
    embedding = TokenEmbedding(997, 64)
    assert embedding.output_projection().weight is embedding.weight
    projection = embedding.output_projection(tied=False)
    assert projection.weight is not embedding.weight
    assert projection.bias is None
    assert projection.weight.std().item() == pytest.approx(64**-0.5, rel=0.02)


def test_the_weight_can_be_shared_with_an_output_projection():
    embedding = TokenEmbedding(V, D)
    projection = nn.Linear(D, V, bias=False)
    projection.weight = embedding.weight
    model = nn.Sequential(embedding, projection)
    assert [tuple(p.shape) for p in model.parameters()] == [(V, D)]
    logits = model(ids_with_padding())
    assert logits.shape == (B, T, V)
    # The small initialisation keeps the logits of unit vectors at unit size: 1/√D · √D.
    assert projection(torch.randn(4099, D)).std().item() == pytest.approx(1.0, rel=0.3)


@pytest.mark.parametrize("shape", [(), (T,), (B, T), (B, 3, T)], ids=str)
@pytest.mark.parametrize("dtype", [torch.int32, torch.int64], ids=str)
def test_ids_of_any_shape(shape, dtype):
    ids = torch.zeros(shape, dtype=dtype)
    assert TokenEmbedding(V, D)(ids).shape == (*shape, D)


def test_no_ids_give_no_vectors():
    assert TokenEmbedding(V, D)(torch.zeros(B, 0, dtype=torch.int64)).shape == (B, 0, D)


BAD_SETTINGS = {
    "no vocabulary": (
        {"vocab_size": 0},
        "vocab_size must be a positive integer; got 0",
    ),
    "a width in floats": ({"d_model": 11.0}, "d_model must be a positive integer; got 11.0"),
    "a pad id beyond the vocabulary": (
        {"pad_id": 13},
        "pad_id must lie in 0..12 (vocab_size = 13); got 13",
    ),
    "a pad id counted from the end": (
        {"pad_id": -1},
        "pad_id must lie in 0..12 (vocab_size = 13); got -1",
    ),
    "a pad token instead of its id": (
        {"pad_id": "<pad>"},
        "pad_id must be an integer; got '<pad>'",
    ),
}


@pytest.mark.parametrize(("changed", "message"), BAD_SETTINGS.values(), ids=BAD_SETTINGS.keys())
def test_bad_settings_are_refused(refuses, changed, message):
    refuses(lambda: TokenEmbedding(**{"vocab_size": V, "d_model": D, **changed}), message)


BAD_IDS = {
    "beyond the vocabulary": (
        torch.tensor([[1, 13]]),
        "ids must lie in 0..12 (vocab_size = 13); got 13",
    ),
    "below zero": (
        torch.tensor([[0, 1], [-2, 99]]),
        "ids must lie in 0..12 (vocab_size = 13); got -2",
    ),
    "floats": (torch.zeros(2, 5), "ids must be an int32 or int64 tensor; got torch.float32"),
    "truth values": (
        torch.ones(2, 5, dtype=torch.bool),
        "ids must be an int32 or int64 tensor; got torch.bool",
    ),
    "a list": ([[1, 2]], "ids must be an int32 or int64 tensor; got list"),
}


@pytest.mark.parametrize(("ids", "message"), BAD_IDS.values(), ids=BAD_IDS.keys())
def test_bad_ids_are_refused(refuses, ids, message):
    embedding = TokenEmbedding(V, D)
    refuses(lambda: embedding(ids), message)
