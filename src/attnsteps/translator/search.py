"""One way into every search, and one back: how the model attended to what it has found."""

from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor, nn

from attnsteps.checks import check_choice
from attnsteps.decoding.beam import beam
from attnsteps.decoding.greedy import greedy
from attnsteps.decoding.mask_predict import all_at_once, mask_predict
from attnsteps.decoding.result import Decoded
from attnsteps.decoding.sample import sample
from attnsteps.model.attention_weights import AttentionWeights
from attnsteps.model.mode import in_mode
from attnsteps.model.non_autoregressive import NonAutoregressive
from attnsteps.model.transformer import Transformer

#: What each kind of model can do; the first of each is the default.
SEARCHES: dict[type, dict[str, Callable[..., Decoded]]] = {
    Transformer: {"greedy": greedy, "beam": beam, "sample": sample},
    NonAutoregressive: {"all_at_once": all_at_once, "mask_predict": mask_predict},
}
# A beam as in the paper's section 6.1. One length: of several, the mean certainty by which
# mask_predict chooses prefers those that are too short, as chapter 18 measures.
DEFAULTS = {"beam": {"beam_width": 4}, "mask_predict": {"num_lengths": 1}}


class Translation(NamedTuple):
    """What became of one text.

    Args:
        text: the translation.
        tokens: the same in tokens, without eos_id.
        src_tokens: the source in tokens.
        unknown: those of them that the vocabulary lacks, for which the model has read unk_id; of a
            model with a reading, the characters that it has left out.
        is_whole: False if the translation was cut at max_len.
        weights: how the model attended while it found the token at each position, the end
            included, as a batch of one; None unless asked for. A model that finds all tokens at
            once reads all places: its decoder's rows may be longer than the translation.

    Example:
        >>> from attnsteps import pretrained
        >>> (found,) = pretrained().translate(["猫累了"])
        >>> found.text, found.src_tokens, found.unknown
        ('the cat was tired', ['猫', '累', '了'], [])
    """

    text: str
    tokens: list[str]
    src_tokens: list[str]
    unknown: list[str]
    is_whole: bool
    weights: AttentionWeights | None = None


def find(
    model: Transformer | NonAutoregressive,
    src_ids: Int[Tensor, "B S"],
    *,
    search: str | None = None,
    max_len: int | None = None,
    **options: object,
) -> Decoded:
    """Translate a batch of ids with a search called by its name."""
    return _search(model, src_ids, search, max_len=max_len, **options)().best


def _search(
    model: Transformer | NonAutoregressive,
    src_ids: Int[Tensor, "B S"],
    search: str | None,
    *,
    max_len: int | None,
    **options: object,
) -> Callable[..., Decoded]:
    """Return a search by its name, ready to run."""
    searches = searches_of(model)
    name = next(iter(searches)) if search is None else search
    check_choice("search", name, searches)
    options = {**DEFAULTS.get(name, {}), **options}
    if isinstance(model, Transformer):
        options["max_len"] = default_max_len(model, src_ids) if max_len is None else max_len
    elif max_len is not None:
        raise ValueError(
            f"max_len must be None for a {type(model).__name__}, which predicts it; got {max_len}"
        )
    known = [
        p.name for p in signature(searches[name]).parameters.values() if p.kind == p.KEYWORD_ONLY
    ]
    for option in options:
        check_choice(f"an option of search = {name!r}", option, known)
    return partial(searches[name], model, src_ids, **options)


def searches_of(model: nn.Module) -> dict[str, Callable[..., Decoded]]:
    """Return what a model can do, by name; what a class can do, its subclasses can."""
    for kind, searches in SEARCHES.items():
        if isinstance(model, kind):
            return searches
    kinds = " or ".join(f"a {kind.__name__}" for kind in SEARCHES)
    raise ValueError(f"model must be {kinds}; got a {type(model).__name__}")


def default_max_len(model: Transformer, src_ids: Int[Tensor, "B S"]) -> Int[Tensor, " B"]:
    """Allow each sentence twice as many tokens as its source has, and ten more."""
    limits = 2 * (src_ids != model.config.pad_id).sum(dim=1) + 10
    return limits.clamp(max=model.config.max_len) if model.config.positions == "learned" else limits


def attention(
    model: Transformer | NonAutoregressive,
    src_ids: Int[Tensor, "1 S"],
    tgt_ids: Int[Tensor, "1 T"],
    **how: object,
) -> AttentionWeights:
    """Return how a model attends while it finds these tokens, by a search as in find.

    A Transformer reads what it has written before each token; a model that finds all tokens at
    once reads what the search has shown it, which only the search knows.
    """
    if not isinstance(model, Transformer):
        return _search(model, src_ids, **how)(need_weights=True)[1]
    with in_mode(model), torch.no_grad():
        start = torch.full_like(tgt_ids[:, :1], model.config.bos_id)
        return model(src_ids, torch.cat([start, tgt_ids[:, :-1]], dim=1), need_weights=True)[1]
