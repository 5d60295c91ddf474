"""A mixture of experts: several feed-forward networks, of which each vector uses a few."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attnsteps.checks import check_experts
from attnsteps.layers.linear import initialise
from attnsteps.shapes import check_floating, check_shape


class MixtureOfExperts(nn.Module):
    """Send each vector through the few networks that a router chooses for it.

    Formula, with the sum over the k experts of the largest probability::

        p = softmax(x W_router)
        y = Σ_e p_e · FFN_e(x)

    Source: Fedus et al. 2022, section 2.1, eq. 1 and 2, with k = 1; more of them: Shazeer et al.
    2017, section 2.1.

    The parameters grow with the number of experts, the work for one vector only with k. An expert
    takes whatever comes: there is no capacity beyond which vectors are dropped. Padding is routed
    like any other position.

    Args:
        d_model: D, the width of the vectors.
        num_experts: E.
        expert: makes an expert, as FeedForward; called once for each.
        experts_per_token: k, how many of them a vector goes through.

    Raises:
        ValueError: if a size is not a positive integer, or k is above E.

    Example:
        >>> from functools import partial
        >>> from attnsteps import FeedForward
        >>> mixture = MixtureOfExperts(6, 4, partial(FeedForward, 6, 24), experts_per_token=2)
        >>> mixture(torch.ones(1, 5, 6)).shape
        torch.Size([1, 5, 6])
    """

    def __init__(
        self,
        d_model: int,
        num_experts: int,
        expert: Callable[[], nn.Module],
        *,
        experts_per_token: int = 1,
    ) -> None:
        super().__init__()
        check_experts(num_experts, experts_per_token)
        self.experts_per_token = experts_per_token
        self.experts = nn.ModuleList(expert() for _ in range(num_experts))
        self.router = nn.Linear(d_model, num_experts, bias=False)
        initialise(self.router)

    def forward(self, x: Float[Tensor, "*lead D"]) -> Float[Tensor, "*lead D"]:
        """Route each vector by itself, and add up what its experts say.

        Args:
            x: vectors, as a rule (B, T, D).

        Returns:
            As many vectors, (B, T, D).

        Raises:
            ValueError: if x is not floating-point, or of another width.
        """
        check_floating("x", x)
        check_shape("x", x, "... D", D=self.router.in_features)
        vectors = x.reshape(-1, x.shape[-1])
        probabilities, chosen = self.route(vectors)
        gates = probabilities.gather(1, chosen)
        output = torch.zeros_like(vectors)
        for number, expert in enumerate(self.experts):
            rows, places = (chosen == number).nonzero(as_tuple=True)
            said = gates[rows, places, None] * expert(vectors[rows])
            output = output.index_add(0, rows, said.to(output.dtype))
        return output.view_as(x)

    def route(
        self, x: Float[Tensor, "*lead D"]
    ) -> tuple[Float[Tensor, "*lead E"], Int[Tensor, "*lead k"]]:
        """Return each vector's probabilities, (..., E), and the k experts that it goes to."""
        probabilities = self.router(x).softmax(dim=-1)
        return probabilities, probabilities.topk(self.experts_per_token, dim=-1).indices


class Routing(NamedTuple):
    """What one mixture has done with the vectors of one forward pass.

    Source: Fedus et al. 2022, section 2.2, eq. 4.

    Args:
        load: each expert's share of the vectors that were sent, (E,); it sums to one.
        balance: E · Σ_e load_e · mean p_e, which training can lower: 1 where the load is even,
            and E where one expert gets everything.

    Example:
        >>> mixture = MixtureOfExperts(6, 1, lambda: nn.Linear(6, 6))
        >>> with routings(mixture) as routed:
        ...     output = mixture(torch.ones(1, 5, 6))
        >>> routed[0].load
        tensor([1.])
    """

    load: Float[Tensor, " E"]
    balance: Float[Tensor, ""]


@contextmanager
def routings(model: nn.Module) -> Iterator[list[Routing]]:
    """Note what every mixture of experts in a model does, as long as the block lasts.

    Formula: as in Routing.

    Source: Fedus et al. 2022, section 2.2.

    Args:
        model: any module.

    Yields:
        A list, to which each forward pass of each mixture adds its Routing.

    Example:
        >>> mixture = MixtureOfExperts(6, 4, lambda: nn.Linear(6, 6))
        >>> with routings(mixture) as routed:
        ...     output = mixture(torch.randn(2, 5, 6))
        >>> routed[0].load.shape
        torch.Size([4])
    """
    found: list[Routing] = []

    def note(mixture: MixtureOfExperts, inputs: tuple[Tensor], _: Tensor) -> None:
        probabilities, chosen = mixture.route(inputs[0])
        num_experts = probabilities.shape[-1]
        load = chosen.flatten().bincount(minlength=num_experts) / max(1, chosen.numel())
        mean = probabilities.reshape(-1, num_experts).mean(dim=0)
        found.append(Routing(load, num_experts * (load * mean).sum()))

    mixtures = [module for module in model.modules() if isinstance(module, MixtureOfExperts)]
    hooks = [mixture.register_forward_hook(note) for mixture in mixtures]
    try:
        yield found
    finally:
        for hook in hooks:
            hook.remove()
