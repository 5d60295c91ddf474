"""A knocked-out head is gone, a knocked-out edge is hidden, and afterwards all is as it was."""

import copy
from functools import partial

import pytest
import torch

from attnsteps import (
    Knockout,
    NonAutoregressive,
    Transformer,
    TransformerConfig,
    beam,
    greedy,
    knocked_out,
)
from attnsteps.layers.masks import causal_mask

V, H, LAYERS = 13, 2, 2
SOURCE = torch.tensor([[5, 3, 8, 6, 7], [9, 4, 6, 0, 0]])
TARGET = torch.tensor([[1, 7, 5, 9], [1, 8, 3, 0]])


def random_model(**changes):
    torch.manual_seed(0)
    sizes = {"d_model": 8, "num_heads": H, "d_ff": 12, **changes}
    model = Transformer(TransformerConfig.tiny(V, V, **sizes)).double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.5 * torch.randn_like(parameter))
    return model


def attention_of(model, part, layer):
    stack = model.encoder if part == "encoder" else model.decoder
    return getattr(stack.layers[layer], "cross_attention" if part == "cross" else "self_attention")


@pytest.mark.parametrize("part", ["encoder", "decoder", "cross"])
@pytest.mark.parametrize("layer", range(LAYERS))
@pytest.mark.parametrize("head", range(H))
def test_a_head_that_is_off_is_one_whose_part_of_w_o_is_zero(part, layer, head):
    model = random_model()
    without = copy.deepcopy(model)
    with torch.no_grad():
        attention_of(without, part, layer).w_o.weight[:, 4 * head : 4 * head + 4] = 0
    with knocked_out(model, Knockout(part, layer, head)):
        torch.testing.assert_close(model(SOURCE, TARGET), without(SOURCE, TARGET))
    assert not torch.allclose(model(SOURCE, TARGET), without(SOURCE, TARGET))


@pytest.mark.parametrize("part", ["encoder", "decoder", "cross"])
def test_what_is_left_out_stands_for_all(part):
    model = random_model()
    each = [Knockout(part, layer, head) for layer in range(LAYERS) for head in range(H)]
    with knocked_out(model, *each):
        expected = model(SOURCE, TARGET)
    with knocked_out(model, Knockout(part)):
        torch.testing.assert_close(model(SOURCE, TARGET), expected)


def test_edges_equal_a_mask():
    model = random_model()
    memory = model.encode(SOURCE)
    hidden = (SOURCE != 0)[:, None, None, :].repeat(1, H, 4, 1)
    hidden[..., 2] = False  # source word 2, from every target word
    hidden[:, 1, 3, 1] = False  # source word 1, from target word 3, in head 1
    expected = model.decode(TARGET, memory, memory_mask=hidden)
    with knocked_out(model, Knockout("cross", key=2), Knockout("cross", None, 1, 3, 1)):
        torch.testing.assert_close(model.decode(TARGET, memory, SOURCE), expected)

    back = causal_mask(4)[None, None] & (TARGET != 0)[:, None, None, :]
    back[:, :, 3, 1] = False
    expected = model.decode(TARGET, memory, SOURCE, tgt_mask=back)
    with knocked_out(model, Knockout("decoder", query=3, key=1)):
        torch.testing.assert_close(model.decode(TARGET, memory, SOURCE), expected)

    seen = (SOURCE != 0)[:, None, None, :].repeat(1, 1, 5, 1)
    seen[:, :, 1, 0] = False
    with knocked_out(model, Knockout("encoder", query=1, key=0)):
        torch.testing.assert_close(model.encode(SOURCE), model.encode(SOURCE, seen))


@pytest.mark.parametrize("part", ["encoder", "decoder", "cross"])
def test_the_weight_of_an_edge_is_zero_and_goes_to_the_others(part):
    model = random_model()
    with knocked_out(model, Knockout(part, layer=1, head=0, query=2, key=1)):
        weights = getattr(model(SOURCE, TARGET, need_weights=True)[1], part)
    assert (weights[1][:, 0, 2, 1] == 0).all()
    assert (weights[1][:, 1, 2, 1] > 0).all()
    assert (weights[0][:, :, 2, 1] > 0).all()
    torch.testing.assert_close(weights[1].sum(-1), torch.ones(2, H, weights[1].shape[2]).double())


def test_a_query_without_a_key_gets_zeros():
    model = random_model()
    with knocked_out(model, Knockout("encoder", layer=0, query=1)):
        weights = model.encode(SOURCE, need_weights=True)[1].encoder[0]
        memory = model.encode(SOURCE)
    assert (weights[:, :, 1] == 0).all()
    assert (weights[:, :, 0].sum(-1) > 0.99).all()
    assert memory.isfinite().all()


