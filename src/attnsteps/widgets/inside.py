"""A trained model with switches: turn off heads and edges, and read what it says then."""

from collections.abc import Iterable, Sequence
from functools import cache

import torch
import traitlets
from jaxtyping import Float
from matplotlib.figure import Figure
from torch import Tensor

from attnsteps.analysis.interventions import Knockout, knocked_out
from attnsteps.corpora.generated.corpus import generated
from attnsteps.model.mode import in_mode
from attnsteps.model.transformer import Transformer
from attnsteps.plotting.style import COLOURS
from attnsteps.text.vocab import Vocab
from attnsteps.translator.trained import Trained
from attnsteps.widgets.base import Widget
from attnsteps.widgets.bundle import bundle, styles
from attnsteps.widgets.live_model import (
    as_trained,
    check_fits,
    file_of,
    known_words,
    sentence_traits,
)

#: 女孩没有过马路，因为太累了: the running sentence with a girl, so that the pronouns differ: the
#: girl is she, and the street is it. Neither this sentence nor its twin is in the training part.
GIRL = "女孩没有过马路，因为太累了"
GIRL_TWIN = "女孩没有过马路，因为太宽了"

#: The English pronouns that Chinese leaves out.
PRONOUNS = ("it", "he", "she", "they", "we", "i", "you")


class Interventions(Widget):
    """Turn off any head or edge of a trained model's attention, live in the page.

    The model runs in the browser, in a worker. It translates the sentence twice: in full, and
    without the parts that are off. You can set ``text`` and ``knockouts`` from Python at any time;
    ``translation`` holds the result.

    Args:
        model: a Trained bundle; or a causal Transformer together with vocabs; None uses the
            package's translator.
        vocabs: the source and the target vocabulary of a bare Transformer.
        text: the first sentence.
        knockouts: the parts that are off at the start.
        pairs: minimal pairs to choose from, two sentences each; None draws some from the corpus.
        max_words: the most words in a sentence.

    Raises:
        ValueError: model is none of these or does not fit into a page; a pair isn't two sentences
            that differ in one word; or a knockout, now or later, names a part, layer or head that
            the model lacks.

    Example:
        >>> widget = Interventions(knockouts=[Knockout("cross", layer=1)])
        >>> widget.knockouts
        [{'part': 'cross', 'layer': 1, 'head': None, 'query': None, 'key': None}]
    """

    _esm = bundle("inside")
    _css = styles("translator", "inside")

    weights = traitlets.Bytes(b"").tag(sync=True)
    glossary = traitlets.Dict().tag(sync=True)
    pairs = traitlets.List().tag(sync=True)
    pronouns = traitlets.List(traitlets.Unicode()).tag(sync=True)
    max_words = traitlets.Int().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
    knockouts = traitlets.List(traitlets.Dict()).tag(sync=True)
    translation = traitlets.Unicode("").tag(sync=True)

    def __init__(
        self,
        model: Trained | Transformer | None = None,
        vocabs: Sequence[Vocab] | None = None,
        *,
        text: str = GIRL,
        knockouts: Iterable[Knockout] = (),
        pairs: Sequence[tuple[str, str]] | None = None,
        max_words: int = 24,
    ) -> None:
        self._trained = trained = as_trained(model, vocabs)
        check_fits(trained)
        if pairs is None:
            known = known_words(trained)
            pairs = [both for both, words in _corpus_pairs() if known.issuperset(words)]
        traits = sentence_traits(trained, [], max_words)
        words = set(trained.tgt_vocab.to_list())
        super().__init__(
            weights=file_of(trained, shipped="zh_en" if model is None else None),
            glossary=traits["glossary"],
            pairs=[_labelled(trained, n, both) for n, both in enumerate(pairs)],
            pronouns=[word for word in PRONOUNS if word in words],
            max_words=traits["max_words"],
            text=text,
            knockouts=[knockout._asdict() for knockout in knockouts],
        )

    @traitlets.validate("knockouts")
    def _check_knockouts(self, proposal: dict) -> list[dict]:
        """Refuse a knockout of a part that the model lacks."""
        knockouts = [Knockout(**each) for each in proposal["value"]]
        with knocked_out(self._trained.model, *knockouts):
            pass
        return [each._asdict() for each in knockouts]

    def probabilities(self) -> tuple[Float[Tensor, "T V"], Float[Tensor, "T V"]]:
        """Return the probabilities, (T, V), of each next word: with the whole model, and now.

        Both read the words that the whole model wrote; the last row predicts the end.
        """
        (translation,) = self._trained.translate([self.text])
        vocab, model = self._trained.tgt_vocab, self._trained.model
        device = next(model.parameters()).device
        src_ids = torch.tensor([self._trained.src_vocab.ids(translation.src_tokens)], device=device)
        written = torch.tensor([[vocab.bos_id, *vocab.ids(translation.tokens)]], device=device)
        never = [vocab.pad_id, vocab.bos_id, *_mask_id(model)]
        both = []
        for knockouts in ([], [Knockout(**each) for each in self.knockouts]):
            with in_mode(model), torch.no_grad(), knocked_out(model, *knockouts):
                logits = model(src_ids, written)[0]
            logits[:, never] = -torch.inf
            both.append(logits.softmax(dim=-1).cpu())
        return both[0], both[1]

    def picture(self) -> Figure:
        """Return the pronouns' probabilities as bars, with the whole model and as it is now."""
        figure = Figure(figsize=(5.8, 2.6), layout="constrained")
        tokens = self._trained.src_tokenizer.tokenize(self.text)
        if not 1 <= len(tokens) <= self.max_words:
            return figure
        (translation,) = self._trained.translate([self.text])
        places = [n for n, word in enumerate(translation.tokens) if word in self.pronouns]
        if not places:
            return figure
        ids = self._trained.tgt_vocab.ids(self.pronouns)
        ax = figure.subplots()
        for n, (name, probabilities) in enumerate(
            zip(("whole", "now"), self.probabilities(), strict=True)
        ):
            at = [place + 0.4 * n - 0.2 for place in range(len(ids))]
            ax.bar(
                at,
                probabilities[places[-1], ids].tolist(),
                width=0.38,
                label=name,
                color=COLOURS[n],
            )
        ax.set_xticks(range(len(ids)), self.pronouns)
        ax.set(ylim=(0, 1), title=f"Word {places[-1] + 1}, with {len(self.knockouts)} parts off")
        ax.legend()
        return figure


