"""Draws the picture that messengers show beside a link: a chapter's title, and real attention."""

import functools
import re
import shutil
import subprocess
import textwrap
from pathlib import Path

import numpy as np
from matplotlib import get_data_path
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image, ImageDraw, ImageFont

from attnsteps import pretrained
from attnsteps.diagrams.palette import ROLES

SIZE, DPI = (1200, 630), 100  # pixels: what messengers ask for
SENTENCE = "动物没有过马路，因为太累了"
PAPER, INK = "#121826", "#f2f5fa"
WARM, COOL = (dark for _, dark in list(ROLES.values())[:2])


@functools.cache
def attention() -> tuple[list[str], np.ndarray]:
    """Translate the running sentence; return its words, and how each looks at those before it.

    The weights are the first decoder layer's, the mean of its heads, (T, T).
    """
    found = pretrained("zh_en").translate([SENTENCE], need_weights=True)[0]
    weights = found.weights.decoder[0][0].mean(dim=0)  # (T, T)
    words = ["<bos>", *found.tokens][: len(weights)]
    return words, weights.numpy()


@functools.cache
def chinese() -> tuple[str, int] | None:
    """Return the file of a bold Chinese font and the face in it; None where there's none."""
    if not shutil.which("fc-match"):
        return None
    form = "%{lang}\\n%{file}\\n%{index}"
    wanted = ["fc-match", "-f", form, "sans-serif:lang=zh-cn:weight=200:outline=true"]
    lines = subprocess.run(wanted, capture_output=True, text=True, check=False).stdout.split("\n")
    return (lines[1], int(lines[2])) if "zh-cn" in lines[0].split("|") else None


@functools.cache
def background() -> Image.Image:
    """Draw what all cards have: the attention of the sentence, to the right."""
    words, weights = attention()
    figure = Figure(figsize=[side / DPI for side in SIZE], dpi=DPI, facecolor=PAPER)
    FigureCanvasAgg(figure)  # no window, no other figure's state
    axes = figure.add_axes((0.61, 0.08, 0.3, 0.84))
    axes.axis("off")
    count = len(words)
    axes.set(xlim=(-0.5, count - 0.5), ylim=(count - 0.5, -0.5))
    rows, columns = np.tril_indices(count)
    sizes = 640 * np.sqrt(weights[rows, columns]) + 6
    axes.scatter(columns, rows, s=sizes, c=COOL, linewidths=0, clip_on=False)
    it = rows == words.index("it")
    axes.scatter(columns[it], rows[it], s=sizes[it], c=WARM, linewidths=0, clip_on=False)
    for row, word in enumerate(words):
        colour = WARM if word == "it" else INK
        axes.text(row + 0.75, row, word, color=colour, fontsize=17, va="center", clip_on=False)
    figure.canvas.draw()
    return Image.fromarray(np.asarray(figure.canvas.buffer_rgba())).convert("RGB")


def draw_card(title: str, book: str, path: Path) -> None:
    """Draw one card as PNG: the name of the book, and a title of as many lines as it needs."""
    picture = background().copy()
    pen = ImageDraw.Draw(picture)
    if re.search(r"[\u3400-\u9fff]", title + book):
        (file, face), signs = chinese(), 12
        plain, bold = (ImageFont.truetype(file, size, index=face) for size in (36, 52))
        parts = re.split(r"(?<=[：，、？])", title)  # a new line where one would breathe
    else:  # Matplotlib brings a font, but none that has Chinese
        names, signs, parts = ("DejaVuSans", "DejaVuSans-Bold"), 19, [title]
        plain, bold = (
            ImageFont.truetype(Path(get_data_path(), "fonts", "ttf", f"{name}.ttf"), size)
            for name, size in zip(names, (36, 50), strict=True)
        )
    lines = [line for part in parts for line in textwrap.wrap(part, signs)]
    pen.text((60, 54), book, COOL, plain)
    pen.text((60, 315), "\n".join(lines), INK, bold, anchor="lm", spacing=18)
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.quantize(32, Image.Quantize.FASTOCTREE).save(path, format="PNG", optimize=True)
