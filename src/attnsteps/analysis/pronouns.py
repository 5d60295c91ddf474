"""Minimal pairs asked for their pronoun: what a model says, and what it says after a change."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from random import Random
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attnsteps.analysis.interventions import PARTS, Knockout, knocked_out
from attnsteps.corpora.generated.corpus import Pair
from attnsteps.layers.masks import combine
from attnsteps.layers.multi_head import MultiHeadAttention
from attnsteps.model.transformer import Transformer
from attnsteps.text.batch import collate, encode_pairs
from attnsteps.text.vocab import Vocab

# A part, a layer (None: all of them), and the keys to hide from each query, (B, Tq, Tk).
Cut = tuple[str, int | None, Bool[Tensor, "B Tq Tk"]]


class Asked(NamedTuple):
    """Sentences of minimal pairs in one batch, each asked for its pronoun; twins stand together.

    Args:
        pairs: the sentences, B of them.
        src_ids: their Chinese words, (B, S).
        tgt_in: their English words up to the last pronoun, as the decoder reads them, (B, T).
        at: the position that has to say the pronoun, (B).
        adjective: the position of the adjective in Chinese, (B).
        noun: that of the noun that the pronoun stands for, (B).
        other: that of the noun that it stands for in the twin, (B).
        nouns_read: where the decoder reads these two in English, (2, B).
        right: the pronoun, (B).
        wrong: the twin's, (B).
    """

    pairs: list[Pair]
    src_ids: Int[Tensor, "B S"]
    tgt_in: Int[Tensor, "B T"]
    at: Int[Tensor, " B"]
    adjective: Int[Tensor, " B"]
    noun: Int[Tensor, " B"]
    other: Int[Tensor, " B"]
    nouns_read: Int[Tensor, "2 B"]
    right: Int[Tensor, " B"]
    wrong: Int[Tensor, " B"]

    @property
    def n(self) -> Int[Tensor, " B"]:
        """Return a number for each sentence, (B); 2i and 2i + 1 are twins."""
        return torch.arange(len(self.pairs))

    @property
    def is_first(self) -> Bool[Tensor, " B"]:
        """Tell of each sentence whether its pronoun stands for its first noun, (B)."""
        return self.noun < self.other

    def edges(
        self, part: str, *edges: tuple[Int[Tensor, " B"], Int[Tensor, " B"]]
    ) -> Bool[Tensor, "B Tq Tk"]:
        """Return what a part's attention may hide: True from each query to its key, each (B)."""
        queries = (self.src_ids if part == "encoder" else self.tgt_in).shape[1]
        keys = (self.tgt_in if part == "decoder" else self.src_ids).shape[1]
        marked = torch.zeros(len(self.pairs), queries, keys, dtype=torch.bool)
        for query, key in edges:
            marked[self.n, query, key] = True
        return marked

    def logits(self, model: Transformer) -> Float[Tensor, "B V"]:
        """Return what the model finds at the pronoun's position, (B, V)."""
        with torch.no_grad():
            return model(self.src_ids, self.tgt_in)[self.n, self.at]

    def scores(self, model: Transformer) -> tuple[float, float]:
        """Return the mean log-odds of the right pronoun, and the share of right ones."""
        logits = self.logits(model)
        odds = (logits.gather(1, self.right[:, None]) - logits.gather(1, self.wrong[:, None]))[:, 0]
        is_tie = odds.abs() < 1e-4  # a tie, but for rounding, is half right
        return odds.mean().item(), torch.where(is_tie, 0.5, (odds > 0).double()).mean().item()


def pronoun_of(pair: Pair) -> str:
    """Return the pronoun of a sentence that has one which Chinese leaves out."""
    return pair.tgt[pair.referents[0][0]]


