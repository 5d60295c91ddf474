"""The options of today's block: each changes what it names, and leaves old models as they were."""

import dataclasses
import json

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from attnsteps.analysis.memory import cache_bytes, training_bytes
from attnsteps.decoding.beam import beam
from attnsteps.decoding.greedy import greedy
from attnsteps.layers.feed_forward import FeedForward, GatedFeedForward
from attnsteps.layers.heads import repeat_heads
from attnsteps.layers.layer_norm import LayerNorm
from attnsteps.layers.masks import causal_mask, combine, sliding_window
from attnsteps.layers.mixture import MixtureOfExperts
from attnsteps.layers.multi_head import MultiHeadAttention
from attnsteps.layers.rms_norm import RMSNorm
from attnsteps.layers.sublayer import Sublayer
from attnsteps.model.config import SINCE_2017, TransformerConfig
from attnsteps.model.interop import from_torch
from attnsteps.model.transformer import Transformer
from attnsteps.text.tokenizer import Words
from attnsteps.text.vocab import Vocab
from attnsteps.translator.trained import ASSETS, Trained
from attnsteps.widgets.live_model import check_fits

OPTIONS = {
    "rms": {"norm_kind": "rms"},
    "rms, pre": {"norm_kind": "rms", "norm": "pre"},
    "no bias": {"bias": False},
    "rotary": {"positions": "rotary"},
    "grouped": {"num_kv_heads": 2},
    "multi-query": {"num_kv_heads": 1},
    "window": {"window": 3},
    "gelu": {"activation": "gelu"},
    "swiglu": {"activation": "swiglu"},
    "experts": {"num_experts": 4, "experts_per_token": 2},
}
TODAY = {
    "norm": "pre",
    "norm_kind": "rms",
    "bias": False,
    "positions": "rotary",
    "activation": "swiglu",
    "num_kv_heads": 2,
}
OPTIONS |= {"today": TODAY, "all": {**TODAY, "window": 3, "num_experts": 3}}
SRC = torch.tensor([[5, 3, 8, 4, 6, 7, 9], [4, 4, 10, 0, 0, 0, 0]])
options = pytest.mark.parametrize("changes", OPTIONS.values(), ids=OPTIONS.keys())


def model_of(**changes):
    return Transformer(TransformerConfig.tiny(11, 13, **changes)).double().eval()


@options
def test_a_cache_changes_nothing(changes):
    model = model_of(**changes)
    tgt_ids = torch.tensor([[1, 7, 9, 3, 12, 4], [1, 5, 5, 8, 3, 4]])
    memory = model.encode(SRC)
    expected = model.decode(tgt_ids, memory, SRC)
    cache = model.new_cache()
    with torch.no_grad():
        steps = [model.decode(tgt_ids[:, t : t + 1], memory, SRC, cache=cache) for t in range(6)]
    torch.testing.assert_close(torch.cat(steps, dim=1), expected, rtol=1e-10, atol=1e-10)
    cached, whole = (greedy(model, SRC, max_len=9, use_cache=use) for use in (True, False))
    assert torch.equal(cached.ids, whole.ids)
    assert beam(model, SRC, max_len=9, beam_width=3).ids.shape[0] == 2


@options
def test_neither_padding_nor_neighbours_make_a_difference(changes):
    model, tgt_ids = model_of(**changes), torch.tensor([[1, 7, 9], [1, 5, 5]])
    together = model(SRC, tgt_ids)
    alone = model(SRC[1:, :3], tgt_ids[1:])
    torch.testing.assert_close(together[1:], alone, rtol=1e-10, atol=1e-10)


@options
def test_every_option_changes_the_model(changes):
    tgt_ids = torch.tensor([[1, 7, 9, 8, 7], [1, 5, 5, 3, 9]])
    torch.manual_seed(3)
    plain = model_of(norm=changes.get("norm", "post"))
    torch.manual_seed(3)
    changed = model_of(**changes)
    with torch.no_grad():  # biases start at zero, where leaving them out would not show
        for model in (plain, changed):
            for name, parameter in model.named_parameters():
                if name.endswith("bias"):
                    parameter.add_(0.1)
    assert not torch.allclose(plain(SRC, tgt_ids), changed(SRC, tgt_ids))


