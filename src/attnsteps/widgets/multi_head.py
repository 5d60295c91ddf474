"""The heads of a trained encoder, live: what each attends to, and its numbers in memory."""

from collections.abc import Sequence

import torch
import traitlets
from matplotlib.figure import Figure
from torch import Tensor

from attnsteps.checks import check_choice, check_number
from attnsteps.model.mode import in_mode
from attnsteps.model.transformer import Transformer
from attnsteps.plotting.style import SEQUENTIAL
from attnsteps.text.vocab import Vocab
from attnsteps.translator.trained import Trained
from attnsteps.widgets.base import Widget
from attnsteps.widgets.bundle import bundle, styles
from attnsteps.widgets.live_model import (
    RUNNING,
    as_trained,
    check_fits,
    file_of,
    sentence_traits,
)

#: The number of states in the drawing of the memory, from the projection to the merged heads.
NUM_STEPS = 7


class Heads(Widget):
    """Every head of an encoder on the reader's own sentence, and its numbers in memory.

    The model runs in the browser, from the same weights file that Python reads. ``text``,
    ``layer``, ``head``, ``place`` and ``step`` hold the reader's choices, and you can set them from
    Python.

    Args:
        model: a Trained bundle; or a causal Transformer together with vocabs; None uses the
            package's translator.
        vocabs: the source and the target vocabulary of a bare Transformer.
        text: the first sentence.
        layer: the selected layer of the encoder, from 0.
        head: the selected head in it, from 0.
        place: the position of the query, from 0.
        step: the first state of the drawing of the memory, from 0 (the projected q) to 6 (the
            merged context).
        examples: sentences for the button "Another sentence"; None draws some from the corpus
            whose words the model knows.
        max_words: the most words in a sentence.

    Raises:
        ValueError: model is none of these or too large for a page; vocabs are missing or of another
            size; or layer, head, place or step is out of range.

    Example:
        >>> from attnsteps import TransformerConfig
        >>> vocabs = Vocab(["太", "累"]), Vocab(["too", "tired"])
        >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=7, tgt_vocab_size=7))
        >>> heads = Heads(model, vocabs, text="太累", place=1)
        >>> heads.attention().shape
        torch.Size([2, 4, 2, 2])
    """

    _esm = bundle("multi_head")
    _css = styles("translator", "multi_head")

    weights = traitlets.Bytes(b"").tag(sync=True)
    glossary = traitlets.Dict().tag(sync=True)
    examples = traitlets.List(traitlets.Unicode()).tag(sync=True)
    twins = traitlets.List(traitlets.Unicode()).tag(sync=True)
    first = traitlets.Unicode().tag(sync=True)
    max_words = traitlets.Int().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
    layer = traitlets.Int().tag(sync=True)
    head = traitlets.Int().tag(sync=True)
    place = traitlets.Int().tag(sync=True)
    step = traitlets.Int().tag(sync=True)

    def __init__(
        self,
        model: Trained | Transformer | None = None,
        vocabs: Sequence[Vocab] | None = None,
        *,
        text: str = RUNNING,
        layer: int = 0,
        head: int = 0,
        place: int = 7,
        step: int = 0,
        examples: Sequence[str] | None = None,
        max_words: int = 24,
    ) -> None:
        self._trained = trained = as_trained(model, vocabs)
        check_fits(trained)
        super().__init__(
            **sentence_traits(trained, examples, max_words),
            weights=file_of(trained, shipped="zh_en" if model is None else None),
            text=text,
            layer=layer,
            head=head,
            place=place,
            step=step,
        )

    @traitlets.validate("layer", "head", "place", "step")
    def _check_choice(self, proposal: dict) -> int:
        """Refuse a number out of range, but take a place after the last word as the last word."""
        name, value = proposal["trait"].name, proposal["value"]
        config = self._trained.model.config
        counts = {"layer": config.num_encoder_layers, "head": config.num_heads, "step": NUM_STEPS}
        if name in counts:
            check_choice(name, value, range(counts[name]))
        check_number(name, value, at_least=0, integer=True)
        return value

    def attention(self) -> Tensor:
        """Return the encoder's weights for ``text``: (layers, H, S, S), before dropout."""
        words = self._trained.src_tokenizer.tokenize(self.text)
        model, ids = self._trained.model, self._trained.src_vocab.ids(words)
        device = next(model.parameters()).device
        with in_mode(model), torch.no_grad():
            _, weights = model.encode(torch.tensor([ids], device=device), need_weights=True)
        return torch.cat(weights.encoder).cpu()

    def picture(self) -> Figure:
        """Return a grid of heat maps, with a row for each layer and a column for each head."""
        words = self._trained.src_tokenizer.tokenize(self.text)
        if not 1 <= len(words) <= self.max_words:
            return Figure(figsize=(4, 0.5))
        weights = self.attention()
        num_layers, num_heads = weights.shape[:2]
        figure = Figure(figsize=(1.9 * num_heads + 0.8, 2.1 * num_layers), layout="constrained")
        axes = figure.subplots(num_layers, num_heads, squeeze=False)
        names = [self.glossary[word][1] if word in self.glossary else "" for word in words]
        for layer, head in torch.cartesian_prod(torch.arange(num_layers), torch.arange(num_heads)):
            ax = axes[layer, head]
            ax.imshow(weights[layer, head].numpy(), cmap=SEQUENTIAL, vmin=0, vmax=1)
            ax.set_title(f"layer {layer + 1}, head {head + 1}", fontsize=9)
            ax.set_xticks([])
            labels = [name if name.isascii() else "" for name in names] if head == 0 else []
            ax.set_yticks(range(len(labels)), labels, fontsize=7)
            ax.tick_params(length=0)
        return figure
