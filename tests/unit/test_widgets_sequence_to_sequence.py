"""The bottleneck widget refuses what it cannot show, and reads back what its rule says."""

import numpy as np
import pytest
import torch
from matplotlib.figure import Figure

from attnsteps import scaled_dot_product_attention
from attnsteps.widgets import ContextBottleneck
from attnsteps.widgets.sequence_to_sequence import SENTENCE, VOCABULARY, signs

BAD = {
    "no word": ({"count": 0}, "count must be a number in [1, 24]; got 0"),
    "too many": ({"count": 25}, "count must be a number in [1, 24]; got 25"),
    "a width": ({"width": 48}, "width must be 8 or 16 or 32 or 64 or 128 or 256; got 48"),
    "a seed": ({"seed": -1}, "seed must be a number in [0, 2147483647]; got -1"),
    "a place": ({"asked": 24}, "asked must be a number in [0, 23]; got 24"),
}


@pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD.keys())
def test_bad_arguments_are_refused(refuses, arguments, message):
    refuses(lambda: ContextBottleneck(**arguments), message)


@pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD.keys())
def test_bad_values_are_refused_afterwards_too(refuses, arguments, message):
    widget = ContextBottleneck()
    [(name, value)] = arguments.items()
    refuses(lambda: setattr(widget, name, value), message)


def test_the_repr_is_stable_and_a_picture_stands_in_where_no_script_runs():
    widget = ContextBottleneck()
    assert repr(widget) == "ContextBottleneck()"
    assert widget._repr_mimebundle_()[0]["image/png"]
    assert isinstance(widget.picture(), Figure)


def test_one_word_is_always_read_back_and_two_dozen_never_from_eight_numbers():
    squeezed, attended = ContextBottleneck(count=1, width=8).read_back()
    assert squeezed == attended == [SENTENCE[0]]
    squeezed, _ = ContextBottleneck(count=24, width=8).read_back()
    assert squeezed != list(SENTENCE)


def test_attention_is_that_of_the_package():
    vocabulary, tags = (
        torch.from_numpy(drawn) for drawn in signs(5, 16, len(VOCABULARY), num_places=12)
    )
    words = vocabulary[[VOCABULARY.index(word) for word in SENTENCE[:12]]]
    found, _ = scaled_dot_product_attention(tags, tags, words)
    expected = [VOCABULARY[i] for i in (found @ vocabulary.T).argmax(-1).tolist()]
    assert ContextBottleneck(count=12, width=16, seed=5).read_back()[1] == expected


def test_the_signs_are_balanced():
    words, places = signs(3, 256, 30, 24)
    assert set(np.unique(words)) == set(np.unique(places)) == {-1.0, 1.0}
    assert abs(words.mean()) < 0.05
