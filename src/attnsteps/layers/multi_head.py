"""Multi-head attention: several small attentions side by side, for the price of one."""

from jaxtyping import Bool, Float
from torch import Tensor, nn

from attnsteps.layers.attention import scaled_dot_product_attention
from attnsteps.layers.cache import KeyValueCache
from attnsteps.shapes import check_attention_inputs, check_dropout, check_positive


class MultiHeadAttention(nn.Module):
    """Attend with several heads at once, each in its own projection of the input.

    Formula::

        MultiHead(Q, K, V) = Concat(head_1, …, head_h) W_o
        head_i = Attention(Q W_q_i, K W_k_i, V W_v_i)

    Source: Vaswani et al. 2017, section 3.2.2.

    The h small matrices of one kind are kept as the columns of one large one: ``w_q`` projects
    for all the heads. Every matrix starts Xavier-uniform, every bias at zero.

    Args:
        d_model: D, the width of the inputs and of the output.
        num_heads: H; each head is Dk = D / H wide.
        dropout: the probability of dropping an attention weight in training.
        bias: True lets the four projections add a bias (the paper writes none).

    Raises:
        ValueError: if a size is not positive, H does not divide D, or dropout is not in [0, 1).

    Example:
        >>> import torch
        >>> attention = MultiHeadAttention(d_model=6, num_heads=2)
        >>> src_emb = torch.ones(1, 5, 6)
        >>> output, weights = attention(src_emb, src_emb, src_emb, need_weights=True)
        >>> output.shape, weights.shape
        (torch.Size([1, 5, 6]), torch.Size([1, 2, 5, 5]))
    """

    def __init__(
        self, d_model: int, num_heads: int, *, dropout: float = 0.0, bias: bool = True
    ) -> None:
        super().__init__()
        check_positive("d_model", d_model)
        check_positive("num_heads", num_heads)
        check_dropout("dropout", dropout)
        if d_model % num_heads != 0:
            raise ValueError(
                f"num_heads must divide d_model = {d_model} without remainder; got {num_heads}"
            )
        self.d_model = d_model
        self.num_heads = num_heads
        self.dropout = dropout
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)
        for projection in (self.w_q, self.w_k, self.w_v, self.w_o):
            nn.init.xavier_uniform_(projection.weight)
            if bias:
                nn.init.zeros_(projection.bias)

    def forward(
        self,
        query: Float[Tensor, "B Tq D"],
        key: Float[Tensor, "B Tk D"] | None,
        value: Float[Tensor, "B Tk D"] | None,
        mask: Bool[Tensor, "..."] | None = None,
        *,
        cache: KeyValueCache | None = None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "B Tq D"], Float[Tensor, "B H Tq Tall"] | None]:
        """Project, split into heads, attend, merge the heads, project.

        Args:
            query: what asks, (B, Tq, D).
            key: what is compared with, (B, Tk, D); None, with value, where it is in the cache.
            value: what is mixed, (B, Tk, D).
            mask: bool, (Tq, Tk) or four axes that broadcast to (B, H, Tq, Tk); True = may attend.
            cache: the keys and values of earlier calls. The new ones are added to it, and all
                are attended to: Tk is their number in mask and weights.
            need_weights: True also returns the weights, at the price of the fused kernel.

        Returns:
            The output, (B, Tq, D), and each head's weights before dropout, (B, H, Tq, Tk), or None
            if they were not asked for.

        Raises:
            ValueError: if an input or the mask does not fit.
        """
        in_cache = key is None and value is None and cache is not None and len(cache) > 0
        if in_cache:
            check_attention_inputs(query, query, query, self.d_model)
            k, v = cache.k, cache.v
        else:
            check_attention_inputs(query, key, value, self.d_model)
            k = split_heads(self.w_k(key), self.num_heads)
            v = split_heads(self.w_v(value), self.num_heads)
            if cache is not None:
                k, v = cache.append(k, v)
        q = split_heads(self.w_q(query), self.num_heads)
        dropout_p = self.dropout if self.training else 0.0
        context, weights = scaled_dot_product_attention(
            q, k, v, mask, dropout_p=dropout_p, need_weights=need_weights
        )
        return self.w_o(merge_heads(context)), weights


def split_heads(x: Float[Tensor, "B T D"], num_heads: int) -> Float[Tensor, "B H T Dk"]:
    """Cut each vector into one piece per head, and move the heads in front of the positions.

    Formula, with D = H·Dk::

        split[b, h, t, i] = x[b, t, h·Dk + i]

    Source: Vaswani et al. 2017, section 3.2.2.

    Args:
        x: one wide vector per position, (B, T, H*Dk).
        num_heads: H, which must divide the last axis.

    Returns:
        One narrow vector per head and position, (B, H, T, Dk): a view, nothing is copied.

    Example:
        >>> import torch
        >>> split_heads(torch.tensor([[[1, 2, 3, 4], [5, 6, 7, 8]]]).float(), num_heads=2)
        tensor([[[[1., 2.],
                  [5., 6.]],
        <BLANKLINE>
                 [[3., 4.],
                  [7., 8.]]]])
    """
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)


def merge_heads(x: Float[Tensor, "B H T Dv"]) -> Float[Tensor, "B T D"]:
    """Put the heads' vectors of each position side by side again: the inverse of split_heads.

    Formula::

        merged[b, t, h·Dv + i] = x[b, h, t, i]

    Source: Vaswani et al. 2017, section 3.2.2 (Concat).

    Args:
        x: one narrow vector per head and position, (B, H, T, Dv).

    Returns:
        One wide vector per position, (B, T, H*Dv), copied into order: after a transpose the
        memory is not contiguous, and a bare ``view`` would fail.

    Example:
        >>> import torch
        >>> x = torch.arange(12.0).reshape(1, 3, 4)
        >>> torch.equal(merge_heads(split_heads(x, num_heads=2)), x)
        True
    """
    return x.transpose(1, 2).flatten(-2)
