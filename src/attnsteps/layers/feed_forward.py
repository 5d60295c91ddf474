"""The position-wise feed-forward network: up, a non-linearity, down; the same at every position."""

from jaxtyping import Float
from torch import Tensor, nn

from attnsteps.checks import check_choice, check_positive
from attnsteps.layers.linear import initialise
from attnsteps.shapes import check_floating, check_shape

ACTIVATIONS = {"relu": nn.functional.relu, "gelu": nn.functional.gelu}


class FeedForward(nn.Module):
    """Widen each position's vector, apply a non-linearity, and project it back.

    Formula::

        FFN(x) = activation(x W_1 + b_1) W_2 + b_2

    Source: Vaswani et al. 2017, section 3.3, eq. 2.

    Args:
        d_model: D, the width of the vectors.
        d_ff: Dff, the width in between.
        activation: "relu" as in the paper, or "gelu".
        bias: True adds b_1 and b_2, as the paper does.

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
        check_choice("activation", activation, ACTIVATIONS)
        self.activation = activation
        check_positive("d_model", d_model)
        check_positive("d_ff", d_ff)
        self.w_1 = nn.Linear(d_model, d_ff, bias=bias)
        self.w_2 = nn.Linear(d_ff, d_model, bias=bias)
        initialise(self.w_1, self.w_2)

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
        return self.w_2(ACTIVATIONS[self.activation](self.w_1(x)))


class GatedFeedForward(nn.Module):
    """Let a third matrix say how much of each hidden component passes: SwiGLU.

    Formula::

        FFN(x) = (silu(x W_1 + b_1) · (x W_3 + b_3)) W_2 + b_2

    Source: Shazeer 2020, eq. 6, with biases.

    Args:
        d_model, d_ff: as in FeedForward.
        bias: True adds b_1, b_2 and b_3.

    Raises:
        ValueError: if a size is not a positive integer.

    Example:
        >>> import torch
        >>> GatedFeedForward(d_model=6, d_ff=24)(torch.ones(1, 5, 6)).shape
        torch.Size([1, 5, 6])
    """

    activation = "swiglu"  # its name in a configuration

    def __init__(self, d_model: int, d_ff: int, *, bias: bool = True) -> None:
        super().__init__()
        check_positive("d_model", d_model)
        check_positive("d_ff", d_ff)
        self.w_1 = nn.Linear(d_model, d_ff, bias=bias)
        self.w_2 = nn.Linear(d_ff, d_model, bias=bias)
        self.w_3 = nn.Linear(d_model, d_ff, bias=bias)
        initialise(self.w_1, self.w_2, self.w_3)

    def forward(self, x: Float[Tensor, "*lead D"]) -> Float[Tensor, "*lead D"]:
        """Apply the network to each position by itself; as in FeedForward."""
        check_floating("x", x)
        check_shape("x", x, "... D", D=self.w_1.in_features)
        return self.w_2(nn.functional.silu(self.w_1(x)) * self.w_3(x))
