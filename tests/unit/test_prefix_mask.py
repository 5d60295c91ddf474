"""A prefix mask lies between the causal mask and the full one."""

import pytest
import torch

from attnsteps.layers.masks import causal_mask
from attnsteps.layers.prefix_mask import prefix_mask


@pytest.mark.parametrize("lengths", [[0, 2, 5], [3], [4, 4]], ids=str)
def test_every_cell_by_definition(lengths):
    mask = prefix_mask(torch.tensor(lengths), 5)
    assert mask.shape == (len(lengths), 1, 5, 5)
    for row, prefix in enumerate(lengths):
        for i in range(5):
            for j in range(5):
                assert mask[row, 0, i, j] == (j <= i or j < prefix)


def test_no_prefix_is_causal_and_a_whole_prefix_is_full():
    mask = prefix_mask(torch.tensor([0, 7]), 7)
    assert torch.equal(mask[0, 0], causal_mask(7))
    assert mask[1].all()


def test_the_mask_is_where_the_lengths_are():
    prefix_len = torch.tensor([1, 4])
    with torch.device("meta"):  # where new tensors go unless they are sent elsewhere
        assert prefix_mask(prefix_len, 5).device.type == "cpu"


@pytest.mark.parametrize("prefix_len", [torch.tensor([-1]), torch.tensor([5])])
def test_a_prefix_that_is_no_length_is_refused(prefix_len):
    with pytest.raises(ValueError, match="prefix_len must"):
        prefix_mask(prefix_len, 4)


def test_no_positions_are_refused(refuses):
    refuses(
        lambda: prefix_mask(torch.tensor([0]), 0),
        "size must be a positive integer; got 0",
    )
