"""A mixture of experts: by hand, against every expert asked, its load and the loss for its load."""

import dataclasses
from functools import partial

import pytest
import torch
from torch import nn

from attnsteps.layers.feed_forward import FeedForward, GatedFeedForward
from attnsteps.layers.mixture import MixtureOfExperts, routings
from attnsteps.model import build
from attnsteps.model.config import TransformerConfig
from attnsteps.model.transformer import Transformer
from attnsteps.text.batch import collate
from attnsteps.training.loss import autoregressive_loss
from attnsteps.training.mixture import balanced_loss
from tests import stacks

B, T, D, Dff, E = 2, 5, 11, 13, 7


def mixture(k=2, network=FeedForward):
    made = MixtureOfExperts(D, E, partial(network, D, Dff), experts_per_token=k).double()
    for parameter in made.parameters():
        nn.init.normal_(parameter)
    return made


def assert_all_close(got, expected, tolerance=1e-10):
    torch.testing.assert_close(got, expected, rtol=tolerance, atol=tolerance)


def test_by_hand_two_vectors_go_to_two_experts():
    made = MixtureOfExperts(
        1, 2, partial(FeedForward, 1, 1, activation="gelu", bias=False)
    ).double()
    with torch.no_grad():
        made.router.weight.copy_(torch.tensor([[1.0], [-1.0]]))
        for factor, expert in zip((1, 10), made.experts, strict=True):
            expert.w_1.weight.fill_(1.0)
            expert.w_2.weight.fill_(factor)
    x = torch.tensor([[2.0], [-2.0]], dtype=torch.float64)
    sure = x.softmax(0)[0]
    gelu = nn.functional.gelu(x)
    assert_all_close(made(x), sure * gelu * torch.tensor([[1.0], [10.0]]))


@pytest.mark.parametrize("network", [FeedForward, GatedFeedForward])
@pytest.mark.parametrize("k", [1, 2, E])
def test_values_and_gradients_equal_those_with_every_expert_asked(k, network):
    made = mixture(k, network)
    x = torch.randn(B, T, D, dtype=torch.float64, requires_grad=True)
    probabilities = made.router(x).softmax(-1)
    least = probabilities.sort(descending=True).values[..., k - 1 : k]
    gates = probabilities * (probabilities >= least)
    said = torch.stack([expert(x) for expert in made.experts], dim=-1)
    expected = (said * gates[..., None, :]).sum(-1)
    output = made(x)
    assert_all_close(output, expected)
    direction = torch.randn_like(output)
    tensors = (x, *made.parameters())
    assert_all_close(
        torch.autograd.grad(output, tensors, direction, allow_unused=True, materialize_grads=True),
        torch.autograd.grad(expected, tensors, direction),
    )


def test_an_expert_sees_only_what_is_sent_to_it():
    made, seen = mixture(k=2), []
    for expert in made.experts:
        expert.register_forward_hook(lambda _, inputs, __: seen.append(len(inputs[0])))
    made(torch.randn(B, T, D, dtype=torch.float64))
    assert sum(seen) == B * T * 2


def test_positions_do_not_mix():
    made, x = mixture(), torch.randn(B, T, D, dtype=torch.float64)
    output = made(x)
    for t in range(T):
        assert_all_close(made(x[:, t : t + 1]), output[:, t : t + 1])


def test_half_precision_and_autocast():
    made, x = MixtureOfExperts(D, E, partial(FeedForward, D, Dff)), torch.randn(B, T, D)
    for dtype in (torch.float16, torch.bfloat16):
        with torch.autocast("cpu", dtype=dtype):
            assert torch.isfinite(made(x)).all()
    assert made.bfloat16()(x.bfloat16()).dtype == torch.bfloat16


