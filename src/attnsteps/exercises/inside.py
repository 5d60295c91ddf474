"""Grades the coding exercise of the chapter that looks inside a trained model."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import linear

from attnsteps.exercises.verdict import Verdict, attempt, difference
from attnsteps.layers.multi_head import MultiHeadAttention

_B, _T, _D = 4, 5, 6


def grade_put_in(function: Callable[[MultiHeadAttention, Tensor, Tensor], object]) -> Verdict:
    """Say whether ``function(attention, at, new)`` puts something else in for what heads found.

    It takes a layer, a position for each sentence, (B,), and vectors (B, D). It should register a
    pre-hook on the layer's ``w_o`` after which the heads hand on ``new[b]`` at position ``at[b]``
    of sentence b, and elsewhere what they found, and return what takes the hook away again.

    Example:
        >>> def put_in(attention, at, new):
        ...     return attention.w_o.register_forward_pre_hook(lambda module, inputs: None)
        >>> grade_put_in(put_in)
        ✗ Not yet: the heads still hand on what they found; does the hook return what it changed?
    """
    with torch.random.fork_rng():
        torch.manual_seed(19)
        attention = MultiHeadAttention(_D, 2)
        x, new = torch.randn(_B, _T, _D), torch.randn(_B, _D)
    at = torch.tensor([2, 0, 4, 1])
    seen: list[Tensor] = []
    with torch.no_grad():
        hook = attention.w_o.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
        whole = attention(x, x, x)[0]
        hook.remove()
        handle, raised = attempt(lambda: function(attention, at.clone(), new.clone()))
        got, in_use = attempt(lambda: attention(x, x, x)[0])
        fault = raised or in_use or _fault(got, attention, seen[0], at, new)
        if not fault and not callable(getattr(handle, "remove", None)):
            fault = "the result can't take the hook away; return what register_… returns"
        if not fault:
            handle.remove()
            fault = difference(attention(x, x, x)[0], whole, name="the output without the hook")
    if fault:
        return Verdict(False, fault)
    return Verdict(True, "each sentence hands on its own vector at its own place, and nowhere else")


def _fault(
    got: object, attention: MultiHeadAttention, found: Tensor, at: Tensor, new: Tensor
) -> str:
    """Return what is wrong, by name if the mistake is known, or the empty string."""
    n = torch.arange(_B)

    def mixed(heads: Tensor) -> Tensor:
        """Return what W_o makes of them; the layer itself now runs the hook."""
        return linear(heads, attention.w_o.weight, attention.w_o.bias)

    after, crossed, wanted = mixed(found), found.clone(), found.clone()
    after[n, at] = new
    crossed[:, at] = new
    wanted[n, at] = new
    mistakes = {
        "the heads still hand on what they found; does the hook return what it changed?": mixed(
            found
        ),
        "each sentence gets its vector at every position; only position at[b] should": mixed(
            new[:, None].expand_as(found)
        ),
        "each sentence is changed at the positions of all; use heads[n, at], where n numbers the "
        "sentences": mixed(crossed),
        "the vectors are put in after w_o; they should take the place of its input": after,
    }
    if isinstance(got, Tensor):
        for sentence, wrong_result in mistakes.items():
            if got.shape == wrong_result.shape and torch.allclose(got, wrong_result, atol=1e-5):
                return sentence
    return difference(got, mixed(wanted), name="the output with the hook")
