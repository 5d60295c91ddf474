"""The attention explorer refuses what it cannot show, and agrees with the package."""

import math

import pytest
import torch

from attnsteps import causal_mask, scaled_dot_product_attention
from attnsteps.running_example import ANIMAL, STREET, TIRED, W_K, W_Q, W_V, toy_embeddings
from attnsteps.widgets import AttentionExplorer
from attnsteps.widgets.spelling import spelling_vector

LABELS = ["animal", "street", "tired"]


def running_example():
    x = toy_embeddings((ANIMAL, STREET, TIRED))
    return x @ W_Q, x @ W_K, x @ W_V


# Vectors from spelling ----------------------------------------------------------------------


def test_equal_letters_give_equal_vectors_and_shared_letters_similar_ones():
    tired, tried, tires, zoo = map(spelling_vector, ("tired", "tried", "tires", "zoo"))
    torch.testing.assert_close(tired, tried)
    assert tired @ tires > 0.7 * 4 > tired @ zoo


@pytest.mark.parametrize("word", ["a", "累", "了不起", "Straße", "🙂"])
@pytest.mark.parametrize("size", [1, 4, 5])
def test_a_vector_has_entries_of_size_one_on_average(word, size):
    vector = spelling_vector(word, size)
    assert vector.shape == (size,)
    assert vector.square().mean().item() == pytest.approx(1.0)


def test_no_letters_have_no_vector(refuses):
    refuses(lambda: spelling_vector(""), "word must have at least one letter; got none")


# What is shown ------------------------------------------------------------------------------


def test_the_running_sentence_is_shown_at_first():
    assert AttentionExplorer().words == ["动物", "没有", "过", "马路", "因为", "太", "累", "了"]


def test_one_text_or_a_list():
    assert AttentionExplorer("a  b\tc").words == AttentionExplorer(["a", "b", "c"]).words


def test_the_weights_by_hand():
    # Equal words have q·k = 4, and 4 / √4 = 2; undivided 4.
    explorer = AttentionExplorer("so so")
    assert explorer.weights.tolist() == [[0.5, 0.5], [0.5, 0.5]]
    explorer = AttentionExplorer("ab cd")
    cosine = (spelling_vector("ab") @ spelling_vector("cd")).item() / 4
    for scale, divisor in ((True, 2), (False, 1)):
        explorer.scale = scale
        own, other = math.exp(4 / divisor), math.exp(4 * cosine / divisor)
        assert explorer.weights[0, 1].item() == pytest.approx(other / (own + other))
    explorer.mask = "causal"
    assert explorer.weights[0].tolist() == [1.0, 0.0]


def test_tensors_of_a_model():
    q, k, v = running_example()
    explorer = AttentionExplorer.from_tensors(
        LABELS, q.float().requires_grad_(), k.float(), v.float()
    )
    _, expected = scaled_dot_product_attention(q, k, v)
    torch.testing.assert_close(explorer.weights, expected)
    assert explorer.mask == "none"
    assert explorer.weights[2, 0].item() == pytest.approx(0.787, abs=5e-4)


@pytest.mark.parametrize("shape", [(3, 3), (1, 3)])
def test_a_models_mask_is_on_at_first(shape):
    q, k, v = running_example()
    mask = causal_mask(3)[-3:] if shape == (3, 3) else torch.tensor([[True, False, True]])
    explorer = AttentionExplorer.from_tensors(LABELS, q, k, v, mask)
    _, expected = scaled_dot_product_attention(q, k, v, mask)
    torch.testing.assert_close(explorer.weights, expected)
    assert explorer.mask == "given"


def test_labels_of_a_model_may_hold_spaces():
    q, k, v = running_example()
    assert AttentionExplorer.from_tensors(["a b", "", "c"], q, k, v).words == ["a b", "", "c"]


@pytest.mark.parametrize(
    "words",
    ["a b", "a b c d e f g h i j k l", "$x$ $y_$ $", "累 宽", "<img> " + 40 * "long", "a\u0007 b"],
)
def test_any_words_make_a_picture(words):
    bundle = AttentionExplorer(words)._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    assert data["image/png"].startswith("iVBORw0KGgo")  # every PNG does, in base64


