"""Weights from and to torch.nn: what was trained in one runs in the other."""

import torch
from torch import Tensor, nn

from attnsteps.layers.layer_norm import LayerNorm
from attnsteps.layers.multi_head import MultiHeadAttention
from attnsteps.model.transformer import Transformer

_COUNTERPARTS = {
    LayerNorm: nn.LayerNorm,
    MultiHeadAttention: nn.MultiheadAttention,
    Transformer: nn.Transformer,
}

# Theirs for each of ours, as pieces of a parameter's name; encoder and decoder count their norms
# differently. In torch, w_q, w_k and w_v are the three thirds of one matrix.
_PIECES = {
    "self_attention": "self_attn",
    "cross_attention": "multihead_attn",
    "feed_forward.w_": "linear",
    "w_o": "out_proj",
    "final_norm": "norm",
}
_NORMS = {
    "encoder": {"self_attention_sublayer": "norm1", "feed_forward_sublayer": "norm2"},
    "decoder": {
        "self_attention_sublayer": "norm1",
        "cross_attention_sublayer": "norm2",
        "feed_forward_sublayer": "norm3",
    },
}
_THIRDS = {"w_q": 0, "w_k": 1, "w_v": 2}


def from_torch(ours: nn.Module, theirs: nn.Module) -> None:
    """Copy the weights of a module of torch.nn into its counterpart in this package.

    Two things that torch.nn.Transformer does differently: it has neither embeddings nor an output
    projection, so those of ours stay as they are; and it normalises the output of both stacks once
    more, in post-norm too, where the paper does not, so ours needs ``final_norm=True`` (or theirs
    an encoder and a decoder with ``norm=None``). Where anything does not fit, nothing is copied.

    Args:
        ours: LayerNorm, MultiHeadAttention or Transformer; changed in place.
        theirs: nn.LayerNorm, nn.MultiheadAttention or nn.Transformer.

    Raises:
        ValueError: if they are no counterparts, or differ in what they compute or in a size.

    Example:
        >>> from_torch(LayerNorm(4), nn.LayerNorm(4))
    """
    with torch.no_grad():
        for our_tensor, their_tensor in _pairs(ours, theirs):
            our_tensor.copy_(their_tensor)


def to_torch(ours: nn.Module, theirs: nn.Module) -> None:
    """Copy weights of this package into a module of torch.nn, under the rules of from_torch.

    Args:
        ours: LayerNorm, MultiHeadAttention or Transformer.
        theirs: nn.LayerNorm, nn.MultiheadAttention or nn.Transformer; changed in place.

    Raises:
        ValueError: if they are no counterparts, or differ in what they compute or in a size.

    Example:
        >>> to_torch(MultiHeadAttention(6, 2), nn.MultiheadAttention(6, 2))
    """
    with torch.no_grad():
        for our_tensor, their_tensor in _pairs(ours, theirs):
            their_tensor.copy_(our_tensor)


def _pairs(ours: nn.Module, theirs: nn.Module) -> list[tuple[Tensor, Tensor]]:
    """Pair each of our parameters with its counterpart, or refuse before anything is copied."""
    needed = _COUNTERPARTS.get(type(ours))
    if needed is None:
        names = ", ".join(kind.__name__ for kind in _COUNTERPARTS)
        raise ValueError(f"ours must be one of {names}; got {type(ours).__name__}")
    if not isinstance(theirs, needed):
        raise ValueError(
            f"theirs must be nn.{needed.__name__}, as ours is {type(ours).__name__};"
            f" got {type(theirs).__name__}"
        )
    _check_same_computation(ours, theirs)
    our_tensors = {
        _their_name(name): (name, parameter)
        for name, parameter in ours.named_parameters()
        if not name.startswith(("src_", "tgt_", "projection."))
    }
    their_tensors = dict(_by_thirds(theirs))
    if our_tensors.keys() != their_tensors.keys():
        odd = min(our_tensors.keys() ^ their_tensors.keys())
        side = "theirs" if odd in their_tensors else "ours"
        raise ValueError(f"both must have the same parameters; got {odd!r} in {side} only")
    pairs = []
    for their_name, (name, tensor) in our_tensors.items():
        other = their_tensors[their_name]
        if other.shape != tensor.shape:
            raise ValueError(
                f"{name} must have the shape of its counterpart, {tuple(other.shape)};"
                f" got {tuple(tensor.shape)}"
            )
        pairs.append((tensor, other))
    return pairs