def test_one_expert_is_no_mixture():
    config = stacks.sizes(1, D, 1, Dff)
    assert type(build.feed_forward(config)) is FeedForward
    several = build.feed_forward(dataclasses.replace(config, num_experts=2, activation="swiglu"))
    assert [type(expert) for expert in several.experts] == [GatedFeedForward] * 2


# The load -----------------------------------------------------------------------------------


def test_load_and_balance_by_hand():
    made = MixtureOfExperts(2, 2, partial(FeedForward, 2, 3))
    with torch.no_grad():
        made.router.weight.copy_(torch.eye(2))
    even = torch.tensor([[9.0, 0.0], [0.0, 9.0]])
    with routings(made) as routed:
        made(even)
        made(torch.tensor([[30.0, 0.0], [30.0, 0.0]]))
    assert routed[0].load.tolist() == [0.5, 0.5]
    assert routed[0].balance.item() == pytest.approx(1)
    assert routed[1].load.tolist() == [1, 0]
    assert routed[1].balance.item() == pytest.approx(2)  # E: one expert gets everything
    made(even)
    assert len(routed) == 2  # the block has ended, and nothing is noted any more


def test_the_load_of_a_single_vector_sums_to_one_too():
    made = mixture(k=1)
    with routings(made) as routed:
        made(torch.randn(1, D, dtype=torch.float64))
    assert sorted(routed[0].load.tolist()) == [0] * (E - 1) + [1]


def test_the_balance_teaches_the_router_to_spread():
    torch.manual_seed(1)
    made = MixtureOfExperts(D, 4, partial(FeedForward, D, Dff))
    with torch.no_grad():
        made.router.weight[0] += 0.5
    x = torch.randn(97, D) + 0.5
    optimizer = torch.optim.Adam(made.router.parameters(), lr=0.02)
    loads = []
    for _ in range(60):
        with routings(made) as routed:
            made(x)
        loads.append(routed[0].load.max().item())
        optimizer.zero_grad()
        routed[0].balance.backward()
        optimizer.step()
    assert loads[0] > 0.6
    assert loads[-1] < 0.4


def test_balanced_loss_adds_a_hundredth_of_the_balance_for_each_token():
    config = TransformerConfig.tiny(11, 13, num_experts=4, experts_per_token=2)
    model, batch = Transformer(config).eval(), collate([([5, 6], [7, 8, 9]), ([4], [5])])
    plain, tokens = autoregressive_loss(model, batch)
    with routings(model) as routed:
        model(batch.src_ids, batch.tgt_in)
    assert len(routed) == 4  # two layers on each side
    balance = sum(routing.balance for routing in routed) / 4
    loss, same = balanced_loss(model, batch)
    assert same == tokens
    assert_all_close(loss, plain + 0.01 * tokens * balance, 1e-6)


BAD = {
    "no expert": (
        lambda: MixtureOfExperts(4, 0, partial(FeedForward, 4, 5)),
        "num_experts must be a positive integer; got 0",
    ),
    "more than there are": (
        lambda: MixtureOfExperts(4, 3, partial(FeedForward, 4, 5), experts_per_token=4),
        "experts_per_token must be an integer in [1, num_experts = 3]; got 4",
    ),
    "another width": (
        lambda: MixtureOfExperts(4, 3, partial(FeedForward, 4, 5))(torch.zeros(2, 5)),
        "x must have shape (..., D) with D = 4; got (2, 5)",
    ),
    "whole numbers": (
        lambda: MixtureOfExperts(4, 3, partial(FeedForward, 4, 5))(
            torch.zeros(2, 4, dtype=torch.int64)
        ),
        "x must be a floating-point tensor; got torch.int64",
    ),
    "no mixture": (
        lambda: balanced_loss(
            Transformer(TransformerConfig.tiny(11, 13)), collate([([5, 6], [7, 8, 9])])
        ),
        "model must have a mixture of experts; got none (num_experts = 1)",
    ),
}


@pytest.mark.parametrize(("call", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_refused(refuses, call, message):
    refuses(call, message)