def test_a_picture_has_glosses_for_the_running_example():
    axes = AttentionExplorer().picture().axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()][:4] == [
        "animal", "not", "cross", "street",
    ]  # fmt: skip
    axes = AttentionExplorer("饭 rice").picture().axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["word 1", "rice"]


def test_repr_is_stable():
    assert repr(AttentionExplorer("a b")) == "AttentionExplorer()"


# Bad input ----------------------------------------------------------------------------------

BAD_WORDS = {
    "one word": (lambda: AttentionExplorer("one"), "words must hold 2 to 12 words; got 1"),
    "no words": (lambda: AttentionExplorer([]), "words must hold 2 to 12 words; got 0"),
    "too many": (lambda: AttentionExplorer("a " * 13), "words must hold 2 to 12 words; got 13"),
    "a space": (
        lambda: AttentionExplorer(["a b", "c"]),
        "words must be non-empty and contain no spaces; got ['a b', 'c']",
    ),
    "an empty word": (
        lambda: AttentionExplorer(["", "c"]),
        "words must be non-empty and contain no spaces; got ['', 'c']",
    ),
    "a mask": (
        lambda: AttentionExplorer("a b", mask="given"),
        "mask must be 'none' or 'causal'; got 'given'",
    ),
    "a cell outside": (
        lambda: AttentionExplorer("a b", selected=(0, 2)),
        "selected must be a query and a key in 0..1; got (0, 2)",
    ),
    "half a cell": (
        lambda: AttentionExplorer("a b", selected=(0,)),
        "selected must be a query and a key in 0..1; got (0,)",
    ),
}

BAD_TENSORS = {
    "a batch": (
        {"q": torch.zeros(1, 2, 3, 4)},
        "q must have shape (T, D); got (1, 2, 3, 4) (choose one sentence and one head: q[0, 0])",
    ),
    "another length": (
        {"v": torch.zeros(2, 3)},
        "v must have shape (T, Dv) with T = 3; got (2, 3)",
    ),
    "another width": (
        {"k": torch.zeros(3, 5)},
        "k must have shape (T, Dk) with T = 3, Dk = 4; got (3, 5)",
    ),
    "one vector": ({"q": torch.zeros(3)}, "q must have shape (T, Dk) with T = 3; got (3,)"),
    "a list": ({"q": [[1.0]]}, "q must be a floating-point tensor; got list"),
    "NaN": ({"k": torch.full((3, 4), math.nan)}, "k must be finite; got NaN or infinity"),
    "a mask of another size": (
        {"mask": causal_mask(2)},
        "mask must broadcast to (Tq, Tk) = (3, 3); got (2, 2)",
    ),
    "one label too few": (
        {"words": ["a", "b"]},
        "q must have shape (T, Dk) with T = 2; got (3, 4)",
    ),
    "one label": ({"words": ["a"]}, "words must hold 2 to 12 words; got 1"),
}


@pytest.mark.parametrize(("call", "message"), BAD_WORDS.values(), ids=BAD_WORDS.keys())
def test_bad_words_are_refused(refuses, call, message):
    refuses(call, message)


def test_bad_words_and_masks_are_refused_later_too(refuses):
    explorer = AttentionExplorer("a b c")
    refuses(lambda: setattr(explorer, "words", []), "words must hold 2 to 12 words; got 0")
    refuses(
        lambda: setattr(explorer, "mask", "given"), "mask must be 'none' or 'causal'; got 'given'"
    )
    assert (explorer.words, explorer.mask) == (["a", "b", "c"], "none")


@pytest.mark.parametrize(("changed", "message"), BAD_TENSORS.values(), ids=BAD_TENSORS.keys())
def test_bad_tensors_are_refused(refuses, changed, message):
    q, k, v = running_example()
    good = {"words": LABELS, "q": q, "k": k, "v": v}
    refuses(lambda: AttentionExplorer.from_tensors(**{**good, **changed}), message)
