"""A training run is an iterator: any module, any data, and whoever likes may follow."""

import itertools
import math

import pytest
import torch
from torch import nn

from attnsteps.layers.masks import causal_mask
from attnsteps.model.language_model import LanguageModel
from attnsteps.text.batch import batches
from attnsteps.training.config import TrainingConfig
from attnsteps.training.run import Run
from tests.training import is_same, make_config, make_examples, make_model, trained, weights

DOUBLED = torch.tensor([[1.0], [2.0], [3.0]])


def squares(model, x, label_smoothing):
    """The loss of a linear layer that has to double its input."""
    return (model(x) - 2 * x).square().sum(), torch.tensor(len(x))


def line(seed=0):
    torch.manual_seed(seed)
    return nn.Linear(1, 1)


def config_of(**changes):
    choices = {"steps": 60, "schedule": "constant", "peak": 0.1, "warmup": 1, "log_every": 10}
    return TrainingConfig(**{**choices, **changes})


def follow(run, data):
    """Return what a run tells after each update."""
    return [(now.step, now.rate, now.norm, now.tokens) for now in run.updates(data)]


def test_every_update_is_yielded_with_where_the_run_stands():
    model, config = line(), config_of(steps=30, schedule="linear")
    told = follow(Run(model, config, squares), itertools.repeat(DOUBLED))
    assert [step for step, *_ in told] == list(range(1, 31))
    assert [rate for _, rate, *_ in told] == [config.rate(step) for step in range(1, 31)]
    assert [tokens for *_, tokens in told if tokens] == [30] * 10 + [60] * 10 + [90]
    assert all(norm > 0 for _, _, norm, _ in told[9:])


def test_any_module_learns_from_any_batches():
    model = line()
    follow(Run(model, config_of(steps=300), squares), itertools.repeat(DOUBLED))
    torch.testing.assert_close(model(DOUBLED), 2 * DOUBLED, atol=0.05, rtol=0)


def next_token(model, ids, label_smoothing):
    logits = model(ids[:, :-1], causal_mask(ids.shape[1] - 1)).flatten(0, 1)
    wanted = ids[:, 1:].flatten()
    return nn.functional.cross_entropy(logits, wanted, reduction="sum"), torch.tensor(len(wanted))


def test_a_language_model_is_trained_as_by_a_few_lines_of_pytorch():
    models = []
    for _ in range(2):
        torch.manual_seed(0)
        sizes = {"num_layers": 1, "d_model": 6, "num_heads": 2, "d_ff": 10, "max_len": 5}
        models.append(LanguageModel(7, **sizes).double())
    data = [torch.randint(7, (4, 6)) for _ in range(12)]
    make = [torch.optim.Adam(model.parameters(), lr=0.01) for model in models]
    config = config_of(steps=12, peak=0.01, clip=None, label_smoothing=0.0)
    follow(Run(models[0], config, next_token, make[0]), data)
    for ids in data:
        make[1].zero_grad()
        loss, count = next_token(models[1], ids, 0.0)
        (loss / count).backward()
        make[1].step()
    torch.testing.assert_close(weights(models[0]), weights(models[1]), rtol=1e-6, atol=1e-6)
    start = next_token(models[0], data[-1], 0.0)[0]
    assert start < 20 * math.log(7)


def test_train_is_such_a_run():
    config = make_config(steps=6)
    whole, history = trained(config=config)
    model = make_model()
    run = Run(model, config)
    for now in run.updates(batches(make_examples(), batch_size=7, seed=0, epoch=0)):
        if run.is_due(config.log_every):
            now.record({})
    assert is_same(model, whole)
    assert now.history.column("loss") == history.column("loss")
    assert now.history.column("norm") == history.column("norm")


def test_what_is_done_with_the_model_between_two_updates_changes_nothing():
    plain, looked_at = make_model(), make_model()  # with dropout
    data = list(batches(make_examples(), batch_size=7, seed=0, epoch=0))
    follow(Run(plain, make_config()), data)
    for _ in Run(looked_at, make_config()).updates(data):
        looked_at.eval()
        torch.manual_seed(5)
    assert is_same(plain, looked_at)


def test_a_run_that_is_left_goes_on():
    whole, parts = line(), line()
    follow(Run(whole, config_of(), squares), itertools.repeat(DOUBLED))
    run = Run(parts, config_of(), squares)
    next(now for now in run.updates(itertools.repeat(DOUBLED)) if now.step == 17)
    rest = follow(run, itertools.repeat(DOUBLED))
    assert [step for step, *_ in rest] == list(range(18, 61))
    assert is_same(whole, parts)
    assert rest[-1][3] == 60 * len(DOUBLED)  # and what was not counted in when it was left is


def test_a_batch_may_be_without_a_sentence_but_an_end_of_the_data_is_refused(refuses):
    run = Run(line(), config_of(steps=3, accumulate=2), squares)
    assert follow(run, [None, DOUBLED, DOUBLED, None, DOUBLED])[-1][3] == 9
    run = Run(line(), config_of(steps=3), squares)
    refuses(
        lambda: follow(run, [DOUBLED, DOUBLED]), "batches must last for 3 updates; got none after 2"
    )


def test_the_papers_schedule_needs_a_width(refuses):
    run = Run(line(), config_of(schedule="paper"), squares)
    refuses(lambda: follow(run, [DOUBLED]), "d_model must be a positive integer; got None")
    run = Run(line(), config_of(steps=1, schedule="paper"), squares, d_model=8)
    assert follow(run, [DOUBLED])[0][1] == run.config.rate(1, d_model=8)


def test_a_model_without_anything_to_learn_is_refused(refuses):
    model = line().requires_grad_(False)
    refuses(
        lambda: Run(model, config_of(), squares),
        "model must have a parameter that requires a gradient; got none",
    )


def spoilt(factor, *, after=0):
    """A loss that is multiplied by something once a number of updates have been made."""
    calls = itertools.count()

    def loss_fn(model, x, label_smoothing):
        loss, count = squares(model, x, label_smoothing)
        return loss * (factor if next(calls) >= after else 1.0), count

    return loss_fn


@pytest.mark.parametrize(
    ("precision", "factor", "words"),
    [
        ("float32", math.nan, "loss and gradient must be finite; got nan"),
        ("float32", math.inf, "loss and gradient must be finite; got (inf|nan)"),
        ("bfloat16", math.nan, "loss and gradient must be finite; got nan"),
        ("float16", math.nan, "loss and gradient must be finite; got nan"),
        ("float16", 1e37, "one of 25 gradients must be finite; got none in the last 30 steps"),
    ],
)
def test_a_run_that_learns_nothing_says_so_to_whoever_follows(precision, factor, words):
    choices = {"steps": 1000, "log_every": 1000, "checkpoint_every": None}
    config = config_of(**choices, precision=precision)
    model = line()
    run = Run(model, config, spoilt(factor, after=20))
    with pytest.raises(FloatingPointError, match=words):
        follow(run, itertools.repeat(DOUBLED))
    assert run.now.step <= 75
