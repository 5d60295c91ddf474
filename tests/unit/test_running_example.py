"""The toy numbers that the whole book relies on."""

import pytest
import torch

from attnsteps import scaled_dot_product_attention
from attnsteps.running_example import (
    ANIMAL,
    STREET,
    TIRED,
    W_K,
    W_Q,
    W_V,
    WIDE,
    Word,
    toy_embeddings,
)


@pytest.mark.parametrize(("word", "products"), [(TIRED, [8, 4, 4]), (WIDE, [4, 8, 4])])
def test_the_last_word_picks_the_thing_it_describes(word, products):
    x = toy_embeddings((ANIMAL, STREET, word))
    q, k, v = x @ W_Q, x @ W_K, x @ W_V
    assert (q[2] @ k.T).tolist() == products
    _, weights = scaled_dot_product_attention(q, k, v)
    expected = torch.softmax(torch.tensor(products, dtype=torch.float64) / 2, dim=-1)
    torch.testing.assert_close(weights[2], expected)


def test_another_word_is_refused():
    with pytest.raises(ValueError, match="must come from the running example; got Word"):
        toy_embeddings((Word("猫", "māo", "cat"),))
