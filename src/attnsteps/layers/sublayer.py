"""What the Transformer wraps around each of its parts: a residual connection, dropout, a norm."""

from collections.abc import Callable

from jaxtyping import Float
from torch import Tensor, nn

from attnsteps.checks import check_choice, check_number
from attnsteps.layers.layer_norm import LayerNorm
from attnsteps.shapes import check_same_shape


class Sublayer(nn.Module):
    """Add a function's output to its input, and normalise.

    Formula, post-norm (the paper) and pre-norm, after whose last layer one more norm is needed::

        LayerNorm(x + Dropout(function(x)))
        x + Dropout(function(LayerNorm(x)))

    Source: Vaswani et al. 2017, sections 3.1 and 5.4; pre-norm: Xiong et al. 2020, table 1.

    Args:
        d_model: D, the width of the vectors.
        dropout: the probability of dropping a component of the function's output in training.
        pre_norm: True normalises what the function gets, False what comes out, as the paper does.
        norm: makes the norm from d_model: LayerNorm as in the paper, or another such as RMSNorm.

    Raises:
        ValueError: if d_model is not a positive integer, dropout not in [0, 1), or pre_norm neither
            True nor False.

    Example:
        >>> import torch
        >>> Sublayer(d_model=4)(torch.ones(1, 5, 4), torch.cos).shape
        torch.Size([1, 5, 4])
    """

    def __init__(
        self,
        d_model: int,
        *,
        dropout: float = 0.0,
        pre_norm: bool = False,
        norm: Callable[[int], nn.Module] = LayerNorm,
    ) -> None:
        super().__init__()
        check_number("dropout", dropout, at_least=0, below=1)
        check_choice("pre_norm", pre_norm, (False, True))
        self.dropout, self.pre_norm = dropout, pre_norm
        self.norm = norm(d_model)

    def forward(
        self, x: Float[Tensor, "B T D"], function: Callable[[Tensor], Tensor | tuple]
    ) -> Float[Tensor, "B T D"] | tuple:
        """Apply the function, wrapped.

        Args:
            x: (B, T, D).
            function: maps (B, T, D) to (B, T, D), or to a tuple that begins with it.

        Returns:
            The new x, (B, T, D); where the function returns a tuple, the rest of it follows.

        Raises:
            ValueError: if x is of another width, or the function changes its shape.
        """
        output = function(self.norm(x) if self.pre_norm else x)
        output, *rest = output if isinstance(output, tuple) else (output,)
        check_same_shape("function(x)", output, "x", x)
        x = x + nn.functional.dropout(output, self.dropout, self.training)
        x = x if self.pre_norm else self.norm(x)
        return (x, *rest) if rest else x
