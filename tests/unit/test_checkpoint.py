"""A training goes on from its checkpoint to the last bit, whatever interrupted it."""

import copy
import dataclasses
import errno
import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
import safetensors.torch
import torch
from safetensors import safe_open

from attnsteps.storage.tensor_file import checksum
from attnsteps.text.vocab import Vocab
from attnsteps.training.loop import train
from attnsteps.training.loss import autoregressive_loss
from attnsteps.training.non_autoregressive import mask_predict_loss, one_shot_loss
from attnsteps.training.resume import NAME
from tests.training import is_same, make_config, make_examples, make_model, trained, weights

ROOT = Path(__file__).parents[2]


class StopError(Exception):
    """What stops a training in the middle."""


def interrupted(directory, *, after, model=None, **arguments):
    """Train, and stop just after a step."""

    def stop(_model, step):
        if step == after:
            raise StopError

    with pytest.raises(StopError):
        trained(model, directory=directory, on_step=stop, **arguments)


KINDS = {
    "the default": {},
    "accumulated": {"accumulate": 3},
    "another schedule": {"schedule": "paper"},
    "in bfloat16": {"precision": "bfloat16"},
    "in float16, with its scale": {"precision": "float16"},
    "by tokens": {"batch_size": None, "max_tokens": 30},
}


@pytest.mark.parametrize("changes", KINDS.values(), ids=KINDS.keys())
def test_a_resumed_training_is_the_uninterrupted_one_bit_for_bit(tmp_path, changes):
    config = make_config(steps=9, checkpoint_every=2, log_every=3, **changes)
    whole, history = trained(config=config)
    for after in (1, 3, 4, 8):
        directory = tmp_path / str(after)
        interrupted(directory, after=after, config=config)
        torch.manual_seed(99)  # another program, another random state
        model = make_model(seed=5 if (directory / NAME).exists() else 0)
        resumed, again = trained(model, config=config, directory=directory, resume=True)
        assert is_same(resumed, whole)
        for ours, theirs in zip(again.records, history.records, strict=True):
            assert dataclasses.replace(ours, seconds=0.0) == dataclasses.replace(
                theirs, seconds=0.0
            )


@pytest.mark.parametrize("loss_fn", [one_shot_loss, mask_predict_loss])
def test_a_parallel_model_resumes_bit_for_bit(tmp_path, loss_fn):
    config = make_config(checkpoint_every=2)
    whole, _ = trained(make_model(parallel=True), config=config, loss_fn=loss_fn)
    interrupted(tmp_path, after=3, model=make_model(parallel=True), config=config, loss_fn=loss_fn)
    other = make_model(parallel=True, seed=5)
    trained(other, config=config, loss_fn=loss_fn, directory=tmp_path, resume=True)
    assert is_same(other, whole)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
