"""Models in files: what is saved comes back, and what is damaged does no harm."""

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
from attnsteps.model.transformer import Transformer
from attnsteps.storage.tensor_file import checksum
from attnsteps.text.tokenizer import Words
from attnsteps.text.vocab import Vocab
from attnsteps.translator.trained import Trained

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


def is_same(model, before):
    return all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())


def save_model(model, path, dtype=None, words="abcdef"):
    """Write a model as a translator, in its own dtype unless another one is asked for."""
    vocab, own = Vocab(words), model.tgt_embedding.weight.dtype
    Trained(model, vocab, vocab, Words(), Words()).save(path, dtype=dtype or own)


def load_model(path):
    return Trained.load(path).model


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
    "with experts": {"num_experts": 3, "bias": False},
    "not causal": {"causal": False, "mask_id": 4},
}


@pytest.mark.parametrize("changes", KINDS.values(), ids=KINDS.keys())
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16], ids=str)
def test_a_model_comes_back_as_it_was(path, dtype, changes):
    model = make_model(**changes).to(dtype)
    save_model(model, path)
    loaded = load_model(path)
    assert loaded.config == model.config
    assert not loaded.training
    model = model.float()
    assert is_same(loaded, model.state_dict())
    assert list(loaded.state_dict()) == list(model.state_dict())
    assert torch.equal(loaded(SRC_IDS, TGT_IDS), model(SRC_IDS, TGT_IDS))
    assert loaded.num_parameters() == model.num_parameters()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.int8], ids=str)
def test_the_file_has_the_dtype_that_was_asked_for_and_is_read_in_float32(path, dtype):
    save_model(make_model(), path, dtype)
    stored = safetensors.torch.load_file(path)
    assert {stored[name].dtype for name in stored if name.endswith("w_1.weight")} == {dtype}
    assert {parameter.dtype for parameter in load_model(path).parameters()} == {torch.float32}


def test_an_infinite_weight_is_not_too_large_and_stays_infinite(path):
    model = make_model()
    with torch.no_grad():
        model.decoder.layers[0].feed_forward.w_1.bias[0] = torch.inf
    save_model(model, path, torch.float16)
    assert load_model(path).decoder.layers[0].feed_forward.w_1.bias[0] == torch.inf


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


def test_the_file_says_what_it_is_and_stores_a_shared_matrix_once(path):
    model = make_model(tie="all")
    save_model(model, path)
    with safe_open(path, framework="pt") as file:
        metadata = file.metadata()
        names = set(file.keys())
    assert metadata["format"] == "attnsteps.trained"
    assert metadata["format_version"] == "1"
    assert json.loads(metadata["config"])["model"] == dataclasses.asdict(model.config)
    assert len(metadata["sha256"]) == 64
    assert names == {name for name, _ in model.named_parameters()}
    assert {"tgt_embedding.weight", "projection.weight"}.isdisjoint(names)
    numbers = 4 * model.num_parameters()
    assert numbers < path.stat().st_size < numbers + 20_000


def test_the_words_can_be_read_in_the_file(path):
    save_model(make_model(), path, words="动物过马路累")
    with safe_open(path, framework="pt") as file:
        assert all(word in file.metadata()["config"] for word in "动物过马路累")


