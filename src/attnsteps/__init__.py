"""Attention, Step by Step: the package behind the book.

Data flows downwards, and so do imports: a stage may use those above it, never those below.

===================  ==================  ====================================================
Stage                Maps                Holds
===================  ==================  ====================================================
text                 str → ids           corpus, tokenizer, vocabulary, batches
layers               tensor → tensor     embedding, positional, attention, multi_head, masks, …
model                ids → logits        encoder, decoder, transformer
training             changes weights     loss, schedule, loop, checkpoint, evaluation
decoding             picks the next id   greedy, beam, cache, all at once
exercises            grades an answer    what the notebooks' coding exercises call
plotting             draws               style, heatmaps, curves
widgets              reacts to a hand    one Python class and one JavaScript module each
book                 explains            the chapters, outside the package
===================  ==================  ====================================================

``shapes`` stands above them all: the axis glossary and the checks behind every error message.
Plotting and widgets are imported by name, so that ``import attnsteps`` stays light.
"""

# ruff: noqa: I001, RUF022 - the order is that of the data, not of the alphabet
from attnsteps.layers.embedding import TokenEmbedding
from attnsteps.layers.positional import (
    LearnedPositions,
    SinusoidalPositions,
    sinusoidal_positions,
)
from attnsteps.layers.masks import causal_mask, combine, padding_mask
from attnsteps.layers.attention import masked_softmax, scaled_dot_product_attention
from attnsteps.layers.cache import DecoderCache, KeyValueCache
from attnsteps.layers.multi_head import MultiHeadAttention, merge_heads, split_heads
from attnsteps.layers.feed_forward import FeedForward
from attnsteps.layers.layer_norm import LayerNorm
from attnsteps.layers.rms_norm import RMSNorm
from attnsteps.layers.sublayer import Sublayer
from attnsteps.model.config import TransformerConfig
from attnsteps.model.encoder import Encoder, EncoderLayer
from attnsteps.model.decoder import Decoder, DecoderLayer
from attnsteps.model.transformer import AttentionWeights, Transformer
from attnsteps.model.flops import count_flops
from attnsteps.model.interop import from_torch, to_torch
from attnsteps.model.weights import load_model, load_weights, save_model
from attnsteps.decoding.result import Decoded
from attnsteps.decoding.greedy import greedy
from attnsteps.decoding.sample import sample
from attnsteps.decoding.beam import beam, length_penalty
from attnsteps.decoding.non_autoregressive import LengthPredictor, NonAutoregressive, mask_some
from attnsteps.decoding.mask_predict import all_at_once, mask_predict


__all__ = [
    "TokenEmbedding",
    "sinusoidal_positions",
    "SinusoidalPositions",
    "LearnedPositions",
    "causal_mask",
    "padding_mask",
    "combine",
    "masked_softmax",
    "scaled_dot_product_attention",
    "split_heads",
    "merge_heads",
    "KeyValueCache",
    "DecoderCache",
    "MultiHeadAttention",
    "FeedForward",
    "LayerNorm",
    "RMSNorm",
    "Sublayer",
    "TransformerConfig",
    "EncoderLayer",
    "Encoder",
    "DecoderLayer",
    "Decoder",
    "Transformer",
    "AttentionWeights",
    "count_flops",
    "from_torch",
    "to_torch",
    "save_model",
    "load_model",
    "load_weights",
    "Decoded",
    "greedy",
    "sample",
    "beam",
    "length_penalty",
    "LengthPredictor",
    "NonAutoregressive",
    "mask_some",
    "all_at_once",
    "mask_predict",
]
