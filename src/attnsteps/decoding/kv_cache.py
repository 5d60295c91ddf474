"""The decoder, one position at a time: keys and values are projected once and then remembered."""

from collections.abc import Callable
from functools import partial

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import embedding, linear
from torch.nn.functional import scaled_dot_product_attention as fused_attention

from attnsteps.layers.embedding import TokenEmbedding
from attnsteps.layers.feed_forward import ACTIVATIONS, FeedForward
from attnsteps.layers.heads import split_heads
from attnsteps.layers.layer_norm import LayerNorm
from attnsteps.layers.multi_head import MultiHeadAttention
from attnsteps.layers.sublayer import Sublayer
from attnsteps.model.decoder import Decoder, DecoderLayer
from attnsteps.model.transformer import Transformer

KNOWN = {Decoder, DecoderLayer, MultiHeadAttention, FeedForward, LayerNorm, Sublayer}
KNOWN |= {TokenEmbedding, nn.Dropout, nn.Linear, nn.Identity, nn.ModuleList}


def is_plain(model: Transformer) -> bool:
    """Tell whether the decoder does what its classes say, and nothing else.

    Args:
        model: the model.

    Returns:
        False if decode was overridden, or if one of the decoder's modules was exchanged for another
        kind or carries a hook (an ablation, a probe, an adapter): then the modules have to be
        called, and CachedDecoder would not call them.
    """
    parts = (model.tgt_embedding, model.dropout, model.decoder)
    is_own = getattr(type(model), "decode", None) is Transformer.decode
    return (
        is_own
        and "decode" not in vars(model)
        and all(
            type(module) in KNOWN
            and "forward" not in vars(module)
            and not (module._forward_hooks or module._forward_pre_hooks)
            for part in parts
            for module in part.modules()
        )
    )


class CachedDecoder:
    """What the model's decoder computes for one new token, with as few operations as possible.

    Formula, for the token y at position t::

        kv ← [kv; x W_k, x W_v],  x = embedding(y) + position(t)
        logits = decode([… y])[t]

    Source: Shazeer 2019, section 2.4. Transformer.decode with a cache gives the same and is how to
    read it; a test holds both equal. For a small model the time goes into the number of
    operations, so that here the queries, keys and values of a token are one product, no mask is
    built (one new token may see all before it), inputs are not checked again, and the beams of a
    sentence share its memory, as if they were so many queries.

    Args:
        model: a causal model, in evaluation mode, for which is_plain holds.
        memory: the encoder's output, (B, S, D).
        memory_mask: which of it is not padding, (B, 1, 1, S); None: all.
        max_len: how many tokens may come.
        beam_width: W; each sentence has that many rows, R = B·W, side by side.
    """

    def __init__(
        self,
        model: Transformer,
        memory: Float[Tensor, "B S D"],
        memory_mask: Bool[Tensor, "B 1 1 S"] | None,
        *,
        max_len: int,
        beam_width: int = 1,
    ) -> None:
        self.weight, self.factor = model.tgt_embedding.weight, model.tgt_embedding.factor
        self.get_positions, self.max_len = model.tgt_positions, max_len
        self.positions = model.tgt_positions(min(max_len, 64))
        self.layers = [
            _CachedLayer(layer, memory, memory_mask, beam_width) for layer in model.decoder.layers
        ]
        self.final_norm, self.projection = model.decoder.final_norm, model.projection
        self.length = 0

    def step(self, ids: Int[Tensor, "R"]) -> Float[Tensor, "R V"]:
        """Take in one token per row, (R,), and return the logits of the next one, (R, V)."""
        if self.length == len(self.positions):
            self.positions = self.get_positions(min(2 * self.length, self.max_len))
        x = embedding(ids, self.weight) * self.factor + self.positions[self.length]
        for layer in self.layers:
            x = layer(x)
        self.length += 1
        return self.projection(self.final_norm(x))

    def index_select(self, rows: Int[Tensor, "R"]) -> None:
        """Let each row go on from another one, which must belong to the same sentence."""
        for layer in self.layers:
            layer.kv = layer.kv.index_select(1, rows)