@pytest.mark.parametrize(
    "part", [0, *(pytest.param(n, marks=pytest.mark.elsewhere) for n in (1, 2))]
)
def test_a_training_killed_at_any_moment_resumes_bit_for_bit(part, tmp_path):
    """Each part is a third of the moments."""
    result = subprocess.run(
        [sys.executable, "-m", "tests.kill", str(tmp_path), "1200", str(part)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        check=False,
    )
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["wrong"] == []
    assert report["kills"] > 10


def test_a_finished_training_is_not_begun_again(tmp_path):
    model, history = trained(directory=tmp_path)
    steps = []
    again, same = trained(
        make_model(seed=5),
        directory=tmp_path,
        resume=True,
        on_step=lambda _, step: steps.append(step),
    )
    assert steps == []
    assert is_same(again, model)
    assert same == history
    assert not again.training


def test_a_training_without_end_can_be_prolonged(tmp_path):
    choices = {"schedule": "constant"}
    whole, _ = trained(config=make_config(steps=6, **choices))
    trained(config=make_config(steps=4, **choices), directory=tmp_path)
    config = make_config(steps=6, **choices)
    longer, _ = trained(make_model(seed=5), config=config, directory=tmp_path, resume=True)
    assert is_same(longer, whole)


def test_a_training_cannot_end_before_its_checkpoint(tmp_path, refuses):
    choices = {"schedule": "constant", "log_every": 5}
    config = make_config(steps=9, checkpoint_every=4, **choices)
    interrupted(tmp_path, after=6, config=config)
    for steps in (3, 4):  # of the fourth there is a checkpoint, but no record
        shorter = make_config(steps=steps, **choices)
        refuses(
            lambda shorter=shorter: train(
                make_model(), make_examples(), shorter, directory=tmp_path, resume=True
            ),
            f"config.steps must be more than the 4 that {tmp_path / NAME} has behind it;"
            f" got {steps}",
        )


# A full disk -------------------------------------------------------------------------------


def no_space(tensors, filename, metadata):
    filename.write_bytes(b"half of it")
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_leaves_the_last_checkpoint_and_says_so(tmp_path, monkeypatch):
    config = make_config(checkpoint_every=2)
    whole, _ = trained(config=config)
    interrupted(tmp_path, after=3, config=config)
    old = (tmp_path / NAME).read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(safetensors.torch, "save_file", no_space)
        message = "checkpoint of step 4 cannot be written, and the one before is left as it was"
        with pytest.raises(OSError, match=message) as caught:
            trained(config=config, directory=tmp_path, resume=True)
    assert "No space left on device" in str(caught.value)
    assert (tmp_path / NAME).read_bytes() == old
    assert {path.name for path in tmp_path.iterdir()} == {NAME, "log.csv"}
    resumed, _ = trained(config=config, directory=tmp_path, resume=True)
    assert is_same(resumed, whole)


def test_what_a_killed_process_left_half_written_is_cleared_away(tmp_path):
    half = tmp_path / f".{NAME}.unfinished" / NAME
    half.parent.mkdir()
    half.write_bytes(b"half of it")
    trained(directory=tmp_path)
    assert not half.parent.exists()


# Another training ---------------------------------------------------------------------------


def refusal(path, what):
    return f"{path / NAME} must be of this training, {what}"


def test_a_directory_in_use_is_not_overwritten(tmp_path, refuses):
    trained(directory=tmp_path)
    old = (tmp_path / NAME).read_bytes()
    refuses(
        lambda: train(make_model(), make_examples(), make_config(), directory=tmp_path),
        f"resume must be True where {tmp_path / NAME} exists; got False",
    )
    assert (tmp_path / NAME).read_bytes() == old


OTHERS = {
    "data": ({"examples": make_examples(seed=2)}, "examples.sha256 = "),
    "less data": ({"examples": make_examples(39)}, "examples.number = 39; got 40"),
    "seed": ({"config": make_config(seed=1)}, "config.seed = 1; got 0"),
    "end": ({"config": make_config(steps=7)}, "config.steps = 7; got 6"),
    "size": ({"model": make_model(d_ff=12)}, "model.d_ff = 12; got 11"),
    "kind": ({"model": make_model(parallel=True)}, "model.class = 'NonAutoregressive'; got"),
    "loss": ({"loss_fn": one_shot_loss}, "loss = 'one_shot_loss'; got 'autoregressive_loss'"),
}


@pytest.mark.parametrize(("changes", "what"), OTHERS.values(), ids=OTHERS.keys())
def test_another_training_is_refused_by_what_differs(tmp_path, changes, what):
    trained(directory=tmp_path)
    model = copy.deepcopy(changes.get("model", make_model(seed=5)))
    before = weights(model)
    with pytest.raises(ValueError, match="must be of this training") as caught:
        trained(**{**changes, "model": model}, directory=tmp_path, resume=True)
    assert str(caught.value).startswith(refusal(tmp_path, what))
    assert all(torch.equal(before[name], now) for name, now in weights(model).items())


FIRST, SECOND = Vocab("abcdefgh"), Vocab("abcdexgh")


@pytest.mark.parametrize(
    ("vocabularies", "what"),
    [
        ((FIRST, SECOND), "token 10 of the target vocabulary = 'x'; got 'f'"),
        ((SECOND, FIRST), "token 10 of the source vocabulary = 'x'; got 'f'"),
        ((FIRST, Vocab("abcdefghi")), "size of the target vocabulary = 14; got 13"),
    ],
)
def test_another_vocabulary_is_refused_by_its_first_other_token(
    tmp_path, refuses, vocabularies, what
):
    examples, config = make_examples(), make_config()
    trained(directory=tmp_path, vocabularies=(FIRST, FIRST))
    choices = {"directory": tmp_path, "resume": True, "progress": False}
    refuses(
        lambda: train(make_model(), examples, config, vocabularies=vocabularies, **choices),
        refusal(tmp_path, what),
    )
    train(make_model(), examples, config, vocabularies=(FIRST, FIRST), **choices)


def rewrite(path, **changes):
    """Write a checkpoint anew with other metadata, as another program would."""
    with safe_open(path, framework="pt") as file:
        metadata = file.metadata()
    safetensors.torch.save_file(safetensors.torch.load_file(path), path, {**metadata, **changes})


def test_another_version_another_format_and_damage_are_refused(tmp_path, refuses):
    trained(directory=tmp_path)
    path = tmp_path / NAME
    whole = path.read_bytes()

    def resume():
        train(make_model(), make_examples(), make_config(), directory=tmp_path, resume=True)

    rewrite(path, format_version="2")
    refuses(resume, f"{path} must have the format version 1; got '2'")
    rewrite(path, format="attnsteps.transformer")
    refuses(
        resume, f"{path} must have the format 'attnsteps.checkpoint'; got 'attnsteps.transformer'"
    )
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    refuses(resume, f"{path} must hold what was written into it; got other bytes, so it is damaged")
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="must be a whole safetensors file"):
        resume()


