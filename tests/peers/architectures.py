"""With the same weights, our block is that of Llama, BERT, GPT-2, ViT and Marian: `make peers`.

Each is built by the transformers library, small and with random weights, which are copied into this
package's layers. The outputs must agree to 1e-5. Run in .peers, where transformers is installed:
the project itself needs it nowhere.
"""

import functools

import pytest
import torch
from torch import nn
from transformers import (
    BertConfig,
    BertModel,
    DynamicCache,
    GPT2Config,
    GPT2Model,
    LlamaConfig,
    LlamaModel,
    ViTConfig,
    ViTModel,
)
from transformers.models.llama.modeling_llama import LlamaDecoderLayer

from attnsteps import Encoder, KeyValueCache, TokenEmbedding, causal_mask, greedy, padding_mask
from attnsteps.layers import feed_forward
from bench.peers import contenders
from tests import stacks
from tests.peers.copying import copy, copy_parts, pairs_from_halves, randomise, set_epsilon

B, T, D, H, LAYERS, DFF, V = 2, 7, 24, 4, 3, 52, 31
SIZES = {"hidden_size": D, "num_hidden_layers": LAYERS, "num_attention_heads": H}
IDS = torch.randint(3, V, (B, T), generator=torch.Generator().manual_seed(1))


def assert_equal(ours: torch.Tensor, theirs: torch.Tensor) -> None:
    """Hold two outputs equal to 1e-5, and make sure that they are no zeros."""
    assert theirs.abs().max() > 0.1
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-5)


# Llama --------------------------------------------------------------------------------------


def llama(num_kv_heads: int) -> tuple[LlamaModel, nn.Embedding, Encoder]:
    """Return a Llama, and our embedding and stack with its weights."""
    config = LlamaConfig(
        **SIZES, intermediate_size=DFF, vocab_size=V, num_key_value_heads=num_kv_heads
    )
    theirs = randomise(LlamaModel(config))
    embedding = TokenEmbedding(V, D)
    embedding.factor = 1.0  # Llama has none
    copy(embedding, theirs.embed_tokens)
    stack = stacks.encoder(
        LAYERS, D, H, DFF, activation="swiglu", norm="pre", norm_kind="rms", bias=False,
        num_kv_heads=num_kv_heads, positions="rotary",
    )  # fmt: skip
    for layer, other in zip(stack.layers, theirs.layers, strict=True):
        attention, network = other.self_attn, other.mlp
        copy_parts(
            layer,
            {
                "self_attention.w_q": attention.q_proj,
                "self_attention.w_k": attention.k_proj,
                "self_attention.w_v": attention.v_proj,
                "self_attention.w_o": attention.o_proj,
                "self_attention_sublayer.norm": other.input_layernorm,
                "feed_forward.w_1": network.gate_proj,
                "feed_forward.w_3": network.up_proj,
                "feed_forward.w_2": network.down_proj,
                "feed_forward_sublayer.norm": other.post_attention_layernorm,
            },
        )
        for linear, heads in (
            (layer.self_attention.w_q, H),
            (layer.self_attention.w_k, num_kv_heads),
        ):
            linear.weight.data = pairs_from_halves(linear.weight.data, heads)
    copy(stack.final_norm, theirs.norm)
    set_epsilon(stack, config.rms_norm_eps)
    return theirs, embedding.eval(), stack.eval()


@pytest.mark.parametrize("num_kv_heads", [H, 2, 1])
@torch.no_grad()
def test_llama(num_kv_heads):
    theirs, embedding, stack = llama(num_kv_heads)
    ours, _ = stack(embedding(IDS), causal_mask(T))
    assert_equal(ours, theirs(IDS).last_hidden_state)


@torch.no_grad()
def test_one_llama_block_alone():
    theirs, _, stack = llama(2)
    block, x = theirs.layers[1], torch.randn(B, T, D)
    assert isinstance(block, LlamaDecoderLayer)
    angles = theirs.rotary_emb(x, torch.arange(T)[None])
    future = torch.zeros(T, T).masked_fill(~causal_mask(T), -torch.inf)[None, None]
    ours, _ = stack.layers[1](x, causal_mask(T))
    assert_equal(ours, block(x, attention_mask=future, position_embeddings=angles))


