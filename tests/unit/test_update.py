"""One change of the weights: from one batch or several, in any precision, with any clip."""

import itertools
import math

import pytest
import torch
from torch import nn

from attnsteps.text.batch import collate
from attnsteps.training.loss import cross_entropy
from attnsteps.training.update import make_optimizer, make_scaler, update
from tests.training import is_same, make_examples, make_model, weights


def one_update(batches, **choices):
    model = make_model(dropout=0.0).double()
    seen = update(model, batches, make_optimizer(model), **{"rate": 0.01, **choices})
    return model, seen


def gradients(model):
    return {name: parameter.grad for name, parameter in model.named_parameters()}


# One long sentence and many short ones: a mean of means would give the long one's tokens less.
LONG, SHORT = make_examples(1, longest=1)[0], make_examples(30, longest=2, seed=3)
PARTS = [[([5] * 12, [6] * 12)], SHORT[:20], SHORT[20:]]


@pytest.mark.parametrize("clip", [None, 0.05])
def test_bug_zoo_17_accumulated_gradients_not_divided_by_the_number_of_tokens(clip):
    whole, seen = one_update([collate([*itertools.chain(*PARTS)])], clip=clip, label_smoothing=0.1)
    parts, summed = one_update([collate(part) for part in PARTS], clip=clip, label_smoothing=0.1)
    torch.testing.assert_close(gradients(parts), gradients(whole), rtol=1e-9, atol=1e-12)
    torch.testing.assert_close(weights(parts), weights(whole), rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(summed.norm, seen.norm)
    torch.testing.assert_close(summed[:2], seen[:2], rtol=1e-6, atol=0)
    assert int(seen.count) == sum(len(tgt) + 1 for part in PARTS for _, tgt in part)


def test_the_update_is_that_of_a_few_lines_of_pytorch():
    batch = collate(make_examples(9))
    ours, seen = one_update([batch], label_smoothing=0.1, clip=0.05)
    model = make_model(dropout=0.0).double()
    adam = torch.optim.Adam(model.parameters(), lr=0.01, betas=(0.9, 0.98), eps=1e-9, fused=True)
    loss = cross_entropy(model(batch.src_ids, batch.tgt_in), batch.tgt_out, label_smoothing=0.1)
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 0.05)
    adam.step()
    torch.testing.assert_close(weights(ours), weights(model), rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(seen.norm, norm)
    assert (seen.loss / seen.count).item() == pytest.approx(loss.item(), rel=1e-6)


def test_a_clip_shortens_long_gradients_only():
    _, seen = one_update([collate(make_examples(9))])
    for clip, needed in ((seen.norm.item() / 3, seen.norm.item() / 3), (99.0, seen.norm.item())):
        model, same = one_update([collate(make_examples(9))], clip=clip)
        length = math.sqrt(sum(g.square().sum().item() for g in gradients(model).values()))
        assert length == pytest.approx(needed, rel=1e-4)
        assert same.norm.item() == pytest.approx(seen.norm.item())  # what is told is unshortened


def test_the_optimizer_is_the_papers():
    optimizer = make_optimizer(make_model())
    assert optimizer.defaults["betas"] == (0.9, 0.98)
    assert optimizer.defaults["eps"] == 1e-9
    assert optimizer.defaults["fused"]
    assert optimizer.defaults["weight_decay"] == 0


def test_the_rate_is_the_one_that_was_asked_for():
    model = make_model()
    optimizer = make_optimizer(model)
    for rate in (0.0, 0.25):
        before = weights(model)
        update(model, [collate(make_examples(3))], optimizer, rate=rate)
        assert [group["lr"] for group in optimizer.param_groups] == [rate]
        moved = max((weights(model)[name] - before[name]).abs().max() for name in before)
        assert (moved > 0) == (rate > 0)  # and nothing is left over from the step before


def test_weights_that_do_not_learn_stay_as_they_are():
    model = make_model()
    for parameter in model.encoder.parameters():
        parameter.requires_grad_(False)
    before = weights(model)
    update(model, [collate(make_examples(3))], make_optimizer(model), rate=0.1)
    moved = {name for name in before if not torch.equal(weights(model)[name], before[name])}
    assert moved == {name for name in before if not name.startswith("encoder.")}


@pytest.mark.parametrize("precision", ["bfloat16", "float16"])
def test_less_precision_computes_the_products_in_it_and_nearly_the_same_update(precision):
    dtype, found = getattr(torch, precision), set()
    model, other = make_model(dropout=0.0), make_model(dropout=0.0)
    model.encoder.layers[0].feed_forward.register_forward_hook(
        lambda _module, _inputs, output: found.add(output.dtype)
    )
    batch = collate(make_examples(9))
    seen = update(model, [batch], make_optimizer(model), rate=0.01, precision=precision)
    needed = update(other, [batch], make_optimizer(other), rate=0.01)
    assert found == {dtype}
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
    assert seen.loss.dtype == torch.float32
    torch.testing.assert_close(seen, needed, rtol=0.03, atol=0)


def test_only_float16_has_a_scaler():
    cpu = torch.device("cpu")
    assert make_scaler(cpu, "float16").is_enabled()
    assert not make_scaler(cpu, "bfloat16").is_enabled()
    assert not make_scaler(cpu, "float32").is_enabled()


def test_the_clip_sees_the_gradient_without_its_factor():
    lengths = []
    for factor in (2.0**3, 2.0**10):
        model, scaler = make_model(dropout=0.0), torch.amp.GradScaler("cpu", init_scale=factor)
        choices = {"rate": 0.01, "clip": 0.05, "precision": "float16", "scaler": scaler}
        seen = update(model, [collate(make_examples(9))], make_optimizer(model), **choices)
        assert seen.norm > 0.1
        length = math.sqrt(sum(g.square().sum().item() for g in gradients(model).values()))
        assert length == pytest.approx(0.05, rel=1e-3)
        lengths.append(seen.norm.item())
    assert lengths[0] == pytest.approx(lengths[1], rel=0.02)


def test_a_process_may_begin_without_a_sentence_in_float16_too(monkeypatch):
    model = make_model()
    before = weights(model)

    def add_the_others_tokens(tensors, _processes):
        tensors[-1].add_(5)

    monkeypatch.setattr("attnsteps.training.update.add_up", add_the_others_tokens)
    seen = update(model, [], make_optimizer(model), rate=0.01, precision="float16")
    assert (seen.count, seen.norm) == (5, 0)
    torch.testing.assert_close(weights(model), before, rtol=0, atol=0)


def test_a_step_whose_gradients_overflow_is_left_out_and_the_scale_halved():
    model = make_model()
    before = make_model()
    optimizer, scaler = make_optimizer(model), make_scaler(torch.device("cpu"), "float16")
    scale = scaler.get_scale()

    def overflows(model, batch, label_smoothing):
        loss = model(batch.src_ids, batch.tgt_in).sum() * torch.tensor(math.inf)
        return loss, (batch.tgt_out != 0).sum()

    batch = collate(make_examples(3))
    choices = {"rate": 0.01, "precision": "float16", "scaler": scaler}
    update(model, [batch], optimizer, loss_fn=overflows, **choices)
    assert is_same(model, before)
    assert scaler.get_scale() == scale / 2
    update(model, [batch], optimizer, **choices)
    assert not is_same(model, before)
