"""Watch a decoder-only model write a digit, code by code."""

from functools import cache

import torch
import traitlets
from jaxtyping import Float
from matplotlib.figure import Figure
from torch import Tensor

from attnsteps.corpora.images import digits, from_patches, to_codes, to_patches
from attnsteps.layers.masks import causal_mask
from attnsteps.model.language_model import LanguageModel
from attnsteps.storage.writer_file import load_writer
from attnsteps.translator.trained import ASSETS
from attnsteps.widgets.base import Widget, within
from attnsteps.widgets.bundle import bundle, styles
from attnsteps.widgets.random import uniform

FILE = ASSETS / "digit_writer.safetensors"

#: The pictures that the model was trained on come first among the digits.
TRAINED_ON = 1000
_CODES = 16  # in a picture, and in the codebook


class DigitWriter(Widget):
    """A digit that is written live: a code is drawn, and the next one depends on it.

    The model runs in the browser. All settings are traits that Python can read and set too, and
    ``codes`` holds what has been written so far.

    Args:
        digit: the word that is given, from 0 to 9.
        temperature: below 1 sharpens the probabilities, above 1 flattens them; from 0.1 to 2.
        seed: where the draws come from, from 0.

    Raises:
        ValueError: if a number is out of range.

    Example:
        >>> writer = DigitWriter(digit=3)
        >>> writer.probabilities.shape
        torch.Size([16])
    """

    _esm = bundle("digit_writer")
    _css = styles("digit_writer")

    weights = traitlets.Bytes(b"").tag(sync=True)
    examples = traitlets.Unicode().tag(sync=True)  # a hexadecimal digit for each number
    digit = traitlets.Int(3).tag(sync=True)
    temperature = traitlets.Float(0.8).tag(sync=True)
    seed = traitlets.Int(0).tag(sync=True)
    codes = traitlets.List(traitlets.Int()).tag(sync=True)

    def __init__(self, *, digit: int = 3, temperature: float = 0.8, seed: int = 0) -> None:
        super().__init__(
            weights=FILE.read_bytes(),
            examples="".join(f"{number:x}" for number in seen().flatten().tolist()),
            digit=digit,
            temperature=temperature,
            seed=seed,
        )

    _ranges = within(digit=(0, 9), temperature=(0.1, 2.0), seed=(0, 2**31 - 1))

    @traitlets.validate("codes")
    def _validate_codes(self, proposal: dict) -> list[int]:
        codes = proposal["value"]
        if len(codes) > _CODES or not all(0 <= code < _CODES for code in codes):
            raise ValueError(f"codes must be at most {_CODES}, each from 0 to 15; got {codes}")
        return codes

    @property
    def probabilities(self) -> Float[Tensor, " V"]:
        """Of each entry of the codebook, to be written next."""
        return next_code(writer()[0], self.digit, self.codes, self.temperature)

    @property
    def nearest(self) -> tuple[int, float]:
        """Return which training picture is the nearest, and how far away it is.

        What isn't written yet is not compared.
        """
        return nearest(writer()[1], seen()[:, 1:], self.codes)

    def finished(self) -> list[int]:
        """Return all sixteen codes: those that are written, and those that will be drawn."""
        codes = list(self.codes)
        for chance in uniform(self.seed, _CODES)[len(codes) :]:
            codes.append(pick(next_code(writer()[0], self.digit, codes, self.temperature), chance))
        return codes

    def picture(self) -> Figure:
        """Return the picture when it is finished, and the nearest one of the training pictures."""
        entries = writer()[1]
        codes = self.finished()
        place, _ = nearest(entries, seen()[:, 1:], codes)
        shown = from_patches(entries[torch.stack([torch.tensor(codes), seen()[place, 1:]])], 8)
        figure = Figure(figsize=(4, 2.2))
        titles = (f"written for “{self.digit}”", "nearest training picture")
        for ax, one, title in zip(figure.subplots(1, 2), shown, titles, strict=True):
            ax.imshow(one.numpy(), vmin=0, vmax=1, cmap="Greys")
            ax.set(title=title, xticks=[], yticks=[])
            ax.grid(False)
        return figure


@cache
def writer() -> tuple[LanguageModel, Float[Tensor, "V P"]]:
    """Return the package's own model of digits, and its codebook."""
    return load_writer(FILE)


@cache
def seen() -> Tensor:
    """Return the pictures that it was trained on, in codes: which digit, then 16 codes, (N, 17)."""
    pictures, labels = digits()
    codes = to_codes(to_patches(pictures.float(), 2), writer()[1])
    return torch.cat([labels[:, None], codes], dim=1)[:TRAINED_ON]


def next_code(
    model: LanguageModel, digit: int, codes: list[int], temperature: float
) -> Float[Tensor, " V"]:
    """Return the probability of each code to be written next; zeros when all are."""
    if len(codes) == _CODES:
        return torch.zeros(_CODES)
    ids = torch.tensor([[_CODES + digit, *codes]])
    with torch.no_grad():
        logits = model(ids, causal_mask(ids.shape[1]))[0, -1, :_CODES]
    return (logits / temperature).softmax(dim=-1)


def pick(probabilities: Float[Tensor, " V"], chance: float) -> int:
    """Return the first code up to which the probabilities add up to more than chance.

    Example:
        >>> pick(torch.tensor([0.25, 0.75]), 0.3)
        1
    """
    above = probabilities.double().cumsum(dim=0) > chance
    return int(above.int().argmax()) if bool(above.any()) else len(probabilities) - 1


def nearest(entries: Float[Tensor, "V P"], examples: Tensor, codes: list[int]) -> tuple[int, float]:
    """Return which of the examples, (N, 16), is the nearest in pixels, and its distance."""
    known = examples[:, : len(codes)]
    gaps = (entries[known] - entries[torch.tensor(codes, dtype=torch.long)]).double().square()
    distances = gaps.sum(dim=(1, 2)).sqrt()
    place = int(distances.argmin())
    return place, float(distances[place])
