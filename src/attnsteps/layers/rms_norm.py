"""Root-mean-square normalisation: layer normalisation without the mean and without the bias."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attnsteps.checks import check_number, check_positive
from attnsteps.shapes import check_floating, check_shape


class RMSNorm(nn.Module):
    """Divide each vector by the root mean square of its own D components.

    Formula::

        RMSNorm(x) = weight · x / √(mean(x²) + ε)

    Source: Zhang and Sennrich 2019, eq. 4 (the paper of 2017 has LayerNorm in its place).

    Args:
        d_model: D, the width of the vectors.
        eps: ε, which keeps the division finite where all components are zero.

    Raises:
        ValueError: if d_model is not a positive integer, or eps not above 0.

    Example:
        >>> with torch.no_grad():
        ...     RMSNorm(4)(torch.tensor([1.0, 0.0, 0.0, 0.0]))
        tensor([2.0000, 0.0000, 0.0000, 0.0000])
    """

    def __init__(self, d_model: int, *, eps: float = 1e-5) -> None:
        super().__init__()
        check_positive("d_model", d_model)
        check_number("eps", eps, above=0)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Float[Tensor, "*lead D"]) -> Float[Tensor, "*lead D"]:
        """Normalise; see the class for the formula.

        Args:
            x: vectors, as a rule (B, T, D).

        Returns:
            As many vectors, (B, T, D).

        Raises:
            ValueError: if x is not floating-point, or of another width.
        """
        check_floating("x", x)
        check_shape("x", x, "... D", D=self.weight.shape[0])
        return nn.functional.rms_norm(x, self.weight.shape, self.weight, self.eps)
