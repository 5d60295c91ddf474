"""What the book's Sphinx extensions leave out of a chapter to download."""

import importlib
import json

from tests.browser import ROOT


def test_a_chapter_to_download_has_pictures_and_no_states(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))
    light = importlib.import_module("attnsteps_light")
    path = tmp_path / "a.ipynb"
    data = {light.VIEW: {"model_id": "a"}, "image/png": "b"}
    asked = {"text/plain": "Exercise()", "image/png": "c"}
    outputs = [{"data": data}, {"data": asked}]
    cells = [{"cell_type": "code", "outputs": outputs}, {"cell_type": "markdown"}]
    path.write_text(json.dumps({"metadata": {"widgets": {}, "k": 1}, "cells": cells}))
    light.spare(path)
    left = json.loads(path.read_text(encoding="utf-8"))
    assert left["metadata"] == {"k": 1}
    assert left["cells"][0]["outputs"] == [
        {"data": {"image/png": "b"}},
        {"data": {"text/plain": "Exercise()"}},  # its text is in the code
    ]
