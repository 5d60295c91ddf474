"""The leak detector finds what is planted, and finds nothing in the package's model."""

import pytest
import torch
from torch import nn

from attnsteps import (
    Leak,
    MultiHeadAttention,
    Transformer,
    TransformerConfig,
    causal_mask,
    combine,
    find_leaks,
    influence,
    padding_mask,
)

B, S, T, D, H = 2, 7, 5, 8, 2
IDS = torch.tensor([[4, 5, 6, 7, 8], [5, 4, 9, 0, 0]])
SOURCE = torch.tensor([[4, 5, 6, 7, 8, 9, 4], [9, 8, 7, 6, 5, 0, 0]])

modes = pytest.mark.parametrize("mode", ["training", "evaluation"])


class Masked(nn.Module):
    """One self-attention, with a mask that may depend on the mode."""

    def __init__(self, mask):
        super().__init__()
        self.attention = MultiHeadAttention(D, H, dropout=0.2)
        self.mask = mask

    def forward(self, x):
        return self.attention(x, x, x, self.mask(self.training))


def upper():
    return torch.ones(T, T, dtype=torch.bool).triu(1).tolist()


def test_by_hand():
    def shifted(x):  # each output is the input to its right
        return x.roll(-1, dims=1)

    x = torch.randn(1, 3, 2)
    assert find_leaks(shifted, x) == [Leak("", (0, 0), (0, 1)), Leak("", (0, 1), (0, 2))]
    assert influence(shifted, x)[0, :, 0].int().tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    assert str(Leak("evaluation", (0, 1), (0, 4))) == (
        "in evaluation, sentence 0: position 1 sees position 4"
    )
    assert str(Leak("", (0, 1), (1, 4))) == "sentence 0: position 1 sees position 4 of sentence 1"


@modes
def test_bug_zoo_01_a_mask_that_is_left_out_in_one_mode_is_found_there(mode):
    model = Masked(lambda training: None if training == (mode == "training") else causal_mask(T))
    leaks = find_leaks(model, torch.randn(1, T, D))
    assert {leak.mode for leak in leaks} == {mode}
    found = [(leak.output[1], leak.input[1]) for leak in leaks]
    assert found == [(i, j) for i in range(T) for j in range(T) if upper()[i][j]]
    assert not find_leaks(Masked(lambda training: causal_mask(T)), torch.randn(B, T, D))


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_bug_zoo_01_the_transformer_has_no_leak_in_any_mode(norm):
    config = TransformerConfig.tiny(11, 11, d_model=D, num_heads=H, dropout=0.3, norm=norm)
    model = Transformer(config)
    assert find_leaks(model, SOURCE, IDS, pad_id=0) == []
    everything = torch.ones(T, S, dtype=torch.bool)
    assert find_leaks(model, SOURCE, IDS, vary=0, allowed=everything, pad_id=0) == []
    open_config = TransformerConfig.tiny(11, 11, d_model=D, num_heads=H, causal=False)
    leaks = find_leaks(Transformer(open_config), SOURCE, IDS, pad_id=0)
    # Ten places ahead in the sentence of five words, three in that of three, and the two
    # paddings see nothing that follows: in both modes.
    assert len(leaks) == 2 * (10 + 3)


def test_bug_zoo_06_a_large_number_in_place_of_infinity_leaks_where_scores_are_low():
    def attend(fill, scale):
        def function(x):
            scores = (x @ -x.mT * scale).masked_fill(~causal_mask(T), fill)
            return scores.softmax(-1) @ x

        return function

    x = 1 + torch.rand(1, T, D)
    assert not find_leaks(attend(-1e4, 1.0), x)
    assert find_leaks(attend(-1e4, 1e4), x)
    assert not find_leaks(attend(float("-inf"), 1e4), x)


