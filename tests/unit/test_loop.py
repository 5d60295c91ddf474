"""The training loop: what it learns, and that nothing but its arguments decides it."""

import itertools
import math

import jaxtyping
import pytest
import torch

from attnsteps.decoding.greedy import greedy
from attnsteps.decoding.mask_predict import all_at_once, mask_predict
from attnsteps.text.batch import index_batches
from attnsteps.text.vocab import Vocab
from attnsteps.training.loop import train
from attnsteps.training.loss import autoregressive_loss
from attnsteps.training.non_autoregressive import mask_predict_loss, one_shot_loss
from tests.training import is_same, make_config, make_examples, make_model, trained, weights

FEW = make_examples(8, longest=4)
WELL = {"steps": 150, "batch_size": 8, "peak": 0.02, "label_smoothing": 0.0, "log_every": 50}
WIDER = {"d_model": 16, "d_ff": 32, "dropout": 0.0}


def exact(model, search, **options):
    """Count the sentences that a search translates without a mistake."""
    right = 0
    for source, target in FEW:
        ids = search(model, torch.tensor([source]), **options).ids[0].tolist()
        right += ids == [*target, Vocab.eos_id]
    return right


def test_a_model_learns_a_few_sentences_by_heart():
    model, history = trained(make_model(**WIDER), FEW, config=make_config(**WELL))
    assert exact(model, greedy, max_len=9) == len(FEW)
    losses = history.column("loss")
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.1


@pytest.mark.parametrize(
    ("loss_fn", "search", "options"),
    [(one_shot_loss, all_at_once, {}), (mask_predict_loss, mask_predict, {"num_lengths": 1})],
)
def test_a_parallel_model_learns_a_few_sentences_by_heart(loss_fn, search, options):
    model = make_model(parallel=True, **WIDER)
    trained(model, FEW, config=make_config(**{**WELL, "steps": 250}), loss_fn=loss_fn)
    assert exact(model, search, **options) == len(FEW)


def test_the_same_arguments_give_the_same_weights_and_another_seed_others():
    first, _ = trained()
    torch.manual_seed(99)  # what has been drawn before makes no difference
    again, _ = trained()
    other, _ = trained(config=make_config(seed=1))
    assert is_same(first, again)
    assert not is_same(first, other)


def test_nothing_that_happens_between_two_updates_changes_the_training():
    def disturb(model, _step=0):
        assert not torch.is_grad_enabled() or model.training
        torch.rand(3)
        torch.manual_seed(5)
        return {"score": 0.5}

    plain, _ = trained()
    disturbed, _ = trained(
        config=make_config(evaluate_every=1, log_every=1), validate=disturb, on_step=disturb
    )
    assert is_same(plain, disturbed)


def test_chance_is_left_as_it_was():
    torch.manual_seed(3)
    needed = torch.rand(3)
    model = make_model()
    torch.manual_seed(3)
    trained(model)
    assert torch.equal(torch.rand(3), needed)


def rates(**changes):
    config = make_config(steps=8, log_every=1, warmup=3, **changes)
    return trained(config=config)[1].column("rate")


@pytest.mark.parametrize("schedule", ["linear", "paper", "constant"])
def test_bug_zoo_17_a_schedule_step_for_every_micro_batch(schedule):
    config = make_config(steps=8, warmup=3, schedule=schedule)
    written_down = [config.rate(step, d_model=8) for step in range(1, 9)]
    assert rates(schedule=schedule) == written_down
    assert rates(schedule=schedule, accumulate=3) == written_down


def test_bug_zoo_17_accumulation_changes_the_gradient_in_a_whole_training():
    plan = index_batches(FEW, batch_size=8, seed=0, epoch=0)
    assert len(plan) == 1  # so that one batch of 8 and two of 4 have the same sentences
    choices = {"steps": 5, "label_smoothing": 0.1, "clip": 0.5, "peak": 0.01}
    models = [make_model(dropout=0.0).double() for _ in range(2)]
    trained(models[0], FEW, config=make_config(**choices, batch_size=8))
    trained(models[1], FEW, config=make_config(**choices, batch_size=4, accumulate=2))
    torch.testing.assert_close(*map(weights, models), rtol=1e-7, atol=1e-7)


