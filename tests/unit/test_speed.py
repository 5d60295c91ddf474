"""The clock runs over real updates, in each way that can be asked for."""

import pytest
import torch

from attnsteps.analysis import speed as module
from attnsteps.analysis.speed import Speed, measure_speed
from attnsteps.text.batch import collate
from tests.training import is_same, make_examples, make_model


@pytest.mark.parametrize(("threads", "clock"), [(1, "process_time"), (2, "perf_counter")])
def test_it_counts_the_target_tokens_and_takes_the_shortest_time(monkeypatch, threads, clock):
    ticks = iter([0.0, 9.0, 10.0, 13.0, 20.0, 22.0, 30.0, 35.0])
    monkeypatch.setattr(module.time, clock, lambda: next(ticks))
    monkeypatch.setattr(torch, "get_num_threads", lambda: threads)
    batch = collate(make_examples(4))
    found = measure_speed(make_model(), batch, rounds=3)
    tokens = int((batch.tgt_out != 0).sum())
    assert found == Speed(seconds=2.0, first_seconds=9.0, tokens=tokens, peak_bytes=None)
    assert found.tokens_per_second == tokens / 2


@pytest.mark.parametrize("precision", ["float32", "bfloat16", "float16"])
def test_every_way_runs_updates_and_leaves_the_model_as_it_was(precision):
    for fused in (True, False):
        model = make_model().eval()
        asked = []
        model.encoder.layers[0].self_attention.register_forward_pre_hook(
            lambda _module, _args, kwargs, asked=asked: asked.append(kwargs["need_weights"]),
            with_kwargs=True,
        )
        measure_speed(model, collate(make_examples(3)), precision=precision, fused=fused, rounds=1)
        assert asked == [not fused] * 2
        assert is_same(model, make_model())
        assert not any(module.training for module in model.modules())
        assert all(parameter.grad is None for parameter in model.parameters())


def test_compiling_is_asked_for_and_not_done_otherwise(monkeypatch):
    compiled = []
    monkeypatch.setattr(torch, "compile", lambda model: compiled.append(model) or model)
    model, batch = make_model(), collate(make_examples(3))
    measure_speed(model, batch, rounds=1)
    assert compiled == []
    measure_speed(model, batch, rounds=1, compiled=True)
    assert compiled == [model]


def test_no_round_is_refused(refuses):
    batch = collate(make_examples(3))
    refuses(
        lambda: measure_speed(make_model(), batch, rounds=0),
        "rounds must be a positive integer; got 0",
    )
