"""The trained translator, live: every word with its probability and its attention."""

from collections.abc import Mapping, Sequence

import traitlets
from matplotlib.figure import Figure

from attnsteps.model.transformer import Transformer
from attnsteps.plotting.heatmap import heatmap
from attnsteps.text.vocab import Vocab
from attnsteps.translator.trained import ASSETS, Trained
from attnsteps.widgets.base import Widget
from attnsteps.widgets.bundle import bundle, styles
from attnsteps.widgets.live_model import (
    RUNNING,
    as_trained,
    check_fits,
    file_of,
    mean_cross_attention,
    sentence_traits,
)

#: The second model, which reads any sentence; a page fetches it only when it is needed.
EVERYDAY = ASSETS / "everyday.safetensors"


def _everyday() -> dict[str, str | int]:
    """Name the second model's file, with its bytes; nothing where the package is without it."""
    return {"file": EVERYDAY.name, "bytes": EVERYDAY.stat().st_size} if EVERYDAY.exists() else {}


class Translator(Widget):
    """A trained model at work in the page: type a sentence, and look inside.

    The model runs in the browser, in a worker, from the same weights file that Python reads. The
    package's translator has a second model beside it, which is fetched for the first word that the
    small one doesn't know, and a button that opens the reader's own: the file that
    ``python -m attnsteps train`` or ``Trained.save`` has written. You can set ``text`` and
    ``forced`` from Python at any time; ``translation`` holds the result.

    Args:
        model: a Trained bundle; or a causal Transformer together with vocabs; None uses the
            package's translator.
        vocabs: the source and the target vocabulary of a bare Transformer, whose source is split
            into the longest words of its vocabulary.
        text: the first sentence.
        forced: tokens that replace the model's own, by position from 0: ``{5: "it"}``.
        look_at: the English word whose attention is shown first, if it occurs.
        examples: sentences for the button "Another sentence"; None draws some from the corpus
            whose words the model knows.
        max_words: the most words in a sentence.

    Raises:
        ValueError: model is none of these, not causal or too large for a page; vocabs are missing
            or of another size; or the source is split into neither words nor characters.

    Example:
        >>> from attnsteps import TransformerConfig
        >>> vocabs = Vocab(["太", "累"]), Vocab(["too", "tired"])
        >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=7, tgt_vocab_size=7))
        >>> Translator(model, vocabs, text="太累").glossary["累"]
        ['lèi', 'tired']
    """

    _esm = bundle("translator")
    _css = styles("translator")

    weights = traitlets.Bytes(b"").tag(sync=True)
    everyday = traitlets.Dict().tag(sync=True)  # the second model: its file and its bytes
    wants_everyday = traitlets.Bool(False).tag(sync=True)
    everyday_weights = traitlets.Bytes(b"").tag(sync=True)  # only while the page waits for them
    glossary = traitlets.Dict().tag(sync=True)
    examples = traitlets.List(traitlets.Unicode()).tag(sync=True)
    twins = traitlets.List(traitlets.Unicode()).tag(sync=True)
    first = traitlets.Unicode().tag(sync=True)
    look_at = traitlets.Unicode().tag(sync=True)
    max_words = traitlets.Int().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
    forced = traitlets.Dict().tag(sync=True)
    translation = traitlets.Unicode("").tag(sync=True)

    def __init__(
        self,
        model: Trained | Transformer | None = None,
        vocabs: Sequence[Vocab] | None = None,
        *,
        text: str = RUNNING,
        forced: Mapping[int, str] | None = None,
        look_at: str = "it",
        examples: Sequence[str] | None = None,
        max_words: int = 24,
    ) -> None:
        self._trained = trained = as_trained(model, vocabs)
        check_fits(trained)
        super().__init__(
            **sentence_traits(trained, examples, max_words),
            weights=file_of(trained, shipped="zh_en" if model is None else None),
            everyday=_everyday() if model is None else {},
            look_at=look_at,
            text=text,
            forced={str(place): word for place, word in (forced or {}).items()},
        )

    @traitlets.observe("wants_everyday")
    def _bring_everyday(self, change: dict) -> None:
        """Hand the second model over when the page asks for it, and keep no copy in a notebook."""
        is_wanted = change["new"] and self.everyday
        self.everyday_weights = EVERYDAY.read_bytes() if is_wanted else b""

    def picture(self) -> Figure:
        """Return a heat map of the mean cross-attention, ignoring the tokens in ``forced``."""
        tokens = self._trained.src_tokenizer.tokenize(self.text)
        if not 1 <= len(tokens) <= self.max_words:
            return Figure(figsize=(4, 0.5))
        weights, rows, columns = mean_cross_attention(self._trained, self.text)
        figure = Figure(figsize=(0.55 * len(columns) + 1.6, 0.34 * len(rows) + 1.4))
        ax = heatmap(
            weights,
            rows=rows,
            columns=columns,
            row_axis="translation",
            column_axis="source",
            title="Cross-attention, all heads",
            ax=figure.subplots(),
        )
        ax.tick_params(axis="x", rotation=40)
        return figure
