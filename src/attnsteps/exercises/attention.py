"""Grades the exercise of chapter "attention": the whole function, with mask and dropout."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from attnsteps.exercises.verdict import Verdict, attempt, difference, known_mistake
from attnsteps.layers.attention import scaled_dot_product_attention

Attention = Callable[..., tuple[Tensor, Tensor]]

# Every size is another prime, so that swapped axes cannot pass.
_B, _H, _TQ, _TK, _DK, _DV = 2, 3, 5, 7, 11, 13


def grade_attention(function: Attention) -> Verdict:
    """Say whether a function is scaled dot-product attention, and if not, what is wrong.

    It is called as ``function(q, k, v, mask=…, dropout_p=…, training=…)`` with q (B, H, Tq, Dk), k
    (B, H, Tk, Dk), v (B, H, Tk, Dv) and a bool mask that broadcasts to (B, H, Tq, Tk), True = may
    attend, or None. It should return the context (B, H, Tq, Dv) and the weights before dropout (B,
    H, Tq, Tk).

    Example:
        >>> def unscaled(q, k, v, **_):
        ...     weights = (q @ k.mT).softmax(-1)
        ...     return weights @ v, weights
        >>> grade_attention(unscaled)
        ✗ Not yet: the scores are not divided by √d_k
    """
    with torch.random.fork_rng(devices=[]):
        for check in (_plain, _masked, _half, _empty_row, _gradient, _evaluation, _training):
            if message := check(function):
                return Verdict(False, message)
    return Verdict(
        True, "values, masks, empty rows, dropout and evaluation are all as they should be"
    )


def _plain(function: Attention) -> str:
    """Check the formula without mask and dropout."""
    q, k, v = _inputs()
    pair, message = _call(function, q, k, v, None)
    if message:
        return message
    context, weights = pair
    want_context, want = scaled_dot_product_attention(q, k, v)
    dots = q @ k.mT
    scaled = dots / math.sqrt(_DK)
    over_d_v = "the scores are divided by √d_v; what grows with the width of the keys is √d_k"
    mistakes = {
        "the scores are not divided by √d_k": dots.softmax(-1),
        "the scores are divided by d_k, not by its root": (dots / _DK).softmax(-1),
        over_d_v: (dots / math.sqrt(_DV)).softmax(-1),
        "the softmax runs over the queries instead of the keys (dim=-1)": scaled.softmax(-2),
        "the softmax runs over the heads instead of the keys (dim=-1)": scaled.softmax(1),
        "the second result is the scores; return the weights, after the softmax": scaled,
    }
    return (
        known_mistake(weights, mistakes)
        or difference(weights, want, name="weights")
        or difference(context, want_context, name="context")
    )


def _masked(function: Attention) -> str:
    """Check a mask that leaves every query something to attend to."""
    q, k, v = _inputs()
    mask = torch.rand(_B, 1, _TQ, _TK) < 0.5
    mask[..., 0], mask[..., 1] = True, False
    pair, message = _call(function, q, k, v, mask)
    if message:
        return f"with a mask of shape {tuple(mask.shape)}, {message}"
    context, weights = pair
    want_context, want = scaled_dot_product_attention(q, k, v, mask)
    scores = q @ k.mT / math.sqrt(_DK)
    full = scores.softmax(-1)
    mistakes = {
        "the mask changes nothing": full,
        "the mask is read the wrong way round: True means may attend": (
            scaled_dot_product_attention(q, k, v, ~mask)[1]
        ),
        "hidden weights are set to 0 after the softmax, so the rows no longer sum to 1; hide the "
        "scores before it": full * mask,
        "hidden scores are set to 0, and exp(0) = 1 still gets a share; use −∞": (
            scores * mask
        ).softmax(-1),
    }
    return (
        known_mistake(weights, mistakes)
        or difference(weights, want, name="weights")
        or difference(context, want_context, name="context")
    )


def _half(function: Attention) -> str:
    """Check that hiding works in float16, which cannot hold −1e9 and has real scores below −1e4."""
    q = torch.full((_B, _H, _TQ, _DK), -66.0, dtype=torch.float16)
    k = torch.full((_B, _H, _TK, _DK), 66.0, dtype=torch.float16)  # scores of −14,447
    v = torch.ones(_B, _H, _TK, _DV, dtype=torch.float16)
    mask = torch.ones(_TQ, _TK, dtype=torch.bool).tril()
    pair, message = _call(function, q, k, v, mask)
    if message:
        reason = "; −∞ exists in every float type, −1e9 does not" if "overflow" in message else ""
        return f"in float16, {message}{reason}"
    hidden = pair[1][..., ~mask]
    if bool((hidden > 0).any()):
        return "where all real scores are very low, a hidden key wins: a finite number is not −∞"
    want = mask / mask.sum(-1, keepdim=True)  # all real scores are equal
    off = difference(pair[1], want.expand_as(pair[1]), name="weights", tolerance=2e-3)
    return off and f"in float16, where all real scores are very low, {off}"


def _empty_row(function: Attention) -> str:
    """Check a query that may attend to nothing."""
    q, k, v = _inputs()
    mask = _one_empty_row()
    pair, message = _call(function, q, k, v, mask)
    if message:
        return message
    who = "a query that may look at nothing"
    for name, tensor in zip(("context", "weights"), pair, strict=True):
        row = tensor[1, :, 2]
        if bool(row.isnan().any()):
            return f"{who} gets NaN; give it zeros"
        if bool(row.any()):
            return f"{who} gets {name} other than 0"
    want_context, want = scaled_dot_product_attention(q, k, v, mask)
    return difference(pair[1], want, name="weights") or difference(
        pair[0], want_context, name="context"
    )


def _gradient(function: Attention) -> str:
    """Check that such a query sends back no NaN."""
    q, k, v = _inputs()
    pair, message = _call(function, q.requires_grad_(), k, v, _one_empty_row())
    if message:
        return message
    _, message = attempt(lambda: pair[0].sum().backward())
    if message or q.grad is None:
        return "no gradient of the context reaches q"
    if bool(q.grad.isnan().any()):
        return (
            "a query that may look at nothing gets zeros, but its gradient is NaN: a NaN that is"
            " replaced afterwards still comes back in the backward pass, so never let one arise"
        )
    return ""


def _evaluation(function: Attention) -> str:
    """Check that nothing is dropped outside training."""
    q, k, v = _inputs()
    want, _ = scaled_dot_product_attention(q, k, v)
    pair, message = _call(function, q, k, v, None, dropout_p=0.5, training=False)
    if message:
        return message
    if not difference(pair[0], 0.5 * want, name="context"):
        return (
            "with training=False the context is multiplied by 1 − dropout_p; leave it as it is,"
            " and divide the kept weights in training"
        )
    if difference(pair[0], want, name="context"):
        return "with training=False dropout is still on"
    return ""


def _training(function: Attention) -> str:
    """Check what is dropped in training, and which weights are returned."""
    q, k, _ = _inputs()
    eye = torch.eye(_TK, dtype=q.dtype).expand(_B, _H, _TK, _TK)
    v = torch.cat([eye, eye], dim=-1)  # the context is the weights that were used, twice
    _, want = scaled_dot_product_attention(q, k, v)
    pair, message = _call(function, q, k, v, None, dropout_p=0.25, training=True)
    if message:
        return message
    (used, again), weights = pair[0].chunk(2, dim=-1), pair[1]
    kept = used != 0
    dropped = int((~kept).sum())
    if difference(weights, want, name="weights"):
        message = (
            "in training, dropout has changed the returned weights (the first row sums to "
            f"{weights[0, 0, 0].sum().item():.2f}); return the weights before dropout"
        )
    elif dropped == 0:
        message = "with training=True and dropout_p=0.25 no weight is dropped"
    elif not torch.equal(used, again):
        message = "values or context are dropped; dropout belongs on the weights, before the values"
    elif not kept.numel() // 10 < dropped < kept.numel() // 2:  # 21 and 105 of 210
        message = (
            f"with training=True and dropout_p=0.25, {dropped} of {kept.numel()} weights are"
            " dropped; it should be about a quarter"
        )
    elif difference(used[kept], want[kept] / 0.75, name="kept weights"):
        message = "the kept weights should be divided by 1 − dropout_p, and are not"
    return message


def _one_empty_row() -> Tensor:
    """Return a mask that hides everything from one query."""
    mask = torch.ones(_B, 1, _TQ, _TK, dtype=torch.bool)
    mask[1, 0, 2] = False
    return mask


def _inputs() -> list[Tensor]:
    """Draw q, k and v, the same each time."""
    torch.manual_seed(7)
    shapes = [(_B, _H, _TQ, _DK), (_B, _H, _TK, _DK), (_B, _H, _TK, _DV)]
    return [torch.randn(shape, dtype=torch.float64) for shape in shapes]


def _call(
    function: Attention,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None,
    *,
    dropout_p: float = 0.0,
    training: bool = True,
) -> tuple[tuple[Tensor, Tensor] | None, str]:
    """Call the reader's function, and return its two tensors or what is wrong with their form."""
    given = [q.clone(), k.clone(), v.clone()]  # the reader's function may change them
    mask = None if mask is None else mask.clone()
    pair, message = attempt(
        lambda: function(*given, mask=mask, dropout_p=dropout_p, training=training)
    )
    if message:
        return None, message
    if not (isinstance(pair, tuple | list) and len(pair) == 2):
        return None, f"return two results, context and weights; got a {type(pair).__name__}"
    shapes = ((*q.shape[:-1], v.shape[-1]), (*q.shape[:-1], k.shape[-2]))
    for name, tensor, shape in zip(("context", "weights"), pair, shapes, strict=True):
        if not isinstance(tensor, Tensor):
            return None, f"{name} should be a tensor and is a {type(tensor).__name__}"
        if tuple(tensor.shape) != shape:
            return None, f"{name} should have shape {shape} and has {tuple(tensor.shape)}"
    return pair, ""
