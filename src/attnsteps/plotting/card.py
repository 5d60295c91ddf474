"""Text on a card: shown in place of a question where no script runs."""

import textwrap
from collections.abc import Sequence

from matplotlib.figure import Figure

_WIDTH = 72


def card(title: str, text: str, items: Sequence[str] = ()) -> Figure:
    r"""Return a figure with a title, a wrapped text and a list of items.

    Use Latin script only, because Matplotlib may lack other fonts.

    Example:
        >>> [text.get_text() for text in card("Exercise 1", "How many?", ["one", "two"]).texts]
        ['Exercise 1', 'How many?\n• one\n• two']
    """
    lines = textwrap.wrap(text, _WIDTH)
    for item in items:
        lines += textwrap.wrap(item, _WIDTH, initial_indent="• ", subsequent_indent="   ")
    figure = Figure(figsize=(5.8, 0.6 + 0.22 * len(lines)))
    figure.text(0.02, 0.97, title, weight="bold", va="top")
    figure.text(0.02, 0.97 - 0.3 / figure.get_figheight(), "\n".join(lines), va="top", fontsize=10)
    return figure
