"""Layer normalisation: every vector brought to mean 0 and variance 1, then rescaled as learned."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attnsteps.checks import check_number, check_positive
from attnsteps.shapes import check_floating, check_shape


class LayerNorm(nn.Module):
    """Normalise each vector over its own D components.

    Formula, with the mean μ and the biased variance σ² = mean((x − μ)²) of those components::

        LayerNorm(x) = weight · (x − μ) / √(σ² + ε) + bias

    Source: Ba et al. 2016, eq. 4; Vaswani et al. 2017, section 3.1. PyTorch's kernel computes it,
    mean first, so that a large mean costs no accuracy.

    Args:
        d_model: D, the width of the vectors.
        eps: ε, which keeps the division finite where all components are equal.

    Raises:
        ValueError: if d_model is not a positive integer, or eps not above 0.

    Example:
        >>> with torch.no_grad():
        ...     LayerNorm(4)(torch.tensor([1.0, 0.0, 0.0, 0.0]))
        tensor([ 1.7320, -0.5773, -0.5773, -0.5773])
    """

    def __init__(self, d_model: int, *, eps: float = 1e-5) -> None:
        super().__init__()
        check_positive("d_model", d_model)
        check_number("eps", eps, above=0)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Float[Tensor, "*lead D"]) -> Float[Tensor, "*lead D"]:
        """Normalise each vector by itself.

        Args:
            x: vectors, as a rule (B, T, D).

        Returns:
            As many vectors, (B, T, D).

        Raises:
            ValueError: if x is not floating-point, or of another width.
        """
        check_floating("x", x)
        check_shape("x", x, "... D", D=self.weight.shape[0])
        return nn.functional.layer_norm(x, self.weight.shape, self.weight, self.bias, self.eps)
