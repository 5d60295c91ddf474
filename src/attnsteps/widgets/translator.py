"""The trained translator, live: every word with its probability, every look with its weight."""

import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import torch
import traitlets
from matplotlib.figure import Figure

from attnsteps.model.transformer import Transformer
from attnsteps.plotting.heatmap import heatmap
from attnsteps.running_example import SENTENCE, TIRED, WIDE
from attnsteps.text.corpus import MAX_SRC_LEN, SOURCE_WORDS, generated, gloss
from attnsteps.text.tokenizer import Characters, Words
from attnsteps.text.vocab import SPECIALS, Vocab
from attnsteps.training.trained import ASSETS, Trained, pretrained
from attnsteps.widgets.base import Widget
from attnsteps.widgets.bundle import bundle, styles

#: 动物没有过马路，因为太累了, with its comma.
RUNNING = "".join(word.zh for word in SENTENCE[:4]) + "，" + "".join(w.zh for w in SENTENCE[4:])

#: The most parameters that a page should be asked to run.
MAX_PARAMETERS = 20_000_000

#: How many sentences the button "Another sentence" draws from.
NUM_EXAMPLES = 60


class Translator(Widget):
    """A trained model at work in the page: type a sentence, and look into it.

    The model runs in the browser, in a worker, from the same file of weights that Python reads.
    ``text`` and ``forced`` can be set from Python at any time; ``translation`` is what came out.

    Args:
        model: a Trained bundle; or a causal Transformer that has just been trained, together with
            vocabs; None takes the translator that comes with the package.
        vocabs: the source and the target vocabulary of a bare Transformer. Its source is split
            into the longest words that the vocabulary has.
        text: the sentence to start with.
        forced: tokens to put in place of the model's own, by position from 0: ``{5: "it"}``.
        look_at: the English word whose attention is shown at first, if it comes.
        examples: sentences for the button "Another sentence"; None draws some from the corpus,
            those whose words the model knows.
        max_words: how many words a sentence may have.

    Raises:
        ValueError: if model is none of these, vocabs are missing or of another size, the model is
            not causal or too large for a page, or its source is split into neither words nor
            characters.

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
        self._trained = trained = _trained(model, vocabs)
        _check_fits(trained)
        known = set(trained.src_vocab.to_list()[len(SPECIALS) :])
        if examples is None:
            examples = [text for text, words in _corpus_examples() if known.issuperset(words)]
        if trained.model.config.positions == "learned":
            max_words = min(max_words, trained.model.config.max_len)
        super().__init__(
            weights=_file_of(trained, is_shipped=model is None),
            glossary={word: list(gloss(word)) for word in SOURCE_WORDS if word in known},
            examples=list(examples),
            twins=[TIRED.zh, WIDE.zh] if {TIRED.zh, WIDE.zh} <= known else [],
            first=RUNNING,
            look_at=look_at,
            max_words=max_words,
            text=text,
            forced={str(place): word for place, word in (forced or {}).items()},
        )

    def picture(self) -> Figure:
        """Return a heat map of the cross-attention, averaged over all layers and heads."""
        tokens = self._trained.src_tokenizer.tokenize(self.text)
        if not 1 <= len(tokens) <= self.max_words:
            return Figure(figsize=(4, 0.5))
        (found,) = self._trained.translate([self.text], need_weights=True)
        weights = torch.cat([layer[0] for layer in found.weights.cross]).mean(dim=0)  # (T, S)
        columns = [
            self.glossary[word][1] if word in self.glossary else f"word {place + 1}"
            for place, word in enumerate(tokens)
        ]
        rows = [*found.tokens, "(end)"][: len(weights)]
        figure = Figure(figsize=(0.55 * len(columns) + 1.6, 0.34 * len(rows) + 1.4))
        ax = heatmap(
            weights,
            rows=[row if row.isascii() else f"token {place + 1}" for place, row in enumerate(rows)],
            columns=[_latin(column) for column in columns],
            row_axis="translation",
            column_axis="source",
            title="Cross-attention, all heads",
            ax=figure.subplots(),
        )
        ax.tick_params(axis="x", rotation=40)
        return figure


def _trained(model: object, vocabs: Sequence[Vocab] | None) -> Trained:
    """Return the bundle that the arguments describe."""
    if model is None:
        return pretrained()
    if isinstance(model, Trained):
        return model
    if not isinstance(model, Transformer):
        raise ValueError(
            f"model must be a Trained or a Transformer with vocabs; got a {type(model).__name__}"
        )
    if vocabs is None or len(vocabs) != 2:
        raise ValueError(
            "vocabs must be the source and the target vocabulary where model is a bare"
            f" Transformer; got {'None' if vocabs is None else len(vocabs)}"
        )
    src_vocab, tgt_vocab = vocabs
    src_words = Words(src_vocab.to_list()[len(SPECIALS) :])
    tgt_words = Words(tgt_vocab.to_list()[len(SPECIALS) :])
    return Trained(model, src_vocab, tgt_vocab, src_words, tgt_words)


def _check_fits(trained: Trained) -> None:
    """Refuse what the page could not run."""
    config = trained.model.config
    if not isinstance(trained.model, Transformer) or not config.causal:
        raise ValueError("model must be causal to write word by word; got config.causal = False")
    if trained.model.num_parameters() > MAX_PARAMETERS:
        raise ValueError(
            f"model must have at most {MAX_PARAMETERS:,} parameters to run in a page;"
            f" got {trained.model.num_parameters():,}"
        )
    for name in ("src_tokenizer", "tgt_tokenizer"):
        if not isinstance(getattr(trained, name), Words | Characters):
            raise ValueError(
                f"{name} must be Words or Characters, which the page can split;"
                f" got {type(getattr(trained, name)).__name__}"
            )


def _file_of(trained: Trained, *, is_shipped: bool) -> bytes:
    """Return the model as a file: the package's own as it is, another one in float32."""
    if is_shipped:
        return (ASSETS / "zh_en.safetensors").read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.safetensors"
        trained.save(path, dtype=torch.float32)
        return path.read_bytes()


@cache
def _corpus_examples() -> list[tuple[str, tuple[str, ...]]]:
    """Draw sentences that are good to look at: not too short, not too long."""
    pairs = generated(400, seed=11).train
    fitting = [pair.src for pair in pairs if 6 <= len(pair.src) <= MAX_SRC_LEN]
    return [("".join(words), words) for words in fitting[:NUM_EXAMPLES]]


def _latin(label: str) -> str:
    """Return a label that Matplotlib can draw."""
    return label if len(label) <= 10 else f"{label[:9]}…"
