"""The axis glossary, and the checks of tensors; those of numbers and choices are in ``checks``.

Sizes carry the paper's names, axes are capitals, and the batch comes first.

========  =========================================  ==========================
Axis      Meaning                                    Size
========  =========================================  ==========================
B         batch                                      batch_size
S, T      source, target positions                   src_len, tgt_len
Tq, Tk    query, key positions (inside attention)
D         model width                                d_model (512 in the paper)
H         heads                                      num_heads (8)
Dk, Dv    width of one head's keys, values           d_k, d_v (64)
Dff       hidden width of the feed-forward network   d_ff (2048)
V         vocabulary                                 vocab_size
W         beam                                       beam_width
========  =========================================  ==========================

================================  ===================================================
Tensor                            Shape
================================  ===================================================
src_ids, tgt_ids                  (B, S), (B, T)
src_emb, tgt_emb                  (B, S, D), (B, T, D)
query, key, value (inputs)        (B, Tq, D), (B, Tk, D), (B, Tk, D)
q, k, v (per head)                (B, H, Tq, Dk), (B, H, Tk, Dk), (B, H, Tk, Dv)
scores, weights                   (B, H, Tq, Tk), before and after the softmax
context                           (B, H, Tq, Dv), merged (B, Tq, H*Dv)
memory (encoder output)           (B, S, D)
logits, log_probs                 (B, T, V)
mask                              bool, broadcasts to (B, H, Tq, Tk); True = may attend
================================  ===================================================

Each check takes the argument's name first, and returns nothing if all is well. Otherwise it raises
a ValueError that says which argument it was, what was needed and what came.
"""

import torch
from jaxtyping import Bool
from torch import Tensor

from attnsteps.checks import check_number, check_positive

Mask = Bool[Tensor, "..."] | None  # broadcasts to (B, H, Tq, Tk); None restricts nothing


def check_floating(name: str, tensor: Tensor) -> None:
    """Check that a tensor holds real numbers."""
    if not (isinstance(tensor, Tensor) and tensor.is_floating_point()):
        raise ValueError(f"{name} must be a floating-point tensor; got {_kind(tensor)}")


def check_shape(name: str, tensor: Tensor, axes: str, **sizes: int) -> None:
    """Check a tensor's number of axes, and the sizes of those axes that are known.

    Example:
        >>> check_shape("key", torch.zeros(2, 7, 12), "B Tk D", B=2, D=12)
        >>> check_shape("k", torch.zeros(2, 3, 7, 4), "... Tk Dk", Dk=4)
    """
    names, shape = axes.split(), tensor.shape
    is_open = names[0] == "..."
    fits = len(shape) >= len(names) - 1 if is_open else len(shape) == len(names)
    # Counted from the last axis, an axis has the same place whatever "..." stands for.
    if fits and all(shape[names.index(axis) - len(names)] == sizes[axis] for axis in sizes):
        return
    known = ", ".join(f"{axis} = {size}" for axis, size in sizes.items())
    needed = f"({', '.join(names)})" + (f" with {known}" if known else "")
    raise ValueError(f"{name} must have shape {needed}; got {tuple(shape)}")


def check_same_shape(name: str, tensor: Tensor, other_name: str, other: Tensor) -> None:
    """Check that two tensors agree in all axes."""
    if tensor.shape != other.shape:
        got, needed = tuple(tensor.shape), tuple(other.shape)
        raise ValueError(f"{name} must have the shape of {other_name}, {needed}; got {got}")


def check_same_dtype(name: str, tensor: Tensor, other_name: str, other: Tensor) -> None:
    """Check that two tensors agree in their dtype, which autocast would see to."""
    if tensor.dtype != other.dtype and not torch.is_autocast_enabled(tensor.device.type):
        raise ValueError(
            f"{name} must have the dtype of {other_name}, {other.dtype}; got {tensor.dtype}"
        )


def check_same_leading(name: str, tensor: Tensor, other_name: str, other: Tensor) -> None:
    """Check that two tensors agree in all axes but the last two."""
    got, needed = tuple(tensor.shape[:-2]), tuple(other.shape[:-2])
    if got != needed:
        raise ValueError(f"{name} must have the leading axes of {other_name}, {needed}; got {got}")


def check_attention_inputs(query: Tensor, key: Tensor, value: Tensor, d_model: int) -> None:
    """Check what goes into attention before it is projected."""
    for name, tensor in (("query", query), ("key", key), ("value", value)):
        check_floating(name, tensor)
    check_shape("query", query, "B Tq D", D=d_model)
    if key is not query:
        check_shape("key", key, "B Tk D", B=query.shape[0], D=d_model)
    if value is not key:
        check_shape("value", value, "B Tk D", B=query.shape[0], Tk=key.shape[1], D=d_model)
    check_same_dtype("key", key, "query", query)
    check_same_dtype("value", value, "query", query)


