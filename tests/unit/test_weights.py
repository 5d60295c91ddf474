"""Models in files: what is saved comes back, and what is damaged does no harm."""

import copy
import dataclasses
import json
import os
import pickle
import struct

import pytest
import safetensors.torch
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from torch import nn

from attnsteps.model.config import TransformerConfig
from attnsteps.model.tensor_file import checksum
from attnsteps.model.transformer import Transformer
from attnsteps.model.weights import load_model, load_weights, save_model

SRC_IDS = torch.tensor([[4, 9, 10, 0, 0], [5, 5, 6, 7, 8]])
TGT_IDS = torch.tensor([[1, 4, 5, 6, 2, 0, 0], [1, 9, 8, 10, 6, 5, 4]])


def make_model(**changes):
    config = TransformerConfig.tiny(
        11, 11, **{"d_model": 12, "num_heads": 3, "d_ff": 17, "dropout": 0.25, **changes}
    )
    model = Transformer(config).eval()
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.3)
    return model


def state(model):
    return copy.deepcopy(model.state_dict())


def is_same(model, before):
    return all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.safetensors"


KINDS = {
    "the paper's": {},
    "all tied": {"tie": "all"},
    "nothing tied": {"tie": "none"},
    "pre-norm, learned positions, gated": {
        "norm": "pre",
        "positions": "learned",
        "activation": "swiglu",
    },
    "not causal": {"causal": False, "mask_id": 3},
}


@pytest.mark.parametrize("changes", KINDS.values(), ids=KINDS.keys())
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16], ids=str)
def test_a_model_comes_back_as_it_was(path, dtype, changes):
    model = make_model(**changes).to(dtype)
    save_model(model, path)
    loaded = load_model(path)
    assert loaded.config == model.config
    assert not loaded.training
    assert is_same(loaded, model.state_dict())
    assert list(loaded.state_dict()) == list(model.state_dict())
    assert torch.equal(loaded(SRC_IDS, TGT_IDS), model(SRC_IDS, TGT_IDS))
    assert loaded.num_parameters() == model.num_parameters()

    other = make_model(**changes).to(dtype)
    assert not is_same(other, model.state_dict())
    load_weights(other, str(path))
    assert is_same(other, model.state_dict())


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_file_gets_the_permissions_of_every_new_file(path, umask, mode):
    before = os.umask(umask)
    try:
        save_model(make_model(), path)
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == mode


def test_loading_leaves_chance_as_it_was(path):
    save_model(make_model(), path)
    before = torch.random.get_rng_state()
    load_model(path)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_weights_keep_the_dtype_and_the_mode_of_the_model_that_they_go_into(path):
    model = make_model().half()
    save_model(model, path)
    other = make_model(dropout=0.5).double().train()
    load_weights(other, path)
    assert other.training
    assert other.config.dropout == 0.5
    assert other.projection.weight.dtype == torch.float64
    assert torch.equal(other.projection.weight, model.projection.weight.double())


def test_the_file_says_what_it_is_and_stores_a_shared_matrix_once(path):
    model = make_model(tie="all")
    save_model(model, path)
    with safe_open(path, framework="pt") as file:
        metadata = file.metadata()
        names = set(file.keys())
    assert metadata["format"] == "attnsteps.transformer"
    assert metadata["format_version"] == "1"
    assert json.loads(metadata["config"]) == dataclasses.asdict(model.config)
    assert len(metadata["sha256"]) == 64
    assert names == {name for name, _ in model.named_parameters()}
    assert {"tgt_embedding.weight", "projection.weight"}.isdisjoint(names)
    numbers = 4 * model.num_parameters()
    assert numbers < path.stat().st_size < numbers + 20_000


def test_saving_again_replaces_the_file_and_leaves_nothing_else(path):
    first, second = make_model(), make_model()
    save_model(first, path)
    save_model(second, path)
    assert is_same(load_model(path), second.state_dict())
    assert list(path.parent.iterdir()) == [path]


def test_saving_touches_no_folder_but_its_own(path):
    others = [path.with_name(f".{path.name}.{name}") for name in ("keep", "unfinished2")]
    for other in others:
        other.mkdir()
    left_over = path.with_name(f".{path.name}.unfinished")
    left_over.mkdir()
    save_model(make_model(), path)
    assert all(other.is_dir() for other in others)
    assert not left_over.exists()


