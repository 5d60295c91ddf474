"""Weights from and to torch.nn: there and back unchanged, and nothing copied where it would lie."""

import copy

import pytest
import torch
from torch import nn

from attnsteps.layers.layer_norm import LayerNorm
from attnsteps.layers.multi_head import MultiHeadAttention
from attnsteps.model.config import TransformerConfig
from attnsteps.model.interop import from_torch, to_torch
from attnsteps.model.transformer import Transformer

# Every size is another prime (but D, which is H·Dk), so that swapped axes cannot pass.
B, T, S, H, Dk, Dff, V_SRC, V = 2, 5, 7, 3, 4, 17, 11, 13
D = H * Dk

pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")


def assert_all_close(got, expected, tolerance=1e-10):
    torch.testing.assert_close(got, expected, rtol=tolerance, atol=tolerance)


def randomised(module):
    """Give every parameter another value, so that none can be forgotten."""
    for parameter in module.parameters():
        nn.init.normal_(parameter)
    return module


def our_transformer(**changes):
    sizes = {"d_model": D, "num_heads": H, "d_ff": Dff, "num_decoder_layers": 3}
    config = TransformerConfig.tiny(V_SRC, V, **{**sizes, "final_norm": True, **changes})
    return randomised(Transformer(config)).eval()


def their_transformer(**changes):
    sizes = {"d_model": D, "nhead": H, "dim_feedforward": Dff}
    layers = {"num_encoder_layers": 2, "num_decoder_layers": 3}
    settings = {**sizes, **layers, "dropout": 0.0, "batch_first": True, **changes}
    return randomised(nn.Transformer(**settings)).eval()


PAIRS = {
    "LayerNorm": lambda: (randomised(LayerNorm(D)), randomised(nn.LayerNorm(D))),
    "MultiHeadAttention": lambda: (
        randomised(MultiHeadAttention(D, H)),
        randomised(nn.MultiheadAttention(D, H, batch_first=True)),
    ),
    "MultiHeadAttention, no bias": lambda: (
        randomised(MultiHeadAttention(D, H, bias=False)),
        randomised(nn.MultiheadAttention(D, H, bias=False, batch_first=True)),
    ),
    "Transformer, post": lambda: (our_transformer(), their_transformer()),
    "Transformer, pre": lambda: (our_transformer(norm="pre"), their_transformer(norm_first=True)),
    "Transformer, gelu": lambda: (
        our_transformer(activation="gelu"),
        their_transformer(activation="gelu"),
    ),
    "an activation that is a module": lambda: (
        our_transformer(),
        their_transformer(activation=nn.ReLU()),
    ),
}
pairs = pytest.mark.parametrize("make", PAIRS.values(), ids=PAIRS.keys())


def results(ours, theirs):
    """Return what both compute from the same input."""
    x, memory = torch.randn(B, T, D), torch.randn(B, S, D)
    if isinstance(ours, LayerNorm):
        return ours(x), theirs(x)
    if isinstance(ours, MultiHeadAttention):
        return ours(x, memory, memory)[0], theirs(x, memory, memory)[0]
    output, *_ = ours.decoder(x, ours.encoder(memory)[0])
    return output, theirs(memory, x)


@pairs
def test_from_torch_gives_ours_their_output(make):
    ours, theirs = make()
    before = copy.deepcopy(theirs.state_dict())
    assert not torch.allclose(*results(ours, theirs))
    from_torch(ours, theirs)
    assert_all_close(*results(ours, theirs), 1e-5)
    assert all(torch.equal(tensor, before[name]) for name, tensor in theirs.state_dict().items())


@pairs
def test_to_torch_gives_theirs_our_output(make):
    ours, theirs = make()
    before = copy.deepcopy(ours.state_dict())
    to_torch(ours, theirs)
    assert_all_close(*results(ours, theirs), 1e-5)
    assert all(torch.equal(tensor, before[name]) for name, tensor in ours.state_dict().items())


@pairs
def test_there_and_back_every_weight_is_the_same(make):
    ours, theirs = make()
    other, _ = make()
    to_torch(ours, theirs)
    from_torch(other, theirs)
    for (name, parameter), (_, original) in zip(
        other.named_parameters(), ours.named_parameters(), strict=True
    ):
        outside = name.startswith(("src_", "tgt_", "projection"))
        assert torch.equal(parameter, original) != outside, name


def test_copies_share_no_memory_and_keep_dtype():
    ours, theirs = LayerNorm(D).double(), randomised(nn.LayerNorm(D))
    from_torch(ours, theirs)
    assert ours.weight.dtype == torch.float64
    assert torch.equal(ours.weight, theirs.weight.double())
    with torch.no_grad():
        theirs.weight.zero_()
    assert ours.weight.all()


def test_the_papers_post_norm_goes_into_a_transformer_without_final_norms():
    ours, theirs = our_transformer(final_norm=False), their_transformer()
    theirs.encoder.norm = theirs.decoder.norm = None
    to_torch(ours, theirs)
    assert_all_close(*results(ours, theirs), 1e-5)


def with_part(name, value):
    """Make their Transformer, with one attribute of one of its parts changed."""
    theirs = their_transformer()
    part, _, attribute = name.rpartition(".")
    setattr(theirs.get_submodule(part), attribute, value)
    return theirs


