"""The grader of the chapter on the family accepts what is right and names mistakes."""

import nbformat
import pytest
import torch

from attnsteps import LanguageModel, causal_mask, collate, prefix_mask
from attnsteps.exercises.family import grade_targets
from scripts.execution import BOOK
from scripts.experiments.family import in_one_stack


def right(ids, given):
    wanted = ids[:, 1:].clone()
    for row, count in zip(wanted, given.tolist(), strict=True):
        row[: count - 1] = -100
    wanted[wanted == 0] = -100
    return wanted


def test_a_right_solution_passes():
    verdict = grade_targets(right)
    assert verdict, verdict


def with_padding(ids, given):
    wanted = ids[:, 1:].clone()
    for row, count in zip(wanted, given.tolist(), strict=True):
        row[: count - 1] = -100
    return wanted


def not_shifted(ids, given):
    wanted = ids[:, :-1].clone()
    wanted[torch.arange(6) < given[:, None] - 1] = -100
    wanted[wanted == 0] = -100
    return wanted


WRONG = {
    "nothing": (lambda *_: None, "targets is None"),
    "everything": (lambda ids, _: ids[:, 1:], "guesses inside the prefix count"),
    "padding": (with_padding, "padding counts as a target"),
    "one too few": (lambda ids, given: right(ids, given + 1), "the last given token makes"),
    "one too many": (lambda ids, given: right(ids, given - 1), "one guess too many counts"),
    "no shift": (not_shifted, "these are the tokens themselves"),
    "too long": (lambda ids, _: ids, "targets should have shape (3, 6)"),
    "an error": (lambda ids, _: ids[7], "your function raised IndexError"),
    "another number": (lambda *given: right(*given).clamp(min=-1), "targets[0, 0] should be -100"),
}


@pytest.mark.parametrize(("function", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_solution_gets_its_sentence(function, sentence):
    verdict = grade_targets(function)
    assert not verdict
    assert verdict.message.startswith(sentence), verdict


@pytest.mark.parametrize("model", ["prefix", "causal"])
def test_the_loss_on_the_page_is_that_of_the_recorded_translators(model):
    cells = nbformat.read(BOOK / "21_family.ipynb", as_version=4).cells
    (shown,) = (one.source for one in cells if one.source.startswith("def loss_of_english"))
    masks = {"prefix": prefix_mask, "causal": lambda _given, size: causal_mask(size)}
    names = {
        "torch": torch,
        "pad_sequence": torch.nn.utils.rnn.pad_sequence,
        "cross_entropy": torch.nn.functional.cross_entropy,
        "prefix_mask": masks[model],
        "targets": right,
    }
    exec(shown, names)
    torch.manual_seed(0)
    sizes = {"num_layers": 2, "d_model": 8, "num_heads": 2, "d_ff": 16}
    net = LanguageModel(12, **sizes, max_len=12, pad_id=0).eval()
    pairs = [([5, 6, 7], [8, 9]), ([6], [9, 5, 8, 7]), ([7, 8], [6])]
    total, number = in_one_stack(model)(net, collate(pairs), 0.0)
    torch.testing.assert_close(names["loss_of_english"](net, pairs), total / number)
