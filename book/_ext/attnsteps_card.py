"""Draws the picture that messengers show beside a link: a chapter's title, and real attention."""

import functools
import textwrap
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from attnsteps import pretrained
from attnsteps.diagrams.palette import ROLES

SIZE, DPI = (1200, 630), 100  # pixels: what messengers ask for
SENTENCE = "动物没有过马路，因为太累了"
PAPER, INK = "#121826", "#f2f5fa"


@functools.cache
def attention() -> tuple[list[str], np.ndarray]:
    """Translate the running sentence; return its words, and how each looks at those before it.

    The weights are the first decoder layer's, the mean of its heads, (T, T).
    """
    found = pretrained("zh_en").translate([SENTENCE], need_weights=True)[0]
    weights = found.weights.decoder[0][0].mean(dim=0)  # (T, T)
    words = ["<bos>", *found.tokens][: len(weights)]
    return words, weights.numpy()


def draw_card(title: str, book: str, path: Path) -> None:
    """Draw one card as PNG."""
    words, weights = attention()
    figure = Figure(figsize=[side / DPI for side in SIZE], dpi=DPI, facecolor=PAPER)
    FigureCanvasAgg(figure)  # no window, no other figure's state
    dark = [pair[1] for pair in ROLES.values()]
    figure.text(0.05, 0.86, book, color=dark[1], fontsize=26)
    lines = textwrap.wrap(title, 19)
    figure.text(0.05, 0.5, "\n".join(lines), color=INK, fontsize=36, va="center", weight="bold")
    axes = figure.add_axes((0.61, 0.08, 0.3, 0.84))
    axes.axis("off")
    count = len(words)
    axes.set(xlim=(-0.5, count - 0.5), ylim=(count - 0.5, -0.5))
    rows, columns = np.tril_indices(count)
    sizes = 640 * np.sqrt(weights[rows, columns]) + 6
    axes.scatter(columns, rows, s=sizes, c=dark[1], linewidths=0, clip_on=False)
    it = rows == words.index("it")
    axes.scatter(columns[it], rows[it], s=sizes[it], c=dark[0], linewidths=0, clip_on=False)
    for row, word in enumerate(words):
        colour = dark[0] if word == "it" else INK
        axes.text(row + 0.75, row, word, color=colour, fontsize=17, va="center", clip_on=False)
    figure.canvas.draw()
    picture = Image.fromarray(np.asarray(figure.canvas.buffer_rgba())).convert("RGB")
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.quantize(32).save(path, format="PNG", optimize=True)
