"""One wide vector per position or one narrow vector per head: there and back."""

import torch

from attnsteps.layers.heads import merge_heads, split_heads

# Every size is another prime, so that swapped axes cannot pass.
B, T, H, Dk = 2, 5, 3, 7
D = H * Dk


def test_splitting_takes_neighbouring_columns():
    x = torch.arange(B * T * D, dtype=torch.float64).view(B, T, D)
    split = split_heads(x, H)
    assert split.shape == (B, H, T, Dk)
    for head in range(H):
        assert torch.equal(split[:, head], x[:, :, head * Dk : (head + 1) * Dk])


def test_splitting_copies_nothing():
    x = torch.randn(B, T, D)
    assert split_heads(x, H).data_ptr() == x.data_ptr()


def test_bug_zoo_20_merging_undoes_splitting_although_the_memory_is_not_contiguous():
    x = torch.arange(B * T * D, dtype=torch.float64).view(B, T, D)
    split = split_heads(x, H)
    assert not split.is_contiguous()
    assert torch.equal(merge_heads(split), x)
    assert torch.equal(merge_heads(split.contiguous()), x)
    scrambled = split.contiguous().view(B, T, D)  # the mistake
    assert not torch.equal(scrambled, x)