BAD = {
    "no counterpart": (
        lambda: (nn.Linear(D, D), nn.Linear(D, D)),
        "ours must be one of LayerNorm, MultiHeadAttention, Transformer; got Linear",
    ),
    "the other order": (
        lambda: (nn.LayerNorm(D), LayerNorm(D)),
        "ours must be one of LayerNorm, MultiHeadAttention, Transformer; got LayerNorm",
    ),
    "another kind": (
        lambda: (LayerNorm(D), nn.RMSNorm(D)),
        "theirs must be nn.LayerNorm, as ours is LayerNorm; got RMSNorm",
    ),
    "a part for the whole": (
        lambda: (our_transformer(), their_transformer().encoder),
        "theirs must be nn.Transformer, as ours is Transformer; got TransformerEncoder",
    ),
    "another width": (
        lambda: (LayerNorm(D), nn.LayerNorm(7)),
        "weight must have the shape of its counterpart, (7,); got (12,)",
    ),
    "another epsilon": (
        lambda: (LayerNorm(D), nn.LayerNorm(D, eps=1e-6)),
        "theirs must have eps = 1e-05; got 1e-06",
    ),
    "a norm without parameters": (
        lambda: (LayerNorm(D), nn.LayerNorm(D, elementwise_affine=False)),
        "both must have the same parameters; got 'bias' in ours only",
    ),
    "other heads": (
        lambda: (MultiHeadAttention(D, H), nn.MultiheadAttention(D, 2)),
        "theirs must have 3 heads; got 2",
    ),
    "no biases": (
        lambda: (MultiHeadAttention(D, H), nn.MultiheadAttention(D, H, bias=False)),
        "both must have the same parameters; got 'out_proj.bias' in ours only",
    ),
    "biases of its own keys": (
        lambda: (MultiHeadAttention(D, H), nn.MultiheadAttention(D, H, add_bias_kv=True)),
        "theirs must add no key of its own (add_bias_kv, add_zero_attn)",
    ),
    "a key of zeros": (
        lambda: (MultiHeadAttention(D, H), nn.MultiheadAttention(D, H, add_zero_attn=True)),
        "theirs must add no key of its own (add_bias_kv, add_zero_attn)",
    ),
    "keys of another width": (
        lambda: (MultiHeadAttention(D, H), nn.MultiheadAttention(D, H, kdim=7)),
        "both must have the same parameters; got 'k_proj_weight' in theirs only",
    ),
    "final norms that the paper does not have": (
        lambda: (our_transformer(final_norm=False), their_transformer()),
        "both must have the same parameters; got 'decoder.norm.bias' in theirs only",
    ),
    "norms elsewhere": (
        lambda: (our_transformer(), their_transformer(norm_first=True)),
        "theirs must have norm_first = False; got True",
    ),
    "another activation": (
        lambda: (our_transformer(), their_transformer(activation="gelu")),
        "theirs must have the activation 'relu'; got 'gelu'",
    ),
    "a gate": (
        lambda: (our_transformer(activation="swiglu"), their_transformer()),
        "theirs must have the activation 'swiglu'; got 'relu'",
    ),
    "heads of another number inside": (
        lambda: (our_transformer(), their_transformer(nhead=2)),
        "theirs must have 3 heads; got 2",
    ),
    "an epsilon of another size inside": (
        lambda: (our_transformer(), their_transformer(layer_norm_eps=1e-6)),
        "theirs must have eps = 1e-05; got 1e-06",
    ),
    "heads of another number in the cross-attention": (
        lambda: (our_transformer(), with_part("decoder.layers.0.multihead_attn.num_heads", 2)),
        "theirs must have 3 heads; got 2",
    ),
    "another epsilon in the last norm of a layer": (
        lambda: (our_transformer(), with_part("decoder.layers.1.norm3.eps", 0.1)),
        "theirs must have eps = 1e-05; got 0.1",
    ),
    "another epsilon at the end": (
        lambda: (our_transformer(final_norm=True), with_part("encoder.norm.eps", 0.1)),
        "theirs must have eps = 1e-05; got 0.1",
    ),
    "nearly the same activation": (
        lambda: (
            our_transformer(activation="gelu"),
            their_transformer(activation=nn.GELU(approximate="tanh")),
        ),
        "theirs must have the activation 'gelu'; got 'gelu, tanh'",
    ),
    "more layers": (
        lambda: (our_transformer(), their_transformer(num_decoder_layers=4)),
        "both must have the same parameters; got 'decoder.layers.3.linear1.bias' in theirs only",
    ),
    "a wider feed-forward network": (
        lambda: (our_transformer(), their_transformer(dim_feedforward=19)),
        "encoder.layers.0.feed_forward.w_1.weight must have the shape of its counterpart,"
        " (19, 12); got (17, 12)",
    ),
}


@pytest.mark.parametrize(("make", "message"), BAD.values(), ids=BAD.keys())
@pytest.mark.parametrize("copy_weights", [from_torch, to_torch])
def test_what_does_not_fit_is_refused_and_nothing_is_copied(refuses, copy_weights, make, message):
    modules = make()
    before = copy.deepcopy([module.state_dict() for module in modules])
    refuses(lambda: copy_weights(*modules), message)
    for module, state in zip(modules, before, strict=True):
        assert all(torch.equal(tensor, state[name]) for name, tensor in module.state_dict().items())
