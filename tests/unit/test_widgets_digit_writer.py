"""The writer of digits: its file, its probabilities, what it draws, and what is nearest."""

import base64

import pytest
import torch

from attnsteps import LanguageModel, causal_mask, digits, to_codes, to_patches
from attnsteps.storage.tensor_file import write_tensors
from attnsteps.storage.writer_file import load_writer, save_writer
from attnsteps.widgets import DigitWriter
from attnsteps.widgets.digit_writer import FILE, nearest, pick, seen, writer
from attnsteps.widgets.random import uniform

SIZES = {"vocab_size": 9, "num_layers": 1, "d_model": 6, "num_heads": 2, "d_ff": 10, "max_len": 5}


def test_a_file_gives_the_model_back_up_to_eight_bits(tmp_path):
    torch.manual_seed(0)
    model, entries = LanguageModel(**SIZES).float(), torch.rand(4, 4)
    save_writer(tmp_path / "a.safetensors", model, entries, SIZES)
    again, same = load_writer(tmp_path / "a.safetensors")
    assert torch.equal(same, entries)
    assert not again.training
    for mine, theirs in zip(model.parameters(), again.parameters(), strict=True):
        step = mine.detach().abs().amax(dim=-1, keepdim=True) / 127
        assert ((mine - theirs).abs() <= 0.51 * step + 1e-3 * mine.abs()).all()


def test_another_file_is_refused(tmp_path):
    path = tmp_path / "b.safetensors"
    write_tensors(path, {"x": torch.ones(1)}, kind="attnsteps.digit_writer", version=1, config="{}")
    with pytest.raises(ValueError, match="must hold the codebook"):
        load_writer(path)
    matrix = torch.ones(1, 2, dtype=torch.int8)
    write_tensors(path, {"x": matrix}, kind="attnsteps.digit_writer", version=1, config="{}")
    with pytest.raises(ValueError, match=f"^{path} must hold x.scale, "):
        load_writer(path)
    write_tensors(path, {"x": torch.ones(1)}, kind="other", version=1, config="{}")
    with pytest.raises(ValueError, match="must have the format"):
        load_writer(path)


def test_it_is_small_and_better_than_counting():
    assert FILE.stat().st_size <= 120_000
    pictures, labels = digits()
    model, entries = writer()
    codes = to_codes(to_patches(pictures.float(), 2), entries)
    rows = torch.cat([16 + labels[:, None], codes], dim=1)[1200:]
    with torch.no_grad():
        logits = model(rows[:, :-1], causal_mask(16))
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), rows[:, 1:].flatten())
    assert loss < 1.22  # a table of counts loses 1.27


def test_probabilities_are_those_of_the_model():
    widget = DigitWriter(digit=7, temperature=0.5)
    widget.codes = [0, 3, 9]
    with torch.no_grad():
        logits = writer()[0](torch.tensor([[23, 0, 3, 9]]), causal_mask(4))[0, -1, :16]
    torch.testing.assert_close(widget.probabilities, (2 * logits).softmax(dim=-1))
    widget.codes = [0] * 16
    assert not widget.probabilities.any()


def test_the_seed_decides_what_is_drawn():
    widget = DigitWriter(seed=4)
    codes = widget.finished()
    assert codes == DigitWriter(seed=4).finished()
    assert codes != DigitWriter(seed=5).finished()
    widget.codes = codes[:6]
    assert widget.finished() == codes
    assert pick(widget.probabilities, uniform(4, 7)[6]) == codes[6]


def test_the_nearest_picture_of_a_training_picture_is_itself():
    widget = DigitWriter()
    widget.codes = seen()[17, 1:].tolist()
    place, distance = widget.nearest
    assert distance == 0
    assert torch.equal(seen()[place], seen()[17])
    entries, examples = torch.tensor([[0.0], [1.0], [3.0]]), torch.tensor([[0, 1], [2, 2], [1, 0]])
    assert nearest(entries, examples, [2]) == (1, 0.0)
    assert nearest(entries, examples, [1, 1]) == (0, 1.0)


@pytest.mark.parametrize(
    ("trait", "value"),
    [("digit", 10), ("temperature", 0.0), ("seed", -1), ("codes", [16]), ("codes", [0] * 17)],
)
def test_bad_values_are_refused(trait, value):
    widget = DigitWriter()
    with pytest.raises(ValueError, match=f"{trait} must be"):
        setattr(widget, trait, value)


def test_it_leaves_a_picture():
    widget = DigitWriter()
    assert repr(widget) == "DigitWriter()"
    data, _ = widget._repr_mimebundle_()
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    assert len(widget.picture().axes) == 2
