"""Attention, Step by Step: the package behind the book.

Data flows downwards, and so do imports: a stage may use those above it, never those below.

===================  ==================  ====================================================
Stage                Maps                Holds
===================  ==================  ====================================================
corpora              → sentences         the generated language, real corpora
text                 str → ids           tokenizers, vocabulary, batches
layers               tensor → tensor     embedding, positional, attention, multi_head, masks, …
model                ids → logits        encoder, decoder, transformer
storage              ↔ files             tensors, models, checkpoints, compared first
decoding             picks the next id   greedy, beam, sample, all at once
training             changes weights     loss, schedule, run, loop
translator           text → text         a trained model with its tokenizers, and its searches
analysis             a finished model    scores, alignment, leaks, interventions, memory, speed
diagrams             draws               pieces, drawings, the map
plotting             draws               style, heatmaps, curves
figures              shows a chapter     its drawings, as functions of its tensors
exercises            grades an answer    what the notebooks' coding exercises call
widgets              reacts to a hand    one Python class and one JavaScript module each
cli                  reads a command     train, translate, evaluate
book                 explains            the chapters, outside the package
===================  ==================  ====================================================

``checks`` and ``shapes`` lie under them all: the axis glossary, and what every error message says.
Diagrams, plotting, figures and widgets are imported by name: ``import attnsteps`` stays light.
"""

# ruff: noqa: I001, RUF022 - the order is that of the data, not of the alphabet
from attnsteps.corpora.generated.corpus import Pair, Splits, generated, gloss
from attnsteps.corpora.images import codebook, digits, from_patches, to_codes, to_patches
from attnsteps.corpora.parallel import multi30k, tatoeba
from attnsteps.text.byte_pairs import BytePairs
from attnsteps.text.tokenizer import Characters, Subwords, Words
from attnsteps.text.vocab import Vocab
from attnsteps.text.batch import (
    Batch,
    batches,
    collate,
    encode_pairs,
    index_batches,
    padding_share,
)
from attnsteps.layers.embedding import TokenEmbedding
from attnsteps.layers.positional import (
    LearnedPositions,
    SinusoidalPositions,
    sinusoidal_positions,
)
from attnsteps.layers.rotary import rotate
from attnsteps.layers.masks import causal_mask, combine, padding_mask, sliding_window
from attnsteps.layers.prefix_mask import prefix_mask
from attnsteps.layers.softmax import masked_softmax
from attnsteps.layers.attention import scaled_dot_product_attention
from attnsteps.layers.tiled_attention import tiled_attention
from attnsteps.layers.cache import DecoderCache, KeyValueCache
from attnsteps.layers.heads import merge_heads, repeat_heads, split_heads
from attnsteps.layers.multi_head import MultiHeadAttention
from attnsteps.layers.feed_forward import FeedForward, GatedFeedForward
from attnsteps.layers.mixture import MixtureOfExperts, Routing, routings
from attnsteps.layers.layer_norm import LayerNorm
from attnsteps.layers.rms_norm import RMSNorm
from attnsteps.layers.sublayer import Sublayer
from attnsteps.model.config import TransformerConfig
from attnsteps.model.encoder import Encoder, EncoderLayer
from attnsteps.model.decoder import Decoder, DecoderLayer
from attnsteps.model.attention_weights import AttentionWeights
from attnsteps.model.transformer import Transformer
from attnsteps.model.language_model import LanguageModel
from attnsteps.model.flops import count_flops
from attnsteps.model.interop import from_torch, to_torch
from attnsteps.model.non_autoregressive import LengthPredictor, NonAutoregressive
from attnsteps.decoding.result import Decoded
from attnsteps.decoding.greedy import greedy
from attnsteps.decoding.sample import sample
from attnsteps.decoding.beam import beam, length_penalty
from attnsteps.decoding.mask_predict import all_at_once, mask_predict
from attnsteps.training.loss import (
    autoregressive_loss,
    cross_entropy,
    smoothed_targets,
    summed_cross_entropy,
)
from attnsteps.training.mixture import balanced_loss
from attnsteps.training.non_autoregressive import mask_predict_loss, mask_some, one_shot_loss
from attnsteps.training.schedule import linear_decay, paper_schedule
from attnsteps.training.config import TrainingConfig
from attnsteps.training.update import make_optimizer, update
from attnsteps.training.log import History, Record
from attnsteps.training.run import Run
from attnsteps.training.loop import train
from attnsteps.translator.search import Translation
from attnsteps.translator.trained import Trained, pretrained
from attnsteps.analysis.scores import (
    bleu,
    chrf,
    exact_match,
    length_accuracy,
    pronoun_accuracy,
    teacher_forced,
    teacher_forced_accuracy,
)
from attnsteps.analysis.alignment import (
    alignment_error_rate,
    attention_links,
    cross_attention_links,
)
from attnsteps.analysis.leaks import Leak, find_leaks, influence
from attnsteps.analysis.interventions import Knockout, knocked_out
from attnsteps.analysis.memory import cache_bytes


__all__ = [
    "Pair",
    "Splits",
    "generated",
    "gloss",
    "digits",
    "to_patches",
    "from_patches",
    "codebook",
    "to_codes",
    "multi30k",
    "tatoeba",
    "Words",
    "Characters",
    "BytePairs",
    "Subwords",
    "Vocab",
    "Batch",
    "encode_pairs",
    "collate",
    "index_batches",
    "batches",
    "padding_share",
    "TokenEmbedding",
    "sinusoidal_positions",
    "SinusoidalPositions",
    "LearnedPositions",
    "rotate",
    "causal_mask",
    "sliding_window",
    "padding_mask",
    "combine",
    "prefix_mask",
    "masked_softmax",
    "scaled_dot_product_attention",
    "tiled_attention",
    "split_heads",
    "repeat_heads",
    "merge_heads",
    "KeyValueCache",
    "DecoderCache",
    "MultiHeadAttention",
    "FeedForward",
    "GatedFeedForward",
    "MixtureOfExperts",
    "Routing",
    "routings",
    "LayerNorm",
    "RMSNorm",
    "Sublayer",
    "TransformerConfig",
    "EncoderLayer",
    "Encoder",
    "DecoderLayer",
    "Decoder",
    "Transformer",
    "LanguageModel",
    "AttentionWeights",
    "count_flops",
    "from_torch",
    "to_torch",
    "LengthPredictor",
    "NonAutoregressive",
    "Decoded",
    "greedy",
    "sample",
    "beam",
    "length_penalty",
    "all_at_once",
    "mask_predict",
    "smoothed_targets",
    "cross_entropy",
    "summed_cross_entropy",
    "autoregressive_loss",
    "balanced_loss",
    "mask_some",
    "one_shot_loss",
    "mask_predict_loss",
    "paper_schedule",
    "linear_decay",
    "TrainingConfig",
    "make_optimizer",
    "update",
    "Record",
    "History",
    "Run",
    "train",
    "Translation",
    "Trained",
    "pretrained",
    "exact_match",
    "bleu",
    "chrf",
    "length_accuracy",
    "pronoun_accuracy",
    "teacher_forced",
    "teacher_forced_accuracy",
    "attention_links",
    "alignment_error_rate",
    "cross_attention_links",
    "Leak",
    "find_leaks",
    "influence",
    "Knockout",
    "knocked_out",
    "cache_bytes",
]
