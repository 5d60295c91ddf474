"""The grader of the encoder chapter accepts what is right and names what is wrong."""

import pytest

from attnsteps.exercises.encoder import grade_encoder_layer


def right(x, attention, feed_forward, norm_1, norm_2):
    x = norm_1(x + attention(x))
    return norm_2(x + feed_forward(x))


def pre_norm(x, attention, feed_forward, norm_1, norm_2):
    x = x + attention(norm_1(x))
    return x + feed_forward(norm_2(x))


def normed_too_early(x, attention, feed_forward, norm_1, norm_2):
    x = x + norm_1(attention(x))
    return x + norm_2(feed_forward(x))


def test_a_right_solution_passes():
    verdict = grade_encoder_layer(right)
    assert verdict, verdict
    assert repr(verdict) == "✓ Right: attention, add, norm, feed-forward, add, norm"


WRONG = {
    "nothing": (lambda *_: None, "output is None; does the function return its result?"),
    "half": (lambda x, a, f, n, m: n(x + a(x)), "this ends after the first half"),
    "no residual": (lambda x, a, f, n, m: m(f(n(a(x)))), "the residual connections are missing"),
    "no first residual": (
        lambda x, a, f, n, m: m(n(a(x)) + f(n(a(x)))),
        "the residual connection around attention is missing",
    ),
    "no second residual": (
        lambda x, a, f, n, m: m(f(n(x + a(x)))),
        "the residual connection around the feed-forward network is missing",
    ),
    "the old x": (
        lambda x, a, f, n, m: m(x + f(n(x + a(x)))),
        "the second residual connection must add what the feed-forward network was given",
    ),
    "side by side": (
        lambda x, a, f, n, m: m(n(x + a(x)) + f(x)),
        "the feed-forward network must get the output of the first half",
    ),
    "pre-norm": (pre_norm, "this is pre-norm"),
    "normed too early": (normed_too_early, "each part's output is normalised before it is added"),
    "swapped norms": (
        lambda x, a, f, n, m: right(x, a, f, m, n),
        "the two norms are swapped",
    ),
    "one norm": (lambda x, a, f, n, m: right(x, a, f, n, n), "both halves use the first norm"),
    "no second norm": (
        lambda x, a, f, n, m: right(x, a, f, n, lambda y: y),
        "the second norm is missing",
    ),
    "no first norm": (
        lambda x, a, f, n, m: right(x, a, f, lambda y: y, m),
        "the first norm is missing",
    ),
    "swapped halves": (
        lambda x, a, f, n, m: right(x, f, a, n, m),
        "the feed-forward network comes first",
    ),
    "raises": (lambda x, a, f, n, m: a(x[:, :, :3]), "your function raised RuntimeError: "),
}


@pytest.mark.parametrize(("function", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_solution_gets_its_sentence(function, sentence):
    verdict = grade_encoder_layer(function)
    assert not verdict
    assert verdict.message.startswith(sentence)
