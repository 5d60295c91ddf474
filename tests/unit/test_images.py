"""Pictures become patches and codes, and come back."""

import subprocess
import sys

import jaxtyping
import pytest
import torch

from attnsteps.corpora.images import codebook, digits, from_patches, to_codes, to_patches


def test_digits_are_grey_pictures_of_ten_kinds():
    pictures, labels = digits()
    assert pictures.shape == (1797, 8, 8)
    assert pictures.min() == 0
    assert pictures.max() == 1
    assert labels.unique().tolist() == list(range(10))


def test_a_patch_is_a_square_of_the_picture():
    pictures = torch.rand(3, 6, 4)
    patches = to_patches(pictures, 2)
    assert patches.shape == (3, 6, 4)
    assert torch.equal(patches[1, 3].view(2, 2), pictures[1, 2:4, 2:4])


@pytest.mark.parametrize(("height", "width", "size"), [(8, 8, 1), (8, 8, 2), (6, 4, 2), (3, 9, 3)])
def test_patches_put_together_are_the_picture(height, width, size):
    pictures = torch.rand(2, height, width)
    assert torch.equal(from_patches(to_patches(pictures, size), width), pictures)


def test_each_patch_gets_the_nearest_entry_by_definition():
    patches, entries = torch.rand(3, 5, 4), torch.rand(7, 4)
    for one, code in zip(patches.flatten(0, 1), to_codes(patches, entries).flatten(), strict=True):
        distances = (entries - one).square().sum(dim=1)
        assert distances[code] == distances.min()


def test_a_larger_codebook_loses_less_than_one_mean_patch():
    patches = to_patches(digits()[0][:200], 2)
    losses = []
    for count in (1, 4, 16):
        entries = codebook(patches, count)
        assert entries.shape == (count, 4)
        assert (entries.sum(dim=1).diff() >= 0).all()
        losses.append((entries[to_codes(patches, entries)] - patches).square().mean())
    assert losses[0] > losses[1] > losses[2]


def test_import_attnsteps_does_not_import_scikit_learn():
    code = "import sys, attnsteps; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: to_patches(torch.rand(1, 8, 8), 3), "size must divide height and width"),
        (lambda: to_patches(torch.rand(1, 8, 8), 0), "size must be a positive integer"),
        (lambda: from_patches(torch.rand(1, 4, 3), 4), "patches must be square"),
        (lambda: from_patches(torch.rand(1, 3, 4), 4), "must fill rows"),
        (lambda: codebook(torch.rand(1, 2, 4), 3), "count"),
        (lambda: to_codes(torch.rand(1, 2, 4), torch.rand(5, 3)), "entries"),
    ],
)
def test_bad_input_is_refused_by_name(call, message):
    jaxtyping.config.update("jaxtyping_disable", True)  # a reader has no beartype in between
    with pytest.raises(ValueError, match=message):
        call()