@options
def test_it_trains_and_no_parameter_is_left_out(changes):
    model, tgt_ids = model_of(**changes).train(), torch.randint(3, 13, (2, 40))
    model(SRC, tgt_ids).square().sum().backward()
    unused = [name for name, p in model.named_parameters() if p.grad is None]
    assert unused == []


@options
def test_flops_are_those_that_pytorch_counts(changes):
    model = model_of(**changes)
    tgt_ids = torch.tensor([[1, 7, 9], [1, 5, 5]])
    with FlopCounterMode(display=False) as counter:
        model(SRC, tgt_ids, need_weights=True)  # it does not see into the fused kernel
    assert counter.get_total_flops() == model.flops(2, 7, 3)


def test_two_experts_need_a_router_too():
    with_two, with_three = (model_of(num_experts=n).flops(2, 7, 3) for n in (2, 3))
    tokens = 2 * 2 * (7 + 3)  # sentences, layers on a side, positions
    width = model_of().config.d_model
    assert with_three - with_two == 2 * tokens * width


@options
def test_a_file_keeps_every_choice(changes, tmp_path):
    model = Transformer(TransformerConfig.tiny(11, 13, **changes)).eval()
    vocabs = Vocab("abcdef"), Vocab("abcdefgh")
    ours = Trained(model, *vocabs, Words(), Words())
    ours.save(tmp_path / "model.safetensors", dtype=torch.float32)
    again = Trained.load(tmp_path / "model.safetensors").model
    assert again.config == model.config
    tgt_ids = torch.tensor([[1, 7, 9], [1, 5, 5]])
    assert torch.equal(again(SRC, tgt_ids), model(SRC, tgt_ids))


def test_pages_are_told_of_every_option_that_2017_had_not():
    of_2017 = ["src_vocab_size", "tgt_vocab_size", "d_model", "num_heads", "num_encoder_layers"]
    of_2017 += [
        "num_decoder_layers",
        "d_ff",
        "dropout",
        "norm",
        "activation",
        "positions",
        "max_len",
        "tie",
    ]
    of_2017 += ["final_norm", "causal", "pad_id", "bos_id", "eos_id", "mask_id"]
    fields = {field.name for field in dataclasses.fields(TransformerConfig)}
    missing = fields - {*of_2017, *SINCE_2017}
    assert not missing, f"SINCE_2017 in model/config.py must name {missing}"


def test_a_configuration_from_before_means_what_it_meant():
    config = TransformerConfig.tiny(11, 13)
    fields = {
        name: value
        for name, value in json.loads(json.dumps(dataclasses.asdict(config))).items()
        if name not in SINCE_2017
    }
    assert TransformerConfig(**fields) == config
    assert config.since_2017() == {}
    for path in ASSETS.glob("*.safetensors"):
        assert b'"norm_kind"' not in path.read_bytes()[:20000]  # and yet they load, test_trained.py


def test_defaults_draw_the_same_weights_in_the_same_order():
    names = [name for name, _ in Transformer(TransformerConfig.tiny(11, 13)).named_parameters()]
    layer = [name for name in names if name.startswith("encoder.layers.0.")]
    assert [name.removeprefix("encoder.layers.0.") for name in layer] == [
        *(f"self_attention.w_{w}.{kind}" for w in "qkvo" for kind in ("weight", "bias")),
        *(f"self_attention_sublayer.norm.{kind}" for kind in ("weight", "bias")),
        *(f"feed_forward.w_{w}.{kind}" for w in "12" for kind in ("weight", "bias")),
        *(f"feed_forward_sublayer.norm.{kind}" for kind in ("weight", "bias")),
    ]


