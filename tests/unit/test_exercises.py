"""Answers given on the page, and the sentences that say in what a tensor is wrong."""

import pytest
import torch

from attnsteps.exercises.answer import check_answer
from attnsteps.exercises.verdict import Verdict, attempt, difference


@pytest.mark.parametrize(
    ("kind", "given", "answer", "tolerance", "right"),
    [
        ("number", 0.70, 0.707, 0.01, True),
        ("number", 0.69, 0.707, 0.01, False),
        ("choice", 1, 1, 0.0, True),
        ("choice", 0, 1, 9.0, False),
        ("order", [2, 0, 1], [2, 0, 1], 0.0, True),
        ("order", [2, 1, 0], [2, 0, 1], 9.0, False),
        ("cells", [[1, 0], [0, 1.05]], [[1, 0], [0, 1]], 0.1, True),
        ("cells", [[1, 0], [0, 1.05]], [[1, 0], [0, 1]], 0.0, False),
        ("cells", [[1, 0]], [[1, 0], [0, 1]], 9.0, False),
        ("number", float("nan"), 1.0, 9.0, False),
    ],
)
def test_check_answer(kind, given, answer, tolerance, right):
    assert check_answer(kind, given, answer, tolerance) is right


def test_unknown_kind_is_refused():
    with pytest.raises(ValueError, match=r"kind must be 'number' or .*; got 'essay'"):
        check_answer("essay", 1, 1)


def test_a_verdict_reads_as_a_sentence_and_counts_as_its_truth():
    assert repr(Verdict(True, "all rows sum to 1")) == "✓ Right: all rows sum to 1"
    assert repr(Verdict(False, "row 0 sums to 2")) == "✗ Not yet: row 0 sums to 2"
    assert Verdict(True, "")
    assert not Verdict(False, "")


def test_an_exception_in_the_readers_code_becomes_a_sentence():
    result, problem = attempt(lambda: 1 / 0)
    assert result is None
    assert problem == "your function raised ZeroDivisionError: division by zero"
    assert attempt(lambda: 7) == (7, "")


@pytest.mark.parametrize(
    ("got", "sentence"),
    [
        (None, "w is None; does the function return its result?"),
        ([1.0], "w should be a tensor and is a list"),
        (torch.ones(3, 2), "w should have shape (2, 3) and has (3, 2)"),
        (torch.full((2, 3), float("nan")), "w holds NaN"),
        (torch.tensor([[1.0, 1, 1], [1, 1, 4]]), "w[1, 2] should be 1 and is 4"),
        (torch.ones(2, 3, dtype=torch.float64), ""),
    ],
)
def test_difference_names_what_is_wrong(got, sentence):
    assert difference(got, torch.ones(2, 3), name="w") == sentence


def test_equal_infinities_are_no_difference():
    scores = torch.tensor([0.0, float("-inf")])
    assert difference(scores, scores.clone(), name="scores") == ""
    assert "should be -inf" in difference(torch.zeros(2), scores, name="scores")
