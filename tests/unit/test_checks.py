"""Numbers are taken from whatever library they come; truth values are not numbers."""

import json

import jaxtyping
import numpy as np
import pytest
import torch

from attnsteps.checks import check_number, check_positive
from attnsteps.model.config import TransformerConfig
from attnsteps.model.transformer import Transformer
from attnsteps.text.tokenizer import Words
from attnsteps.text.vocab import Vocab
from attnsteps.translator.trained import Trained


@pytest.mark.parametrize("number", [3, np.int64(3), np.uint8(3)])
def test_numpys_whole_numbers_are_whole_numbers(number):
    check_positive("size", number)
    check_number("size", number, at_least=1, at_most=3, integer=True)


@pytest.mark.parametrize("number", [0.5, np.float32(0.5), np.float64(0.5), np.int32(0)])
def test_numpys_numbers_are_numbers(number):
    check_number("dropout", number, at_least=0, below=1)


@pytest.mark.parametrize("value", [True, np.True_, "3", None, 3.0, np.float64(3), torch.ones(1)])
def test_what_is_no_whole_number_is_refused(value):
    with pytest.raises(ValueError, match="size must be a positive integer; got "):
        check_positive("size", value)


def test_a_model_of_numpys_sizes_can_be_stored(tmp_path):
    jaxtyping.config.update("jaxtyping_disable", True)  # beartype knows no numbers but Python's
    vocab, tokenizer = Vocab("ab"), Words()
    sizes = {"d_model": np.int64(8), "num_heads": np.int32(2), "dropout": np.float32(0.5)}
    model = Transformer(TransformerConfig.tiny(len(vocab), len(vocab), **sizes))
    Trained(model, vocab, vocab, tokenizer, tokenizer).save(tmp_path / "model.safetensors")
    again = Trained.load(tmp_path / "model.safetensors")
    assert json.dumps(vars(again.model.config))
    assert again.model.config == model.config
