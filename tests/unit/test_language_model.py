"""One stack, and three models by their masks."""

import pytest
import torch

from attnsteps.layers.masks import causal_mask
from attnsteps.layers.prefix_mask import prefix_mask
from attnsteps.model.language_model import LanguageModel

IDS = torch.tensor([[3, 5, 2, 7, 1, 4]])


@pytest.fixture
def model():
    torch.manual_seed(0)
    sizes = {"num_layers": 2, "d_model": 6, "num_heads": 2, "d_ff": 20, "max_len": 9}
    return LanguageModel(11, **sizes).double().eval()


def changed(model, mask, at):
    """Return which positions' logits change with the token at one position."""
    other = IDS.clone()
    other[0, at] = 9
    with torch.no_grad():
        difference = (model(IDS, mask) - model(other, mask)).abs().amax(dim=2)[0]
    return (difference > 1e-9).tolist()


def test_without_a_mask_every_position_sees_every_token(model):
    assert changed(model, None, 4) == [True] * 6


def test_with_a_causal_mask_no_position_sees_a_later_token(model):
    assert changed(model, causal_mask(6), 4) == [False] * 4 + [True] * 2


def test_with_a_prefix_mask_the_prefix_sees_itself_and_nothing_after_it(model):
    mask = prefix_mask(torch.tensor([3]), 6)
    assert changed(model, mask, 2) == [True] * 6
    assert changed(model, mask, 4) == [False] * 4 + [True] * 2


def test_a_position_is_added_to_its_word(model):
    with torch.no_grad():  # Positions that undo their words leave nothing to tell them apart by.
        model.positions.weight[:6] = -model.embedding(IDS)[0]
        vectors = model.vectors(IDS)[0]
    torch.testing.assert_close(vectors, vectors[:1].expand(6, -1))


def test_embedding_and_projection_share_one_weight(model):
    assert model.projection.weight is model.embedding.weight
    assert torch.equal(model(IDS), model.vectors(IDS) @ model.embedding.weight.T)


@pytest.mark.parametrize("ids", [torch.tensor([[11]]), torch.zeros(1, 10, dtype=torch.long)])
def test_ids_that_do_not_fit_are_refused(model, ids):
    with pytest.raises(ValueError, match=r"must|most|only"):
        model(ids)


def test_ids_without_a_batch_are_refused(model, refuses):
    refuses(lambda: model(torch.tensor([3, 5])), "ids must have shape (B, T); got (2,)")
