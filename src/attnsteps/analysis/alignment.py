"""Which word was translated from which? Cross-attention held against the known alignment."""

from collections.abc import Iterable, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from attnsteps.checks import check_number, check_positive
from attnsteps.model.mode import in_mode
from attnsteps.model.transformer import Transformer
from attnsteps.shapes import check_shape
from attnsteps.text.batch import Example, collate

Link = tuple[int, int]  # (source position, target position)


def attention_links(weights: Float[Tensor, "T S"]) -> set[Link]:
    """Link each target word to the source word that it attends to most.

    Args:
        weights: (T, S); row t is that of the position at which word t is predicted.

    Returns:
        (source position, target position) of each link, one for each target word.

    Example:
        >>> import torch
        >>> sorted(attention_links(torch.tensor([[0.1, 0.9], [0.8, 0.2]])))
        [(0, 1), (1, 0)]
    """
    check_shape("weights", weights, "T S")
    return {(source, t) for t, source in enumerate(weights.argmax(dim=-1).tolist())}


def alignment_error_rate(
    found: Sequence[Iterable[Link]],
    sure: Sequence[Iterable[Link]],
    possible: Sequence[Iterable[Link]] | None = None,
) -> float:
    """Return how far links are from those that are known, over all sentences together.

    Formula, with A the links found, S the sure ones and P ⊇ S those that may also be::

        AER = 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|)

    Source: Och and Ney 2003, section 5. Where P is S, as in a corpus whose alignments are known by
    construction, it is 1 − F1 of the links.

    Args:
        found: the links of each sentence.
        sure: those that have to be there.
        possible: those that are no mistake; None: the sure ones alone.

    Returns:
        0 where all sure links were found and only possible ones, 1 where nothing is right.

    Raises:
        ValueError: if they are not of equally many sentences, or hold no link at all.

    Example:
        >>> alignment_error_rate([{(0, 0), (1, 1)}], [{(0, 0), (2, 1)}])
        0.5
    """
    allowed = sure if possible is None else possible
    for name, others in (("sure", sure), ("possible", allowed)):
        if len(others) != len(found):
            raise ValueError(
                f"{name} must hold the links of {len(found)} sentences, as found does;"
                f" got {len(others)}"
            )
    right = total = 0
    for a, s, p in zip(map(set, found), map(set, sure), map(set, allowed), strict=True):
        right += len(a & s) + len(a & (p | s))
        total += len(a) + len(s)
    if total == 0:
        raise ValueError("found and sure must hold at least one link; got none")
    return 1 - right / total


def cross_attention_links(
    model: Transformer,
    examples: Sequence[Example],
    *,
    layer: int = -1,
    head: int | None = None,
    batch_size: int = 64,
) -> list[set[Link]]:
    """Read an alignment off the cross-attention, teacher-forced: for the reference's own words.

    Args:
        model: a causal model; it is left in the mode it was in.
        examples: the ids of sources and targets, as encode_pairs returns them.
        layer: the decoder's layer, from 0 on, or from −1 back.
        head: one head; None takes the mean of all.
        batch_size: how many to read side by side.

    Returns:
        The links of each sentence, one for each target word; eos_id has none.

    Raises:
        ValueError: if there is no such layer or head, or batch_size is not a positive integer.

    Example:
        >>> from attnsteps import Transformer, TransformerConfig
        >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=11, tgt_vocab_size=13))
        >>> (links,) = cross_attention_links(model, [([5, 6], [7, 8, 9])])
        >>> sorted(target for _, target in links)
        [0, 1, 2]
    """
    layers, heads = model.config.num_decoder_layers, model.config.num_heads
    check_number("layer", layer, at_least=-layers, at_most=layers - 1, integer=True)
    if head is not None:
        check_number("head", head, at_least=0, at_most=heads - 1, integer=True)
    check_positive("batch_size", batch_size)
    device = next(model.parameters()).device
    links = []
    with in_mode(model), torch.no_grad():
        for start in range(0, len(examples), batch_size):
            some = examples[start : start + batch_size]
            batch = collate(some).to(device)
            weights = model(batch.src_ids, batch.tgt_in, need_weights=True)[1].cross[layer]
            maps = weights.mean(dim=1) if head is None else weights[:, head]  # (B, T, S)
            links += [
                attention_links(each[: len(tgt), : len(src)])
                for each, (src, tgt) in zip(maps, some, strict=True)
            ]
    return links