@options
@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_every_option_reaches_every_layer(changes, stack):
    model = model_of(**{"dropout": 0.5, "norm": "post", **changes})
    config, layers = model.config, getattr(model, stack).layers
    assert len(layers) == 2
    for layer in layers:
        attentions = [m for m in layer.modules() if isinstance(m, MultiHeadAttention)]
        assert len(attentions) == (1 if stack == "encoder" else 2)
        for attention in attentions:
            assert attention.num_kv_heads == (config.num_kv_heads or config.num_heads)
            is_own = attention is layer.self_attention
            assert (attention.positions is not None) == (is_own and config.positions == "rotary")
        sublayers = [m for m in layer.modules() if isinstance(m, Sublayer)]
        assert len(sublayers) == (2 if stack == "encoder" else 3)
        for sublayer in sublayers:
            assert sublayer.dropout == 0.5
            assert sublayer.pre_norm == (config.norm == "pre")
            assert isinstance(sublayer.norm, {"layer": LayerNorm, "rms": RMSNorm}[config.norm_kind])
        linears = [m for m in layer.modules() if isinstance(m, nn.Linear)]
        routers = [m.router for m in layer.modules() if isinstance(m, MixtureOfExperts)]
        assert len(routers) == (config.num_experts > 1)
        assert {m.bias is not None for m in linears if m not in routers} == {config.bias}
        network = layer.feed_forward
        if config.num_experts > 1:
            assert network.experts_per_token == config.experts_per_token
            assert len(network.experts) == config.num_experts
        for one in network.experts if config.num_experts > 1 else [network]:
            assert isinstance(
                one, GatedFeedForward if config.activation == "swiglu" else FeedForward
            )
            assert one.activation == config.activation


# Norm and bias ------------------------------------------------------------------------------


def test_the_norm_kind_reaches_every_norm():
    for kind, wanted in (("layer", LayerNorm), ("rms", RMSNorm)):
        model = model_of(norm="pre", norm_kind=kind)
        norms = [m for m in model.modules() if isinstance(m, LayerNorm | RMSNorm)]
        assert {type(norm) for norm in norms} == {wanted}
        assert len(norms) == 2 * 2 + 2 * 3 + 2


def test_without_bias_there_is_none():
    names = [name for name, _ in model_of(bias=False, norm_kind="rms").named_parameters()]
    assert not [name for name in names if "bias" in name]


# Grouped queries ----------------------------------------------------------------------------


def test_grouped_queries_equal_full_heads_whose_keys_and_values_are_repeated():
    x = torch.randn(2, 5, 24, dtype=torch.float64)
    grouped = MultiHeadAttention(24, 6, num_kv_heads=2).double()
    full = MultiHeadAttention(24, 6).double()
    full.load_state_dict(
        {
            name: value.view(2, 4, -1).repeat_interleave(3, 0).view(24, *value.shape[1:])
            if name[:3] in ("w_k", "w_v")
            else value
            for name, value in grouped.state_dict().items()
        }
    )
    for need_weights in (True, False):
        got = grouped(x, x, x, causal_mask(5), need_weights=need_weights)
        expected = full(x, x, x, causal_mask(5), need_weights=need_weights)
        torch.testing.assert_close(got, expected, rtol=1e-10, atol=1e-10)


def test_heads_are_repeated_side_by_side():
    x = torch.arange(2.0).view(1, 2, 1, 1)
    assert repeat_heads(x, 6).flatten().tolist() == [0, 0, 0, 1, 1, 1]
    assert repeat_heads(x, 2) is x


@pytest.mark.parametrize("num_kv_heads", [None, 4, 2, 1])
def test_cache_bytes_are_those_that_the_cache_holds(num_kv_heads):
    config = TransformerConfig.tiny(11, 13, num_kv_heads=num_kv_heads)
    model = Transformer(config).eval()
    cache, memory = model.new_cache(), model.encode(SRC)
    for ids in torch.randint(3, 13, (5, 2, 1)):
        model.decode(ids, memory, SRC, cache=cache)
    held = [t for c in cache.layers for t in (c.self_attention.k, c.self_attention.v, *c.memory)]
    assert sum(t.nbytes for t in held) == cache_bytes(config, 2, 7, 5)


def test_cache_bytes_shrink_as_heads_do_and_a_window_bounds_them():
    def needed(length, **changes):
        return cache_bytes(TransformerConfig.base(37, 37, **changes), 1, 10, length)

    assert needed(100) == 8 * needed(100, num_kv_heads=1)
    assert needed(500, window=50) == needed(50) == needed(50, window=50)
    assert needed(100) == 2 * cache_bytes(TransformerConfig.base(37, 37), 1, 10, 100, number=2)