@pytest.mark.skipif(os.name != "posix", reason="elsewhere no directory can be opened")
def test_the_file_is_brought_to_the_disk_and_so_is_its_name(path, monkeypatch):
    brought, fsync = [], os.fsync

    def record(descriptor):
        brought.append(os.fstat(descriptor).st_ino)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", record)
    save_model(make_model(), path)
    assert brought == [path.stat().st_ino, path.parent.stat().st_ino]


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
        "must have the format 'attnsteps.trained'; got None",
    ),
    "another format": (
        lambda path: resaved(path, metadata={"format": "attnsteps.vocabulary"}),
        "must have the format 'attnsteps.trained'; got 'attnsteps.vocabulary'",
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
def test_a_faulty_file_is_refused(path, damage, message):
    save_model(make_model(), path)
    damage(path)
    with pytest.raises(ValueError, match=f"^{path} {message}"):
        load_model(path)


def write_with_a_right_checksum(path, tensors, **sizes):
    """Write a file whose checksum fits, as a program would that means to write our format."""
    save_model(make_model(), path)
    with safe_open(path, framework="pt") as file:
        metadata = file.metadata()
    content = json.loads(metadata["config"])
    config = json.dumps({**content, "model": {**content["model"], **sizes}})
    tensors = {name: tensor.detach().clone() for name, tensor in tensors.items()}
    metadata |= {"config": config, "sha256": checksum(config, tensors)}
    safetensors.torch.save_file(tensors, path, metadata)


@pytest.mark.parametrize(
    "config",
    ["d_model", "[1, 2]", "{}", '{"class": "Transformer"}', "[" * 100_000],
    ids=["no JSON", "a list", "nothing", "a model missing", "nested"],
)
def test_a_text_that_describes_no_model_is_refused(path, config):
    tensors = {"a": torch.zeros(2)}
    metadata = {"format": "attnsteps.trained", "format_version": "1", "config": config}
    metadata["sha256"] = checksum(config, tensors)
    safetensors.torch.save_file(tensors, path, metadata)
    with pytest.raises(ValueError, match=f"^{path} must hold a trained model; got: "):
        load_model(path)


@pytest.mark.parametrize("sizes", [{"depth": 3}, {"src_vocab_size": -1}], ids=str)
def test_a_configuration_that_makes_no_model_is_refused(path, sizes):
    write_with_a_right_checksum(path, dict(make_model().named_parameters()), **sizes)
    with pytest.raises(ValueError, match=f"^{path} must hold a trained model; got: "):
        load_model(path)


def test_tensors_that_do_not_fit_the_configuration_are_refused(path):
    tensors = dict(make_model().named_parameters())
    name = "decoder.layers.1.feed_forward.w_1.bias"
    for wrong, got in (
        ({key: value for key, value in tensors.items() if key != name}, "none"),
        ({**tensors, name: torch.zeros(5)}, r"\(5,\)"),
    ):
        write_with_a_right_checksum(path, wrong)
        message = rf"^{path} must hold {name} with shape \(17,\); got {got}$"
        with pytest.raises(ValueError, match=message):
            load_model(path)
    write_with_a_right_checksum(path, {**tensors, name: torch.zeros(17, dtype=torch.int64)})
    with pytest.raises(ValueError, match=rf"must hold {name} in torch.float32; got torch.int64$"):
        load_model(path)
    write_with_a_right_checksum(path, {**tensors, "more": torch.zeros(5)})
    with pytest.raises(ValueError, match=r"must hold only what the model has; got more as well$"):
        load_model(path)


HUGE = {
    "a width": ({"d_model": 3 * 10**7}, r"must hold decoder\.\S+ with shape"),
    "a hidden width": ({"d_ff": 10**12}, r"must hold decoder\.\S+ with shape"),
    "a size beyond 64 bits": ({"d_ff": 10**30}, "must hold a model's sizes; got: .*'size'"),
    "layers": ({"num_encoder_layers": 10**9}, "must hold the tensors of 1000000002 layers"),
    "experts": ({"num_experts": 10**9}, "must hold the tensors of 4 layers"),
    "positions": ({"positions": "learned", "max_len": 10**12}, "must hold src_positions"),
}


@pytest.mark.parametrize(("sizes", "message"), HUGE.values(), ids=HUGE.keys())
def test_a_small_file_that_promises_a_huge_model_allocates_nothing(
    path, monkeypatch, sizes, message
):
    write_with_a_right_checksum(path, dict(make_model().named_parameters()), **sizes)
    with torch.device("meta"):  # lets PyTorch note its functions while they are still its own
        torch.empty(0)
    made, empty = [], torch.empty

    def watched(*size, **options):
        made.append(empty(*size, **options))
        return made[-1]

    monkeypatch.setattr(torch, "empty", watched)  # of which PyTorch's layers and ours are made
    with pytest.raises(ValueError, match=message):
        load_model(path)
    assert {tensor.device.type for tensor in made} <= {"meta"}


def test_a_file_that_is_not_there(path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        load_model(path)
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
