"""Grades the coding exercise of the chapter on the encoder."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from attnsteps.exercises.verdict import Verdict, attempt, difference, known_mistake
from attnsteps.layers.layer_norm import LayerNorm

_D = 6


def grade_encoder_layer(function: Callable[..., Tensor]) -> Verdict:
    """Say whether the function is one post-norm encoder layer (paper, section 3.1).

    It takes x, (B, S, D), and four functions of such a tensor (attention, feed_forward, norm_1 and
    norm_2), and should return (B, S, D).

    Example:
        >>> grade_encoder_layer(lambda x, attention, feed_forward, norm_1, norm_2: attention(x))
        ✗ Not yet: this is attention alone; the rest of the layer is missing
    """
    with torch.random.fork_rng():
        torch.manual_seed(13)
        x = torch.randn(2, 5, _D, dtype=torch.float64)
        parts = [nn.Linear(_D, _D).double(), nn.Linear(_D, _D).double()]
        norms = [LayerNorm(_D).double(), LayerNorm(_D).double()]
        for norm in norms:
            nn.init.uniform_(norm.weight, 0.5, 1.5)
            nn.init.normal_(norm.bias)
    with torch.no_grad():
        got, raised = attempt(lambda: function(x.clone(), *parts, *norms))
        if raised:
            return Verdict(False, raised)
        fault = _fault(got, x, *parts, norms)
    if fault:
        return Verdict(False, fault)
    return Verdict(True, "attention, add, norm, feed-forward, add, norm")


def _fault(
    got: object, x: Tensor, attend: nn.Module, feed: nn.Module, norms: list[nn.Module]
) -> str:
    """Return what is wrong with the result, by name if the mistake is known, or ""."""
    first, second = norms
    middle = first(x + attend(x))
    pre = x + attend(first(x))
    mistakes = {
        "this is attention alone; the rest of the layer is missing": attend(x),
        "this ends after the first half; the feed-forward network is missing": middle,
        "the residual connections are missing: add each part's input to its output": (
            second(feed(first(attend(x))))
        ),
        "the residual connection around attention is missing": (
            second(first(attend(x)) + feed(first(attend(x))))
        ),
        "the residual connection around the feed-forward network is missing": second(feed(middle)),
        "the second residual connection must add what the feed-forward network was given, not "
        "the x at the very start": second(x + feed(middle)),
        "the feed-forward network must get the output of the first half, not x": (
            second(middle + feed(x))
        ),
        "this is pre-norm; in the paper each norm comes after the addition": (
            pre + feed(second(pre))
        ),
        "each part's output is normalised before it is added; the norm comes after the addition": (
            x + first(attend(x)) + second(feed(x + first(attend(x))))
        ),
        "the two norms are swapped": first(second(x + attend(x)) + feed(second(x + attend(x)))),
        "both halves use the first norm; each has its own": first(middle + feed(middle)),
        "the second norm is missing": middle + feed(middle),
        "the first norm is missing": second(x + attend(x) + feed(x + attend(x))),
        "the feed-forward network comes first; attention must": second(
            first(x + feed(x)) + attend(first(x + feed(x)))
        ),
    }
    want = second(middle + feed(middle))
    return known_mistake(got, mistakes) or difference(got, want, name="output")
