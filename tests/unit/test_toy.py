"""The toy numbers of chapter 4 show what its sentences say."""

import pytest
import torch

from attnsteps.running_example import ANIMAL, STREET, TIRED, TOO, WIDE, Word
from attnsteps.toy import AXES, toy_projections, toy_vectors

W_Q, W_K, W_V = toy_projections()


def weights_of(*words):
    x = toy_vectors(words)
    return ((x @ W_Q) @ (x @ W_K).T / 2).softmax(-1)


@pytest.mark.parametrize(("adjective", "scores"), [(TIRED, [8, 4, 4]), (WIDE, [4, 8, 4])])
def test_an_adjective_finds_its_noun_by_far_and_the_noun_does_not_look_back(adjective, scores):
    words = (ANIMAL, STREET, adjective)
    x = toy_vectors(words)
    assert ((x[2] @ W_Q) @ (x @ W_K).T).tolist() == scores
    weights = weights_of(*words)
    noun = scores.index(8)
    others = [n for n in range(3) if n != noun]
    assert (weights[2, noun] > 5 * weights[2, others]).all()
    assert weights[noun, 2] < weights[noun, noun] / 10
    assert not torch.allclose(weights[noun], weights[2], atol=0.01)


def test_comparing_finds_another_word_than_the_noun_even_apart_from_itself():
    tired, *others = toy_vectors((TIRED, ANIMAL, STREET, TOO))
    likeness = torch.stack(others) @ tired
    assert likeness[2] > likeness[0] > likeness[1]


def test_values_carry_what_keys_lack():
    reads_key, reads_value = W_K.any(dim=1), W_V.any(dim=1)
    assert not (reads_key & reads_value).any()
    assert (reads_key | reads_value).all()
    assert not W_Q[reads_value].any()


def test_sizes_that_could_be_mixed_up_differ():
    (d_model, d_k), d_v = W_Q.shape, W_V.shape[1]
    assert W_K.shape == W_Q.shape
    assert len({d_model, d_k, d_v, 3, 8}) == 5
    assert len(AXES) == d_model


def test_swapped_queries_and_keys_give_no_row_that_is_right():
    x = toy_vectors()
    right = ((x @ W_Q) @ (x @ W_K).T / 2).softmax(-1)
    swapped = ((x @ W_K) @ (x @ W_Q).T / 2).softmax(-1)
    assert ((right - swapped[6]).abs().amax(-1) > 0.1).all()


def test_another_word_is_refused():
    with pytest.raises(ValueError, match="must come from the running example; got Word"):
        toy_vectors((Word("猫", "māo", "cat"),))
