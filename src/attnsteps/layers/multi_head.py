"""Multi-head attention: several small attentions side by side, for the price of one."""

from jaxtyping import Float
from torch import Tensor, nn

from attnsteps.checks import check_heads, check_kv_heads, check_number, check_rotary
from attnsteps.layers.attention import scaled_dot_product_attention
from attnsteps.layers.cache import KeyValueCache
from attnsteps.layers.heads import merge_heads, repeat_heads, split_heads
from attnsteps.layers.linear import initialise
from attnsteps.layers.positional import SinusoidalPositions
from attnsteps.layers.rotary import rotate
from attnsteps.shapes import Mask, check_attention_inputs, check_mask


class MultiHeadAttention(nn.Module):
    """Attend with several heads at once, each in its own projection of the input.

    Formula::

        MultiHead(Q, K, V) = Concat(head_1, …, head_h) W_o
        head_i = Attention(Q W_q_i, K W_k_i, V W_v_i)

    Source: Vaswani et al. 2017, section 3.2.2; fewer heads of keys and values: Ainslie et al. 2023,
    section 2.2; rotary positions: Su et al. 2021, section 3.4.2.

    The h small matrices of one kind are kept as the columns of one large one: ``w_q`` projects
    for all the heads. Every matrix starts Xavier-uniform, every bias at zero.

    Args:
        d_model: D, the width of the inputs and of the output.
        num_heads: H; each head is Dk = D / H wide.
        dropout: the probability of dropping an attention weight in training.
        bias: True lets the four projections add a bias (the paper writes none).
        num_kv_heads: G, the heads of keys and values, each shared by H / G query heads; None
            takes H as in the paper, 1 is multi-query attention.
        rotary: True turns queries and keys by their positions, as self-attention can: both are
            then counted from 0, or with a cache from its length on.

    Raises:
        ValueError: if a size is not positive, H does not divide D or G not H, dropout is not in
            [0, 1), or rotary heads have an odd width.

    Example:
        >>> import torch
        >>> attention = MultiHeadAttention(d_model=6, num_heads=2)
        >>> x = torch.ones(1, 5, 6)
        >>> [output.shape for output in attention(x, x, x, need_weights=True)]
        [torch.Size([1, 5, 6]), torch.Size([1, 2, 5, 5])]
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        dropout: float = 0.0,
        bias: bool = True,
        num_kv_heads: int | None = None,
        rotary: bool = False,
    ) -> None:
        super().__init__()
        check_heads(num_heads, d_model)
        d_k = d_model // num_heads
        num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        check_kv_heads(num_kv_heads, num_heads)
        if rotary:
            check_rotary(d_k)
        check_number("dropout", dropout, at_least=0, below=1)
        self.d_model, self.num_heads, self.dropout = d_model, num_heads, dropout
        self.num_kv_heads = num_kv_heads
        self.positions = SinusoidalPositions(d_k) if rotary else None
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, num_kv_heads * d_k, bias=bias)
        self.w_v = nn.Linear(d_model, num_kv_heads * d_k, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)
        initialise(self.w_q, self.w_k, self.w_v, self.w_o)

    def forward(
        self,
        query: Float[Tensor, "B Tq D"],
        key: Float[Tensor, "B Tk D"],
        value: Float[Tensor, "B Tk D"],
        mask: Mask = None,
        *,
        cache: KeyValueCache | None = None,
        projected: tuple[Tensor, Tensor] | None = None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "B Tq D"], Float[Tensor, "B H Tq Tall"] | None]:
        """Project, split into heads, attend, merge the heads, project.

        Args:
            query: the vectors that attend, (B, Tq, D).
            key: the vectors attended to, (B, Tk, D).
            value: the vectors that are averaged, (B, Tk, D).
            mask: bool, (Tq, Tk) or four axes that broadcast to (B, H, Tq, Tk); True = may attend.
            cache: earlier keys and values, to which the new ones are added; Tk then counts all.
            projected: what project(key, value) returned, if that is known already.
            need_weights: True also returns the weights, at the price of the fused kernel.

        Returns:
            The output, (B, Tq, D), and the weights before dropout, (B, H, Tq, Tk), or None.

        Raises:
            ValueError: if an input or the mask does not fit; the cache is then left as it was.
        """
        check_attention_inputs(query, key, value, self.d_model)
        q = split_heads(self.w_q(query), self.num_heads)
        k, v = self.project(key, value) if projected is None else projected
        if self.positions is not None:  # before they are kept: a key never moves again
            start = 0 if cache is None else len(cache)
            q = rotate(q, self.positions(q.shape[2], offset=start))
            k = rotate(k, self.positions(k.shape[2], offset=start))
        if cache is not None:
            if mask is not None:  # before anything is remembered
                all_keys = len(cache) + k.shape[2]
                check_mask(mask, (query.shape[0], self.num_heads, query.shape[1], all_keys))
            k, v = cache.append(k, v)
        if self.num_kv_heads < self.num_heads:
            k, v = repeat_heads(k, self.num_heads), repeat_heads(v, self.num_heads)
        dropout_p = self.dropout if self.training else 0.0
        context, weights = scaled_dot_product_attention(
            q, k, v, mask, dropout_p=dropout_p, need_weights=need_weights
        )
        return self.w_o(merge_heads(context)), weights

    def project(
        self, key: Float[Tensor, "B Tk D"], value: Float[Tensor, "B Tk D"]
    ) -> tuple[Float[Tensor, "B G Tk Dk"], Float[Tensor, "B G Tk Dv"]]:
        """Return the keys and values of each of the G heads, which do not depend on the queries."""
        k = split_heads(self.w_k(key), self.num_kv_heads)
        return k, split_heads(self.w_v(value), self.num_kv_heads)