def test_bug_zoo_18_target_not_shifted_in_what_the_loop_hands_out():
    seen = []

    def spy(model, batch, label_smoothing):
        seen.append(batch)
        return autoregressive_loss(model, batch, label_smoothing)

    examples = make_examples()
    trained(loss_fn=spy)
    for batch in seen:
        for tgt_in, tgt_out, i in zip(batch.tgt_in, batch.tgt_out, batch.index, strict=True):
            target, padding = examples[i][1], [0] * (len(tgt_in) - len(examples[i][1]) - 1)
            assert tgt_in.tolist() == [Vocab.bos_id, *target, *padding]
            assert tgt_out.tolist() == [*target, Vocab.eos_id, *padding]
    assert len(seen) == 6


def test_bug_zoo_19_trained_with_one_start_symbol_and_decoded_with_another(refuses):
    model, read = make_model(**WIDER), []
    model.tgt_embedding.register_forward_hook(lambda _module, ids, _: read.append(ids[0]))
    trained(model, FEW)
    assert {int(start) for ids in read for start in ids[:, 0]} == {Vocab.bos_id}
    for use_cache in (False, True):
        read.clear()
        greedy(model, torch.tensor([[5, 6]]), max_len=3, use_cache=use_cache)
        assert read[0][:, 0].tolist() == [Vocab.bos_id]
    # A model that would be decoded from another symbol is not trained at all.
    refuses(
        lambda: train(make_model(bos_id=2, eos_id=1), FEW, make_config()),
        "model.config.bos_id must be 1, as in every batch; got 2",
    )


def test_every_pair_is_seen_once_in_every_epoch():
    seen = []

    def spy(model, batch, label_smoothing):
        seen.extend(batch.index.tolist())
        return autoregressive_loss(model, batch, label_smoothing)

    trained(config=make_config(steps=4, batch_size=7, accumulate=3), loss_fn=spy)
    assert sorted(seen[:40]) == list(range(40))  # 40 pairs are 6 batches, or 2 updates
    assert sorted(seen[40:]) == list(range(40))
    assert seen[:40] != seen[40:]


def test_batches_may_be_cut_by_their_number_of_tokens():
    _, history = trained(config=make_config(batch_size=None, max_tokens=20, log_every=1))
    assert all(b - a <= 20 for a, b in itertools.pairwise([0, *history.column("tokens")]))


@pytest.mark.parametrize("bucketed", [True, False])
def test_a_batch_holds_pairs_of_similar_length_or_of_any(bucketed):
    padding = []

    def spy(model, batch, label_smoothing):
        padding.append((batch.tgt_out == 0).float().mean().item())
        return autoregressive_loss(model, batch, label_smoothing)

    trained(config=make_config(steps=12, bucketed=bucketed), loss_fn=spy)
    assert (sum(padding) / len(padding) < 0.15) == bucketed


def test_the_history_tells_the_mean_loss_since_the_record_before():
    sums = []

    def spy(model, batch, label_smoothing):
        loss, count = autoregressive_loss(model, batch, label_smoothing)
        sums.append((loss.item(), count.item()))
        return loss, count

    _, history = trained(config=make_config(steps=5, log_every=2), loss_fn=spy)
    assert history.column("step") == [2, 4, 5]
    for record, part in zip(history.records, (sums[:2], sums[2:4], sums[4:]), strict=True):
        loss, count = (sum(column) for column in zip(*part, strict=True))
        assert record.loss == pytest.approx(loss / count)
    assert history.records[-1].tokens == sum(count for _, count in sums)


def test_validate_is_called_in_evaluation_mode_and_its_scores_are_kept():
    calls = []

    def validate(model):
        calls.append((model.training, torch.is_grad_enabled()))
        return {"exact": torch.tensor(0.25 * len(calls))}

    steps, records = [], []
    model, history = trained(
        config=make_config(steps=5, evaluate_every=2, log_every=5),
        validate=validate,
        on_step=lambda model, step: steps.append((model.training, step)),
        on_record=lambda history: records.append(history.records[-1].step),
    )
    assert calls == [(False, False)] * 3
    assert history.column("step") == [2, 4, 5]
    assert history.column("exact") == [0.25, 0.5, 0.75]
    assert steps == [(True, step) for step in range(1, 6)]
    assert records == [2, 4, 5]
    assert not model.training


