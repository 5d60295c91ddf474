"""Every choice of a training is checked before it begins."""

import dataclasses

import pytest

from attnsteps.training.config import TrainingConfig
from attnsteps.training.schedule import linear_decay, paper_schedule


def test_what_is_left_open_is_filled_in():
    config = TrainingConfig()
    assert (config.pairs, config.max_tokens, config.warmup_steps) == (128, None, 400)
    assert TrainingConfig(steps=30).warmup_steps == 10
    assert TrainingConfig(steps=1).warmup_steps == 1
    for endless in ("paper", "constant"):  # so that more steps change nothing else
        assert TrainingConfig(steps=30, schedule=endless).warmup_steps == 400
    assert TrainingConfig(max_tokens=500).pairs is None


def test_the_schedule_is_the_one_that_was_asked_for():
    linear = TrainingConfig(steps=9, peak=0.5, warmup=3)
    paper = TrainingConfig(steps=9, schedule="paper", warmup=3)
    constant = TrainingConfig(steps=9, peak=0.5, schedule="constant", warmup=4)
    for step in range(1, 10):
        assert linear.rate(step, d_model=8) == linear_decay(step, peak=0.5, warmup=3, total=9)
        assert paper.rate(step, d_model=8) == paper_schedule(step, d_model=8, warmup=3)
    assert [constant.rate(s, d_model=8) for s in (1, 2, 4, 9)] == [0.125, 0.25, 0.5, 0.5]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"steps": 0}, "steps must be a positive integer; got 0"),
        (
            {"batch_size": 8, "max_tokens": 99},
            "one of batch_size and max_tokens must be None; got 8 and 99",
        ),
        ({"batch_size": 0}, "batch_size must be a positive integer; got 0"),
        ({"max_tokens": 0.5}, "max_tokens must be a positive integer; got 0.5"),
        (
            {"warmup": 1251},
            "warmup must be an integer in [1, steps = 1250]; got 1251",
        ),
        ({"warmup": 0}, "warmup must be a positive integer; got 0"),
        (
            {"schedule": "cosine"},
            "schedule must be 'linear' or 'paper' or 'constant'; got 'cosine'",
        ),
        ({"peak": 0.0}, "peak must be a number above 0; got 0.0"),
        (
            {"label_smoothing": 1.0},
            "label_smoothing must be a number in [0, 1); got 1.0",
        ),
        ({"clip": -1.0}, "clip must be a number above 0; got -1.0"),
        ({"accumulate": 0}, "accumulate must be a positive integer; got 0"),
        (
            {"precision": "fp16"},
            "precision must be 'float32' or 'bfloat16' or 'float16'; got 'fp16'",
        ),
        ({"bucketed": None}, "bucketed must be False or True; got None"),
        ({"compile": 1}, "compile must be False or True; got 1"),
        ({"log": "wandb"}, "log must be 'csv' or None; got 'wandb'"),
        ({"log_every": 0}, "log_every must be a positive integer; got 0"),
        ({"evaluate_every": 0}, "evaluate_every must be a positive integer; got 0"),
        ({"checkpoint_every": 0}, "checkpoint_every must be a positive integer; got 0"),
        ({"seed": 0.5}, "seed must be an integer; got 0.5"),
    ],
)
def test_choices_that_are_none_are_refused(refuses, changes, message):
    refuses(lambda: TrainingConfig(**changes), message)


def test_a_changed_copy_has_the_defaults_of_its_own_choices():
    short = TrainingConfig(steps=30)
    assert dataclasses.replace(short, steps=3000) == TrainingConfig(steps=3000)
    assert dataclasses.replace(short, steps=3000).warmup_steps == 400
    assert dataclasses.replace(TrainingConfig(), max_tokens=500).pairs is None
