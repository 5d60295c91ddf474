"""How many operations a forward pass takes, by formula."""

from attnsteps.checks import check_positive
from attnsteps.model.config import TransformerConfig


def count_flops(config: TransformerConfig, batch_size: int, src_len: int, tgt_len: int) -> int:
    """Count the floating-point operations of one forward pass.

    Formula: a product of an (m × k) and a (k × n) matrix takes 2·m·k·n, a multiplication and an
    addition for each term; everything else (norms, softmax, look-ups) is small beside that and is
    left out, as torch.utils.flop_counter leaves it out (which, on a CPU, also misses what the
    fused attention kernel does). With T queries and S keys::

        attention(T, S)  = 2·(2·T·D² + 2·S·D·G·Dk)      w_q and w_o; w_k and w_v, of G heads (or H)
                         + 2·(2·T·S·D)                  q kᵀ and weights v, all heads together
        feed_forward(T)  = 2·(2·T·D·Dff)                3 matrices if gated; the same k times
                         + 2·T·D·E                      and the router, if there are E experts
        projection       = 2·T·D·V

    Source: Vaswani et al. 2017, section 4 and table 1, made exact.

    Args:
        config: the model's sizes.
        batch_size: B.
        src_len: S, padding included.
        tgt_len: T, padding included.

    Returns:
        The number of operations.

    Raises:
        ValueError: if a size is not a positive integer.

    Example:
        >>> count_flops(TransformerConfig.base(37000, 37000), 1, 32, 32)
        4068737024
    """
    for name, size in (("batch_size", batch_size), ("src_len", src_len), ("tgt_len", tgt_len)):
        check_positive(name, size)
    d_model = config.d_model
    matrices = 3 if config.activation == "swiglu" else 2
    kv_width = d_model * (config.num_kv_heads or config.num_heads) // config.num_heads

    def attention(tq: int, tk: int) -> int:
        return 4 * (tq * d_model + tk * kv_width) * d_model + 4 * tq * tk * d_model

    def feed_forward(length: int) -> int:
        router = 2 * length * d_model * config.num_experts if config.num_experts > 1 else 0
        network = matrices * 2 * length * d_model * config.d_ff
        return config.experts_per_token * network + router

    encoder_layer = attention(src_len, src_len) + feed_forward(src_len)
    decoder_layer = (
        attention(tgt_len, tgt_len) + attention(tgt_len, src_len) + feed_forward(tgt_len)
    )
    projection = 2 * tgt_len * d_model * config.tgt_vocab_size
    return batch_size * (
        config.num_encoder_layers * encoder_layer
        + config.num_decoder_layers * decoder_layer
        + projection
    )
