"""Race greedy decoding against `generate` of the transformers library, and write the book's table.

The other model is Marian's, an encoder and a decoder like ours, with the same sizes and the very
same weights, and with its own cache: before the race both must write the same words. It runs where
transformers is installed, which `make peers` does, and on otherwise idle cores::

    PYTHONPATH=src .peers/venv/bin/python -m bench.peers

The table is printed, and written to book/benchmarks/peers.md.
"""

import argparse
import importlib.metadata
import os
import statistics
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor
from transformers import MarianConfig, MarianMTModel
from transformers.utils import logging

from attnsteps import Transformer, TransformerConfig, greedy, sinusoidal_positions
from bench.measure import machine, race, ratio

PAGE = Path(__file__).resolve().parents[1] / "book" / "benchmarks" / "peers.md"
VOCAB = 1000
LENGTH = 32  # of the source
TOKENS = 64  # that are written
BATCHES = (1, 32)
SECONDS = {"tiny": 12, "base": 60}  # for each cell, the round that passes them included
PARTS = {
    "w_q": "q_proj",
    "w_k": "k_proj",
    "w_v": "v_proj",
    "w_o": "out_proj",
    "self_attention.": "self_attn.",
    "cross_attention.": "encoder_attn.",
    "self_attention_sublayer.norm": "self_attn_layer_norm",
    "cross_attention_sublayer.norm": "encoder_attn_layer_norm",
    "feed_forward_sublayer.norm": "final_layer_norm",
    "feed_forward.w_1": "fc1",
    "feed_forward.w_2": "fc2",
    "projection": "lm_head",
    "src_embedding": "model.encoder.embed_tokens",
    "tgt_embedding": "model.decoder.embed_tokens",
}


def contenders(size: str) -> tuple[Transformer, MarianMTModel]:
    """Make both models, with the same weights; neither ever ends a sentence."""
    torch.manual_seed(2017)
    c = getattr(TransformerConfig, size)(VOCAB, VOCAB, tie="none")
    ours = Transformer(c).eval()
    with torch.no_grad():
        ours.projection.weight[[c.pad_id, c.bos_id, c.eos_id]] = 0  # 0 is never the largest logit
    theirs = MarianMTModel(
        MarianConfig(
            vocab_size=VOCAB,
            d_model=c.d_model,
            encoder_layers=c.num_encoder_layers,
            decoder_layers=c.num_decoder_layers,
            encoder_attention_heads=c.num_heads,
            decoder_attention_heads=c.num_heads,
            encoder_ffn_dim=c.d_ff,
            decoder_ffn_dim=c.d_ff,
            max_position_embeddings=LENGTH + TOKENS,
            activation_function="relu",
            scale_embedding=True,
            share_encoder_decoder_embeddings=False,
            tie_word_embeddings=False,
            pad_token_id=c.pad_id,
            bos_token_id=c.bos_id,
            eos_token_id=c.eos_id,
            decoder_start_token_id=c.bos_id,
            forced_eos_token_id=None,
        )
    ).eval()
    copy_weights(ours, theirs)
    return ours, theirs


def copy_weights(ours: Transformer, theirs: MarianMTModel) -> None:
    """Copy every one of our parameters, and our sinusoids, whose columns are in another order."""
    tensors = {}
    for name, parameter in ours.named_parameters():
        for our_part, their_part in PARTS.items():
            name = name.replace(our_part, their_part)  # noqa: PLW2901 (part after part)
        tensors[name if name.startswith(("model.", "lm_head")) else f"model.{name}"] = parameter
    for stack in ("encoder", "decoder"):
        table = getattr(theirs.model, stack).embed_positions.weight
        tensors[f"model.{stack}.embed_positions.weight"] = sinusoidal_positions(*table.shape)
    left_out = {name for name, _ in theirs.named_parameters()} ^ tensors.keys()
    assert not left_out, left_out
    theirs.load_state_dict(tensors, strict=False)


def batch(batch_size: int) -> Tensor:
    """Draw sentences of different lengths, filled up with padding."""
    ids = torch.randint(3, VOCAB, (batch_size, LENGTH))
    for row in range(batch_size):
        ids[row, LENGTH - row % (LENGTH // 3) :] = 0
    return ids


def decoding(size: str, batch_size: int) -> dict[str, list[float]]:
    """Race greedy decoding, both with their caches."""
    ours, theirs = contenders(size)
    src_ids = batch(batch_size)
    mask = (src_ids != 0).long()

    def by_us(length: int = TOKENS) -> Tensor:
        return greedy(ours, src_ids, max_len=length).ids

    def by_them(length: int = TOKENS) -> Tensor:
        written = theirs.generate(
            src_ids, attention_mask=mask, max_new_tokens=length, do_sample=False, num_beams=1
        )
        return written[:, 1:]  # without the start symbol

    same = (by_us() == by_them()).float().mean().item()
    assert same > 0.99, f"only {same:.0%} of the words are the same"  # rounding may swap two
    return race({"ours": by_us, "generate": by_them}, seconds=SECONDS[size])


def table(sizes: list[str]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield f"| {TOKENS} tokens | batch | ours, ms | `generate`, ms | × generate | rounds |"
    yield "|---|---|---|---|---|---|"
    for size in sizes:
        for batch_size in BATCHES:
            times = decoding(size, batch_size)
            ours, theirs = (statistics.median(times[name]) for name in ("ours", "generate"))
            times_as_long = ratio(times, "ours", "generate")
            yield (
                f"| {size} | {batch_size} | {ours:.1f} | {theirs:.1f} | {times_as_long:.2f}"
                f" | {len(times['ours'])} |"
            )


def main() -> None:
    """Measure, print, and write the page's table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--sizes", nargs="+", default=["tiny", "base"])
    parser.add_argument("--print-only", action="store_true", help="leave the book's page as it is")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    logging.set_verbosity_error()
    version = importlib.metadata.version("transformers")
    lines = [f"Measured on {machine()}, transformers {version}.", ""]
    for line in table(arguments.sizes):
        print(line, flush=True)
        lines.append(line)
    print(lines[0])
    if not arguments.print_only:
        PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
