"""The grader of the chapter on the whole model accepts what is right and names what is wrong."""

import pytest
import torch

from attnsteps import Transformer, TransformerConfig
from attnsteps.exercises.transformer import grade_count_parameters


def by_formula(d_model, d_ff, num_layers, vocab_size):
    attention = 4 * (d_model**2 + d_model)
    feed_forward = 2 * d_model * d_ff + d_ff + d_model
    layers = 3 * attention + 2 * feed_forward + 5 * 2 * d_model
    return num_layers * layers + vocab_size * d_model


def by_building(d_model, d_ff, num_layers, vocab_size):
    config = TransformerConfig.base(
        vocab_size,
        vocab_size,
        d_model=d_model,
        num_heads=4,
        d_ff=d_ff,
        num_encoder_layers=num_layers,
        num_decoder_layers=num_layers,
    )
    with torch.device("meta"):
        return Transformer(config).num_parameters()


@pytest.mark.parametrize("function", [by_formula, by_building], ids=["formula", "building"])
def test_a_right_solution_passes(function):
    verdict = grade_count_parameters(function)
    assert repr(verdict) == (
        "✓ Right: attentions, feed-forward networks, norms, and the table once"
    )


def more(extra):
    return lambda d, f, n, v: by_formula(d, f, n, v) + extra(d, f, n, v)


WRONG = {
    "nothing": (lambda *_: None, "the result should be a number and is a NoneType"),
    "raises": (lambda d: d, "your function raised TypeError: "),
    "the table three times": (more(lambda d, f, n, v: 2 * v * d), "the table is counted three"),
    "the table twice": (more(lambda d, f, n, v: v * d), "the table is counted twice"),
    "no table": (more(lambda d, f, n, v: -v * d), "the table with a vector for each token is"),
    "a bias at the exit": (more(lambda d, f, n, v: v), "the output projection has no bias"),
    "no cross-attention": (
        more(lambda d, f, n, v: -n * 4 * (d * d + d)),
        "the decoder's cross-attentions are missing: each",
    ),
    "two equal stacks": (
        more(lambda d, f, n, v: -n * (4 * (d * d + d) + 2 * d)),
        "the decoder's cross-attentions are missing, and the norms after them",
    ),
    "two norms in each layer": (more(lambda d, f, n, v: -n * 2 * d), "a decoder layer has three"),
    "no norms": (more(lambda d, f, n, v: -n * 10 * d), "the norms are missing"),
    "a norm without a shift": (more(lambda d, f, n, v: -n * 5 * d), "a norm learns two vectors"),
    "no biases in attention": (
        more(lambda d, f, n, v: -n * 12 * d),
        "the biases of the attentions are missing",
    ),
    "no biases in between": (
        more(lambda d, f, n, v: -n * 2 * (f + d)),
        "the biases of the feed-forward networks are missing",
    ),
    "final norms": (more(lambda d, f, n, v: 4 * d), "the paper's stacks do not end with a norm"),
    "one layer": (lambda d, f, n, v: by_formula(d, f, 1, v), "only one layer of each stack"),
    "another number": (
        more(lambda *_: 1),
        "for 512, 2048, 6, 37000 your count is 63,082,497, which is too many",
    ),
    "right for base only": (
        lambda *_: 63_082_496,
        "for 12, 17, 5, 101 your count is 63,082,496, which is too many",
    ),
}


@pytest.mark.parametrize(("function", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_solution_gets_its_sentence(function, sentence):
    verdict = grade_count_parameters(function)
    assert not verdict
    assert verdict.message.startswith(sentence)
