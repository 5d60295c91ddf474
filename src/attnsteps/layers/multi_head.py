"""Multi-head attention: several small attentions side by side, for the price of one."""

from jaxtyping import Float
from torch import Tensor, nn

from attnsteps.checks import check_heads, check_number
from attnsteps.layers.attention import scaled_dot_product_attention
from attnsteps.layers.cache import KeyValueCache
from attnsteps.layers.heads import merge_heads, split_heads
from attnsteps.shapes import Mask, check_attention_inputs, check_mask


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
        >>> x = torch.ones(1, 5, 6)
        >>> [output.shape for output in attention(x, x, x, need_weights=True)]
        [torch.Size([1, 5, 6]), torch.Size([1, 2, 5, 5])]
    """

    def __init__(self, d_model: int, num_heads: int, *, dropout=0.0, bias=True) -> None:
        super().__init__()
        check_heads(num_heads, d_model)
        check_number("dropout", dropout, at_least=0, below=1)
        self.d_model, self.num_heads, self.dropout = d_model, num_heads, dropout
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
        k, v = self.project(key, value) if projected is None else projected
        if cache is not None:
            if mask is not None:  # before anything is remembered
                all_keys = len(cache) + k.shape[2]
                check_mask(mask, (query.shape[0], self.num_heads, query.shape[1], all_keys))
            k, v = cache.append(k, v)
        q = split_heads(self.w_q(query), self.num_heads)
        dropout_p = self.dropout if self.training else 0.0
        context, weights = scaled_dot_product_attention(
            q, k, v, mask, dropout_p=dropout_p, need_weights=need_weights
        )
        return self.w_o(merge_heads(context)), weights

    def project(
        self, key: Float[Tensor, "B Tk D"], value: Float[Tensor, "B Tk D"]
    ) -> tuple[Float[Tensor, "B H Tk Dk"], Float[Tensor, "B H Tk Dv"]]:
        """Return every head's keys and values, which do not depend on the queries."""
        k = split_heads(self.w_k(key), self.num_heads)
        return k, split_heads(self.w_v(value), self.num_heads)
