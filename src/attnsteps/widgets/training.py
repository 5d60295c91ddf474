"""One training run, saved at several moments: its translations and its attention then."""

import math
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise

import torch
import traitlets
from matplotlib.figure import Figure

from attnsteps.corpora.generated.corpus import generated
from attnsteps.plotting.heatmap import heatmap
from attnsteps.plotting.style import COLOURS
from attnsteps.text.batch import collate, encode_pairs
from attnsteps.training.loss import autoregressive_loss
from attnsteps.translator.trained import ASSETS, Trained
from attnsteps.widgets.base import Widget
from attnsteps.widgets.bundle import bundle, styles
from attnsteps.widgets.live_model import (
    MAX_PARAMETERS,
    RUNNING,
    check_fits,
    file_of,
    mean_cross_attention,
    sentence_traits,
)

Checkpoint = tuple[int, float, Trained]  # the number of updates so far, the loss, the model

#: The name of the package's checkpoints, and the number of sentences that measure their losses.
SHIPPED = "zh_en_step_*.safetensors"
NUM_MEASURED = 200


class TimeMachine(Widget):
    """The checkpoints of one training run on a slider: its words, its loss and its heads.

    The models run in the browser, in a worker. At each moment the sentence is translated twice.
    First the model reads its own words. Then it reads the words of the last checkpoint, at every
    place only those before it, as in training; that way the probabilities and the attention of the
    same words can be compared. You can set ``text`` and ``moment`` from Python at any time;
    ``translation`` holds the result.

    Args:
        checkpoints: (updates so far, loss, Trained) for each moment, the earliest first; None uses
            the package's own run, with losses on unseen sentences.
        text: the first sentence.
        moment: the number of the first checkpoint on display, from 0.
        look_at: the English word whose attention is shown first, if it occurs.
        examples: sentences for the button "Shuffle"; None draws some from the corpus whose words
            the model knows.
        max_words: the most words in a sentence.

    Raises:
        ValueError: there are fewer than two checkpoints, they are out of order or differ in their
            words or sizes, a loss is negative or not a number, the models are not causal or do not
            fit into a page, or moment is out of range, now or later.

    Example:
        >>> from attnsteps import Transformer, TransformerConfig, Vocab, Words
        >>> src, tgt = Vocab(["太", "累"]), Vocab(["too", "tired"])
        >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=7, tgt_vocab_size=7))
        >>> trained = Trained(model, src, tgt, Words(["太", "累"]), Words())
        >>> TimeMachine([(0, 1.9, trained), (50, 1.2, trained)], text="太累").steps
        [0, 50]
    """

    _esm = bundle("training")
    _css = styles("translator", "training")

    weights = traitlets.Bytes(b"").tag(sync=True)
    sizes = traitlets.List(traitlets.Int()).tag(sync=True)
    steps = traitlets.List(traitlets.Int()).tag(sync=True)
    losses = traitlets.List(traitlets.Float()).tag(sync=True)
    glossary = traitlets.Dict().tag(sync=True)
    examples = traitlets.List(traitlets.Unicode()).tag(sync=True)
    twins = traitlets.List(traitlets.Unicode()).tag(sync=True)
    first = traitlets.Unicode().tag(sync=True)
    look_at = traitlets.Unicode().tag(sync=True)
    max_words = traitlets.Int().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
    moment = traitlets.Int(0).tag(sync=True)
    translation = traitlets.Unicode("").tag(sync=True)

    def __init__(
        self,
        checkpoints: Iterable[Checkpoint] | None = None,
        *,
        text: str = RUNNING,
        moment: int = 0,
        look_at: str = "it",
        examples: Sequence[str] | None = None,
        max_words: int = 24,
    ) -> None:
        is_shipped = checkpoints is None
        checkpoints = _shipped() if is_shipped else _checked(list(checkpoints))
        self._models = [trained for _, _, trained in checkpoints]
        files = _shipped_files() if is_shipped else [file_of(each) for each in self._models]
        super().__init__(
            **sentence_traits(self._models[0], examples, max_words),
            weights=b"".join(files),
            sizes=[len(file) for file in files],
            steps=[step for step, _, _ in checkpoints],
            losses=[loss for _, loss, _ in checkpoints],
            look_at=look_at,
            text=text,
            moment=moment,
        )

    @traitlets.validate("moment")
    def _validate_moment(self, proposal: dict) -> int:
        last = len(self._models) - 1
        if not 0 <= proposal["value"] <= last:
            raise ValueError(f"moment must lie in 0..{last}; got {proposal['value']}")
        return proposal["value"]

    def picture(self) -> Figure:
        """Return the loss curve, and the cross-attention at the current moment."""
        figure = Figure(figsize=(7.6, 3.4))
        left, right = figure.subplots(1, 2, width_ratios=(2, 3))
        places = range(len(self.steps))
        left.plot(places, self.losses, marker="o")
        left.plot(self.moment, self.losses[self.moment], "o", color=COLOURS[1], markersize=10)
        left.set_xticks(places, [str(step) for step in self.steps], rotation=60)
        left.set(title="Loss", xlabel="updates", ylim=(0, None))
        trained = self._models[self.moment]
        if not 1 <= len(trained.src_tokenizer.tokenize(self.text)) <= self.max_words:
            return figure
        weights, rows, words = mean_cross_attention(trained, self.text)
        heatmap(
            weights[:14],
            rows=rows[:14],
            columns=words,
            digits=None,
            title=f"After {self.steps[self.moment]} updates: cross-attention",
            ax=right,
        )
        right.tick_params(axis="x", rotation=40)
        return figure


