"""Turn a head or an edge of attention off, in a model that is trained already, and see what for."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Literal, NamedTuple

import torch
from torch import nn

from attnsteps.checks import check_choice, check_number
from attnsteps.layers.masks import combine
from attnsteps.layers.multi_head import MultiHeadAttention
from attnsteps.model.transformer import Transformer

PARTS = {
    "encoder": ("encoder", "self_attention"),
    "decoder": ("decoder", "self_attention"),
    "cross": ("decoder", "cross_attention"),
}


class Knockout(NamedTuple):
    """What to turn off; a field that is left out stands for all layers, all heads, all positions.

    With a query or a key, it is the edges between them: that query cannot look at that key, and its
    weight goes to the keys that are left. Without, it is the head: what it hands on is zero,
    wherever it looks.

    Args:
        part: "encoder" or "decoder", their self-attention; or "cross", the decoder's attention to
            the memory. As in AttentionWeights.
        layer: which layer, from 0.
        head: which head, from 0.
        query: the position that looks, from 0; in the decoder, position t is where word t is
            predicted, and the word that is read there is word t − 1.
        key: the position that is looked at, from 0.

    Example:
        >>> Knockout("cross", layer=1, head=2)
        Knockout(part='cross', layer=1, head=2, query=None, key=None)
    """

    part: Literal["encoder", "decoder", "cross"]
    layer: int | None = None
    head: int | None = None
    query: int | None = None
    key: int | None = None


@contextmanager
def knocked_out(model: Transformer, *knockouts: Knockout) -> Iterator[Transformer]:
    """Turn heads and edges of a model off for as long as a ``with`` block lasts.

    Formula, for a head h that is off, and for an edge (i, j)::

        head_h ← 0          before W_o
        scores[i, j] ← −∞   before the softmax

    Source: Michel et al. 2019, section 2.3, for heads; Geva et al. 2023, section 5, for edges.

    Searches see it too: with and without a cache, the same is off at the same positions. A query
    that is left without a key gets zeros. What the projection adds by itself, the bias of w_o,
    stays.

    Args:
        model: a Transformer; in a batch, the same is turned off in every sentence.
        *knockouts: what to turn off.

    Yields:
        The model. Afterwards it is as it was, after an error too.

    Returns:
        A context manager.

    Raises:
        ValueError: if model is no Transformer; if there is no such part, layer or head, or a
            position is below 0.

    Example:
        >>> from attnsteps import TransformerConfig
        >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=11, tgt_vocab_size=13))
        >>> ids = torch.tensor([[5, 3, 8]]), torch.tensor([[1, 7]])
        >>> whole = model(*ids)
        >>> with knocked_out(model, Knockout("cross", layer=1, head=2)):
        ...     torch.equal(model(*ids), whole)
        False
        >>> torch.equal(model(*ids), whole)
        True
    """
    if not isinstance(model, Transformer):
        raise ValueError(f"model must be a Transformer; got a {type(model).__name__}")
    for knockout in knockouts:
        _check(model, knockout)
    with ExitStack() as hooks:
        first = _FirstPosition()
        handle = model.decoder.register_forward_pre_hook(first, with_kwargs=True)
        hooks.callback(handle.remove)
        for part, (stack, name) in PARTS.items():
            for n, layer in enumerate(getattr(model, stack).layers):
                here = [k for k in knockouts if k.part == part and k.layer in (None, n)]
                if here:
                    start = (lambda: 0) if stack == "encoder" else (lambda: first.position)
                    _turn_off(getattr(layer, name), here, start, hooks)
        yield model


class _FirstPosition:
    """Note the position of the first word that the decoder is given: above 0 with a cache."""

    position = 0

    def __call__(self, decoder: nn.Module, args: tuple, kwargs: dict) -> None:
        cache = kwargs.get("cache")
        self.position = 0 if cache is None else len(cache) - args[0].shape[1]


def _check(model: Transformer, knockout: Knockout) -> None:
    """Refuse what the model has not."""
    check_choice("part", knockout.part, PARTS)
    layers = len(getattr(model, PARTS[knockout.part][0]).layers)
    for name, number in (("layer", layers), ("head", model.config.num_heads)):
        value = getattr(knockout, name)
        if value is not None:
            check_number(name, value, at_least=0, at_most=number - 1, integer=True)
    for name in ("query", "key"):
        value = getattr(knockout, name)
        if value is not None:
            check_number(name, value, at_least=0, integer=True)


def _turn_off(
    attention: MultiHeadAttention,
    knockouts: list[Knockout],
    start: Callable[[], int],
    hooks: ExitStack,
) -> None:
    """Hang the hooks into one attention, and note how to take them out again."""
    edges = [k for k in knockouts if k.query is not None or k.key is not None]
    silent = [k.head for k in knockouts if k.query is None and k.key is None]
    num_heads = attention.num_heads

    def silence(_module: nn.Module, args: tuple) -> tuple:
        heads = args[0].unflatten(-1, (num_heads, -1)).clone()  # (B, Tq, H, Dv)
        for head in silent:
            heads[:, :, slice(None) if head is None else head] = 0
        return (heads.flatten(-2),)

    def hide(_module: nn.Module, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
        query, key, value, mask = args
        cached = 0 if kwargs.get("cache") is None else len(kwargs["cache"])
        num_keys = cached + key.shape[1]
        shape = (1, num_heads, query.shape[1], num_keys)
        allowed = torch.ones(shape, dtype=torch.bool, device=query.device)
        for edge in edges:
            row = slice(None) if edge.query is None else edge.query - start()
            column = slice(None) if edge.key is None else edge.key
            is_here = edge.query is None or 0 <= row < query.shape[1]
            if is_here and (edge.key is None or column < num_keys):
                allowed[:, slice(None) if edge.head is None else edge.head, row, column] = False
        return (query, key, value, combine(mask, allowed)), kwargs

    if silent:
        hooks.callback(attention.w_o.register_forward_pre_hook(silence).remove)
    if edges:
        handle = attention.register_forward_pre_hook(hide, with_kwargs=True)
        hooks.callback(handle.remove)
