"""The axis glossary, and the checks that the package's error messages come from.

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

import math
from collections.abc import Iterable

import torch
from jaxtyping import Bool
from torch import Tensor

Mask = Bool[Tensor, "..."] | None  # broadcasts to (B, H, Tq, Tk); None restricts nothing


def check_positive(name: str, value: int) -> None:
    """Check that a size is a whole number of at least 1.

    Args:
        name: the argument's name, for the message.
        value: the size.

    Raises:
        ValueError: if it is anything else.
    """
    if not _is_integer(value) or value < 1:
        raise ValueError(f"{name} must be a positive integer; got {value!r}")


def check_integer(name: str, value: int) -> None:
    """Check that a value is a whole number.

    Args:
        name: the argument's name, for the message.
        value: the number.

    Raises:
        ValueError: if it is anything else.
    """
    if not _is_integer(value):
        raise ValueError(f"{name} must be an integer; got {value!r}")


def check_count(name: str, value: int) -> None:
    """Check that a number is a whole one, 0 or more.

    Args:
        name: the argument's name, for the message.
        value: the number.

    Raises:
        ValueError: if it is anything else.
    """
    if not _is_integer(value) or value < 0:
        raise ValueError(f"{name} must be an integer of at least 0; got {value!r}")


def check_above_zero(name: str, value: float) -> None:
    """Check that a number is positive and finite.

    Args:
        name: the argument's name, for the message.
        value: the number.

    Raises:
        ValueError: if it is anything else.
    """
    if not (_is_number(value) and 0 < value < math.inf):
        raise ValueError(f"{name} must be a number above 0; got {value!r}")


def check_not_negative(name: str, value: float) -> None:
    """Check that a number is 0 or positive, and finite.

    Args:
        name: the argument's name, for the message.
        value: the number.

    Raises:
        ValueError: if it is anything else.
    """
    if not (_is_number(value) and 0 <= value < math.inf):
        raise ValueError(f"{name} must be a number of at least 0; got {value!r}")


def check_fraction(name: str, value: float) -> None:
    """Check that a number lies in (0, 1]: a part of something, and not nothing of it.

    Args:
        name: the argument's name, for the message.
        value: the number.

    Raises:
        ValueError: if it lies outside.
    """
    if not (_is_number(value) and 0 < value <= 1):
        raise ValueError(f"{name} must be in (0, 1]; got {value!r}")


def check_between(name: str, value: int | float, low: int | float, high: int | float) -> None:
    """Check that a number lies between two others, both included.

    Args:
        name: the argument's name, for the message.
        value: the number.
        low: the least that it may be.
        high: the most that it may be.

    Raises:
        ValueError: if it lies outside, or is no number.
    """
    if not (_is_number(value) and low <= value <= high):
        raise ValueError(f"{name} must lie in [{low}, {high}]; got {value!r}")


def check_at_most(name: str, value: int, limit_name: str, limit: int) -> None:
    """Check that a size is a whole number of at least 1, and not above another size.

    Args:
        name: the argument's name, for the message.
        value: the size.
        limit_name: the name of the other size, for the message.
        limit: the other size.

    Raises:
        ValueError: if it is anything else.
    """
    check_positive(name, value)
    if value > limit:
        raise ValueError(f"{name} must be at most {limit_name} = {limit}; got {value}")


def check_heads(num_heads: int, d_model: int) -> None:
    """Check that every head gets an equal part of the model's width.

    Args:
        num_heads: H.
        d_model: D.

    Raises:
        ValueError: if they are not positive integers, or H does not divide D.
    """
    check_positive("d_model", d_model)
    check_positive("num_heads", num_heads)
    if d_model % num_heads != 0:
        raise ValueError(
            f"num_heads must divide d_model = {d_model} without remainder; got {num_heads}"
        )


def check_choice(name: str, value: object, choices: Iterable[object]) -> None:
    """Check that a value is one of those on offer.

    Args:
        name: the argument's name, for the message.
        value: the value.
        choices: those on offer.

    Raises:
        ValueError: if it is none of them.

    Example:
        >>> check_choice("norm", "pre", ("post", "pre"))
    """
    choices = list(choices)
    if not any(type(value) is type(choice) and value == choice for choice in choices):
        raise ValueError(f"{name} must be {' or '.join(map(repr, choices))}; got {value!r}")


def check_dropout(name: str, value: float) -> None:
    """Check that a dropout probability lies in [0, 1): at 1 nothing would be left.

    Args:
        name: the argument's name, for the message.
        value: the probability.

    Raises:
        ValueError: if it lies outside.
    """
    if not (_is_number(value) and 0 <= value < 1):
        raise ValueError(f"{name} must be in [0, 1); got {value!r}")


def check_floating(name: str, tensor: Tensor) -> None:
    """Check that a tensor holds real numbers.

    Args:
        name: the argument's name, for the message.
        tensor: any shape.

    Raises:
        ValueError: if its dtype is not a floating one.
    """
    if not (isinstance(tensor, Tensor) and tensor.is_floating_point()):
        raise ValueError(f"{name} must be a floating-point tensor; got {_kind(tensor)}")


def check_shape(name: str, tensor: Tensor, axes: str, **sizes: int) -> None:
    """Check a tensor's number of axes, and the sizes of those axes that are known.

    Args:
        name: the argument's name, for the message.
        tensor: the tensor.
        axes: the axes, separated by spaces; a leading ``...`` stands for any number of them.
        sizes: the size that an axis must have, by the axis's name.

    Raises:
        ValueError: if the axes or one of the sizes do not agree.

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
    """Check that two tensors agree in all axes.

    Args:
        name: the name of the argument to blame, for the message.
        tensor: its value, any shape.
        other_name: the name of the argument that it is held against.
        other: its value, any shape.

    Raises:
        ValueError: if they do not agree; they are never broadcast silently.
    """
    if tensor.shape != other.shape:
        got, needed = tuple(tensor.shape), tuple(other.shape)
        raise ValueError(f"{name} must have the shape of {other_name}, {needed}; got {got}")