def test_a_save_that_fails_leaves_the_old_file_and_nothing_else(path, monkeypatch):
    model = make_model()
    save_model(model, path)
    old = path.read_bytes()

    def fill_the_disk(tensors, filename, metadata):
        filename.write_bytes(b"half of it")
        raise OSError("no space left on device")

    monkeypatch.setattr(safetensors.torch, "save_file", fill_the_disk)
    with pytest.raises(OSError, match="no space"):
        save_model(make_model(), path)
    assert path.read_bytes() == old
    assert list(path.parent.iterdir()) == [path]


def test_the_file_is_written_elsewhere_and_then_renamed(path, monkeypatch):
    written, save_file = [], safetensors.torch.save_file

    def record(tensors, filename, metadata):
        written.append(filename)
        save_file(tensors, filename, metadata)

    monkeypatch.setattr(safetensors.torch, "save_file", record)
    save_model(make_model(), path)
    assert [other.parent.parent for other in written] == [path.parent]
    assert path.is_file()


# Faults -------------------------------------------------------------------------------------


def resaved(path, *, metadata=None, tensors=None):
    """Write a file anew with some of its contents changed."""
    with safe_open(path, framework="pt") as file:
        kept = {**file.metadata(), **(metadata or {})}
        kept = {name: value for name, value in kept.items() if value is not None}
    old = safetensors.torch.load_file(path)
    safetensors.torch.save_file({**old, **(tensors or {})}, path, kept)


def change_byte(path, place):
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(bytes(data))


FAULTS = {
    "cut off in the weights": (
        lambda path: path.write_bytes(path.read_bytes()[:-1]),
        "must be a whole safetensors file; got: ",
    ),
    "cut off in the header": (
        lambda path: path.write_bytes(path.read_bytes()[:100]),
        "must be a whole safetensors file; got: ",
    ),
    "empty": (lambda path: path.write_bytes(b""), "must be a whole safetensors file; got: "),
    "with something after its end": (
        lambda path: path.write_bytes(path.read_bytes() + b"more"),
        "must be a whole safetensors file; got: ",
    ),
    "a pickle": (
        lambda path: path.write_bytes(pickle.dumps({"weights": [1, 2, 3]})),
        "must be a whole safetensors file; got: ",
    ),
    "a checkpoint of torch.save": (
        lambda path: torch.save(make_model().state_dict(), path),
        "must be a whole safetensors file; got: ",
    ),
    "text": (lambda path: path.write_text("weights " * 99), "must be a whole safetensors file"),
    "a header that promises too much": (
        lambda path: path.write_bytes(struct.pack("<Q", 2**60) + path.read_bytes()[8:]),
        "must be a whole safetensors file; got: ",
    ),
    "one bit of the last weight changed": (
        lambda path: change_byte(path, -1),
        "must hold what was written into it; got other bytes, so it is damaged",
    ),
    "safetensors of someone else": (
        lambda path: safetensors.torch.save_file({"a": torch.zeros(2)}, path),
        "must have the format 'attnsteps.transformer'; got None",
    ),
    "another format": (
        lambda path: resaved(path, metadata={"format": "attnsteps.vocabulary"}),
        "must have the format 'attnsteps.transformer'; got 'attnsteps.vocabulary'",
    ),
    "a later version": (
        lambda path: resaved(path, metadata={"format_version": "2"}),
        "must have the format version 1; got '2'",
    ),
    "a tensor exchanged": (
        lambda path: resaved(path, tensors={"tgt_embedding.weight": torch.zeros(11, 12)}),
        "must hold what was written into it; got other bytes, so it is damaged",
    ),
    "a tensor too many": (
        lambda path: resaved(path, tensors={"more": torch.zeros(1)}),
        "must hold what was written into it; got other bytes, so it is damaged",
    ),
    "another configuration": (
        lambda path: resaved(path, metadata={"config": "{}"}),
        "must hold what was written into it; got other bytes, so it is damaged",
    ),
    "no configuration": (
        lambda path: resaved(path, metadata={"config": None}),
        "must hold what was written into it; got other bytes, so it is damaged",
    ),
}