class _CachedLayer:
    """One decoder layer: its weights, its memory's keys and values, and those of all tokens."""

    def __init__(
        self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor | None, beam_width: int
    ) -> None:
        own, cross, network = layer.self_attention, layer.cross_attention, layer.feed_forward
        self.num_heads = own.num_heads
        self.qkv = partial(linear, weight=_packed(own, "weight"), bias=_packed(own, "bias"))
        self.own_out, self.cross_q, self.cross_out = map(_bare, (own.w_o, cross.w_q, cross.w_o))
        self.memory_k = split_heads(cross.w_k(memory), self.num_heads)
        self.memory_v = split_heads(cross.w_v(memory), self.num_heads)
        self.memory_mask, self.beam_width = memory_mask, beam_width
        self.w_1, self.w_2 = _bare(network.w_1), _bare(network.w_2)
        self.w_3 = None if network.w_3 is None else _bare(network.w_3)
        self.activation = ACTIVATIONS[network.activation]

        batch_size, _, _, d_k = self.memory_k.shape
        rows, places = batch_size * beam_width, 16  # doubled whenever they are full
        self.kv = self.memory_k.new_empty(2, rows, self.num_heads, places, d_k)
        self.length = 0

        self.pre_norm = layer.feed_forward_sublayer.pre_norm
        self.sublayers = [
            (self._attend_to_own, _bare_norm(layer.self_attention_sublayer.norm)),
            (self._attend_to_memory, _bare_norm(layer.cross_attention_sublayer.norm)),
            (self._feed_forward, _bare_norm(layer.feed_forward_sublayer.norm)),
        ]

    def __call__(self, x: Float[Tensor, "R D"]) -> Float[Tensor, "R D"]:
        for function, norm in self.sublayers:
            x = x + function(norm(x)) if self.pre_norm else norm(x + function(x))
        return x

    def _attend_to_own(self, x: Float[Tensor, "R D"]) -> Float[Tensor, "R D"]:
        """Add the new token's key and value to the cache, and attend to all that are in it."""
        if self.length == self.kv.shape[3]:
            self.kv = torch.cat([self.kv, torch.empty_like(self.kv)], dim=3)
        qkv = self.qkv(x).view(len(x), 3, self.num_heads, -1)
        self.kv[:, :, :, self.length] = qkv[:, 1:].transpose(0, 1)
        self.length += 1
        k, v = self.kv[:, :, :, : self.length].unbind(0)
        context = fused_attention(qkv[:, 0].unsqueeze(2), k, v)  # (R, H, 1, Dk)
        return self.own_out(context.reshape(x.shape))

    def _attend_to_memory(self, x: Float[Tensor, "R D"]) -> Float[Tensor, "R D"]:
        """Attend to the source; its keys and values were projected before the first token."""
        queries = self.cross_q(x).unflatten(0, (-1, self.beam_width))  # (B, W, D)
        q = split_heads(queries, self.num_heads)
        context = fused_attention(q, self.memory_k, self.memory_v, self.memory_mask)
        return self.cross_out(context.transpose(1, 2).reshape(x.shape))

    def _feed_forward(self, x: Float[Tensor, "R D"]) -> Float[Tensor, "R D"]:
        """Apply the feed-forward network."""
        hidden = self.activation(self.w_1(x))
        return self.w_2(hidden if self.w_3 is None else hidden * self.w_3(x))


def _packed(attention: MultiHeadAttention, name: str) -> Tensor | None:
    """Put the three projections' weights, or their biases if they have some, into one."""
    parts = [getattr(each, name) for each in (attention.w_q, attention.w_k, attention.w_v)]
    return None if parts[0] is None else torch.cat(parts)


def _bare(module: nn.Linear) -> Callable[[Tensor], Tensor]:
    """Return what a linear layer computes, without the module around it."""
    return partial(linear, weight=module.weight, bias=module.bias)


def _bare_norm(module: LayerNorm) -> Callable[[Tensor], Tensor]:
    """Return what a LayerNorm computes, without the module around it."""
    settings = {"weight": module.weight, "bias": module.bias, "eps": module.eps}
    return partial(torch.layer_norm, normalized_shape=module.weight.shape, **settings)
