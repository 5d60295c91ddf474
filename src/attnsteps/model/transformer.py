"""The Transformer: from the ids of two sentences to a score for every possible next word."""

from jaxtyping import Float, Int
from torch import Tensor, nn

from attnsteps.layers.cache import DecoderCache
from attnsteps.layers.embedding import TokenEmbedding
from attnsteps.layers.masks import causal_mask, combine, padding_mask, sliding_window
from attnsteps.layers.positional import LearnedPositions, SinusoidalPositions
from attnsteps.model.attention_weights import AttentionWeights
from attnsteps.model.build import decoder, encoder
from attnsteps.model.config import TransformerConfig
from attnsteps.model.flops import count_flops
from attnsteps.shapes import Mask, check_floating, check_mask, check_sentences, check_shape


class Transformer(nn.Module):
    """Embeddings, encoder, decoder and output projection (paper, section 3 and figure 1).

    Masks are derived from the ids, in training and evaluation alike: padding is hidden wherever
    it is a key, and a causal decoder never looks ahead. A mask that is passed takes their place.

    Args:
        config: every size and every choice.

    Example:
        >>> import torch
        >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=11, tgt_vocab_size=13))
        >>> model(torch.tensor([[5, 3, 8, 4]]), torch.tensor([[1, 7, 9]])).shape
        torch.Size([1, 3, 13])
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        c = self.config = config
        self.src_embedding = TokenEmbedding(c.src_vocab_size, c.d_model, pad_id=c.pad_id)
        self.tgt_embedding = TokenEmbedding(c.tgt_vocab_size, c.d_model, pad_id=c.pad_id)
        if c.positions == "learned":
            self.src_positions = LearnedPositions(c.max_len, c.d_model)
            self.tgt_positions = LearnedPositions(c.max_len, c.d_model)
        elif c.positions == "sinusoidal":
            self.src_positions = self.tgt_positions = SinusoidalPositions(c.d_model)
        self.encoder, self.decoder = encoder(c), decoder(c)
        self.projection = self.tgt_embedding.output_projection(tied=c.tie != "none")
        if c.tie == "all":
            self.src_embedding.weight = self.tgt_embedding.weight
        self.dropout = nn.Dropout(c.dropout)  # of each sum of embedding and position (section 5.4)

    def forward(
        self, src_ids: Int[Tensor, "B S"], tgt_ids: Int[Tensor, "B T"], *, need_weights=False
    ) -> Float[Tensor, "B T V"] | tuple[Float[Tensor, "B T V"], AttentionWeights]:
        """Score every next word at every target position.

        Args:
            src_ids: (B, S).
            tgt_ids: (B, T), from bos_id on; logits[:, t] has seen tgt_ids[:, : t + 1].
            need_weights: True also returns the attention weights.

        Returns:
            The logits, (B, T, V), or with need_weights a pair of them and AttentionWeights.

        Raises:
            ValueError: if ids are no sentences of the vocabularies, or too long for max_len.
        """
        if not need_weights:
            return self.decode(tgt_ids, self.encode(src_ids), src_ids)
        memory, weights = self.encode(src_ids, need_weights=True)
        logits, others = self.decode(tgt_ids, memory, src_ids, need_weights=True)
        return logits, others._replace(encoder=weights.encoder)

    def encode(
        self, src_ids: Int[Tensor, "B S"], src_mask: Mask = None, *, need_weights=False
    ) -> Float[Tensor, "B S D"] | tuple[Float[Tensor, "B S D"], AttentionWeights]:
        """Read the source: return the memory, (B, S, D), or with need_weights a pair.

        Args:
            src_ids: (B, S).
            src_mask: in place of the padding mask, broadcastable to (B, H, S, S).
            need_weights: True also returns the attention weights.
        """
        check_sentences("src_ids", src_ids, self.config.pad_id)
        mask = src_mask
        if mask is None:
            size, window, device = src_ids.shape[1], self.config.window, src_ids.device
            band = sliding_window(size, window, device=device) if window else None
            mask = combine(band, padding_mask(src_ids, self.config.pad_id))
        x = self.src_embedding(src_ids)
        if self.config.positions != "rotary":
            x = x + self.src_positions(src_ids.shape[1])
        x = self.dropout(x)
        memory, weights = self.encoder(x, mask, need_weights=need_weights)
        return (memory, AttentionWeights(encoder=weights)) if need_weights else memory

    def decode(
        self,
        tgt_ids: Int[Tensor, "B T"],
        memory: Float[Tensor, "B S D"],
        src_ids: Int[Tensor, "B S"] | None = None,
        *,
        memory_mask: Mask = None,
        tgt_mask: Mask = None,
        cache: DecoderCache | None = None,
        need_weights: bool = False,
    ) -> Float[Tensor, "B T V"] | tuple[Float[Tensor, "B T V"], AttentionWeights]:
        """Score every next word: return the logits, (B, T, V), or with need_weights a pair.

        Args:
            tgt_ids: (B, T); with a cache the new positions only, Tall being the number of all.
            memory: what encode returned, (B, S, D).
            src_ids: what it was made from, (B, S): it tells which of it is padding.
            memory_mask: in place of src_ids, broadcastable to (B, H, T, S).
            tgt_mask: in place of padding and causal mask, broadcastable to (B, H, T, Tall).
            cache: from new_cache; it takes in the new positions, and at the first call the memory.
            need_weights: True also returns the attention weights.
        """
        c, start = self.config, 0 if cache is None else len(cache)
        check_sentences("tgt_ids", tgt_ids, c.pad_id if start == 0 else None)
        check_floating("memory", memory)
        check_shape("memory", memory, "B S D", B=tgt_ids.shape[0], D=c.d_model)
        # A mask that does not fit is refused before the cache takes anything in.
        rows = (tgt_ids.shape[0], c.num_heads, tgt_ids.shape[1])
        if memory_mask is not None:
            check_mask(memory_mask, (*rows, memory.shape[1]))
        else:
            check_sentences("src_ids (needed where memory_mask is None)", src_ids, c.pad_id)
            check_shape("src_ids", src_ids, "B S", B=memory.shape[0], S=memory.shape[1])
            memory_mask = padding_mask(src_ids, c.pad_id)
        if tgt_mask is not None:
            check_mask(tgt_mask, (*rows, start + tgt_ids.shape[1]))
        x = self.tgt_embedding(tgt_ids)
        if c.positions != "rotary":
            x = x + self.tgt_positions(tgt_ids.shape[1], offset=start)
        all_ids = tgt_ids if cache is None else cache.append_ids(tgt_ids)
        if tgt_mask is None:
            size, new = all_ids.shape[1], {"offset": start, "device": all_ids.device}
            is_last = start == size - 1  # a single new position sees all before it
            back = causal_mask(size, **new) if c.causal and not is_last else None
            band = sliding_window(size, c.window, **new) if c.window else None
            tgt_mask = combine(back, band, padding_mask(all_ids, c.pad_id))
        x, *weights = self.decoder(
            self.dropout(x), memory, tgt_mask, memory_mask, cache=cache, need_weights=need_weights
        )
        logits = self.projection(x)
        return (logits, AttentionWeights((), *weights)) if need_weights else logits

    def new_cache(self) -> DecoderCache:
        """Return an empty cache, for one batch of sentences that decode reads step by step."""
        if not self.config.causal:
            raise ValueError("a cache needs a causal decoder; got a config with causal = False")
        return DecoderCache(len(self.decoder.layers))

    def num_parameters(self) -> int:
        """Count the learned numbers, those of a shared matrix once."""
        return sum(parameter.numel() for parameter in self.parameters())

    def flops(self, batch_size: int, src_len: int, tgt_len: int) -> int:
        """Count the floating-point operations of one forward pass; see count_flops."""
        return count_flops(self.config, batch_size, src_len, tgt_len)
