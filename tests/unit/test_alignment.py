"""Alignments: links read off the attention, and how far they are from the known ones."""

import pytest
import torch

from attnsteps.analysis.alignment import (
    alignment_error_rate,
    attention_links,
    cross_attention_links,
)
from attnsteps.model.config import TransformerConfig
from attnsteps.model.transformer import Transformer

EXAMPLES = [([5, 6, 7, 8], [9, 10]), ([5], [6, 7, 8]), ([9, 8, 7], [10, 9, 8, 7, 6])]


def make_model():
    torch.manual_seed(1)
    return Transformer(
        TransformerConfig.tiny(11, 13, d_model=12, num_heads=3, num_decoder_layers=2, dropout=0.5)
    )


def test_each_target_word_is_linked_to_what_it_attends_to_most():
    weights = torch.tensor([[0.2, 0.5, 0.3], [0.6, 0.4, 0.0]])
    assert attention_links(weights) == {(1, 0), (0, 1)}


def test_och_and_neys_rate_by_hand():
    """Four links found; two of three sure ones among them, and one more that is possible."""
    found = [{(0, 0), (1, 1), (2, 2), (3, 0)}]
    sure = [{(0, 0), (1, 1), (1, 2)}]
    possible = [{(0, 0), (1, 1), (1, 2), (2, 2)}]
    assert alignment_error_rate(found, sure, possible) == pytest.approx(1 - (2 + 3) / (4 + 3))


def test_without_possible_links_it_is_one_minus_f1():
    found, sure = [{(0, 0), (1, 1), (2, 1)}, {(0, 0)}], [{(0, 0), (1, 2)}, {(0, 0)}]
    precision, recall = 2 / 4, 2 / 3
    f1 = 2 * precision * recall / (precision + recall)
    assert alignment_error_rate(found, sure) == pytest.approx(1 - f1)


def test_sure_links_are_possible_even_if_that_list_forgets_them():
    assert alignment_error_rate([{(0, 0)}], [{(0, 0)}], [set()]) == 0


def test_nothing_right_is_one_and_all_right_is_zero():
    assert alignment_error_rate([{(0, 0)}], [{(0, 1)}]) == 1
    assert alignment_error_rate([[(0, 1), (1, 0)]], [((1, 0), (0, 1))]) == 0


def test_sentences_count_by_their_links():
    found, sure = [{(0, 0)}, {(i, i) for i in range(9)}], [{(0, 1)}, {(i, i) for i in range(9)}]
    assert alignment_error_rate(found, sure) == pytest.approx(0.1)


@pytest.mark.parametrize("layer", [0, 1, -1])
@pytest.mark.parametrize("head", [None, 2])
def test_links_are_those_of_the_reference_read_sentence_by_sentence(layer, head):
    model = make_model().train()
    links = cross_attention_links(model, EXAMPLES, layer=layer, head=head, batch_size=2)
    assert model.training
    model.eval()
    for (src, tgt), found in zip(EXAMPLES, links, strict=True):
        inputs = torch.tensor([src]), torch.tensor([[1, *tgt]])
        cross = model(*inputs, need_weights=True)[1].cross[layer][0]  # (H, T, S)
        weights = cross.mean(dim=0) if head is None else cross[head]
        assert found == {(int(weights[t].argmax()), t) for t in range(len(tgt))}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: alignment_error_rate([set()], []),
            "sure must hold the links of 1 sentences, as found does; got 0",
        ),
        (
            lambda: alignment_error_rate([set()], [set()]),
            "found and sure must hold at least one link; got none",
        ),
        (
            lambda: attention_links(torch.zeros(1, 2, 3)),
            "weights must have shape (T, S); got (1, 2, 3)",
        ),
        (
            lambda: cross_attention_links(make_model(), EXAMPLES, layer=2),
            "layer must be an integer in [-2, 1]; got 2",
        ),
        (
            lambda: cross_attention_links(make_model(), EXAMPLES, head=-1),
            "head must be an integer in [0, 2]; got -1",
        ),
    ],
)
def test_bad_input_is_named(refuses, call, message):
    refuses(call, message)


def test_reading_links_leaves_the_mode_of_every_module():
    model = Transformer(TransformerConfig.tiny(11, 13)).train()
    model.encoder.eval()
    modes = [module.training for module in model.modules()]
    cross_attention_links(model, [([5, 6], [7, 8])])
    assert [module.training for module in model.modules()] == modes


def test_no_batch_is_refused(refuses):
    model = Transformer(TransformerConfig.tiny(11, 13))
    refuses(
        lambda: cross_attention_links(model, [([5, 6], [7, 8, 9])], batch_size=-1),
        "batch_size must be a positive integer; got -1",
    )
