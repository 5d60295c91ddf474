"""The grader of the chapter on looking inside accepts what is right and names what is wrong."""

import pytest
import torch

from attnsteps.exercises.inside import grade_put_in


def with_hook(change):
    """Return a solution whose pre-hook hands on change(heads, at, new)."""

    def put_in(attention, at, new):
        def swap(_, inputs):
            return change(inputs[0].clone(), at, new)

        return attention.w_o.register_forward_pre_hook(swap)

    return put_in


def right(heads, at, new):
    heads[torch.arange(len(at)), at] = new
    return (heads,)


def by_loop(heads, at, new):
    for b, position in enumerate(at.tolist()):
        heads[b, position] = new[b]
    return heads  # torch takes a tensor for the only argument


def nothing_returned(heads, at, new):
    right(heads, at, new)


def everywhere(heads, _, new):
    return (new[:, None].expand_as(heads),)


def at_all(heads, at, new):
    heads[:, at] = new
    return (heads,)


def first_position(heads, at, new):
    heads[:, at[0]] = new
    return (heads,)


def after_w_o(attention, at, new):
    def swap(_, __, output):
        return right(output.clone(), at, new)[0]

    return attention.w_o.register_forward_hook(swap)


def without_result(attention, at, new):
    with_hook(right)(attention, at, new)


@pytest.mark.parametrize("change", [right, by_loop])
def test_a_right_solution_passes(change):
    verdict = grade_put_in(with_hook(change))
    assert verdict, verdict


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (with_hook(nothing_returned), "the heads still hand on what they found"),
        (lambda *_: None, "the heads still hand on what they found"),
        (with_hook(everywhere), "each sentence gets its vector at every position"),
        (with_hook(at_all), "each sentence is changed at the positions of all"),
        (with_hook(first_position), "the output with the hook["),
        (after_w_o, "the vectors are put in after w_o"),
        (without_result, "the result can't take the hook away"),
        (with_hook(lambda heads, *_: heads[0, 99]), "your function raised "),
        (lambda attention, *_: attention.w_oo, "your function raised "),
    ],
)
def test_what_is_wrong_is_named(function, message):
    verdict = grade_put_in(function)
    assert not verdict
    assert message in verdict.message, verdict


def test_one_who_grades_draws_nothing_from_the_readers_numbers():
    torch.manual_seed(3)
    want = torch.rand(2)
    torch.manual_seed(3)
    grade_put_in(with_hook(right))
    assert torch.equal(torch.rand(2), want)
