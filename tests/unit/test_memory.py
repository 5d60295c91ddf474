"""What a training step keeps, by formula, is what autograd keeps."""

import pytest
import torch

from attnsteps.analysis.memory import training_bytes
from attnsteps.model.config import TransformerConfig
from attnsteps.model.transformer import Transformer
from attnsteps.training.loss import summed_cross_entropy
from attnsteps.training.update import PRECISIONS

CASES = {
    "deep encoder": (
        {"num_encoder_layers": 3, "num_decoder_layers": 1, "d_model": 96, "d_ff": 160},
        (5, 7, 11),
    ),
    "deep decoder": (
        {"num_encoder_layers": 1, "num_decoder_layers": 4, "num_heads": 2, "d_ff": 512},
        (3, 13, 6),
    ),
    "long": ({"num_heads": 8}, (1, 150, 90)),
}


def kept_by_autograd(model, sizes, *, precision, fused):
    """Add up what is put aside for the backward pass; the parameters themselves are not."""
    batch_size, src_len, tgt_len = sizes
    src_ids = torch.randint(5, 50, (batch_size, src_len))
    tgt_ids = torch.randint(5, 50, (batch_size, tgt_len + 1))
    own = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
    found, alive = {}, []

    def note(tensor):
        memory = tensor.untyped_storage()
        if memory.data_ptr() not in own:
            alive.append(tensor)
            found[memory.data_ptr()] = memory.nbytes()
        return tensor

    watched = torch.autograd.graph.saved_tensors_hooks(note, lambda same: same)
    cast = torch.autocast("cpu", PRECISIONS[precision], enabled=precision != "float32")
    with watched, cast:
        logits = model(src_ids, tgt_ids[:, :-1], need_weights=not fused)
        logits = logits if fused else logits[0]
        summed_cross_entropy(logits, tgt_ids[:, 1:], label_smoothing=0.1)
    return sum(found.values())


@pytest.mark.parametrize("fused", [True, False], ids=["fused", "explicit"])
@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize(("changes", "sizes"), CASES.values(), ids=CASES)
def test_the_formula_is_within_two_per_cent_of_what_autograd_keeps(
    changes, sizes, precision, fused
):
    config = TransformerConfig.tiny(71, 97, **changes)
    model = Transformer(config).train()
    number = model.num_parameters()
    how = {"precision": precision, "fused": fused}
    counted = training_bytes(config, *sizes, num_parameters=number, **how)
    measured = kept_by_autograd(model, sizes, **how)
    left_out = attention_masks(config, sizes, precision) if fused else 0
    needed = measured - left_out
    assert counted.copies + counted.activations + counted.attention == pytest.approx(
        needed, rel=0.02
    )


def attention_masks(config, sizes, precision):
    """The fused kernel turns each attention's mask into numbers; those of long ones weigh much."""
    batch_size, src_len, tgt_len = sizes
    width = 4 if precision == "float32" else 2
    square = config.num_decoder_layers * tgt_len**2
    rows = (config.num_encoder_layers + config.num_decoder_layers) * src_len
    return width * batch_size * (square + rows)


def test_every_parameter_has_four_numbers_of_32_bits():
    config = TransformerConfig.tiny(71, 97)
    model = Transformer(config)
    number = model.num_parameters()
    counted = training_bytes(config, 2, 3, 5, num_parameters=number, precision="bfloat16")
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(1, 2, dtype=torch.long), torch.ones(1, 2, dtype=torch.long)).sum().backward()
    optimizer.step()
    sizes = [p.nbytes for p in model.parameters()], [p.grad.nbytes for p in model.parameters()]
    assert (counted.weights, counted.gradients) == (sum(sizes[0]), sum(sizes[1]))
    averages = [s[key] for s in optimizer.state.values() for key in ("exp_avg", "exp_avg_sq")]
    assert counted.adam == sum(average.nbytes for average in averages)
    assert counted.total == sum(counted)


def test_a_batch_twice_as_large_keeps_twice_as_much_and_the_parameters_do_not_grow():
    config = TransformerConfig.tiny(71, 97)
    one, two = (training_bytes(config, b, 7, 9, num_parameters=10) for b in (3, 6))
    assert (two.activations, two.attention) == (2 * one.activations, 2 * one.attention)
    assert (two.weights, two.adam, two.copies) == (one.weights, one.adam, one.copies)


BAD = {
    "no batch": ((0, 3, 5), {}, {}, "batch_size must be a positive integer; got 0"),
    "no source": ((2, 0, 5), {}, {}, "src_len must be a positive integer; got 0"),
    "no length": ((2, 3, 0), {}, {}, "tgt_len must be a positive integer; got 0"),
    "no parameters": (
        (2, 3, 5), {"num_parameters": 0}, {}, "num_parameters must be a positive integer; got 0",
    ),
    "precision": (
        (2, 3, 5), {"precision": "float8"}, {},
        "precision must be 'float32' or 'bfloat16' or 'float16'; got 'float8'",
    ),
    "pre-norm": ((2, 3, 5), {}, {"norm": "pre"}, "config.norm must be 'post'; got 'pre'"),
    "gated": (
        (2, 3, 5), {}, {"activation": "swiglu"}, "config.activation must be 'relu'; got 'swiglu'",
    ),
    "final norm": (
        (2, 3, 5), {}, {"final_norm": True}, "config.final_norm must be False; got True",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("sizes", "how", "changes", "message"), BAD.values(), ids=BAD)
def test_bad_arguments_are_refused(refuses, sizes, how, changes, message):
    config = TransformerConfig.tiny(71, 97, **changes)
    refuses(lambda: training_bytes(config, *sizes, **{"num_parameters": 9, **how}), message)
