"""The grader of the decoder chapter accepts what is right and names what is wrong."""

import pytest
import torch

from attnsteps import causal_mask, combine, padding_mask
from attnsteps.exercises.decoder import grade_decoder_masks


def parts(src_ids, tgt_ids, pad_id):
    size = tgt_ids.shape[1]
    back = torch.ones(size, size, dtype=torch.bool).tril()
    return back, (tgt_ids != pad_id)[:, None, None, :], (src_ids != pad_id)[:, None, None, :]


def right(src_ids, tgt_ids, pad_id):
    back, tgt, src = parts(src_ids, tgt_ids, pad_id)
    return back & tgt, src


def with_the_package(src_ids, tgt_ids, pad_id):
    back = causal_mask(tgt_ids.shape[1])
    return combine(back, padding_mask(tgt_ids, pad_id)), padding_mask(src_ids, pad_id)


@pytest.mark.parametrize("function", [right, with_the_package])
def test_a_right_solution_passes(function):
    verdict = grade_decoder_masks(function)
    assert verdict, verdict


def changed(tgt=lambda back, tgt: back & tgt, src=lambda src: src):
    def function(*given):
        back, tgt_real, src_real = parts(*given)
        return tgt(back, tgt_real), src(src_real)

    return function


WRONG = {
    "one mask": (lambda *given: right(*given)[0], "return two masks, tgt_mask and memory_mask"),
    "numbers": (
        lambda *given: (right(*given)[0].float(), right(*given)[1]),
        "tgt_mask should be boolean and is torch.float32",
    ),
    "a list": (
        lambda *given: (right(*given)[0].tolist(), None),
        "tgt_mask should be a tensor and is a list",
    ),
    "upper": (changed(lambda back, tgt: back.mT & tgt), "tgt_mask lets each word look at later"),
    "not causal": (changed(lambda _, tgt: tgt), "tgt_mask lets a word look ahead"),
    "padding seen": (changed(lambda back, _: back), "tgt_mask lets words look at padding"),
    "inverted": (changed(lambda back, tgt: ~back & tgt), "tgt_mask hides the words before"),
    "query axis": (
        changed(lambda back, tgt: back & tgt.mT),
        "tgt_mask hides padding as a query",
    ),
    "0 for padding": (
        lambda src_ids, tgt_ids, pad_id: right(src_ids, tgt_ids, 0),
        "tgt_mask treats the id 0 as padding",
    ),
    "0 for padding, in the source": (
        lambda src_ids, tgt_ids, pad_id: (right(src_ids, tgt_ids, 3)[0], padding_mask(src_ids, 0)),
        "memory_mask treats the id 0 as padding",
    ),
    "no diagonal": (
        changed(lambda back, tgt: back.tril(-1) & tgt),
        "tgt_mask lets no word look at itself",
    ),
    "something else": (
        changed(lambda back, tgt: back.triu(-1) & tgt),
        "tgt_mask: in sentence 0, position 2 must attend to position 0",
    ),
    "memory causal": (
        changed(src=lambda src: torch.ones(4, 5, dtype=torch.bool).tril() & src),
        "memory_mask is causal",
    ),
    "memory open": (
        changed(src=torch.ones_like),
        "memory_mask hides nothing",
    ),
    "memory upside down": (changed(src=lambda src: ~src), "memory_mask is upside down"),
    "memory of the target": (
        changed(src=lambda src: src[..., :4]),
        "memory_mask should broadcast to (3, 1, 4, 5) and has (3, 1, 1, 4)",
    ),
    "raises": (lambda *_: 1 / 0, "your function raised ZeroDivisionError"),
}


@pytest.mark.parametrize(("function", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_solution_gets_its_sentence(function, sentence):
    verdict = grade_decoder_masks(function)
    assert not verdict
    assert verdict.message.startswith(sentence)