def check_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout_p: float) -> None:
    """Check everything that attention would otherwise broadcast silently or turn into NaN."""
    for name, tensor in (("q", q), ("k", k), ("v", v)):
        check_floating(name, tensor)
    check_shape("q", q, "... Tq Dk")
    check_positive("Dk, the width of q,", q.shape[-1])
    check_shape("k", k, "... Tk Dk", Dk=q.shape[-1])
    check_shape("v", v, "... Tk Dv", Tk=k.shape[-2])
    check_same_leading("k", k, "q", q)
    check_same_leading("v", v, "q", q)
    check_same_dtype("k", k, "q", q)
    check_same_dtype("v", v, "q", q)
    if mask is not None:
        check_mask(mask, (*q.shape[:-1], k.shape[-2]))
    check_number("dropout_p", dropout_p, at_least=0, below=1)


def check_bool(name: str, mask: Tensor) -> None:
    """Check that a mask is boolean, so that its polarity is not in doubt."""
    if not (isinstance(mask, Tensor) and mask.dtype == torch.bool):
        raise ValueError(
            f"{name} must be a bool tensor, True = may attend; got {_kind(mask)}"
            " (elsewhere a float mask is added to the scores, and a 1 may mean 'hide')"
        )


def check_mask(mask: Tensor, scores_shape: tuple[int, ...]) -> None:
    """Check that a mask is boolean and broadcasts to the scores in one way only.

    A mask with three axes for scores with four is refused even where it fits: its first axis was
    meant as the batch, and would be taken for the heads.

    Example:
        >>> check_mask(torch.ones(2, 1, 1, 7, dtype=torch.bool), (2, 3, 5, 7))
    """
    check_bool("mask", mask)
    axes = {1: "(Tk,)", 2: "(Tq, Tk)", 4: "(B, H, Tq, Tk)"}.get(len(scores_shape), "(..., Tq, Tk)")
    got = tuple(mask.shape)
    if not _broadcasts_to(got, scores_shape):
        raise ValueError(f"mask must broadcast to {axes} = {tuple(scores_shape)}; got {got}")
    if len(got) not in (2, len(scores_shape)):
        raise ValueError(
            f"mask must have two axes or all of {axes} = {tuple(scores_shape)}; got {got}"
            " (a (B, Tq, Tk) mask needs a head axis: mask.unsqueeze(1))"
        )


def check_ids(name: str, ids: Tensor, vocab_size: int | None = None) -> None:
    """Check that a tensor holds ids, and that a vocabulary of the given size has each of them."""
    if not (isinstance(ids, Tensor) and ids.dtype in (torch.int32, torch.int64)):
        raise ValueError(f"{name} must be an int32 or int64 tensor; got {_kind(ids)}")
    # torch.compile cannot branch on values: there, the look-up itself has to complain.
    if vocab_size is None or torch.compiler.is_compiling():
        return
    outside = ids[(ids < 0) | (ids >= vocab_size)]
    if outside.numel() > 0:
        raise ValueError(
            f"{name} must lie in 0..{vocab_size - 1} (vocab_size = {vocab_size});"
            f" got {int(outside[0])}"
        )


def check_sentences(name: str, ids: Tensor, pad_id: int | None = None) -> None:
    """Check that a tensor holds the ids of at least one sentence, and of none without a word.

    Example:
        >>> check_sentences("src_ids", torch.tensor([[5, 8, 0]]), pad_id=0)
    """
    check_ids(name, ids)
    check_shape(name, ids, "B T")
    if 0 in ids.shape:
        raise ValueError(
            f"{name} must hold at least one sentence of one id; got {tuple(ids.shape)}"
        )
    # torch.compile cannot branch on values: there, an empty sentence passes, and sees zeros.
    if pad_id is None or torch.compiler.is_compiling():
        return
    empty = (ids == pad_id).all(dim=1)
    if empty.any():
        raise ValueError(
            f"{name} must hold a word in every row, not only padding (pad_id = {pad_id});"
            f" got none in row {int(empty.nonzero()[0])}"
        )


def _kind(value: object) -> str:
    """Name what came in place of the tensor that was needed: its dtype, or its type."""
    return str(value.dtype) if isinstance(value, Tensor) else type(value).__name__


def _broadcasts_to(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Tell whether a shape broadcasts to another one without changing the latter.

    torch.broadcast_shapes, which would say it too, takes longer than a step of decoding.
    """
    if len(shape) > len(target):
        return False
    from_the_right = zip(reversed(shape), reversed(target), strict=False)
    return all(size in (1, wanted) for size, wanted in from_the_right)
