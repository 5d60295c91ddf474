"""What every search leaves behind: the model as it was, and tensors that can be used."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from attnsteps.decoding.beam import beam
from attnsteps.decoding.greedy import greedy
from attnsteps.decoding.mask_predict import all_at_once, mask_predict
from attnsteps.decoding.result import Decoded, cut_at_eos
from attnsteps.decoding.sample import sample
from attnsteps.model.config import TransformerConfig
from attnsteps.model.mode import in_mode
from attnsteps.model.non_autoregressive import NonAutoregressive
from attnsteps.model.transformer import Transformer
from tests.decoding import SENTENCES, assert_same, padded, randomise

SEARCHES = {
    "greedy": lambda model, ids: greedy(model, ids, max_len=5),
    "greedy, uncached": lambda model, ids: greedy(model, ids, max_len=5, use_cache=False),
    "sample": lambda model, ids: sample(
        model, ids, max_len=5, generator=torch.Generator().manual_seed(1)
    ),
    "beam": lambda model, ids: beam(model, ids, beam_width=3, n_best=2, max_len=5),
    "all at once": all_at_once,
    "mask-predict": lambda model, ids: mask_predict(model, ids, iterations=3, num_lengths=2),
}
every_search = pytest.mark.parametrize("name", SEARCHES)


def model_for(name):
    """Make the kind of model that a search needs, with a lot of dropout."""
    parallel = name in ("all at once", "mask-predict")
    changes = {"causal": False, "mask_id": 3, "max_len": 9} if parallel else {}
    config = TransformerConfig.tiny(11, 11, dropout=0.5, **changes)
    return randomise((NonAutoregressive if parallel else Transformer)(config), seed=3)


@every_search
def test_every_module_returns_to_the_mode_that_it_was_in(name):
    model = model_for(name).train()
    list(model.modules())[-3].eval()
    before = [module.training for module in model.modules()]
    weights = {key: value.clone() for key, value in model.state_dict().items()}
    SEARCHES[name](model, padded(SENTENCES))
    assert [module.training for module in model.modules()] == before
    assert len(set(before)) == 2
    assert all(torch.equal(weights[key], value) for key, value in model.state_dict().items())
    assert all(parameter.requires_grad for parameter in model.parameters())
    assert torch.is_grad_enabled()
    assert not torch.is_inference_mode_enabled()


@every_search
def test_an_error_leaves_the_model_as_it_was_too(name, refuses):
    model = model_for(name).train()
    refuses(
        lambda: SEARCHES[name](model, torch.tensor([[5, 11]])),
        "ids must lie in 0..10 (vocab_size = 11); got 11",
    )
    assert all(module.training for module in model.modules())


@every_search
def test_dropout_is_off(name):
    model = model_for(name)
    in_training = SEARCHES[name](model.train(), padded(SENTENCES))
    assert_same(SEARCHES[name](model.eval(), padded(SENTENCES)), in_training)


@every_search
def test_the_tensors_can_be_trained_on(name):
    decoded = SEARCHES[name](model_for(name), padded(SENTENCES))
    assert not any(tensor.is_inference() or tensor.requires_grad for tensor in decoded)
    embedding = torch.nn.Embedding(11, 4)
    embedding(decoded.ids).sum().backward()
    assert embedding.weight.grad is not None


@every_search
def test_int32_ids_do_as_well(name):
    model, src_ids = model_for(name), padded(SENTENCES)
    decoded = SEARCHES[name](model, src_ids.int())
    assert_same(decoded, SEARCHES[name](model, src_ids))
    assert decoded.ids.dtype == decoded.lengths.dtype == torch.int64


def test_the_best_of_several():
    one = Decoded(torch.tensor([[7, 2], [2, 0]]), torch.tensor([2, 1]), torch.tensor([-1.0, -2.0]))
    several = Decoded(*(torch.stack([field, field + 1], dim=1) for field in one))
    assert one.best is one
    assert_same(several.best, one)


def test_a_sentence_ends_at_its_first_end_by_hand():
    ids = torch.tensor([[5, 2, 2, 7], [5, 6, 7, 8], [2, 5, 6, 2], [5, 6, 0, 0]])
    log_probs = torch.tensor([[-1.0, -2.0, -4.0, -8.0]]).repeat(4, 1)
    decoded = cut_at_eos(ids, log_probs, eos_id=2, pad_id=0)
    assert decoded.ids.tolist() == [[5, 2, 0, 0], [5, 6, 7, 8], [2, 0, 0, 0], [5, 6, 0, 0]]
    assert decoded.lengths.tolist() == [2, 4, 1, 2]
    assert decoded.scores.tolist() == [-3.0, -15.0, -1.0, -3.0]


def test_the_batch_is_as_long_as_its_longest_sentence():
    ids = torch.tensor([[5, 2, 2, 7], [2, 5, 6, 2]])
    decoded = cut_at_eos(ids, torch.zeros(2, 4), eos_id=2, pad_id=0)
    assert decoded.ids.tolist() == [[5, 2], [2, 0]]


def test_threads_that_share_a_model_do_not_disturb_each_other():
    model = model_for("greedy").train()
    before = [module.training for module in model.modules()]
    first, second = in_mode(model), in_mode(model)  # two threads, one step at a time
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert not any(module.training for module in model.modules())  # the second is still at work
    second.__exit__(None, None, None)
    assert [module.training for module in model.modules()] == before


def test_threads_in_different_modes_do_not_disturb_each_other():
    model = model_for("greedy").eval()
    training, searching = in_mode(model, training=True), in_mode(model)
    training.__enter__()
    searching.__enter__()
    training.__exit__(None, None, None)
    assert not any(module.training for module in model.modules())
    searching.__exit__(None, None, None)
    assert not any(module.training for module in model.modules())


def test_a_mode_within_another_one_ends_in_it():
    model = model_for("greedy").train()
    with in_mode(model):
        with in_mode(model, training=True):
            assert model.training
        assert not any(module.training for module in model.modules())
    assert all(module.training for module in model.modules())


@pytest.mark.parametrize("name", ["greedy", "mask-predict"])
def test_many_threads_find_what_one_finds(name):
    model = model_for(name).train()
    expected = SEARCHES[name](model, padded(SENTENCES))
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda _: SEARCHES[name](model, padded(SENTENCES)), range(30)))
    for one in found:
        assert_same(one, expected)
    assert all(module.training for module in model.modules())