def _check_same_computation(ours: nn.Module, theirs: nn.Module) -> None:
    """Compare what no parameter shows: heads, norms, activation, ε."""
    if isinstance(ours, LayerNorm):
        if theirs.eps != ours.eps:
            raise ValueError(f"theirs must have eps = {ours.eps}; got {theirs.eps}")
    elif isinstance(ours, MultiHeadAttention):
        if theirs.num_heads != ours.num_heads:
            raise ValueError(f"theirs must have {ours.num_heads} heads; got {theirs.num_heads}")
        if theirs.bias_k is not None or theirs.add_zero_attn:
            raise ValueError("theirs must add no key of its own (add_bias_kv, add_zero_attn)")
        if ours.num_kv_heads != ours.num_heads or ours.positions is not None:
            raise ValueError(
                "ours must have as many heads of keys as of queries, and not be rotary"
            )
    elif changes := ours.config.since_2017():
        raise ValueError(f"ours must have nothing that came after 2017; got {changes}")
    else:
        layers = zip(ours.encoder.layers, theirs.encoder.layers, strict=False)
        others = zip(ours.decoder.layers, theirs.decoder.layers, strict=False)
        for our_layer, their_layer in (*layers, *others):
            _check_same_layer(our_layer, their_layer)
        for name in ("encoder", "decoder"):
            our_norm, their_norm = getattr(ours, name).final_norm, getattr(theirs, name).norm
            if isinstance(our_norm, LayerNorm) and isinstance(their_norm, nn.LayerNorm):
                _check_same_computation(our_norm, their_norm)


def _check_same_layer(ours: nn.Module, theirs: nn.Module) -> None:
    """Compare one layer of a stack with its counterpart."""
    _check_same_computation(ours.self_attention, theirs.self_attn)
    sublayers = [(ours.self_attention_sublayer, theirs.norm1)]
    if hasattr(ours, "cross_attention"):
        _check_same_computation(ours.cross_attention, theirs.multihead_attn)
        sublayers.append((ours.cross_attention_sublayer, theirs.norm2))
    last = theirs.norm3 if hasattr(ours, "cross_attention") else theirs.norm2
    for sublayer, norm in (*sublayers, (ours.feed_forward_sublayer, last)):
        _check_same_computation(sublayer.norm, norm)
        if theirs.norm_first != sublayer.pre_norm:
            raise ValueError(
                f"theirs must have norm_first = {sublayer.pre_norm}; got {theirs.norm_first}"
            )
    activation = getattr(theirs.activation, "__name__", type(theirs.activation).__name__).lower()
    if getattr(theirs.activation, "approximate", "none") != "none":
        activation = f"{activation}, {theirs.activation.approximate}"
    if activation != ours.feed_forward.activation:
        raise ValueError(
            f"theirs must have the activation {ours.feed_forward.activation!r}; got {activation!r}"
        )


def _their_name(name: str) -> str:
    """Translate a parameter's name, such as encoder.layers.0.self_attention.w_o.bias."""
    stack = name.partition(".")[0]
    for sublayer, norm in _NORMS.get(stack, {}).items():
        name = name.replace(f"{sublayer}.norm", norm)
    for our_piece, their_piece in _PIECES.items():
        name = name.replace(our_piece, their_piece)
    return name


def _by_thirds(theirs: nn.Module) -> list[tuple[str, Tensor]]:
    """List torch's parameters by name, in_proj cut into the three that it is made of."""
    found = []
    for name, parameter in theirs.named_parameters():
        prefix, cut, kind = name.rpartition("in_proj_")
        if not cut:
            found.append((name, parameter))
            continue
        parts = parameter.chunk(3)
        found += [(f"{prefix}{ours}.{kind}", parts[third]) for ours, third in _THIRDS.items()]
    return found