def check_same_leading(name: str, tensor: Tensor, other_name: str, other: Tensor) -> None:
    """Check that two tensors agree in all axes but the last two.

    Args:
        name: the name of the argument to blame, for the message.
        tensor: its value, (..., T, D).
        other_name: the name of the argument that it is held against.
        other: its value, (..., T, D).

    Raises:
        ValueError: if they do not agree; they are never broadcast silently.
    """
    got, needed = tuple(tensor.shape[:-2]), tuple(other.shape[:-2])
    if got != needed:
        raise ValueError(f"{name} must have the leading axes of {other_name}, {needed}; got {got}")


def check_attention_inputs(query: Tensor, key: Tensor, value: Tensor, d_model: int) -> None:
    """Check what goes into attention before it is projected.

    Args:
        query: (B, Tq, D).
        key: (B, Tk, D), of the same batch.
        value: (B, Tk, D), one for each key.
        d_model: D.

    Raises:
        ValueError: if one of them is not floating-point, of another width or of another batch.
    """
    for name, tensor in (("query", query), ("key", key), ("value", value)):
        check_floating(name, tensor)
    check_shape("query", query, "B Tq D", D=d_model)
    if key is not query:
        check_shape("key", key, "B Tk D", B=query.shape[0], D=d_model)
    if value is not key:
        check_shape("value", value, "B Tk D", B=query.shape[0], Tk=key.shape[1], D=d_model)