@pytest.mark.parametrize(("damage", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_a_faulty_file_is_refused_and_the_model_stays_as_it_was(path, damage, message):
    save_model(make_model(), path)
    damage(path)
    model = make_model()
    before = state(model)
    with pytest.raises(ValueError, match=f"^{path} {message}"):
        load_weights(model, path)
    with pytest.raises(ValueError, match=f"^{path} {message}"):
        load_model(path)
    assert is_same(model, before)


def write_with_a_right_checksum(path, config, tensors):
    """Write a file whose checksum fits, as a program would that means to write our format."""

    metadata = {
        "format": "attnsteps.transformer",
        "format_version": "1",
        "config": config,
        "sha256": checksum(config, tensors),
    }
    safetensors.torch.save_file(tensors, path, metadata)


CONFIGS = {
    "no JSON": "d_model",
    "a list": "[1, 2]",
    "an unknown field": '{"src_vocab_size": 11, "tgt_vocab_size": 11, "depth": 3}',
    "a field missing": '{"src_vocab_size": 11}',
    "a bad value": '{"src_vocab_size": 11, "tgt_vocab_size": -1}',
}


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS.keys())
def test_a_configuration_that_makes_no_model_is_refused(path, config):
    write_with_a_right_checksum(path, config, dict(make_model().named_parameters()))
    with pytest.raises(ValueError, match=f"^{path} must hold a configuration; got: "):
        load_model(path)


def test_tensors_that_do_not_fit_the_configuration_are_refused(path):
    model = make_model()
    before = state(model)
    config = json.dumps(dataclasses.asdict(model.config))
    tensors = {name: p.detach().clone() for name, p in make_model().named_parameters()}
    name = "decoder.layers.1.feed_forward.w_1.bias"
    for wrong, got in (
        ({key: value for key, value in tensors.items() if key != name}, "none"),
        ({**tensors, name: torch.zeros(5)}, r"\(5,\)"),
    ):
        write_with_a_right_checksum(path, config, wrong)
        message = rf"^{path} must hold {name} with shape \(17,\); got {got}$"
        with pytest.raises(ValueError, match=message):
            load_weights(model, path)
        with pytest.raises(ValueError, match=message):
            load_model(path)
    write_with_a_right_checksum(path, config, {**tensors, "more": torch.zeros(5)})
    with pytest.raises(ValueError, match=r"must hold only what the model has; got more as well$"):
        load_model(path)
    write_with_a_right_checksum(path, config, {})
    with pytest.raises(ValueError, match="must hold"):
        load_model(path)
    assert is_same(model, before)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"d_model": 24}, "d_model = 24; got 12"),
        ({"norm": "pre"}, "norm = 'pre'; got 'post'"),
        ({"tie": "all"}, "tie = 'all'; got 'target'"),
        ({"num_heads": 4}, "num_heads = 4; got 3"),
    ],
    ids=str,
)
def test_weights_of_another_model_are_refused(path, changes, message):
    save_model(make_model(), path)
    model = make_model(**changes)
    before = state(model)
    with pytest.raises(ValueError, match=f"^{path} must hold a model with {message}$"):
        load_weights(model, path)
    assert is_same(model, before)


def test_a_file_that_is_not_there(path):
    for call in (lambda: load_model(path), lambda: load_weights(make_model(), path)):
        with pytest.raises(FileNotFoundError, match="there is no file"):
            call()
    with pytest.raises(FileNotFoundError):
        load_model(path.parent)
    with pytest.raises(OSError, match=r"cannot be written: .*No such file"):
        save_model(make_model(), path / "below" / "nothing")


@given(data=st.data())
@settings(max_examples=60)
def test_property_no_change_of_a_byte_and_no_cut_goes_unnoticed(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("fuzz") / "model.safetensors"
    save_model(make_model(num_encoder_layers=1, num_decoder_layers=1), path)
    original = load_model(path)
    size = path.stat().st_size
    place = data.draw(st.integers(0, size - 1))
    if data.draw(st.booleans()):
        path.write_bytes(path.read_bytes()[:place])
    else:
        change_byte(path, place)
    try:
        loaded = load_model(path)
    except ValueError:
        return
    # What passes can only have changed what is not read, such as a space in the header.
    assert is_same(loaded, original.state_dict())
    assert loaded.config == original.config
