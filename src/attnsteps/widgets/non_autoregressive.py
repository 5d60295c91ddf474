"""A race: one sentence, five ways to translate it, and the cost of each."""

from collections.abc import Mapping, Sequence
from functools import cache

import traitlets
from matplotlib.figure import Figure

from attnsteps.corpora.generated.corpus import generated
from attnsteps.model.non_autoregressive import NonAutoregressive
from attnsteps.model.transformer import Transformer
from attnsteps.plotting.card import card
from attnsteps.text.tokenizer import Words
from attnsteps.translator.trained import Trained, pretrained
from attnsteps.widgets.base import Widget, within
from attnsteps.widgets.bundle import bundle, styles
from attnsteps.widgets.live_model import RUNNING, file_of, glossary_of, known_words

#: The package's translators: autoregressive, one-shot and mask-predict.
SHIPPED = ("zh_en", "zh_en_one_shot", "zh_en_mask_predict")

#: The sentences per part of the corpus that "Shuffle" draws from, and the most words in one.
NUM_EXAMPLES = {"pronouns": 2, "unseen": 40, "longer": 20}
MAX_WORDS = 24


class Race(Widget):
    """Five ways to translate one sentence, step by step: word by word, and all words at once.

    The models run in the browser, in a worker. You can set ``text``, ``length_factor`` and
    ``iterations`` from Python at any time; ``translations`` holds the results by method.

    Args:
        models: an autoregressive model, a one-shot model and a mask-predict model with the same
            vocabularies; None uses the package's own.
        text: the first sentence.
        length_factor: the factor on the predicted length, from 0.5 to 1.5.
        iterations: passes of mask-predict, from 1 to 10.
        beam_width: the number of beams in beam search.
        references: all correct translations of the sentences that "Shuffle" draws from; None takes
            some from the corpus. Errors in other sentences are counted against greedy search.

    Raises:
        ValueError: models are not these three, differ in their vocabularies, or are not of words;
            or a number is out of range.

    Example:
        >>> Race([])
        Traceback (most recent call last):
        ValueError: models must be three: autoregressive, one-shot and mask-predict; got 0
    """

    _esm = bundle("non_autoregressive")
    _css = styles("translator", "non_autoregressive")

    weights = traitlets.Bytes(b"").tag(sync=True)
    one_shot = traitlets.Bytes(b"").tag(sync=True)
    mask_predict = traitlets.Bytes(b"").tag(sync=True)
    glossary = traitlets.Dict().tag(sync=True)
    references = traitlets.Dict().tag(sync=True)
    max_words = traitlets.Int(MAX_WORDS).tag(sync=True)
    beam_width = traitlets.Int(4).tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
    length_factor = traitlets.Float(1.0).tag(sync=True)
    iterations = traitlets.Int(4).tag(sync=True)
    translations = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        models: Sequence[Trained] | None = None,
        *,
        text: str = RUNNING,
        length_factor: float = 1.0,
        iterations: int = 4,
        beam_width: int = 4,
        references: Mapping[str, Sequence[Sequence[str]]] | None = None,
    ) -> None:
        self._models = _checked(
            [pretrained(name) for name in SHIPPED] if models is None else models
        )
        if references is None:
            known = known_words(self._models[0])
            references = {
                text: right for text, words, right in _corpus_examples() if known.issuperset(words)
            }
        names = SHIPPED if models is None else [None] * len(SHIPPED)
        files = [
            file_of(trained, shipped=name)
            for trained, name in zip(self._models, names, strict=True)
        ]
        super().__init__(
            weights=files[0],
            one_shot=files[1],
            mask_predict=files[2],
            glossary=glossary_of(self._models[0]),
            references={text: [list(words) for words in all_] for text, all_ in references.items()},
            max_words=min([MAX_WORDS, *map(_longest, self._models)]),
            beam_width=beam_width,
            text=text,
            length_factor=length_factor,
            iterations=iterations,
        )

    _ranges = within(iterations=(1, 10), beam_width=(1, 10), length_factor=(0.5, 1.5))

    def picture(self) -> Figure:
        """Return the five translations as a table."""
        writer, one_shot, refiner = self._models
        if not 1 <= len(writer.src_tokenizer.tokenize(self.text)) <= self.max_words:
            return Figure(figsize=(4, 0.5))
        factor = {"length_factor": self.length_factor}
        refine = {**factor, "num_lengths": 1, "iterations": self.iterations}
        ways = {
            "Greedy, with or without cache": (writer, {"search": "greedy"}),
            f"Beam of {self.beam_width}": (
                writer,
                {"search": "beam", "beam_width": self.beam_width},
            ),
            "All at once": (one_shot, {"search": "all_at_once", **factor}),
            f"Mask-predict, {self.iterations} passes": (
                refiner,
                {"search": "mask_predict", **refine},
            ),
        }
        translations = {
            name: trained.translate([self.text], **options)[0].text
            for name, (trained, options) in ways.items()
        }
        return card("The race", "", [f"{name}: {text}" for name, text in translations.items()])


def word_edits(words: Sequence[str], wanted: Sequence[str]) -> int:
    """Return the fewest words to insert, delete or replace to turn one sentence into the other.

    Example:
        >>> word_edits(["many", "you"], ["thank", "you"])
        1
    """
    row = list(range(len(wanted) + 1))
    for i, word in enumerate(words, start=1):
        above, row = row, [i]
        for j, other in enumerate(wanted, start=1):
            row.append(min(above[j - 1] + (word != other), above[j] + 1, row[j - 1] + 1))
    return row[-1]


def _longest(trained: Trained) -> int:
    """Return the most words in a sentence, which learned positions limit."""
    config = trained.model.config
    return config.max_len if config.positions == "learned" else MAX_WORDS


def _checked(models: Sequence[Trained]) -> list[Trained]:
    """Return the three models, refusing any that cannot race."""
    models = list(models)
    if len(models) != len(SHIPPED):
        raise ValueError(
            f"models must be three: autoregressive, one-shot and mask-predict; got {len(models)}"
        )
    kinds = (Transformer, NonAutoregressive, NonAutoregressive)
    for n, (trained, kind) in enumerate(zip(models, kinds, strict=True)):
        if not isinstance(trained, Trained) or not isinstance(trained.model, kind):
            got = type(getattr(trained, "model", trained)).__name__
            raise ValueError(f"models[{n}] must be a Trained {kind.__name__}; got {got}")
        if not isinstance(trained.src_tokenizer, Words):
            got = type(trained.src_tokenizer).__name__
            raise ValueError(f"models[{n}] must be split into words to run in a page; got {got}")
        for name in ("src_vocab", "tgt_vocab"):
            if getattr(trained, name).to_list() != getattr(models[0], name).to_list():
                raise ValueError(f"models[{n}] must have the same {name} as models[0]")
    return models


@cache
def _corpus_examples() -> list[tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]]:
    """Draw sentences that no model was trained on, with their correct translations."""
    splits = generated(400, seed=11)
    pairs = [pair for part, num in NUM_EXAMPLES.items() for pair in getattr(splits, part)[:num]]
    return [
        ("".join(pair.src), pair.src, pair.references)
        for pair in pairs
        if len(pair.src) <= MAX_WORDS
    ]