@torch.no_grad()
def test_llama_with_its_cache():
    theirs, embedding, stack = llama(2)
    caches, cache = [KeyValueCache() for _ in stack.layers], DynamicCache(config=theirs.config)
    for t in range(T):
        expected = theirs(IDS[:, t : t + 1], past_key_values=cache, use_cache=True)
        x = embedding(IDS[:, t : t + 1])
        for layer, kept in zip(stack.layers, caches, strict=True):
            attend = functools.partial(layer.self_attention, cache=kept)
            x, _ = layer.self_attention_sublayer(x, lambda x, attend=attend: attend(x, x, x))
            x = layer.feed_forward_sublayer(x, layer.feed_forward)
        assert_equal(stack.final_norm(x), expected.last_hidden_state)
    assert caches[0].k.shape == cache.layers[0].keys.shape == (B, 2, T, D // H)


# BERT ---------------------------------------------------------------------------------------


@torch.no_grad()
def test_bert():
    config = BertConfig(**SIZES, intermediate_size=DFF, vocab_size=V, max_position_embeddings=T)
    theirs = randomise(BertModel(config, add_pooling_layer=False))
    stack = stacks.encoder(LAYERS, D, H, DFF, activation="gelu").eval()
    for layer, other in zip(stack.layers, theirs.encoder.layer, strict=True):
        copy_parts(
            layer,
            {
                "self_attention.w_q": other.attention.self.query,
                "self_attention.w_k": other.attention.self.key,
                "self_attention.w_v": other.attention.self.value,
                "self_attention.w_o": other.attention.output.dense,
                "self_attention_sublayer.norm": other.attention.output.LayerNorm,
                "feed_forward.w_1": other.intermediate.dense,
                "feed_forward.w_2": other.output.dense,
                "feed_forward_sublayer.norm": other.output.LayerNorm,
            },
        )
    set_epsilon(stack, config.layer_norm_eps)
    ids = IDS.clone()
    ids[1, 4:] = 0  # padding
    mask = padding_mask(ids, pad_id=0)
    ours, _ = stack(theirs.embeddings(ids), mask)
    expected = theirs(ids, attention_mask=(ids != 0).long()).last_hidden_state
    assert_equal(ours[ids != 0], expected[ids != 0])


# GPT-2 --------------------------------------------------------------------------------------


@torch.no_grad()
def test_gpt_2(monkeypatch):
    config = GPT2Config(
        n_embd=D, n_layer=LAYERS, n_head=H, n_inner=DFF, vocab_size=V, n_positions=T
    )
    theirs = randomise(GPT2Model(config))
    stack = stacks.encoder(LAYERS, D, H, DFF, activation="gelu", norm="pre").eval()
    # GPT-2 approximates GELU by a hyperbolic tangent.
    tanh = functools.partial(nn.functional.gelu, approximate="tanh")
    monkeypatch.setitem(feed_forward.ACTIVATIONS, "gelu", tanh)
    for layer, other in zip(stack.layers, theirs.h, strict=True):
        copy_parts(
            layer,
            {
                **thirds(other.attn.c_attn),
                "self_attention.w_o": other.attn.c_proj,
                "self_attention_sublayer.norm": other.ln_1,
                "feed_forward.w_1": other.mlp.c_fc,
                "feed_forward.w_2": other.mlp.c_proj,
                "feed_forward_sublayer.norm": other.ln_2,
            },
        )
    copy(stack.final_norm, theirs.ln_f)
    set_epsilon(stack, config.layer_norm_epsilon)
    x = theirs.wte(IDS) + theirs.wpe(torch.arange(T))
    ours, _ = stack(x, causal_mask(T))
    assert_equal(ours, theirs(IDS).last_hidden_state)


def thirds(joined: nn.Module) -> dict[str, nn.Linear]:
    """Cut GPT-2's one matrix for queries, keys and values into three layers of our kind."""
    cut = {}
    weights, biases = joined.weight.T.chunk(3), joined.bias.chunk(3)
    for name, weight, bias in zip("qkv", weights, biases, strict=True):
        linear = nn.Linear(D, D)
        linear.weight.data, linear.bias.data = weight, bias
        cut[f"self_attention.w_{name}"] = linear
    return cut


# ViT ----------------------------------------------------------------------------------------


@torch.no_grad()
def test_vit():
    config = ViTConfig(**SIZES, intermediate_size=DFF, image_size=12, patch_size=4, num_channels=1)
    theirs = randomise(ViTModel(config, add_pooling_layer=False))
    stack = stacks.encoder(LAYERS, D, H, DFF, activation="gelu", norm="pre").eval()
    for layer, other in zip(stack.layers, theirs.layers, strict=True):
        copy_parts(
            layer,
            {
                "self_attention.w_q": other.attention.q_proj,
                "self_attention.w_k": other.attention.k_proj,
                "self_attention.w_v": other.attention.v_proj,
                "self_attention.w_o": other.attention.o_proj,
                "self_attention_sublayer.norm": other.layernorm_before,
                "feed_forward.w_1": other.mlp.fc1,
                "feed_forward.w_2": other.mlp.fc2,
                "feed_forward_sublayer.norm": other.layernorm_after,
            },
        )
    copy(stack.final_norm, theirs.layernorm)
    set_epsilon(stack, config.layer_norm_eps)
    images = torch.rand(B, 1, 12, 12)
    ours, _ = stack(theirs.embeddings(images))
    assert_equal(ours, theirs(images).last_hidden_state)


# Marian: the whole encoder–decoder ----------------------------------------------------------


@torch.no_grad()
def test_marian_scores_and_writes_the_same():
    ours, theirs = contenders("tiny")
    src_ids = torch.randint(3, 1000, (B, T), generator=torch.Generator().manual_seed(2))
    src_ids[1, 4:] = 0
    tgt_ids = torch.tensor([[1, 7, 9, 4], [1, 5, 5, 8]])
    expected = theirs(
        input_ids=src_ids, attention_mask=(src_ids != 0).long(), decoder_input_ids=tgt_ids
    )
    assert_equal(ours(src_ids, tgt_ids), expected.logits)
    written = theirs.generate(
        src_ids, attention_mask=(src_ids != 0).long(), max_new_tokens=20, do_sample=False
    )
    assert torch.equal(greedy(ours, src_ids, max_len=20).ids, written[:, 1:])