def test_a_checkpoint_holds_tensors_and_text_and_nothing_else(tmp_path):
    model, _ = trained(directory=tmp_path)
    with safe_open(tmp_path / NAME, framework="pt") as file:
        metadata, names = file.metadata(), set(file.keys())
    kinds = ("model", "adam.step", "adam.exp_avg", "adam.exp_avg_sq")
    assert names == {f"{kind}.{name}" for kind in kinds for name in weights(model)}
    content = json.loads(metadata["config"])
    assert content["progress"]["step"] == 6
    assert (content["progress"]["epoch"], content["progress"]["batch"]) == (0, 6)
    tensors = safetensors.torch.load_file(tmp_path / NAME)
    assert metadata["sha256"] == checksum(metadata["config"], tensors)


def test_other_trainable_parameters_are_refused_before_anything_changes(tmp_path):
    config = make_config(steps=9, checkpoint_every=2)
    interrupted(tmp_path, after=5, config=config)
    model = make_model()
    for parameter in model.encoder.parameters():
        parameter.requires_grad_(False)
    before = [parameter.clone() for parameter in model.parameters()]
    with pytest.raises(ValueError, match=r"with encoder\.\S+ frozen; got it trained"):
        trained(model, config=config, directory=tmp_path, resume=True)
    assert all(map(torch.equal, before, model.parameters()))


def test_a_parameter_that_was_frozen_is_refused_where_it_is_to_be_trained(tmp_path, refuses):
    config, model = make_config(steps=9, checkpoint_every=2), make_model()
    name = "encoder.layers.0.feed_forward.w_1.bias"
    model.get_parameter(name).requires_grad_(False)
    interrupted(tmp_path, after=5, config=config, model=model)
    refuses(
        lambda: trained(config=config, directory=tmp_path, resume=True),
        refusal(tmp_path, f"with {name} trained; got it frozen"),
    )


