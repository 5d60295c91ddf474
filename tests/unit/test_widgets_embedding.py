"""The map of word vectors refuses what it cannot show, and finds neighbours by their direction."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from attnsteps.widgets import EmbeddingSpace
from attnsteps.widgets.embedding import flat_map

WORDS = [f"w{i}" for i in range(12)]
RNG = np.random.default_rng(0)
BEFORE, AFTER = RNG.normal(size=(2, 12, 5))


def make(words=WORDS, before=BEFORE, after=AFTER, selected="w3", **options):
    return EmbeddingSpace(words, before, after, selected=selected, **options)


BAD = {
    "few": (
        {"words": WORDS[:3]},
        "words must hold at least 10 different words; got 3, 3 of them different",
    ),
    "twice": (
        {"words": ["w3"] * 12},
        "words must hold at least 10 different words; got 12, 1 of them different",
    ),
    "unknown": ({"selected": "no"}, "selected must be one of the words; got 'no'"),
    "rows": (
        {"before": BEFORE[:5]},
        "before must have shape (V, D) with V = 12 and D ≥ 2; got (5, 5)",
    ),
    "widths": (
        {"after": AFTER[:, :3]},
        "after must have the shape of before, (12, 5); got (12, 3)",
    ),
    "tiny": (
        {"before": 1e-4 * BEFORE},
        "before must hold vectors that do not round to 0 at 3 decimals; got one for 'w0'",
    ),
    "nan": ({"after": AFTER * np.nan}, "after must hold finite numbers; got NaN or infinity"),
}


@pytest.mark.parametrize(("changes", "message"), BAD.values(), ids=BAD.keys())
def test_bad_arguments_are_refused(refuses, changes, message):
    refuses(lambda: make(**changes), message)


def test_a_word_that_is_not_there_is_refused_afterwards_too(refuses):
    refuses(
        lambda: setattr(make(), "selected", 12),
        "selected must be a number in [0, 11]; got 12",
    )


def test_neighbours_are_those_of_the_smallest_angle():
    angles = np.linspace(0, 2, 12)
    turned = np.stack([np.cos(angles), np.sin(angles)], axis=1) * RNG.uniform(0.5, 2, (12, 1))
    widget = make(before=BEFORE[:, :2], after=turned, selected="w0")
    assert widget.nearest(4) == ["w1", "w2", "w3", "w4"]
    widget.learned = False
    assert widget.nearest(4) != ["w1", "w2", "w3", "w4"]


def test_the_map_is_one_of_directions_as_the_list_of_neighbours_is():
    longer = AFTER * np.linspace(1, 9, 12)[:, None]
    widget = make(before=AFTER, after=longer)
    np.testing.assert_allclose(widget.map_after, widget.map_before, atol=1e-3)


def test_the_map_keeps_what_differs_most():
    places = flat_map(np.c_[AFTER[:, :1] * 100, AFTER[:, 1:2] * 10, AFTER[:, 2:] / 10])
    for axis in (0, 1):
        assert abs(np.corrcoef(places[:, axis], AFTER[:, axis])[0, 1]) > 0.9


def test_the_repr_is_stable_and_a_picture_stands_in_where_no_script_runs():
    widget = make()
    assert repr(widget) == "EmbeddingSpace()"
    assert widget._repr_mimebundle_()[0]["image/png"]
    assert isinstance(widget.picture(), Figure)
