"""Outputs of a notebook other than text: values for the prose, pictures, states of widgets.

A committed notebook carries the state of each widget in the metadata of the output that shows it,
without the widget's code, styles and weights. Building a page puts these back from the package. So
a page is always up to date with the package, without running its chapter again.
"""

import base64
import importlib
import io
import json
import re
import uuid

from nbformat import NotebookNode
from PIL import Image

from scripts.closure import PACKAGE

ASSETS = PACKAGE / "assets"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
SPAN = re.compile(r'(<span data-glue="(?P<name>[\w-]+)">)(?P<text>.*?)(</span>)')
ABOUT = re.compile(r"\s*<metadata>.*?</metadata>|<!.*?>\s*", re.DOTALL)
TAG = re.compile(r"<[^>]+>")
THOUSANDTHS = re.compile(r"(?<=\d)(\.\d\d)\d+")
OF_THE_FRONT_END = {"tabbable", "tooltip"}  # ipywidgets' own traits, which nothing here sets


def glued(notebook: NotebookNode) -> dict[str, str]:
    """Return name → text of every value that the notebook's outputs record with ``glue``."""
    return {
        output.metadata["scrapbook"]["name"]: next(iter(output.data.values()))
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "scrapbook" in output.get("metadata", {})
    }


def fill_spans(notebook: NotebookNode) -> None:
    """Write the recorded values into the spans of the prose."""
    values = glued(notebook)

    def value(match: re.Match) -> str:
        if match["name"] not in values:
            raise ValueError(f"no cell records a value named {match['name']!r} with glue")
        return f"{match[1]}{values[match['name']]}{match[4]}"

    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = SPAN.sub(value, cell.source)


def shrink_pictures(notebook: NotebookNode) -> None:
    """Leave out of every picture what nobody sees: colours, the date, thousandths of a point."""
    for output in _outputs(notebook):
        if plot := output.get("data", {}).get("image/svg+xml"):
            plot = TAG.sub(lambda tag: THOUSANDTHS.sub(r"\1", tag[0]), ABOUT.sub("", plot))
            output.data["image/svg+xml"] = " ".join(plot.split())
        if "image/png" in output.get("data", {}):
            output.data["image/png"] = in_few_colours(output.data["image/png"])


def in_few_colours(png: str) -> str:
    """Return a base64 PNG with a palette of 64 colours, a third of its size."""
    image = Image.open(io.BytesIO(base64.b64decode(png)))
    if image.mode == "P":
        return png
    buffer = io.BytesIO()
    image.convert("RGB").quantize(64, dither=Image.Dither.NONE).save(buffer, "PNG", optimize=True)
    return base64.b64encode(buffer.getvalue()).decode("ascii")


def keep_widgets(notebook: NotebookNode) -> None:
    """Move each widget's state from the notebook's metadata to the output that shows it."""
    models = notebook.metadata.pop("widgets", {}).get(WIDGET_STATE, {}).get("state", {})
    for output in _outputs(notebook):
        view = output.get("data", {}).pop(WIDGET_VIEW, None)
        output.get("metadata", {}).pop(WIDGET_VIEW, None)
        if (
            view is None or view["model_id"] not in models
        ):  # saved without its state: the picture remains
            continue
        model = models[view["model_id"]]
        traits = {
            name: value
            for name, value in model["state"].items()
            if not name.startswith("_")
            and name not in OF_THE_FRONT_END
            and not str(value).startswith("IPY_MODEL_")
        }
        weights = {
            buffer["path"][0]: _shipped(base64.b64decode(buffer["data"]))
            for buffer in model.get("buffers", [])
        }
        kept = {"widget": model["state"]["_anywidget_id"], "traits": traits, "weights": weights}
        output.metadata["attnsteps"] = json.dumps(kept, ensure_ascii=False, sort_keys=True)


def restore_widgets(notebook: NotebookNode) -> None:
    """Undo :func:`keep_widgets`, with the package's current code and weights."""
    state = {}
    for output in _outputs(notebook):
        if "attnsteps" not in output.get("metadata", {}):
            continue
        kept = json.loads(output.metadata.pop("attnsteps"))
        module, _, name = kept["widget"].rpartition(".")
        widget = getattr(importlib.import_module(module), name)
        own = {"_anywidget_id": kept["widget"], "_esm": widget._esm, "_css": widget._css}
        model_id = uuid.uuid5(uuid.NAMESPACE_OID, str(len(state))).hex
        state[model_id] = {
            "model_name": "AnyModel",
            "model_module": "anywidget",
            "model_module_version": "*",
            "state": {**kept["traits"], **{key: str(value) for key, value in own.items()}},
            "buffers": [
                {"path": [trait], "encoding": "base64", "data": _read(stems)}
                for trait, stems in kept["weights"].items()
            ],
        }
        view = {"model_id": model_id, "version_major": 2, "version_minor": 0}
        output.data = {WIDGET_VIEW: view, **output.data}
    if state:
        shown = {"state": state, "version_major": 2, "version_minor": 0}
        notebook.metadata["widgets"] = {WIDGET_STATE: shown}


def _outputs(notebook: NotebookNode) -> list[NotebookNode]:
    """List the outputs of all cells."""
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def _shipped(content: bytes) -> list[str]:
    """Name the weights files whose bytes, one after another, make up a trait."""
    stems = []
    while content:
        for path in sorted(ASSETS.glob("*.safetensors")):
            if content.startswith(path.read_bytes()):
                stems.append(path.stem)
                content = content[path.stat().st_size :]
                break
        else:
            raise ValueError("a widget's weights must be files of the package; got other bytes")
    return stems


def _read(stems: list[str]) -> str:
    """Return weights files, one after another, in base64."""
    content = b"".join((ASSETS / f"{stem}.safetensors").read_bytes() for stem in stems)
    return base64.b64encode(content).decode("ascii")
