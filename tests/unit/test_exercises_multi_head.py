"""The grader of the chapter on several heads accepts what is right and names what is wrong."""

import math

import pytest
import torch

from attnsteps.exercises.multi_head import grade_multi_head

B, T, H, DK = 2, 5, 3, 7  # what the grader takes
D = H * DK


def right(x, matrices, num_heads, **changes):
    """Return what the exercise asks for; each keyword breaks one part of it."""
    w_q, w_k, w_v, w_o = matrices
    width = x.shape[2] // num_heads
    cut = changes.get("cut", lambda y: y.view(*y.shape[:2], num_heads, width).transpose(1, 2))
    merge = changes.get("merge", lambda y: y.transpose(1, 2).reshape(x.shape))
    q, k, v = cut(x @ w_q), cut(x @ w_k), cut(x @ w_v)
    scores = q @ k.transpose(-2, -1) / changes.get("root", math.sqrt(width))
    merged = merge(scores.softmax(dim=changes.get("dim", -1)) @ v)
    return merged if changes.get("stop") else merged @ w_o


def loop(x, matrices, num_heads):
    w_q, w_k, w_v, w_o = matrices
    out, width = 0, x.shape[-1] // num_heads
    for head in range(num_heads):
        c = slice(head * width, (head + 1) * width)
        scores = (x @ w_q[:, c]) @ (x @ w_k[:, c]).mT / math.sqrt(width)
        out = out + scores.softmax(-1) @ (x @ w_v[:, c]) @ w_o[c]
    return out


@pytest.mark.parametrize("function", [right, loop])
def test_a_right_solution_passes(function):
    verdict = grade_multi_head(function)
    assert verdict, verdict
    assert repr(verdict) == "✓ Right: project, split, attend, merge, project"


def broken(**changes):
    return lambda x, matrices, num_heads: right(x, matrices, num_heads, **changes)


def with_matrices(change):
    return lambda x, matrices, num_heads: right(x, change(*matrices), num_heads)


def reshape(y):
    return y.reshape(B, H, T, DK)


def reshape_back(y):
    return y.reshape(B, T, D)


def weave(y):
    return y.permute(0, 2, 3, 1).flatten(2)


WRONG = {
    "nothing": (lambda *_: None, "output is None; does the function return its result?"),
    "no attention": (
        lambda x, m, n: x @ m[2] @ m[3],
        "every word takes its own value alone; where is the attention?",
    ),
    "one head": (
        lambda x, m, n: right(x, m, 1),
        "this is one head of full width; split q, k and v before the scores",
    ),
    "one head with the small root": (
        lambda x, m, n: right(x, m, 1, root=math.sqrt(DK)),
        "this is one head of full width; split q, k and v before the scores",
    ),
    "√d_model": (broken(root=math.sqrt(D)), "the scores are divided by √d_model"),
    "no scale": (broken(root=1), "the scores are not divided by √d_k"),
    "no root": (broken(root=DK), "the scores are divided by d_k, not by its root"),
    "over the queries": (broken(dim=-2), "the softmax runs over the queries"),
    "reshaped on both ways": (
        broken(cut=reshape, merge=reshape_back),
        "cut and merged without a transpose",
    ),
    "reshaped there": (broken(cut=reshape), "the heads are cut without a transpose"),
    "reshaped back": (
        broken(merge=reshape_back),
        "the heads are merged without the transpose back",
    ),
    "interleaved": (
        broken(cut=lambda y: y.view(B, T, DK, H).permute(0, 3, 1, 2), merge=weave),
        "a head takes every num_heads-th column",
    ),
    "interleaved back": (broken(merge=weave), "the merged contexts are interleaved"),
    "no w_o": (broken(stop=True), "w_o is missing"),
    "w_o transposed": (with_matrices(lambda q, k, v, o: (q, k, v, o.T)), "w_o is transposed"),
    "all transposed": (
        with_matrices(lambda *matrices: [w.T for w in matrices]),
        "the matrices are transposed",
    ),
    "no w_v": (
        with_matrices(lambda q, k, v, o: (q, k, torch.eye(D).double(), o)),
        "w_v is missing",
    ),
    "a pair": (lambda *a: (right(*a), None), "the function returns several things"),
    "heads kept apart": (
        lambda x, m, n: x.view(B, T, H, DK),
        "output should have shape (2, 5, 21) and has (2, 5, 3, 7)",
    ),
    "view of what is transposed": (
        broken(merge=lambda y: y.transpose(1, 2).view(B, T, D)),
        "your function raised RuntimeError: ",
    ),
}


@pytest.mark.parametrize(("function", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_solution_gets_its_sentence(function, sentence):
    verdict = grade_multi_head(function)
    assert not verdict
    assert verdict.message.startswith(sentence)


def test_the_readers_random_numbers_stay_as_they_were():
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    grade_multi_head(right)
    assert torch.equal(torch.rand(1), expected)
