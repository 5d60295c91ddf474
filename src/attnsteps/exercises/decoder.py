"""Grades the coding exercise of the chapter on the decoder."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnsteps.exercises.verdict import Verdict, attempt

_PAD = 3  # not 0, so that a hard-coded padding id fails
# Three sentences of up to five source and four target words, so that no two axes are alike.
_SRC = torch.tensor([[5, 6, 7, 8, 0], [5, 6, 3, 3, 3], [5, 0, 7, 3, 3]])
_TGT = torch.tensor([[1, 5, 6, 0], [1, 5, 6, 3], [1, 0, 3, 3]])


def grade_decoder_masks(function: Callable[..., tuple[Tensor, Tensor]]) -> Verdict:
    """Say whether ``function(src_ids, tgt_ids, pad_id)`` gives the decoder's two masks.

    From ids (B, S) and (B, T) it should make bool masks, True = may attend: tgt_mask, which
    broadcasts to (B, 1, T, T), and memory_mask, which broadcasts to (B, 1, T, S).

    Example:
        >>> grade_decoder_masks(lambda src_ids, tgt_ids, pad_id: None)
        ✗ Not yet: return two masks, tgt_mask and memory_mask; got NoneType
    """
    got, raised = attempt(lambda: function(_SRC.clone(), _TGT.clone(), _PAD))
    if raised:
        return Verdict(False, raised)
    if not isinstance(got, tuple | list) or len(got) != 2:
        return Verdict(
            False, f"return two masks, tgt_mask and memory_mask; got {type(got).__name__}"
        )
    (batch, source), target = _SRC.shape, _TGT.shape[1]
    causal = torch.ones(target, target, dtype=torch.bool).tril()
    tgt_real, src_real = (ids.ne(_PAD)[:, None, None, :] for ids in (_TGT, _SRC))
    shape = (batch, 1, target, target)
    tgt_mistakes = {
        "tgt_mask lets each word look at later words only; keep the lower triangle": (
            causal.mT & tgt_real
        ),
        "tgt_mask lets a word look ahead: the causal part is missing": tgt_real,
        "tgt_mask lets words look at padding: combine the causal part with the target's padding": (
            causal
        ),
        "tgt_mask hides the words before instead of those after": ~causal & tgt_real,
        "tgt_mask hides padding as a query; it must be hidden as a key, on the last axis": (
            causal & tgt_real.mT
        ),
        "tgt_mask lets no word look at itself; the diagonal belongs to the past": (
            causal.tril(-1) & tgt_real
        ),
        "tgt_mask treats the id 0 as padding; padding is where tgt_ids == pad_id": (
            causal & _TGT.ne(0)[:, None, None, :]
        ),
    }
    fault = _fault("tgt_mask", got[0], causal & tgt_real, shape, tgt_mistakes)
    if not fault:
        shape = (batch, 1, target, source)
        memory_mistakes = {
            "memory_mask is causal; the whole source may be read at any time": (
                torch.ones(target, source, dtype=torch.bool).tril() & src_real
            ),
            "memory_mask hides nothing; the source has padding too": torch.ones(
                shape, dtype=torch.bool
            ),
            "memory_mask is upside down: True must mean may attend": ~src_real,
            "memory_mask treats the id 0 as padding; padding is where src_ids == pad_id": (
                _SRC.ne(0)[:, None, None, :]
            ),
        }
        fault = _fault("memory_mask", got[1], src_real, shape, memory_mistakes)
    if fault:
        return Verdict(False, fault)
    return Verdict(True, "the target looks back and past its padding, and at all real source words")


def _fault(
    name: str,
    got: object,
    want: Tensor,
    shape: tuple[int, ...],
    mistakes: dict[str, Tensor],
) -> str:
    """Return what is wrong with one mask, by name if the mistake is known, or the empty string."""
    if not isinstance(got, Tensor):
        return f"{name} should be a tensor and is a {type(got).__name__}"
    if got.dtype != torch.bool:
        return f"{name} should be boolean and is {got.dtype}"
    try:
        full = got.broadcast_to(shape)
    except RuntimeError:
        return f"{name} should broadcast to {shape} and has {tuple(got.shape)}"
    for sentence, wrong in mistakes.items():
        if torch.equal(full, wrong.broadcast_to(shape)):
            return sentence
    different = (full != want.broadcast_to(shape)).nonzero()
    if not len(different):
        return ""
    b, _, query, key = different[0].tolist()
    allowed = bool(want.broadcast_to(shape)[b, 0, query, key])
    return (
        f"{name}: in sentence {b}, position {query} must {'' if allowed else 'not '}"
        f"attend to position {key}"
    )