def test_bug_zoo_07_nan_is_refused_and_not_taken_for_rest(refuses):
    def attend(x):
        scores = (x @ x.mT).masked_fill(torch.ones(T, T).triu() > 0, float("-inf"))
        return scores.softmax(-1) @ x

    refuses(
        lambda: find_leaks(attend, torch.randn(1, T, D)),
        "the model's output must be free of NaN, since nothing moves it;"
        " got NaN in sentence 0 at position 0",
    )


def test_bug_zoo_08_a_mask_the_other_way_round_sees_the_future_alone():
    model = nn.MultiheadAttention(D, H, batch_first=True)
    x = torch.randn(1, T, D)
    seen = influence(lambda x: model(x, x, x, attn_mask=causal_mask(T), need_weights=False), x)
    # A position sees itself through its query; all else is the future.
    itself = torch.eye(T, dtype=torch.bool)
    assert (seen[0, :-1, 0] & ~itself[:-1]).tolist() == upper()[:-1]
    assert find_leaks(lambda x: model(x, x, x, attn_mask=~causal_mask(T)), x) == []


def test_bug_zoo_09_padding_on_the_query_axis_lets_words_see_padding():
    attention = MultiHeadAttention(D, H)
    right = padding_mask(IDS, pad_id=0)
    x = torch.randn(B, T, D)

    def leaks(mask):
        return find_leaks(lambda x: attention(x, x, x, mask), x, allowed=right)

    assert leaks(right) == []
    assert leaks(right.mT) == [Leak("", (1, i), (1, j)) for i in range(3) for j in (3, 4)]


def test_bug_zoo_13_sentences_that_mix_are_found():
    first = nn.MultiheadAttention(D, H)  # wants (T, B, D)
    x = torch.randn(B, T, D)
    leaks = find_leaks(lambda x: first(x, x, x), x)
    assert Leak("", (0, 0), (1, 0)) in leaks
    assert all(leak.output[0] != leak.input[0] for leak in leaks)
    assert all(leak.output[1] == leak.input[1] for leak in leaks)
    assert "of sentence 1" in str(leaks[0])


def test_it_knows_models_without_attention():
    x = torch.randn(1, T, D)
    assert find_leaks(nn.LSTM(D, D, batch_first=True), x) == []
    both_ways = nn.LSTM(D, D, batch_first=True, bidirectional=True)
    assert len(find_leaks(both_ways, x)) == 2 * 10
    convolution = nn.Conv1d(D, D, 3, padding=1)  # sees one place ahead
    leaks = find_leaks(lambda x: convolution(x.mT).mT, x)
    assert [(leak.output[1], leak.input[1]) for leak in leaks] == [(0, 1), (1, 2), (2, 3), (3, 4)]


def test_every_id_is_changed_into_another_of_the_batch_and_padding_is_left_alone():
    asked = []

    def model(ids):
        asked.append(ids.clone())
        return nn.functional.one_hot(ids, 10).double()

    seen = influence(model, IDS, pad_id=0)
    assert torch.equal(asked[0], IDS)
    assert len(asked) == 1 + 8
    for ids in asked[1:]:
        assert (ids != IDS).sum() == 1
        assert set(ids.flatten().tolist()) <= {4, 5, 6, 7, 8, 9, 0}
        assert torch.equal(ids == 0, IDS == 0)
    own = torch.eye(B * T, dtype=torch.bool).view(B, T, B, T)
    assert torch.equal(seen, own & (IDS != 0))
    # Without a pad_id, zeros are ids like any other.
    asked.clear()
    assert torch.equal(influence(model, IDS), own)
    assert len(asked) == 1 + 10


def test_a_large_input_is_changed_by_a_large_number():
    x = 1e9 * torch.randn(1, T, D)  # to which adding 1 makes no difference in float32
    assert torch.equal(influence(lambda x: x, x)[0, :, 0], torch.eye(T, dtype=torch.bool))