def _mask_id(model: Transformer) -> list[int]:
    """Return the id of the mask token, if the model has one."""
    return [] if model.config.mask_id is None else [model.config.mask_id]


def _labelled(trained: Trained, n: int, both: Sequence[str]) -> list[dict[str, str]]:
    """Return the two sentences of a pair, each labelled with the word that differs."""
    words = [trained.src_tokenizer.tokenize(text) for text in both]
    if len(words) != 2 or len(words[0]) != len(words[1]):
        raise ValueError(
            f"pairs[{n}] must be two sentences with the same number of words; got {both!r}"
        )
    differ = [place for place, (a, b) in enumerate(zip(*words, strict=True)) if a != b]
    if len(differ) != 1:
        raise ValueError(f"pairs[{n}] must differ in exactly one word; got {len(differ)}")
    return [
        {"text": text, "word": split[differ[0]]} for text, split in zip(both, words, strict=True)
    ]


@cache
def _corpus_pairs() -> list[tuple[tuple[str, str], set[str]]]:
    """Draw minimal pairs whose pronouns differ, starting with the girl and the street."""
    drawn = generated(1000, seed=11).pronouns
    pairs = [((GIRL, GIRL_TWIN), {"女孩", "没有", "过", "马路", "因为", "太", "累", "宽", "了"})]
    for one, other in zip(drawn[::2], drawn[1::2], strict=True):
        pronouns = [pair.tgt[pair.referents[0][0]] for pair in (one, other)]
        if pronouns[0] != pronouns[1]:
            texts = ("".join(one.src), "".join(other.src))
            pairs.append((texts, {*one.src, *other.src}))
    return pairs
