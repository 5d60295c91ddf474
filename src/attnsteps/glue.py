"""Carries a computed value from a notebook's cell into its prose.

A chapter writes ``glue(variance=f"{variance:.1f}")`` in a cell, and in its text
``<span data-glue="variance">8.0</span>``. ``make notebooks`` fills the span from the cell's output
and a test holds the two together, so that the same true number stands on the website, in Colab
and on GitHub. The output's form is the one myst-nb's own ``glue`` uses, which every front end
leaves out of sight.
"""

from IPython.display import display

MIME = "application/papermill.record/text/plain"


def glue(**values: str) -> None:
    """Record formatted values under their names in the running cell's output.

    Args:
        **values: name → the text as it shall stand in the prose.

    Raises:
        ValueError: a value is not yet formatted as text.
    """
    for name, text in values.items():
        if not isinstance(text, str):
            raise ValueError(f"{name} must be formatted as text; got {type(text).__name__}")
        metadata = {"scrapbook": {"name": name, "mime_prefix": "application/papermill.record/"}}
        display({MIME: text}, metadata=metadata, raw=True)
