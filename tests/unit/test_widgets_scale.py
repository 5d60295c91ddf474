"""The widget of a training step counts what the package counts, and refuses what cannot be."""

import pytest
import torch
from matplotlib.figure import Figure

from attnsteps import Transformer, TransformerConfig
from attnsteps.analysis.memory import training_bytes
from attnsteps.widgets import TrainingStep
from attnsteps.widgets.scale import HOW, SIZES

BAD_LATER = {
    "an axis too few": (("sizes", {"D": 64}), "sizes must have D, N, V, B, S; got D"),
    "no layer": (("sizes", {**SIZES["base"], "N": 0}), "N must be a positive integer; got 0"),
    "a width without heads": (
        ("sizes", {**SIZES["base"], "D": 66}),
        "num_heads must divide d_model = 66 without remainder; got 4",
    ),
    "a choice too few": (
        ("how", {"fused": True}),
        "how must have micro_batches, processes, precision, fused, speed, cable; got fused",
    ),
    "no process": (
        ("how", {**HOW, "processes": 0}),
        "processes must be a positive integer; got 0",
    ),
    "no micro-batch": (
        ("how", {**HOW, "micro_batches": 0}),
        "micro_batches must be a positive integer; got 0",
    ),
    "precision": (
        ("how", {**HOW, "precision": "int8"}),
        "precision must be 'float32' or 'bfloat16'; got 'int8'",
    ),
    "fused": (("how", {**HOW, "fused": "yes"}), "fused must be False or True; got 'yes'"),
    "no speed": (("how", {**HOW, "speed": 0.0}), "speed must be a number above 0; got 0.0"),
    "no cable": (("how", {**HOW, "cable": 0}), "cable must be a number above 0; got 0"),
}


def test_an_unknown_size_is_refused(refuses):
    refuses(lambda: TrainingStep("small"), "size must be 'tiny' or 'base' or 'big'; got 'small'")


@pytest.mark.parametrize(("given", "message"), BAD_LATER.values(), ids=BAD_LATER)
def test_bad_values_are_refused_later_and_nothing_changes(refuses, given, message):
    widget = TrainingStep()
    refuses(lambda: setattr(widget, *given), message)
    assert (widget.sizes, widget.how) == (SIZES["base"], HOW)


def test_base_and_big_are_the_papers_models_but_for_dropout():
    for size, config in {"base": TransformerConfig.base, "big": TransformerConfig.big}.items():
        assert TrainingStep(size).config == config(37_000, 37_000, dropout=0.0)


def test_tiny_has_the_books_sizes():
    shown, books = TrainingStep("tiny").config, TransformerConfig.tiny(300, 300)
    for name in ("d_model", "num_heads", "d_ff", "num_encoder_layers", "num_decoder_layers"):
        assert getattr(shown, name) == getattr(books, name)


def test_what_is_kept_is_what_the_package_counts_for_one_share_of_the_batch():
    widget = TrainingStep("tiny")
    widget.how = {**HOW, "micro_batches": 3, "processes": 2, "precision": "bfloat16"}
    assert widget.sentences == 22  # of 128, rounded up
    number = Transformer(widget.config).num_parameters()
    assert widget.num_parameters == number
    assert widget.kept == training_bytes(
        widget.config, 22, 16, 16, num_parameters=number, precision="bfloat16"
    )
    explicit = TrainingStep("tiny")
    explicit.how = {**HOW, "fused": False}
    assert (
        explicit.kept.attention
        == training_bytes(widget.config, 128, 16, 16, num_parameters=number, fused=False).attention
    )


def test_the_repr_is_stable_and_the_picture_shows_the_present_state():
    widget = TrainingStep()
    assert repr(widget) == "TrainingStep()"
    data, _ = widget._repr_mimebundle_()
    assert data["image/png"]
    widget.sizes = SIZES["tiny"]
    figure = widget.picture()
    assert isinstance(figure, Figure)
    widths = [bar.get_width() for bar in figure.axes[0].patches]
    assert widths == pytest.approx([size / 1e6 for size in widget.kept])


def test_the_count_of_parameters_makes_no_model():
    before = torch.get_rng_state()
    TrainingStep("big").num_parameters  # noqa: B018 (it must leave the random state alone)
    assert torch.equal(torch.get_rng_state(), before)
