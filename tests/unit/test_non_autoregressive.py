"""The non-autoregressive model: its length predictor, what it sees, and that it can be trained."""

import dataclasses
import math

import pytest
import torch
from torch import nn
from torch.nn import functional

from attnsteps.decoding.mask_predict import all_at_once
from attnsteps.model.config import TransformerConfig
from attnsteps.model.non_autoregressive import LengthPredictor, NonAutoregressive
from attnsteps.training.non_autoregressive import mask_some
from tests.decoding import EOS, PAD, SENTENCES, padded, randomise

MASK = 3
CONFIG = TransformerConfig.tiny(
    11, 11, d_model=12, num_heads=3, d_ff=20, causal=False, mask_id=MASK, max_len=13
)


def make(seed=1, dtype=torch.float64):
    return randomise(NonAutoregressive(CONFIG).to(dtype).eval(), seed)


# The length predictor --------------------------------------------------------------------------


def test_length_logits_by_hand():
    predictor = LengthPredictor(d_model=2, max_len=5)
    with torch.no_grad():
        predictor.projection.weight.copy_(torch.tensor([[0.5, 0.25]]))
        predictor.projection.bias.fill_(-1.0)
        predictor.log_precision.fill_(math.log(4.0))
    memory = torch.tensor([[[2.0, 4.0], [4.0, 4.0], [100.0, 100.0]]])
    logits = predictor(memory, torch.tensor([[True, True, False]]))
    # 1 word and 2, so 3: and each step away from it costs 4/2, 4/2 · 4, …; padding brings none.
    torch.testing.assert_close(logits, torch.tensor([[-18.0, -8.0, -2.0, 0.0, -2.0]]))


def test_before_it_learns_each_source_token_brings_about_one_word():
    predictor = LengthPredictor(d_model=8, max_len=9)
    memory, is_word = torch.zeros(1, 6, 8), torch.tensor([[True] * 5 + [False]])
    assert predictor(memory, is_word).argmax().item() + 1 == 5 + 1  # and the end


def test_lengths_are_scored_where_the_memory_is():
    predictor = LengthPredictor(d_model=4, max_len=7).to("meta")
    memory, is_word = torch.ones(2, 3, 4), torch.ones(2, 3, dtype=torch.bool)
    assert predictor(memory.to("meta"), is_word.to("meta")).device.type == "meta"


def test_padding_and_the_rest_of_the_batch_make_no_difference():
    model = make()
    tgt_ids = torch.tensor([[5, MASK, MASK, EOS]]).expand(len(SENTENCES), -1)
    logits, length_logits = model(padded(SENTENCES, extra=2), tgt_ids)
    for row, sentence in enumerate(SENTENCES):
        alone, length_alone = model(padded([sentence]), tgt_ids[:1])
        torch.testing.assert_close(logits[row], alone[0], rtol=1e-10, atol=1e-10)
        torch.testing.assert_close(length_logits[row], length_alone[0], rtol=1e-10, atol=1e-10)


# What it sees --------------------------------------------------------------------------------


def test_every_position_sees_every_other():
    model, src_ids = make(), padded([[5, 3, 8]])
    tgt_ids = torch.tensor([[MASK, 7, MASK, 9]])
    logits, _ = model(src_ids, tgt_ids)
    for t in range(4):
        changed = tgt_ids.clone()
        changed[0, t] = 6
        moved = (model(src_ids, changed)[0] - logits).abs().amax(dim=-1)[0]
        assert (moved > 1e-6).all()


def test_target_padding_moves_nothing():
    model, src_ids = make(), padded([[5, 3, 8]])
    logits, _ = model(src_ids, torch.tensor([[MASK, 7, EOS]]))
    longer, _ = model(src_ids, torch.tensor([[MASK, 7, EOS, PAD, PAD]]))
    torch.testing.assert_close(longer[:, :3], logits, rtol=1e-10, atol=1e-10)


def test_forward_is_the_transformer_and_the_predictor():
    model, src_ids = make(), padded(SENTENCES)
    tgt_ids = torch.randint(3, 11, (len(SENTENCES), 4))
    logits, length_logits = model(src_ids, tgt_ids)
    assert logits.shape == (len(SENTENCES), 4, 11)
    assert length_logits.shape == (len(SENTENCES), 13)
    torch.testing.assert_close(logits, model.transformer(src_ids, tgt_ids))
    memory = model.transformer.encode(src_ids)
    torch.testing.assert_close(length_logits, model.length_predictor(memory, src_ids != PAD))


# Training ------------------------------------------------------------------------------------


