"""The position-wise feed-forward network: up, a non-linearity, down; the same at every position."""

from jaxtyping import Float
from torch import Tensor, nn

from attnsteps.checks import check_choice, check_positive
from attnsteps.shapes import check_floating, check_shape

ACTIVATIONS = {
    "relu": nn.functional.relu,
    "gelu": nn.functional.gelu,
    "swiglu": nn.functional.silu,  # and a gate beside it
}


class FeedForward(nn.Module):
    """Widen each position's vector, apply a non-linearity, and project it back.

    Formula; in the gated variant, swiglu, a third matrix says how much of each component passes::

        FFN(x) = activation(x W_1 + b_1) W_2 + b_2
        FFN(x) = (silu(x W_1 + b_1) · (x W_3 + b_3)) W_2 + b_2

    Source: Vaswani et al. 2017, section 3.3, eq. 2; gated: Shazeer 2020, eq. 6, with biases.

    Args:
        d_model: D, the width of the vectors.
        d_ff: Dff, the width in between.
        activation: "relu" as in the paper, "gelu" or "swiglu".
        bias: True adds b_1, b_2 and b_3, as the paper does.

    Raises:
        ValueError: if a size is not a positive integer, or the activation is unknown.

    Example:
        >>> import torch
        >>> FeedForward(d_model=6, d_ff=24)(torch.ones(1, 5, 6)).shape
        torch.Size([1, 5, 6])
    """

    def __init__(
        self, d_model: int, d_ff: int, *, activation: str = "relu", bias: bool = True
    ) -> None:
        super().__init__()
        check_positive("d_model", d_model)
        check_positive("d_ff", d_ff)
        check_choice("activation", activation, ACTIVATIONS)
        self.activation = activation
        self.w_1 = nn.Linear(d_model, d_ff, bias=bias)
        self.w_2 = nn.Linear(d_ff, d_model, bias=bias)
        self.w_3 = nn.Linear(d_model, d_ff, bias=bias) if activation == "swiglu" else None
        for linear in self.children():
            nn.init.xavier_uniform_(linear.weight)
            if bias:
                nn.init.zeros_(linear.bias)

    def forward(self, x: Float[Tensor, "*lead D"]) -> Float[Tensor, "*lead D"]:
        """Apply the network to each position by itself.

        Args:
            x: vectors, as a rule (B, T, D).

        Returns:
            As many vectors, (B, T, D).

        Raises:
            ValueError: if x is not floating-point, or of another width.
        """
        check_floating("x", x)
        check_shape("x", x, "... D", D=self.w_1.in_features)
        hidden = ACTIVATIONS[self.activation](self.w_1(x))
        return self.w_2(hidden if self.w_3 is None else hidden * self.w_3(x))
