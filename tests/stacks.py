"""Encoders and decoders for tests: built as a model's own are, with any options of its config."""

from attnsteps.model import build
from attnsteps.model.config import TransformerConfig
from attnsteps.model.decoder import Decoder
from attnsteps.model.encoder import Encoder


def encoder(num_layers: int, d_model: int, num_heads: int, d_ff: int, **options) -> Encoder:
    """Build an encoder."""
    return build.encoder(sizes(num_layers, d_model, num_heads, d_ff, **options))


def decoder(num_layers: int, d_model: int, num_heads: int, d_ff: int, **options) -> Decoder:
    """Build a decoder."""
    return build.decoder(sizes(num_layers, d_model, num_heads, d_ff, **options))


def sizes(num_layers: int, d_model: int, num_heads: int, d_ff: int, **options) -> TransformerConfig:
    """Return a configuration whose stacks have these sizes, and no dropout unless asked for."""
    return TransformerConfig(
        src_vocab_size=3,
        tgt_vocab_size=3,
        d_model=d_model,
        num_heads=num_heads,
        d_ff=d_ff,
        num_encoder_layers=num_layers,
        num_decoder_layers=num_layers,
        **{"dropout": 0.0, **options},
    )
