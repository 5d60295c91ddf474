"""Two Transformers to race against: a textbook's, and PyTorch's nn.Transformer as it is meant.

Both take the weights of one of ours, so that all three compute the same. The textbook's is what one
writes from the paper's formulas: softmax attention step by step, and decoding that runs the whole
decoder again for every token.
"""

import math

import torch
from torch import Tensor, nn

from attnsteps import Transformer, sinusoidal_positions, to_torch


class Attention(nn.Module):
    """softmax(Q Kᵀ / √d_k) V in several heads, with every matrix written out."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.w_q, self.w_k, self.w_v, self.w_o = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, query: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        q, k, v = (
            linear(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for linear, x in ((self.w_q, query), (self.w_k, memory), (self.w_v, memory))
        )
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
        return self.w_o((weights @ v).transpose(1, 2).flatten(-2))


class AddAndNorm(nn.Module):
    """LayerNorm(x + Dropout(y))."""

    def __init__(self, d_model: int, dropout: float) -> None:
        super().__init__()
        self.dropout, self.norm = nn.Dropout(dropout), nn.LayerNorm(d_model)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return self.norm(x + self.dropout(y))


class FeedForward(nn.Module):
    """max(0, x W_1 + b_1) W_2 + b_2."""

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.w_1, self.w_2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        return self.w_2(self.w_1(x).relu())


class Layer(nn.Module):
    """One layer of the encoder, or of the decoder, which looks at the memory too."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float, cross: bool):
        super().__init__()
        self.self_attention = Attention(d_model, num_heads)
        self.self_attention_sublayer = AddAndNorm(d_model, dropout)
        if cross:
            self.cross_attention = Attention(d_model, num_heads)
            self.cross_attention_sublayer = AddAndNorm(d_model, dropout)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.feed_forward_sublayer = AddAndNorm(d_model, dropout)

    def forward(self, x, mask, memory=None, memory_mask=None):
        x = self.self_attention_sublayer(x, self.self_attention(x, x, mask))
        if memory is not None:
            x = self.cross_attention_sublayer(x, self.cross_attention(x, memory, memory_mask))
        return self.feed_forward_sublayer(x, self.feed_forward(x))


class Stack(nn.Module):
    """Layer after layer."""

    def __init__(self, num_layers: int, *sizes) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer(*sizes) for _ in range(num_layers))

    def forward(self, x, *masks_and_memory):
        for layer in self.layers:
            x = layer(x, *masks_and_memory)
        return x


class Embedded(nn.Module):
    """What both rivals share: embeddings, positions, output projection, taken from ours."""

    def __init__(self, ours: Transformer) -> None:
        super().__init__()
        self.config = c = ours.config
        self.src_embedding = nn.Embedding(c.src_vocab_size, c.d_model, padding_idx=c.pad_id)
        self.tgt_embedding = nn.Embedding(c.tgt_vocab_size, c.d_model, padding_idx=c.pad_id)
        self.projection = nn.Linear(c.d_model, c.tgt_vocab_size, bias=False)
        for name in ("src_embedding", "tgt_embedding", "projection"):
            getattr(self, name).load_state_dict(getattr(ours, name).state_dict())
        self.dropout = nn.Dropout(c.dropout)
        self.register_buffer("positions", sinusoidal_positions(1024, c.d_model))

    def embed(self, embedding: nn.Embedding, ids: Tensor) -> Tensor:
        scale = math.sqrt(self.config.d_model)
        return self.dropout(embedding(ids) * scale + self.positions[: ids.shape[1]])

    def forward(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        return self.decode(tgt_ids, self.encode(src_ids), src_ids)

    @torch.no_grad()
    def greedy(self, src_ids: Tensor, max_len: int) -> Tensor:
        """Write max_len tokens, each with the whole decoder over all before it."""
        never = [self.config.pad_id, self.config.bos_id]
        memory = self.encode(src_ids)
        ids = torch.full_like(src_ids[:, :1], self.config.bos_id)
        for _ in range(max_len):
            logits = self.decode(ids, memory, src_ids)[:, -1]
            logits[:, never] = -math.inf
            ids = torch.cat([ids, logits.argmax(dim=-1, keepdim=True)], dim=1)
        return ids[:, 1:]


class Textbook(Embedded):
    """The textbook's Transformer.

    Args:
        ours: a post-norm model with ReLU, whose weights are copied.
    """

    def __init__(self, ours: Transformer) -> None:
        super().__init__(ours)
        c = ours.config
        sizes = (c.d_model, c.num_heads, c.d_ff, c.dropout)
        self.encoder = Stack(c.num_encoder_layers, *sizes, False)
        self.decoder = Stack(c.num_decoder_layers, *sizes, True)
        self.encoder.load_state_dict(ours.encoder.state_dict())
        self.decoder.load_state_dict(ours.decoder.state_dict())

    def encode(self, src_ids: Tensor) -> Tensor:
        visible = (src_ids != self.config.pad_id)[:, None, None]
        return self.encoder(self.embed(self.src_embedding, src_ids), visible)

    def decode(self, tgt_ids: Tensor, memory: Tensor, src_ids: Tensor) -> Tensor:
        length, pad_id = tgt_ids.shape[1], self.config.pad_id
        causal = torch.ones(length, length, dtype=torch.bool, device=tgt_ids.device).tril()
        visible = causal & (tgt_ids != pad_id)[:, None, None]
        x = self.embed(self.tgt_embedding, tgt_ids)
        return self.projection(self.decoder(x, visible, memory, (src_ids != pad_id)[:, None, None]))


class Torch(Embedded):
    """nn.Transformer between embeddings and an output projection, without its two extra norms.

    Args:
        ours: a post-norm model with ReLU, whose weights are copied.
    """

    def __init__(self, ours: Transformer) -> None:
        super().__init__(ours)
        c = ours.config
        self.transformer = nn.Transformer(
            c.d_model,
            c.num_heads,
            c.num_encoder_layers,
            c.num_decoder_layers,
            c.d_ff,
            c.dropout,
            batch_first=True,
        )
        self.transformer.encoder.norm = self.transformer.decoder.norm = None
        for module in self.transformer.modules():  # the same dropout as ours: of each sublayer only
            if isinstance(module, nn.MultiheadAttention):
                module.dropout = 0.0
            if isinstance(module, nn.TransformerEncoderLayer | nn.TransformerDecoderLayer):
                module.dropout.p = 0.0
        to_torch(ours, self.transformer)

    def encode(self, src_ids: Tensor) -> Tensor:
        hidden = src_ids == self.config.pad_id
        x = self.embed(self.src_embedding, src_ids)
        return self.transformer.encoder(x, src_key_padding_mask=hidden)

    def decode(self, tgt_ids: Tensor, memory: Tensor, src_ids: Tensor) -> Tensor:
        length, pad_id = tgt_ids.shape[1], self.config.pad_id
        future = torch.ones(length, length, dtype=torch.bool, device=tgt_ids.device).triu(1)
        x = self.transformer.decoder(
            self.embed(self.tgt_embedding, tgt_ids),
            memory,
            tgt_mask=future,
            tgt_key_padding_mask=tgt_ids == pad_id,
            memory_key_padding_mask=src_ids == pad_id,
        )
        return self.projection(x)