def test_outputs_without_features_and_of_another_length():
    x = torch.randn(1, 4, 3)
    allowed = torch.tensor([[True, True, False, False], [False, False, True, True]])
    assert find_leaks(lambda x: x.sum(-1).view(1, 2, 2).sum(-1), x, allowed=allowed) == []
    assert len(find_leaks(lambda x: x.sum(-1).view(1, 2, 2).sum(-1), x, allowed=~allowed)) == 4


def test_tolerance_and_infinite_outputs():
    def model(x):
        hidden = torch.full_like(x, -torch.inf)
        return torch.cat([x + 1e-9 * x.sum(1, keepdim=True), hidden], dim=-1)

    x = torch.randn(1, T, D, dtype=torch.float64)
    assert len(find_leaks(model, x)) == 10
    assert find_leaks(model, x, tolerance=1e-3) == []


def test_the_model_is_left_as_it_was():
    model = nn.Sequential(nn.BatchNorm1d(T), Masked(lambda training: causal_mask(T)))
    model.train()
    model[0].eval()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    state = torch.get_rng_state()
    x = torch.randn(B, T, D)
    state = torch.get_rng_state()
    find_leaks(lambda x: x, x)
    leaks = find_leaks(model, x)
    assert torch.equal(torch.get_rng_state(), state)
    assert leaks  # in training, the batch norm mixes the sentences
    assert {leak.mode for leak in leaks} == {"training"}
    assert [model.training, model[0].training, model[1].training] == [True, False, True]
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


def test_padding_may_be_allowed_and_the_future_not():
    attention = MultiHeadAttention(D, H)
    mask = combine(causal_mask(T), padding_mask(IDS, pad_id=0))
    x = torch.randn(B, T, D)
    assert find_leaks(lambda x: attention(x, x, x, mask), x, allowed=mask) == []
    assert find_leaks(lambda x: attention(x, x, x, causal_mask(T)), x, allowed=mask) != []


X = torch.zeros(1, T, D)
BAD = {
    "no inputs": (lambda: find_leaks(lambda: X), "vary must name one of the 0 inputs; got -1"),
    "an input that is not there": (
        lambda: find_leaks(lambda x: x, X, vary=1),
        "vary must name one of the 1 inputs; got 1",
    ),
    "one sentence without a batch": (
        lambda: find_leaks(lambda x: x, torch.tensor([1, 2])),
        "inputs[0] must be a tensor (B, T, ...) that is not empty; got shape (2,)",
    ),
    "no tensor": (
        lambda: find_leaks(lambda x: x, [[1, 2]]),
        "inputs[0] must be a tensor (B, T, ...) that is not empty; got list",
    ),
    "truth values": (
        lambda: find_leaks(lambda x: x, X > 0),
        "inputs[0] must hold ids or floating-point numbers; got torch.bool",
    ),
    "the same word again and again": (
        lambda: find_leaks(lambda x: x, X, torch.tensor([[7, 7, 0]]), pad_id=0),
        "inputs[1] must hold two different ids besides padding; got [7]",
    ),
    "an output of ids": (
        lambda: find_leaks(lambda ids: ids, IDS),
        "the model's output must be a floating-point tensor; got torch.int64",
    ),
    "an output of another batch": (
        lambda: find_leaks(lambda x: x[0], X.expand(2, T, D)),
        "the model's output must have shape (B, To, ...) with B = 2; got (5, 8)",
    ),
    "other lengths without a mask": (
        lambda: find_leaks(lambda x: x[:, 1:], X),
        "allowed must be given where outputs and inputs differ in number; got None for 4 and 5",
    ),
    "a mask of another size": (
        lambda: find_leaks(lambda x: x, X, allowed=causal_mask(4)),
        "mask must broadcast to (B, H, Tq, Tk) = (1, 1, 5, 5); got (4, 4)",
    ),
    "a negative tolerance": (
        lambda: find_leaks(lambda x: x, X, tolerance=-1.0),
        "tolerance must be a number of at least 0; got -1.0",
    ),
}


@pytest.mark.parametrize(("call", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_refused(refuses, call, message):
    refuses(call, message)