def check_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout_p: float) -> None:
    """Check everything that attention would otherwise broadcast silently or turn into NaN.

    Args:
        q: (..., Tq, Dk).
        k: (..., Tk, Dk), with the leading axes of q.
        v: (..., Tk, Dv), one for each key.
        mask: broadcastable to (..., Tq, Tk), or None.
        dropout_p: the probability of dropping a weight.

    Raises:
        ValueError: if one of them is of another dtype or shape, or dropout_p not in [0, 1).
    """
    for name, tensor in (("q", q), ("k", k), ("v", v)):
        check_floating(name, tensor)
    check_shape("q", q, "... Tq Dk")
    check_positive("Dk, the width of q,", q.shape[-1])
    check_shape("k", k, "... Tk Dk", Dk=q.shape[-1])
    check_shape("v", v, "... Tk Dv", Tk=k.shape[-2])
    check_same_leading("k", k, "q", q)
    check_same_leading("v", v, "q", q)
    if mask is not None:
        check_mask(mask, (*q.shape[:-1], k.shape[-2]))
    check_dropout("dropout_p", dropout_p)


def check_bool(name: str, mask: Tensor) -> None:
    """Check that a mask is boolean, so that its polarity is not in doubt.

    Args:
        name: the argument's name, for the message.
        mask: any shape.

    Raises:
        ValueError: if it is not a bool tensor.
    """
    if not (isinstance(mask, Tensor) and mask.dtype == torch.bool):
        raise ValueError(
            f"{name} must be a bool tensor, True = may attend; got {_kind(mask)}"
            " (elsewhere a float mask is added to the scores, and a 1 may mean 'hide')"
        )


def check_mask(mask: Tensor, scores_shape: tuple[int, ...]) -> None:
    """Check that a mask is boolean and broadcasts to the scores in one way only.

    A mask with three axes for scores with four is refused even where it fits: its first axis was
    meant as the batch, and would be taken for the heads.

    Args:
        mask: two axes, (Tq, Tk), or as many as the scores.
        scores_shape: (..., Tq, Tk), as a rule (B, H, Tq, Tk).

    Raises:
        ValueError: if it does not.

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
    """Check that a tensor holds ids, and that a vocabulary of the given size has each of them.

    Args:
        name: the argument's name, for the message.
        ids: any shape.
        vocab_size: V; None leaves the range unchecked.

    Raises:
        ValueError: if they are not int32 or int64, or one of them is below 0 or not below V.
    """
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


def check_id(name: str, value: int, vocab_size: int) -> None:
    """Check that a number is the id of a token.

    Args:
        name: the argument's name, for the message.
        value: the id.
        vocab_size: V.

    Raises:
        ValueError: if it is no integer, or the vocabulary lacks it.
    """
    check_integer(name, value)
    if not 0 <= value < vocab_size:
        raise ValueError(
            f"{name} must lie in 0..{vocab_size - 1} (vocab_size = {vocab_size}); got {value}"
        )


def check_sentences(name: str, ids: Tensor, pad_id: int | None = None) -> None:
    """Check that a tensor holds the ids of at least one sentence, and of none without a word.

    Args:
        name: the argument's name, for the message.
        ids: (B, T).
        pad_id: the id of padding; None lets a row consist of nothing else.

    Raises:
        ValueError: if they are not int32 or int64, not (B, T), none at all, or if a row holds
            only padding.

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


def _is_integer(value: object) -> bool:
    """Tell whether a value is a whole number (True and False are not)."""
    # While torch.export traces a model, an axis of any length has a symbol for its size.
    return isinstance(value, int | torch.SymInt) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    """Tell whether a value is a real number (True and False are not)."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _kind(value: object) -> str:
    """Name what came in place of the tensor that was needed: its dtype, or its type."""
    return str(value.dtype) if isinstance(value, Tensor) else type(value).__name__


def _broadcasts_to(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Tell whether a shape broadcasts to another one without changing the latter."""
    if len(shape) > len(target):
        return False
    from_the_right = zip(reversed(shape), reversed(target), strict=False)
    return all(size in (1, wanted) for size, wanted in from_the_right)