# Windows ------------------------------------------------------------------------------------


def test_window_by_hand():
    assert sliding_window(4, 2).int().tolist() == [
        [1, 1, 0, 0],
        [1, 1, 1, 0],
        [0, 1, 1, 1],
        [0, 0, 1, 1],
    ]
    assert torch.equal(sliding_window(3, 1), torch.eye(3, dtype=torch.bool))
    assert sliding_window(5, 5).all()


def test_the_masks_of_a_model_are_the_window_and_no_wider():
    model, tgt_ids = model_of(window=2), torch.randint(3, 13, (2, 6))
    _, weights = model(SRC, tgt_ids, need_weights=True)
    ahead = combine(sliding_window(6, 2), causal_mask(6))
    assert all(torch.equal(w > 0, ahead.expand_as(w)) for w in weights.decoder)
    assert all(torch.equal(w[0] > 0, sliding_window(7, 2).expand(4, 7, 7)) for w in weights.encoder)
    assert all((w[0] > 0).all() for w in weights.cross)  # the source is seen whole


def test_a_window_as_wide_as_the_sentence_is_none():
    torch.manual_seed(3)
    wide = model_of(window=9)
    torch.manual_seed(3)
    tgt_ids = torch.tensor([[1, 7, 9], [1, 5, 5]])
    assert torch.equal(wide(SRC, tgt_ids), model_of()(SRC, tgt_ids))


# Refused ------------------------------------------------------------------------------------

BAD = {
    "an unknown norm": (
        lambda: TransformerConfig.tiny(11, 13, norm_kind="batch"),
        "norm_kind must be 'layer' or 'rms'; got 'batch'",
    ),
    "neither bias nor not": (
        lambda: TransformerConfig.tiny(11, 13, bias=1),
        "bias must be False or True; got 1",
    ),
    "three heads for four": (
        lambda: TransformerConfig.tiny(11, 13, num_kv_heads=3),
        "num_kv_heads must divide num_heads = 4 without remainder; got 3",
    ),
    "no heads": (
        lambda: MultiHeadAttention(8, 4, num_kv_heads=0),
        "num_kv_heads must be a positive integer; got 0",
    ),
    "no window": (
        lambda: TransformerConfig.tiny(11, 13, window=0),
        "window must be a positive integer; got 0",
    ),
    "heads of an odd width": (
        lambda: TransformerConfig.tiny(11, 13, d_model=12, positions="rotary"),
        "Dk, the width of a head, must be even for rotary positions; got 3",
    ),
    "two experts of one": (
        lambda: TransformerConfig.tiny(11, 13, experts_per_token=2),
        "experts_per_token must be an integer in [1, num_experts = 1]; got 2",
    ),
    "a training step that is not counted": (
        lambda: training_bytes(
            TransformerConfig.tiny(11, 13, norm_kind="rms"), 1, 2, 3, num_parameters=4
        ),
        "config must have nothing that came after 2017; got {'norm_kind': 'rms'}",
    ),
    "torch.nn knows no rotary positions": (
        lambda: from_torch(
            MultiHeadAttention(8, 2, rotary=True), torch.nn.MultiheadAttention(8, 2)
        ),
        "ours must have as many heads of keys as of queries, and not be rotary",
    ),
    "nn.Transformer is that of 2017": (
        lambda: from_torch(
            Transformer(TransformerConfig.tiny(11, 13, norm_kind="rms")),
            torch.nn.Transformer(64, 4, 2, 2, 256, batch_first=True),
        ),
        "ours must have nothing that came after 2017; got {'norm_kind': 'rms'}",
    ),
}


@pytest.mark.parametrize(("call", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_refused(refuses, call, message):
    refuses(call, message)


def test_a_page_refuses_what_its_javascript_does_not_know(refuses):
    class Bundle:
        model = Transformer(TransformerConfig.tiny(11, 13, positions="rotary"))

    message = "model must be of the paper's kind to run in a page; got {'positions': 'rotary'}"
    refuses(lambda: check_fits(Bundle), message)