def _checked(checkpoints: list[Checkpoint]) -> list[Checkpoint]:
    """Return the checkpoints, refusing any that aren't of one run or don't fit into a page."""
    if len(checkpoints) < 2:
        raise ValueError(f"checkpoints must hold at least 2; got {len(checkpoints)}")
    _, _, first = checkpoints[0]
    for n, (_, loss, trained) in enumerate(checkpoints):
        if not isinstance(trained, Trained):
            raise ValueError(
                f"checkpoints[{n}] must end with a Trained; got a {type(trained).__name__}"
            )
        check_fits(trained)
        if not (math.isfinite(loss) and loss >= 0):
            raise ValueError(
                f"the loss of checkpoints[{n}] must be a number of at least 0; got {loss}"
            )
        for name, got, needed in (
            ("model.config", trained.model.config, first.model.config),
            ("src_vocab", trained.src_vocab.to_list(), first.src_vocab.to_list()),
            ("tgt_vocab", trained.tgt_vocab.to_list(), first.tgt_vocab.to_list()),
        ):
            if got != needed:
                raise ValueError(
                    f"checkpoints must be of one training run; checkpoints[{n}] has another {name}"
                    " than the first"
                )
    steps = [step for step, _, _ in checkpoints]
    if any(after <= before for before, after in pairwise(steps)):
        raise ValueError(f"checkpoints must be in order of their steps; got {steps}")
    count = sum(trained.model.num_parameters() for _, _, trained in checkpoints)
    if count > MAX_PARAMETERS:
        raise ValueError(
            f"checkpoints must have at most {MAX_PARAMETERS:,} parameters together to run in a"
            f" page; got {count:,}"
        )
    return checkpoints


@cache
def _shipped() -> list[Checkpoint]:
    """Return the checkpoints of the package's own training run."""
    checkpoints = []
    for path in sorted(ASSETS.glob(SHIPPED)):
        trained = Trained.load(path)
        checkpoints.append((int(path.stem.rpartition("_")[2]), _loss(trained), trained))
    return _checked(checkpoints)


@cache
def _shipped_files() -> list[bytes]:
    """Return the files of these checkpoints as they are in the package."""
    return [path.read_bytes() for path in sorted(ASSETS.glob(SHIPPED))]


def _loss(trained: Trained) -> float:
    """Return the mean loss per token, in nats, on sentences that no run was trained on."""
    examples = encode_pairs(_unseen(), trained.src_vocab, trained.tgt_vocab)
    with torch.inference_mode():
        loss, count = autoregressive_loss(trained.model, collate(examples))
    return float(loss / count)


@cache
def _unseen() -> list:
    """Draw sentences that are in no training part, whatever the seed."""
    return generated(20 * NUM_MEASURED, seed=11).unseen[:NUM_MEASURED]