def test_compilation_changes_no_result(monkeypatch):
    compiled, real = [], torch.compile

    def traced(model, **options):  # all of compilation but the machine code, which takes a minute
        compiled.append(options)
        return real(model, **options, backend="eager")

    monkeypatch.setattr(torch, "compile", traced)
    plain, _ = trained(make_model(dropout=0.0))
    jaxtyping.config.update("jaxtyping_disable", True)  # a reader has no beartype to be compiled
    try:
        fast, _ = trained(make_model(dropout=0.0), config=make_config(compile=True))
    finally:
        jaxtyping.config.update("jaxtyping_disable", False)
        torch.compiler.reset()
    assert compiled == [{"dynamic": True}]
    torch.testing.assert_close(weights(plain), weights(fast))


@pytest.mark.parametrize("precision", ["bfloat16", "float16"])
def test_a_training_in_less_precision_leads_nearly_there(precision):
    config = {"steps": 30, "log_every": 30, "label_smoothing": 0.0}
    losses = [
        trained(make_model(dropout=0.0), config=make_config(**config, **choice))[1].column("loss")
        for choice in ({}, {"precision": precision})
    ]
    assert losses[1] == pytest.approx(losses[0], rel=0.02)


def test_a_training_that_leads_nowhere_says_so_and_saves_nothing(tmp_path):
    def endless(model, batch, label_smoothing):
        loss, count = autoregressive_loss(model, batch, label_smoothing)
        return loss * math.nan, count

    with pytest.raises(FloatingPointError, match=r"must be finite; got nan .* by step 2"):
        trained(loss_fn=endless, directory=tmp_path)
    assert not (tmp_path / "checkpoint.safetensors").exists()


def test_nobody_looks_at_a_model_that_leads_nowhere():
    def endless(model, batch, label_smoothing):
        loss, count = autoregressive_loss(model, batch, label_smoothing)
        return loss * math.nan, count

    looks = []
    with pytest.raises(FloatingPointError, match=r"must be finite; got nan"):
        trained(config=make_config(log_every=99), loss_fn=endless, validate=looks.append)
    assert not looks


def test_a_score_has_a_name_of_its_own(refuses):
    for name in ("loss", "seconds"):
        refuses(
            lambda name=name: train(
                make_model(), FEW, make_config(), validate=lambda _: {name: 1.0}, progress=False
            ),
            f"a score must have a name that no field of Record has; got {name!r}",
        )
    _, history = trained(validate=lambda _: {"refresh": 1.0, "ordered_dict": 2.0})
    assert history.column("refresh") == [1.0]


def test_data_and_models_that_cannot_be_trained_are_refused(refuses):
    refuses(lambda: train(make_model(), []), "examples must hold at least one pair; got none")
    refuses(
        lambda: train(make_model(pad_id=3), FEW),
        "model.config.pad_id must be 0, as in every batch; got 3",
    )


def test_the_bar_shows_steps_loss_and_scores(capsys):
    train(make_model(), FEW, make_config(), validate=lambda _: {"exact": 0.5})
    shown = capsys.readouterr().err
    assert "6/6" in shown
    assert "loss=" in shown
    assert "exact=0.5" in shown
    train(make_model(), FEW, make_config(), progress=False)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("log_every", [1, 7, 1000])
def test_a_training_that_skips_every_step_says_so_and_soon(log_every):
    def too_large(model, batch, label_smoothing):
        loss, count = autoregressive_loss(model, batch, label_smoothing)
        return loss * 1e30, count  # finite, and its gradients are not in float16

    model, calls = make_model(), []
    before = weights(model)
    with pytest.raises(FloatingPointError, match="nothing is learned"):
        trained(
            model,
            config=make_config(
                steps=1000, precision="float16", log_every=log_every, checkpoint_every=None
            ),
            loss_fn=too_large,
            on_step=lambda _, step: calls.append(step),
        )
    assert len(calls) <= 60
    torch.testing.assert_close(weights(model), before, rtol=0, atol=0)


def test_a_few_skipped_steps_are_no_error():
    calls = []

    def at_first_too_large(model, batch, label_smoothing):
        loss, count = autoregressive_loss(model, batch, label_smoothing)
        calls.append(loss)
        return loss * (1e30 if len(calls) % 20 else 1.0), count

    config = make_config(steps=60, precision="float16", log_every=60, checkpoint_every=None)
    trained(config=config, loss_fn=at_first_too_large)
    assert len(calls) == 60