KNOCKOUTS = [
    Knockout("decoder", layer=1, head=1),
    Knockout("decoder", query=3, key=1),
    Knockout("cross", layer=0, query=2, key=0),
    Knockout("cross", head=1, query=4),
    Knockout("encoder", query=1, key=0),
]


@pytest.mark.parametrize("knockout", KNOCKOUTS, ids=str)
def test_with_a_cache_the_same_is_off_at_the_same_positions(knockout):
    model = random_model()
    tgt_ids = torch.tensor([[1, 7, 5, 9, 4, 6]] * 2)
    with knocked_out(model, knockout):
        memory, cache = model.encode(SOURCE), model.new_cache()
        parallel = model.decode(tgt_ids, memory, SOURCE)
        parts = [(0, 1), (1, 3), (3, 4), (4, 6)]
        steps = [model.decode(tgt_ids[:, a:b], memory, SOURCE, cache=cache) for a, b in parts]
        torch.testing.assert_close(torch.cat(steps, dim=1), parallel)
        cached = greedy(model, SOURCE, max_len=7)
        anew = greedy(model, SOURCE, max_len=7, use_cache=False)
    assert torch.equal(cached.ids, anew.ids)
    torch.testing.assert_close(cached.scores, anew.scores)
    assert not torch.allclose(cached.scores, greedy(model, SOURCE, max_len=7).scores)


@pytest.mark.parametrize("search", [greedy, partial(beam, beam_width=3)])
def test_searches_see_it(search):
    model = random_model()
    with knocked_out(model, Knockout("cross")):
        without = search(model, SOURCE, max_len=5)
    assert not torch.allclose(without.scores, search(model, SOURCE, max_len=5).scores)


def test_afterwards_the_model_is_as_it_was_after_an_error_too():
    model = random_model()
    before = model(SOURCE, TARGET)
    with (
        pytest.raises(KeyError),
        knocked_out(model, Knockout("cross", 0), Knockout("decoder", key=1)),
    ):
        raise KeyError
    assert torch.equal(model(SOURCE, TARGET), before)
    hooks = [m for m in model.modules() if m._forward_hooks or m._forward_pre_hooks]
    assert hooks == []


def test_nothing_knocked_out_changes_nothing_and_positions_beyond_the_end_neither():
    model = random_model()
    before = model(SOURCE, TARGET)
    with knocked_out(model):
        torch.testing.assert_close(model(SOURCE, TARGET), before)
    with knocked_out(model, Knockout("decoder", query=9), Knockout("cross", query=1, key=9)):
        torch.testing.assert_close(model(SOURCE, TARGET), before)


def test_edges_are_hidden_where_the_model_is():
    model = random_model()
    with knocked_out(model, Knockout("cross", query=2, key=1)):
        expected = model(SOURCE, TARGET)
        with torch.device("meta"):  # where new tensors go unless they are sent elsewhere
            assert torch.equal(model(SOURCE, TARGET), expected)


def test_gradients_flow_around_it():
    model = random_model()
    with knocked_out(model, Knockout("encoder", layer=0, head=1), Knockout("cross", key=1)):
        model(SOURCE, TARGET).square().sum().backward()
    gradient = model.encoder.layers[0].self_attention.w_v.weight.grad
    assert (gradient[4:] == 0).all()
    assert (gradient[:4] != 0).any()


@pytest.mark.parametrize(
    ("knockout", "message"),
    [
        (Knockout("memory"), "part must be 'encoder' or 'decoder' or 'cross'; got 'memory'"),
        (Knockout("cross", layer=2), "layer must be an integer in [0, 1]; got 2"),
        (Knockout("cross", head=-1), "head must be an integer in [0, 1]; got -1"),
        (Knockout("cross", key=-1), "key must be an integer of at least 0; got -1"),
        (Knockout("cross", query=1.5), "query must be an integer of at least 0; got 1.5"),
    ],
)
def test_what_there_is_not_is_refused(knockout, message, refuses):
    def run():
        with knocked_out(random_model(), knockout):
            pass

    refuses(run, message)


def test_another_kind_of_model_is_refused(refuses):
    config = TransformerConfig.tiny(V, V, causal=False, mask_id=4)

    def run():
        with knocked_out(NonAutoregressive(config)):
            pass

    refuses(run, "model must be a Transformer; got a NonAutoregressive")