def person_or_it(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the minimal pairs of which one twin says *it* and the other a person's pronoun.

    Args:
        pairs: sentences, where 2i and 2i + 1 are twins.
    """
    kept: list[Pair] = []
    for twins in zip(pairs[::2], pairs[1::2], strict=True):
        said = {pronoun_of(pair) for pair in twins}
        if len(said) == 2 and "it" in said and "they" not in said:
            kept += twins
    return kept


def ask(pairs: Sequence[Pair], src_vocab: Vocab, tgt_vocab: Vocab) -> Asked:
    """Ask both twins of each minimal pair whose two pronouns differ.

    Args:
        pairs: sentences, where 2i and 2i + 1 are twins.
        src_vocab: the model's Chinese words.
        tgt_vocab: its English words.
    """
    twins = [
        both
        for a, b in zip(pairs[::2], pairs[1::2], strict=True)
        if pronoun_of(a) != pronoun_of(b)
        for both in ((a, b), (b, a))
    ]
    own = [a for a, _ in twins]
    at, noun = torch.tensor([a.referents[0] for a in own]).T
    other = torch.tensor([b.referents[0][1] for _, b in twins])
    adjective = [[x == y for x, y in zip(a.src, b.src, strict=True)].index(False) for a, b in twins]
    in_english = [
        [
            max(t for s, t in a.alignment if s == source and t < before)
            for a, source, before in zip(own, place.tolist(), at.tolist(), strict=True)
        ]
        for place in (noun, other)
    ]
    batch = collate(encode_pairs(own, src_vocab, tgt_vocab))
    return Asked(
        own,
        batch.src_ids,
        batch.tgt_in[:, : at.max() + 1],  # no word after the pronoun matters
        at,
        torch.tensor(adjective),
        noun,
        other,
        torch.tensor(in_english) + 1,  # word t is read at t + 1
        *(torch.tensor(tgt_vocab.ids([pronoun_of(both[k]) for both in twins])) for k in (0, 1)),
    )


def _attentions(model: Transformer, part: str, layer: int | None) -> list[MultiHeadAttention]:
    stack, name = PARTS[part]
    every = [getattr(each, name) for each in getattr(model, stack).layers]
    return every if layer is None else [every[layer]]


@contextmanager
def edges_cut(model: Transformer, *cuts: Cut) -> Iterator[None]:
    """Hide keys from queries, in every head, for as long as a ``with`` block lasts.

    As ``knocked_out`` does, but in each sentence of a batch at other positions.
    """
    with ExitStack() as hooks:
        for part, layer, hidden in cuts:

            def hide(_: object, args: tuple, seen: Tensor = ~hidden[:, None]) -> tuple:
                *inputs, mask = args
                return (*inputs, combine(mask, seen))

            for each in _attentions(model, part, layer):
                hooks.callback(each.register_forward_pre_hook(hide).remove)
        yield


@contextmanager
def _handing_on(
    model: Transformer, layer: int, new: Callable[[Tensor], Tensor | None]
) -> Iterator[None]:
    (attention,) = _attentions(model, "cross", layer)
    handle = attention.w_o.register_forward_pre_hook(lambda _, args: new(args[0]))
    try:
        yield
    finally:
        handle.remove()


@contextmanager
def heads_hand_on(
    model: Transformer, layer: int, at: Int[Tensor, " B"], new: Float[Tensor, "B D"]
) -> Iterator[None]:
    """Let cross-attention's heads hand on ``new``, (B, D), at these positions, in one layer.

    ``new`` takes the place of what they find, all heads side by side, before W_o mixes them.
    """

    def put_in(heads: Tensor) -> Tensor:
        heads = heads.clone()  # (B, T, D)
        heads[torch.arange(len(at)), at] = new
        return heads

    with _handing_on(model, layer, put_in):
        yield


def found_by_heads(model: Transformer, layer: int, asked: Asked) -> Float[Tensor, "B D"]:
    """Return what cross-attention's heads find at the pronouns' positions, before W_o, (B, D)."""
    kept: list[Tensor] = []
    with _handing_on(model, layer, kept.append):
        asked.logits(model)
    return kept[0][asked.n, asked.at]


def look_of(model: Transformer, asked: Asked, layer: int = 1) -> Float[Tensor, "B H S"]:
    """Return where cross-attention's heads look from the pronouns' positions, (B, H, S)."""
    with torch.no_grad():
        weights = model(asked.src_ids, asked.tgt_in, need_weights=True)[1]
    return weights.cross[layer][asked.n, :, asked.at]


@contextmanager
def heads_look(
    model: Transformer, asked: Asked, look: Float[Tensor, "B H S"], layer: int = 1
) -> Iterator[None]:
    """Let cross-attention's heads look there from the pronouns' positions, in one layer.

    ``look``, (B, H, S), takes the place of their weights; values, and all else, stay.
    """
    (attention,) = _attentions(model, "cross", layer)
    with torch.no_grad():
        memory = model.encode(asked.src_ids)  # (B, S, D)
        _, values = attention.project(memory, memory)  # (B, H, S, Dv)
    found = (look[:, :, None] @ values).flatten(1)  # (B, D)
    with heads_hand_on(model, layer, asked.at, found):
        yield


def two_other_words(asked: Asked, chance: Random) -> Cut:
    """Cut, as a control, two words of each sentence by lot: not the adjective, nor a noun.

    Args:
        asked: the sentences.
        chance: what draws.
    """
    drawn = []
    taken = torch.stack([asked.noun, asked.other, asked.adjective]).T.tolist()
    for pair, own in zip(asked.pairs, taken, strict=True):
        free = [k for k in range(len(pair.src)) if k not in own]
        drawn.append(chance.sample(free, 2))
    return "cross", None, asked.edges("cross", *((asked.at, k) for k in torch.tensor(drawn).T))


def hidden_from_all(asked: Asked, part: str, keys: Bool[Tensor, "B Tk"]) -> Cut:
    """Cut these words off from every word but themselves, in every layer of a part."""
    hidden = asked.edges(part) | keys[:, None]
    if part != "cross":
        hidden &= ~torch.eye(keys.shape[1], dtype=torch.bool)
    return part, None, hidden


def no_detour_to(asked: Asked, keys: Bool[Tensor, "B S"]) -> list[Cut]:
    """Cut these Chinese words, and both nouns in English, off from every other word."""
    read = torch.arange(asked.tgt_in.shape[1]) == asked.nouns_read[:, :, None]
    off = [hidden_from_all(asked, part, keys) for part in ("encoder", "cross")]
    return [*off, hidden_from_all(asked, "decoder", read.any(0))]


def named_cuts(asked: Asked) -> dict[str, list[Cut]]:
    """Return what chapter 19 hides: stories, alone and joined; words of each layer; nouns."""
    adjective, nouns, at = asked.adjective, (asked.noun, asked.other), asked.at
    both_ways = [(adjective, each) for each in nouns] + [(each, adjective) for each in nouns]
    edges = {
        "1": ("encoder", None, both_ways),
        "2": ("decoder", None, [(at, each) for each in asked.nouns_read]),
        "3": ("cross", None, [(at, each) for each in nouns]),
    }
    for which, noun in (("first", torch.minimum(*nouns)), ("second", torch.maximum(*nouns))):
        edges[f"{which} noun layer 2"] = ("cross", 1, [(at, noun)])
    for layer, where in ((0, "layer 1"), (1, "layer 2"), (None, "both")):
        edges[f"adjective {where}"] = ("cross", layer, [(at, adjective)])
        edges[f"nouns {where}"] = ("cross", layer, [(at, each) for each in nouns])
    cuts = {"": []} | {
        name: [(part, layer, asked.edges(part, *pairs))]
        for name, (part, layer, pairs) in edges.items()
    }
    for joint in ("1 + 2", "2 + 3", "1 + 2 + 3"):
        cuts[joint] = [cut for story in joint.split(" + ") for cut in cuts[story]]
    places = torch.arange(asked.src_ids.shape[1])
    cuts["nouns nowhere"] = no_detour_to(
        asked, (places == nouns[0][:, None]) | (places == nouns[1][:, None])
    )
    return cuts


def means_of_layer_1(model: Transformer, asked: Asked) -> dict[str, Float[Tensor, "B D"]]:
    """Return means of what layer 1 finds, for each sentence one, over those of another adjective.

    "own" is over all that mean the same noun as the sentence, the first or the second; "other" over
    those that mean the other one.
    """
    found = found_by_heads(model, 0, asked)
    word = asked.src_ids[asked.n, asked.adjective]
    is_strange = word != word[:, None]  # (B, B): it has another adjective
    is_same = asked.is_first == asked.is_first[:, None]

    def mean(chosen: Tensor) -> Tensor:
        return torch.stack([found[each].mean(0) for each in chosen])

    return {"own": mean(is_strange & is_same), "other": mean(is_strange & ~is_same)}


def measured(model: Transformer, asked: Asked) -> dict:
    """Return what chapter 19 measures of each of its models: (log-odds, share right) by name."""
    found: dict = {}
    for name, cuts in named_cuts(asked).items():
        with edges_cut(model, *cuts):
            found[f"cut {name}"] = asked.scores(model)
    chance = Random(0)
    found["controls"], found["controls nowhere"] = [], []
    for _ in range(5):
        cut = two_other_words(asked, chance)
        with edges_cut(model, cut):
            found["controls"].append(asked.scores(model))
        with edges_cut(model, *no_detour_to(asked, cut[2].any(1))):
            found["controls nowhere"].append(asked.scores(model))
    alone = found["without"] = {}  # each head, counted from 1
    for part, (stack, _) in PARTS.items():
        for layer in range(len(getattr(model, stack).layers)):
            for head in range(model.config.num_heads):
                with knocked_out(model, Knockout(part, layer, head)):
                    alone[f"{part} {layer + 1}.{head + 1}"] = asked.scores(model)
    with torch.no_grad():
        weights = model(asked.src_ids, asked.tgt_in, need_weights=True)[1].cross
    rows = torch.stack(weights)[:, asked.n, :, asked.at]  # (B, L, H, S)
    right, wrong = (rows[asked.n, :, :, noun] for noun in (asked.noun, asked.other))
    points = (right > wrong).float().mean(0)
    layer, head = divmod(points.argmax().item(), model.config.num_heads)
    found["pointer"] = points.max().item()
    found["without pointer"] = alone[f"cross {layer + 1}.{head + 1}"]
    found["to adjective"] = rows[asked.n, :, :, asked.adjective].mean(0).tolist()
    for name, new in means_of_layer_1(model, asked).items():
        with heads_hand_on(model, 0, asked.at, new):
            found[f"mean {name}"] = asked.scores(model)
    look, message, twin = look_of(model, asked), found_by_heads(model, 0, asked), asked.n ^ 1
    with heads_look(model, asked, look[twin]):
        found["look twin"] = asked.scores(model)
    with heads_hand_on(model, 0, asked.at, message[twin]), heads_look(model, asked, look):
        found["look own"] = asked.scores(model)
    with edges_cut(model, *named_cuts(asked)["adjective layer 2"]):
        blind = look_of(model, asked)
    with heads_look(model, asked, blind[twin]):
        found["look twin blind"] = asked.scores(model)
    return found