def rewrite_contents(path, *, text=None, **tensors):
    """Write a checkpoint anew with other contents and a checksum that fits; None drops a tensor."""
    with safe_open(path, framework="pt") as file:
        metadata = file.metadata()
    held = {**safetensors.torch.load_file(path), **tensors}
    held = {name: tensor for name, tensor in held.items() if tensor is not None}
    content = {**json.loads(metadata["config"]), **(text or {})}
    content = {name: value for name, value in content.items() if value is not None}
    config = json.dumps(content)
    metadata |= {"config": config, "sha256": checksum(config, held)}
    safetensors.torch.save_file(held, path, metadata)


NAMED = "tgt_embedding.weight"  # which the output projection shares
CRAFTED = {
    "a moment too short": ({f"adam.exp_avg.{NAMED}": torch.zeros(1)}, r"shape \(13, 8\); got \(1,"),
    "another moment": (
        {f"adam.exp_avg_sq.{NAMED}": torch.zeros(8, 13)},
        r"shape \(13, 8\); got \(8, 13\)",
    ),
    "moments in halves": (
        {f"adam.exp_avg.{NAMED}": torch.zeros(13, 8).half()},
        "must hold .* in torch.float32; got torch.float16",
    ),
    "weights as whole numbers": (
        {f"model.{NAMED}": torch.zeros(13, 8, dtype=torch.int64)},
        "must hold .* in torch.float32; got torch.int64",
    ),
    "several steps": ({f"adam.step.{NAMED}": torch.zeros(3)}, r"shape \(\); got \(3,\)"),
    "no moment": ({f"adam.exp_avg.{NAMED}": None}, "must hold adam.exp_avg.* got none"),
    "no scaler": ({"text": {"scaler": None}}, "must hold the progress .* got: KeyError"),
    "no progress": ({"text": {"progress": None}}, "must hold the progress .* got: KeyError"),
    "no records": (
        {"text": {"progress": {"step": 2, "history": {}}}},
        "must hold the progress .* got: KeyError",
    ),
    "no identity": ({"text": {"identity": None}}, "must hold the progress .* got: KeyError"),
}


@pytest.mark.parametrize(("changes", "message"), CRAFTED.values(), ids=CRAFTED.keys())
def test_a_crafted_checkpoint_is_refused_and_nothing_changes(tmp_path, changes, message):
    config = make_config(steps=9, checkpoint_every=2)
    interrupted(tmp_path, after=5, config=config)
    rewrite_contents(tmp_path / NAME, **changes)
    model = make_model(seed=5)
    before = weights(model)
    with pytest.raises(ValueError, match=message) as caught:
        trained(model, config=config, directory=tmp_path, resume=True)
    assert str(caught.value).startswith(str(tmp_path / NAME))
    assert all(torch.equal(before[name], now) for name, now in weights(model).items())


def smoothed(model, batch, label_smoothing, *, k):
    """A loss with a choice of its own."""
    return autoregressive_loss(model, batch, label_smoothing * k)


def of_factor(k):
    """A loss from a factory."""
    return lambda model, batch, label_smoothing: smoothed(model, batch, label_smoothing, k=k)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (partial(smoothed, k=0.5), partial(smoothed, k=0.9)),
        (partial(smoothed, k=0.5), partial(autoregressive_loss)),
        (of_factor(0.5), of_factor(0.9)),
    ],
    ids=["another argument", "another function", "another closure"],
)
def test_another_loss_is_refused_by_its_arguments_too(tmp_path, first, second):
    trained(directory=tmp_path, loss_fn=first)
    with pytest.raises(ValueError, match="must be of this training, loss"):
        trained(make_model(), directory=tmp_path, resume=True, loss_fn=second)
    trained(make_model(), directory=tmp_path, resume=True, loss_fn=first)
