"""The widget of positions refuses what it cannot show, and agrees with the package."""

import pytest
import torch
from matplotlib.figure import Figure

from attnsteps import sinusoidal_positions
from attnsteps.running_example import SENTENCE, Word
from attnsteps.toy import toy_projections, toy_vectors
from attnsteps.widgets import Positions

SWAPPED = [3, 1, 2, 0]

BAD = {
    "another width": ({"d_model": 7}, "d_model must be 4 or 8 or 12; got 7"),
    "another layout": (
        {"layout": "stacked"},
        "layout must be 'interleaved' or 'concatenated'; got 'stacked'",
    ),
    "a position too far": (
        {"position": 32},
        "position must be a number in [0, 31]; got 32",
    ),
    "a position below 0": (
        {"position": -1},
        "position must be a number in [0, 31]; got -1",
    ),
    "a step too far": ({"step": 17}, "step must be a number in [0, 16]; got 17"),
    "a word twice": (
        {"order": [0, 1, 1, 3]},
        "order must hold each of 0..3 once; got [0, 1, 1, 3]",
    ),
    "a word too few": ({"order": [0, 1, 2]}, "order must hold each of 0..3 once; got [0, 1, 2]"),
}
BAD_AT_FIRST = {
    "one word": ({"words": SENTENCE[:1]}, "words must hold 2 to 8 words; got 1"),
    "too many words": ({"words": SENTENCE + SENTENCE}, "words must hold 2 to 8 words; got 16"),
}


@pytest.mark.parametrize(
    ("arguments", "message"), (BAD | BAD_AT_FIRST).values(), ids=(BAD | BAD_AT_FIRST).keys()
)
def test_bad_arguments_are_refused(refuses, arguments, message):
    refuses(lambda: Positions(**arguments), message)


@pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD.keys())
def test_bad_values_are_refused_afterwards_too(refuses, arguments, message):
    widget = Positions()
    [(name, value)] = arguments.items()
    refuses(lambda: setattr(widget, name, value), message)


def test_other_words_are_refused():
    with pytest.raises(ValueError, match="words must come from the running example"):
        Positions([Word("猫", "māo", "cat"), SENTENCE[0]])


def test_the_repr_is_stable():
    assert repr(Positions(position=9)) == "Positions()"


def test_a_picture_stands_in_where_no_script_runs():
    data, _ = Positions()._repr_mimebundle_()
    assert data["image/png"]
    assert "application/vnd.jupyter.widget-view+json" in data


@pytest.mark.parametrize("d_model", [4, 8, 12])
@pytest.mark.parametrize("layout", ["interleaved", "concatenated"])
def test_the_picture_shows_the_present_state(d_model, layout):
    widget = Positions()
    widget.d_model, widget.layout, widget.position, widget.step = d_model, layout, 7, 4
    figure = widget.picture()
    assert isinstance(figure, Figure)
    *clocks, sheet, hill = figure.axes
    assert len(clocks) == d_model // 2
    table = sinusoidal_positions(48, d_model, layout=layout, dtype=torch.float64)
    torch.testing.assert_close(widget.table, table)
    assert sheet.images[0].get_array().tolist() == table.T.tolist()
    assert hill.lines[0].get_ydata().tolist() == (table @ table[7]).tolist()
    for pair, clock in enumerate(clocks):
        _, here, there = clock.lines
        for line, position in ((here, 7), (there, 11)):
            tip = [line.get_xdata()[1], line.get_ydata()[1]]
            angle = torch.tensor(position / 10000 ** (2 * pair / d_model), dtype=torch.float64)
            assert tip == pytest.approx([angle.sin().item(), angle.cos().item()])


def test_without_positions_the_results_are_permuted_and_with_them_they_are_not():
    widget = Positions(order=SWAPPED)
    first = Positions()
    torch.testing.assert_close(
        widget.contexts(with_positions=False), first.contexts(with_positions=False)[SWAPPED]
    )
    assert widget.moved(with_positions=False).max() < 1e-12
    # Cross attends to what comes after it: street is paved, animal furry.
    torch.testing.assert_close(
        first.contexts(with_positions=True)[2], widget.contexts(with_positions=True)[2].flip(0)
    )
    assert widget.moved(with_positions=True)[2] > 1.3
    assert first.moved(with_positions=True).max() == 0


@pytest.mark.parametrize("order", [list(range(8)), [7, 0, 3, 2, 6, 5, 4, 1]], ids=str)
def test_the_results_are_those_of_the_package(order):
    widget = Positions(SENTENCE, order=order)
    x, (w_q, w_k, w_v) = toy_vectors(SENTENCE)[order], toy_projections()
    table = sinusoidal_positions(9, 64, dtype=torch.float64)
    scores = (x @ w_q) @ (x @ w_k).T / 2 + 5 * table[1:] @ table[:8].T
    expected = scores.softmax(-1) @ x @ w_v
    torch.testing.assert_close(widget.contexts(with_positions=True), expected)
