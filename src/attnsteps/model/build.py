"""Encoder and decoder from a configuration: the one place where its options become parts."""

from functools import partial

from torch import nn

from attnsteps.layers.feed_forward import FeedForward, GatedFeedForward
from attnsteps.layers.layer_norm import LayerNorm
from attnsteps.layers.mixture import MixtureOfExperts
from attnsteps.layers.multi_head import MultiHeadAttention
from attnsteps.layers.rms_norm import RMSNorm
from attnsteps.layers.sublayer import Sublayer
from attnsteps.model.config import TransformerConfig
from attnsteps.model.decoder import Decoder, DecoderLayer
from attnsteps.model.encoder import Encoder, EncoderLayer

NORMS = {"layer": LayerNorm, "rms": RMSNorm}


def encoder(config: TransformerConfig) -> Encoder:
    """Build the stack that reads the source.

    Example:
        >>> len(encoder(TransformerConfig.tiny(src_vocab_size=11, tgt_vocab_size=13)).layers)
        2
    """
    return Encoder(
        config.num_encoder_layers,
        lambda: EncoderLayer(self_attention(config), feed_forward(config), sublayer(config)),
        final_norm(config),
    )


def decoder(config: TransformerConfig) -> Decoder:
    """Build the stack that reads the target and the memory."""
    return Decoder(
        config.num_decoder_layers,
        lambda: DecoderLayer(
            self_attention(config),
            cross_attention(config),
            feed_forward(config),
            sublayer(config),
        ),
        final_norm(config),
    )


def self_attention(config: TransformerConfig) -> MultiHeadAttention:
    """Build an attention between the positions of one sentence."""
    return cross_attention(config, rotary=config.positions == "rotary")


def cross_attention(config: TransformerConfig, *, rotary: bool = False) -> MultiHeadAttention:
    """Build an attention from one sentence to another, whose positions say nothing about it."""
    return MultiHeadAttention(
        config.d_model,
        config.num_heads,
        bias=config.bias,
        num_kv_heads=config.num_kv_heads,
        rotary=rotary,
    )


def feed_forward(config: TransformerConfig) -> nn.Module:
    """Build a layer's network: one for all positions, or a mixture of several."""
    if config.activation == "swiglu":
        network = partial(GatedFeedForward, config.d_model, config.d_ff, bias=config.bias)
    else:
        network = partial(
            FeedForward,
            config.d_model,
            config.d_ff,
            activation=config.activation,
            bias=config.bias,
        )
    if config.num_experts == 1:
        return network()
    return MixtureOfExperts(
        config.d_model, config.num_experts, network, experts_per_token=config.experts_per_token
    )


def sublayer(config: TransformerConfig) -> partial[Sublayer]:
    """Return what makes the wrapping of each of a layer's parts."""
    return partial(
        Sublayer,
        config.d_model,
        dropout=config.dropout,
        pre_norm=config.norm == "pre",
        norm=NORMS[config.norm_kind],
    )


def final_norm(config: TransformerConfig) -> nn.Module | None:
    """Build the norm at a stack's end, which every pre-norm stack needs."""
    has_norm = config.norm == "pre" or config.final_norm
    return NORMS[config.norm_kind](config.d_model) if has_norm else None
