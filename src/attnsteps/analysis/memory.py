"""How much memory a training step and a cache keep, by formula."""

from typing import Literal, NamedTuple

from attnsteps.checks import check_choice, check_positive
from attnsteps.model.config import TransformerConfig
from attnsteps.training.update import PRECISIONS

FOUR, TWO = 4, 2  # bytes of a number in 32 and in 16 bits


class TrainingBytes(NamedTuple):
    """What a training step has in memory at its peak, in bytes.

    Args:
        weights: the parameters, always in 32 bits.
        gradients: one for each parameter.
        adam: the optimizer's two averages for each parameter.
        copies: the matrices once more in 16 bits, where autocast multiplies in them.
        activations: what the forward pass leaves for the backward pass, but for attention's.
        attention: what attention leaves: explicit, two tables of weights for each; fused, its
            output and one number for each query and head.
        loss: what the backward pass begins with, two gradients as wide as the vocabulary.
    """

    weights: int
    gradients: int
    adam: int
    copies: int
    activations: int
    attention: int
    loss: int

    @property
    def total(self) -> int:
        """All of them together."""
        return sum(self)


def training_bytes(
    config: TransformerConfig,
    batch_size: int,
    src_len: int,
    tgt_len: int,
    *,
    num_parameters: int,
    precision: Literal["float32", "bfloat16", "float16"] = "float32",
    fused: bool = True,
) -> TrainingBytes:
    """Add up what is in memory when the backward pass of a training step begins.

    Formula: four numbers of 32 bits for each parameter. And what the backward pass will ask for,
    which autograd keeps, in units of D numbers for each word: of an encoder layer's, the three
    projections that attention compares and mixes, its merged heads, two sums of residual and
    output and two norms, and Dff hidden units; likewise in the decoder, whose cross-attention
    projects each source word twice; and at the end V log-probabilities, to which the backward pass
    adds their gradient and that of the logits, 2·T·V::

        source:  (1 + 8·N + 2·N_dec)·S·D + N·S·Dff
        target:  (1 + 12·N)·T·D          + N·T·Dff + T·V

        attention(T, S), explicit:  2·H·T·S       the weights, before and after empty rows
                         fused:     T·D + H·T     the context, and one sum for each query and head

    With 16 bits, autocast keeps the sums and log-probabilities in 32 and all else in 16, but it
    makes a copy of a norm's output for each product that reads it, three for q, k and v. That is
    why 16 bits do not halve the memory.

    Source: counted from what autograd keeps; a test holds the two within two per cent. Left out:
    dropout's masks, the masks of attention, two numbers for each norm and word, ids, and what else
    lives only for a moment.

    Example:
        >>> config = TransformerConfig.tiny(src_vocab_size=200, tgt_vocab_size=300)
        >>> training_bytes(config, 32, 9, 13, num_parameters=265_472).total
        12006912
    """
    sizes = {"batch_size": batch_size, "src_len": src_len, "tgt_len": tgt_len}
    for name, size in {**sizes, "num_parameters": num_parameters}.items():
        check_positive(name, size)
    check_choice("precision", precision, PRECISIONS)
    if changes := config.since_2017():
        raise ValueError(f"config must have nothing that came after 2017; got {changes}")
    check_choice("config.norm", config.norm, ("post",))
    check_choice("config.activation", config.activation, ("relu",))
    check_choice("config.final_norm", config.final_norm, (False,))
    half = precision != "float32"
    width = TWO if half else FOUR  # of what a product reads or gives

    d_model, d_ff, heads = config.d_model, config.d_ff, config.num_heads
    enc, dec = config.num_encoder_layers, config.num_decoder_layers
    src, tgt = batch_size * src_len, batch_size * tgt_len
    # Sums of residual and output, two for a word in each encoder layer and three in the decoder.
    sums = d_model * (2 * enc * src + 3 * dec * tgt)
    # q, k, v and the merged heads; the source's k and v for cross-attention; the hidden units.
    inner = d_model * (4 * enc * src + 2 * dec * src + 6 * dec * tgt)
    inner += d_ff * (enc * src + dec * tgt)
    if half:  # one copy for each product: q, k, v; the network; k and v of the memory; …
        normed = d_model * (4 * enc * src + 2 * dec * src + 5 * dec * tgt + tgt)
    else:  # the first input, and what each norm gives
        normed = d_model * (src + 2 * enc * src + tgt + 3 * dec * tgt)
    log_probs = tgt * config.tgt_vocab_size

    pairs = enc * src_len**2 + dec * (tgt_len**2 + tgt_len * src_len)
    asked = enc * src + 2 * dec * tgt
    if fused:
        attention = width * d_model * asked + FOUR * heads * asked
    else:
        attention = width * 2 * heads * batch_size * pairs

    matrices = 4 * d_model**2 * (enc + 2 * dec) + 2 * d_model * d_ff * (enc + dec)
    matrices += d_model * config.tgt_vocab_size
    return TrainingBytes(
        weights=FOUR * num_parameters,
        gradients=FOUR * num_parameters,
        adam=2 * FOUR * num_parameters,
        copies=TWO * matrices if half else 0,
        activations=FOUR * (sums + log_probs) + width * (inner + normed),
        attention=attention,
        loss=FOUR * 2 * log_probs,
    )


def cache_bytes(
    config: TransformerConfig, batch_size: int, src_len: int, tgt_len: int, *, number: int = FOUR
) -> int:
    """Count what the key-value cache holds when tgt_len tokens have been written.

    Formula, with G heads of keys and values (H of them in the paper)::

        2 · B · N · G · Dk · (T + S) · bytes of a number

    of which T are the decoder's own positions and S the source's, for cross-attention. With a
    sliding window only the last ``window`` of the T are ever looked at, and only those count; the
    package keeps the others too.

    Source: Shazeer 2019, section 2.4; Ainslie et al. 2023, section 2.2.

    Args:
        config: the model's sizes.
        batch_size: B.
        src_len: S, padding included.
        tgt_len: T.
        number: the bytes of one number, 4 in float32.

    Returns:
        The bytes.

    Raises:
        ValueError: if a size is not a positive integer.

    Example:
        >>> config = TransformerConfig.base(37000, 37000)
        >>> cache_bytes(config, 1, 100, 100) // 2**10, "KiB"
        (4800, 'KiB')
    """
    sizes = {"batch_size": batch_size, "src_len": src_len, "tgt_len": tgt_len, "number": number}
    for name, size in sizes.items():
        check_positive(name, size)
    d_k = config.d_model // config.num_heads
    seen = tgt_len if config.window is None else min(tgt_len, config.window)
    heads = config.num_kv_heads or config.num_heads
    return 2 * batch_size * config.num_decoder_layers * heads * d_k * (seen + src_len) * number
