"""Put a mask, an input and a loss together, and see which model it is, or what goes wrong."""

from typing import NamedTuple

import torch
import traitlets
from matplotlib.figure import Figure
from torch import Tensor

from attnsteps.layers.masks import causal_mask
from attnsteps.layers.prefix_mask import prefix_mask
from attnsteps.plotting.heatmap import heatmap
from attnsteps.text.vocab import BOS, EOS, MASK
from attnsteps.widgets.base import Widget, one_of
from attnsteps.widgets.bundle import bundle, styles

MASKS = ("causal", "prefix", "full", "two stacks")
INPUTS = ("all words", "some hidden")
LOSSES = ("every next word", "after the prefix", "hidden words")

_SAID = ("the", "street", "was", "too", "wide")
_HIDDEN = ("street", "wide")
_PREFIX, _SOURCE = 4, 3  # with <bos>; words that the encoder reads

#: What has a name, by mask, input and loss.
NAMES = {
    ("causal", "all words", "every next word"): "GPT",
    ("causal", "all words", "after the prefix"): "GPT, trained on answers",
    ("prefix", "all words", "after the prefix"): "prefix model",
    ("full", "some hidden", "hidden words"): "BERT",
    ("two stacks", "all words", "every next word"): "encoder–decoder",
    ("two stacks", "all words", "after the prefix"): "encoder–decoder",
}


class Arrangement(NamedTuple):
    """What a mask, an input and a loss make of the block.

    Args:
        read: the six tokens that go in.
        open: (6, 6), True = may attend.
        wanted: what each place has to guess; "" where the loss doesn't count.
        visible: the places whose guess counts, and which can see its answer.
        kind: "works"; "leaks", if an answer is visible; or "odd", if none is and it has no name.
        name: of the model, or "".
    """

    read: tuple[str, ...]
    open: Tensor
    wanted: tuple[str, ...]
    visible: tuple[int, ...]
    kind: str
    name: str


def arrange(mask: str, given: str, loss: str) -> Arrangement:
    """Say what one of MASKS, one of INPUTS and one of LOSSES make together.

    Example:
        >>> arrange("full", "some hidden", "hidden words").name
        'BERT'
        >>> arrange("full", "all words", "every next word").visible
        (0, 1, 2, 3, 4)
    """
    has_two = mask == "two stacks"
    text = (*_SAID[:_SOURCE], BOS, *_SAID[_SOURCE:]) if has_two else (BOS, *_SAID)
    size = len(text)
    hides = given == "some hidden"
    read = tuple(MASK if hides and token in _HIDDEN else token for token in text)
    first = _SOURCE if has_two else 0  # an encoder guesses nothing
    if loss == "hidden words":
        places = {i: i for i in range(first, size) if text[i] in _HIDDEN}
    else:
        start = first if loss == "every next word" or has_two else _PREFIX - 1
        places = {i: i + 1 for i in range(start, size)}
    wanted = [""] * size
    for i, answer in places.items():
        wanted[i] = text[answer] if answer < size else EOS
    allowed = _open(mask, size)
    # Two layers and their residuals: what reaches a place is what reaches those that it sees.
    step = (allowed | torch.eye(size, dtype=torch.bool)).double()
    hears = step @ step > 0
    visible = tuple(
        i
        for i, answer in places.items()
        if answer < size and read[answer] == text[answer] and hears[i, answer]
    )
    name = NAMES.get((mask, given, loss), "")
    kind = "leaks" if visible else "works" if name else "odd"
    return Arrangement(read, allowed, tuple(wanted), visible, kind, "" if visible else name)


def _open(mask: str, size: int) -> Tensor:
    """Return which key each query may attend to, (size, size)."""
    if mask == "causal":
        return causal_mask(size)
    if mask == "full":
        return torch.ones(size, size, dtype=torch.bool)
    prefix = _SOURCE if mask == "two stacks" else _PREFIX
    return prefix_mask(torch.tensor([prefix]), size)[0, 0]


class FamilyLab(Widget):
    """Three choices, a mask, an input and a loss, and what they make of one block.

    All settings are traits that Python can read and set too.

    Args:
        mask: ``"causal"``, ``"prefix"``, ``"full"`` or ``"two stacks"``.
        given: the input: ``"all words"`` or ``"some hidden"``.
        loss: ``"every next word"``, ``"after the prefix"`` or ``"hidden words"``.

    Raises:
        ValueError: if a choice is unknown.

    Example:
        >>> lab = FamilyLab()
        >>> lab.found.name
        'GPT'
        >>> lab.mask = "full"
        >>> lab.found.kind
        'leaks'
    """

    _esm = bundle("family")
    _css = styles("family")

    mask = traitlets.Unicode("causal").tag(sync=True)
    given = traitlets.Unicode("all words").tag(sync=True)
    loss = traitlets.Unicode("every next word").tag(sync=True)

    def __init__(
        self,
        *,
        mask: str = "causal",
        given: str = "all words",
        loss: str = "every next word",
    ) -> None:
        super().__init__(mask=mask, given=given, loss=loss)

    _choices = one_of(mask=MASKS, given=INPUTS, loss=LOSSES)

    @property
    def found(self) -> Arrangement:
        """What the three choices make together."""
        return arrange(self.mask, self.given, self.loss)

    def picture(self) -> Figure:
        """Return the mask, and at each row what is to be guessed."""
        found = self.found
        figure = Figure(figsize=(4.4, 2.6))
        ax = figure.subplots()
        rows = [
            f"{token} → {guess}" if guess else token
            for token, guess in zip(found.read, found.wanted, strict=True)
        ]
        title = found.name or ("an answer is visible" if found.visible else "no usual model")
        heatmap(found.open.double(), rows=rows, title=title, digits=0, ax=ax)
        ax.set_xticks(range(len(found.read)), found.read, rotation=40, ha="right")
        return figure