def test_it_can_be_trained_and_then_translates():
    # Positions that are learned tell the masks apart within a few steps; sinusoids need hundreds.
    model = NonAutoregressive(dataclasses.replace(CONFIG, positions="learned"))
    src_ids = padded([[5, 3, 8], [4], [9, 7]])
    tgt_ids = torch.tensor([[4, 5, 6, EOS], [7, EOS, PAD, PAD], [8, 9, EOS, PAD]])
    lengths = torch.tensor([4, 2, 3])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    generator = torch.Generator().manual_seed(0)
    for step in range(100):
        hidden = mask_some(tgt_ids, CONFIG, generator=generator)
        logits, length_logits = model(src_ids, hidden)
        is_hidden = hidden == MASK
        loss = nn.functional.cross_entropy(logits[is_hidden], tgt_ids[is_hidden])
        loss = loss + nn.functional.cross_entropy(length_logits, lengths - 1)
        optimizer.zero_grad()
        loss.backward()
        if step == 0:
            missing = [name for name, p in model.named_parameters() if p.grad is None]
            assert missing == []
        optimizer.step()
    decoded = all_at_once(model, src_ids)
    assert decoded.ids.tolist() == tgt_ids.tolist()
    assert decoded.lengths.tolist() == lengths.tolist()


def test_any_number_of_tokens_from_one_to_all_is_hidden_equally_often():
    tgt_ids = torch.tensor([[5, 6, 7, EOS, PAD, PAD]]).expand(8000, -1)
    hidden = mask_some(tgt_ids, CONFIG, generator=torch.Generator().manual_seed(0))
    is_hidden = hidden == MASK
    assert torch.equal(hidden[~is_hidden], tgt_ids[~is_hidden])
    assert not is_hidden[:, 4:].any()
    share = is_hidden.sum(dim=1).bincount(minlength=5) / 8000
    assert share[0] == 0
    assert share[1:].tolist() == pytest.approx([0.25] * 4, abs=0.02)
    places = is_hidden[:, :4].float().mean(dim=0)  # (1 + 2 + 3 + 4) / 16 at each place
    assert places.tolist() == pytest.approx([0.625] * 4, abs=0.02)


def test_hiding_leaves_the_original_alone():
    tgt_ids = torch.tensor([[5, EOS]])
    mask_some(tgt_ids, CONFIG)
    assert tgt_ids.tolist() == [[5, EOS]]


# Bad input ----------------------------------------------------------------------------------


def config(**changes):
    return TransformerConfig.tiny(11, 11, **{"causal": False, "mask_id": 3, **changes})


BAD = {
    "a causal decoder": (
        lambda: NonAutoregressive(config(causal=True)),
        "config.causal must be False where all tokens are found at once; got True",
    ),
    "nothing to hide with": (
        lambda: NonAutoregressive(config(mask_id=None)),
        "config.mask_id must be an id, for what is still to be found; got None",
    ),
    "an id beyond the vocabulary": (
        lambda: config(mask_id=11),
        "mask_id must lie in 0..10 (vocab_size = 11); got 11",
    ),
    "an id that has a meaning": (
        lambda: config(mask_id=2),
        "mask_id must be none of pad_id, bos_id and eos_id, (0, 1, 2); got 2",
    ),
    "no id": (lambda: config(mask_id="3"), "mask_id must be an integer; got '3'"),
    "no width": (
        lambda: LengthPredictor(0, 5),
        "d_model must be a positive integer; got 0",
    ),
    "no length": (
        lambda: LengthPredictor(5, 0),
        "max_len must be a positive integer; got 0",
    ),
    "no sentence": (
        lambda: mask_some(torch.zeros(0, 3, dtype=torch.int64), CONFIG),
        "tgt_ids must hold at least one sentence of one id; got (0, 3)",
    ),
    "a sentence of padding": (
        lambda: mask_some(torch.tensor([[5, 2], [0, 0]]), CONFIG),
        "tgt_ids must hold a word in every row, not only padding (pad_id = 0); got none in row 1",
    ),
    "an empty batch": (
        lambda: make()(torch.zeros(0, 3, dtype=torch.int64), torch.tensor([[5, 2]])),
        "src_ids must hold at least one sentence of one id; got (0, 3)",
    ),
}


@pytest.mark.parametrize(("call", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_refused(refuses, call, message):
    refuses(call, message)


def test_the_lengths_are_whole_numbers_whatever_the_model_was_converted_to():
    torch.manual_seed(0)
    predictor = LengthPredictor(4, 512)
    memory, is_word = torch.randn(2, 3, 4), torch.ones(2, 3, dtype=torch.bool)
    with torch.no_grad():
        for parameter in predictor.parameters():  # to numbers that bfloat16 has
            parameter.copy_(parameter.bfloat16())
        before = predictor(memory, is_word)
        again = predictor.bfloat16().float()(memory, is_word)
    assert torch.equal(before, again)


def test_padding_stays_on_either_side():
    generator = torch.Generator().manual_seed(0)
    tgt_ids = torch.tensor([[0, 0, 5, 6, 2], [5, 6, 2, 0, 0]]).repeat(50, 1)
    hidden = mask_some(tgt_ids, CONFIG, generator=generator)
    assert torch.equal(hidden == 0, tgt_ids == 0)


def test_lengths_far_apart_can_be_learned_in_float16():
    predictor = LengthPredictor(d_model=4, max_len=512)
    with torch.autocast("cpu", dtype=torch.float16):
        logits = predictor(torch.ones(2, 3, 4), torch.ones(2, 3, dtype=torch.bool))
    assert logits.isfinite().all()
    functional.cross_entropy(logits.float(), torch.tensor([2, 300])).backward()
    assert all(p.grad.isfinite().all() for p in predictor.parameters())
