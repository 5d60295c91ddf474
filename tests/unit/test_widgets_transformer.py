"""The widget of the whole model refuses what it cannot show; its lines of code are the model."""

import math
import re
from functools import partial
from types import SimpleNamespace

import pytest
import torch
from matplotlib.figure import Figure
from torch import nn

import attnsteps
from attnsteps import Transformer
from attnsteps.running_example import SENTENCE
from attnsteps.widgets import WholeModel
from attnsteps.widgets.transformer import SIZES, SRC_WORDS, TGT_WORDS, config_of
from attnsteps.widgets.transformer_blocks import AXES, BLOCKS

# Every size is another prime (but D, which is H·Dk), so that swapped axes cannot pass.
SIZE = {"B": 2, "D": 12, "H": 3, "Dff": 17, "N": 2, "Vsrc": 11, "V": 13, "tie": "target"}
BAD = {
    "part": ({"part": "middle"}, "part must be 'all' or 'encoder' or 'decoder'; got 'middle'"),
    "size": ({"size": "big"}, "size must be 'base' or 'tiny'; got 'big'"),
}
BAD_LATER = {
    "heads": (
        ("sizes", {**SIZES["base"], "H": 7}),
        "num_heads must divide d_model = 512 without remainder; got 7",
    ),
    "batch": (("sizes", {**SIZES["base"], "B": 0}), "B must be a positive integer; got 0"),
    "tables": (
        ("sizes", {**SIZES["tiny"], "tie": "all"}),
        "tie must be 'none' or 'target' where source and target have vocabularies of their own, "
        "200 and 300 tokens; got 'all'",
    ),
    "an axis too few": (
        ("sizes", {"B": 2}),
        "sizes must have B, D, H, Dff, N, Vsrc, V, tie; got B",
    ),
}


@pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD.keys())
def test_bad_arguments_are_refused(refuses, arguments, message):
    refuses(lambda: WholeModel(**arguments), message)


@pytest.mark.parametrize(("given", "message"), BAD_LATER.values(), ids=BAD_LATER.keys())
def test_bad_values_are_refused_afterwards_too(refuses, given, message):
    widget = WholeModel()
    refuses(lambda: setattr(widget, *given), message)


@pytest.mark.parametrize("name", ["opened", "lit"])
def test_a_block_or_a_name_that_is_not_there_is_refused(name):
    widget = WholeModel("encoder")
    with pytest.raises(ValueError, match=f"{name} must be"):
        setattr(widget, name, "decoder.cross")


@pytest.mark.parametrize("part", ["all", "encoder", "decoder"])
def test_the_repr_is_stable_and_a_picture_stands_in_where_no_script_runs(part):
    widget = WholeModel(part)
    assert repr(widget) == "WholeModel()"
    data, _ = widget._repr_mimebundle_()
    assert data["image/png"]
    assert isinstance(widget.picture(), Figure)


def test_base_is_the_papers_model_and_tiny_the_books():
    assert WholeModel().config == attnsteps.TransformerConfig.base(37_000, 37_000)
    tiny = attnsteps.TransformerConfig.tiny(200, 300)
    shown = WholeModel(size="tiny").config
    sizes = ("d_model", "num_heads", "d_ff", "num_encoder_layers", "num_decoder_layers", "tie")
    assert all(getattr(shown, name) == getattr(tiny, name) for name in sizes)


def test_the_sentence_is_the_running_one():
    assert [word for word in SRC_WORDS if word != "，"] == [word.zh for word in SENTENCE]
    assert " ".join(TGT_WORDS[1:]) == (
        "the animal did not cross the street because it was too tired"
    )


def plain(code):
    """Return a line of code without the braces around its names."""
    return re.sub(r"\{(?:\w+:)?([^}]*)\}", r"\1", code)


def scope_of(part, model):
    """Return the modules that the lines of code of one part call by name, layer by layer."""
    stack = model.encoder if part == "encoder" else model.decoder
    for layer in stack.layers:
        feed = layer.feed_forward
        scope = {"feed_forward": {"w_1": feed.w_1, "w_2": feed.w_2}}
        norms = [m.norm for m in layer.children() if isinstance(m, attnsteps.Sublayer)]
        scope |= {f"norm_{number}": {"norm": norm} for number, norm in enumerate(norms, 1)}
        for name in ("self", "cross")[: 1 if part == "encoder" else 2]:
            attend = layer.get_submodule(f"{name}_attention")
            scope[name] = {w: getattr(attend, w) for w in ("w_q", "w_k", "w_v", "w_o")}
        yield scope


def run_every_line(model, batch):
    """Run the widget's lines as one forward pass; yield block, step and tensor as they are made."""
    names = {name: getattr(attnsteps, name) for name in attnsteps.__all__}
    names |= {"batch": batch, "pad_id": model.config.pad_id, "math": math, "torch": torch}
    names |= {"dropout": nn.Identity(), "projection": model.projection}
    names["sinusoidal_positions"] = partial(attnsteps.sinusoidal_positions, dtype=torch.float64)
    names |= {"H": SIZE["H"], "D": SIZE["D"], "Dk": SIZE["D"] // SIZE["H"]}
    names |= {"S": batch.src_ids.shape[1], "T": batch.tgt_in.shape[1]}

    def run(block):
        for step in block["steps"]:
            exec(plain(step["code"]), names)
            yield block, step, names[step["tensor"]]

    for part in ("encoder", "decoder"):
        names["embedding"] = model.src_embedding if part == "encoder" else model.tgt_embedding
        blocks = [block for block in BLOCKS if block["part"] == part]
        first = next(i for i, block in enumerate(blocks) if block["layered"])
        last = len(blocks) - next(i for i, b in enumerate(reversed(blocks)) if b["layered"])
        for block in blocks[:first]:
            yield from run(block)
        for scope in scope_of(part, model):
            for block in blocks[first:last]:
                if block["kind"] == "attention":
                    entering = names["x"]
                names.update(scope[block["id"].partition(".")[2]])
                yield from run(block)
            assert names["x"] is not entering
        for block in blocks[last:]:
            yield from run(block)


@pytest.fixture
def model():
    made = Transformer(config_of(SIZE)).double().eval()
    for parameter in made.parameters():
        if parameter.ndim == 1:
            nn.init.normal_(parameter, mean=0.5, std=0.5)
    return made


@pytest.fixture
def batch():
    src_ids = torch.tensor([[4, 9, 10, 0, 0], [5, 5, 6, 7, 8]])
    tgt_in = torch.tensor([[1, 4, 5, 6, 2, 0, 0], [1, 9, 8, 12, 6, 5, 4]])
    return SimpleNamespace(src_ids=src_ids, tgt_in=tgt_in)


def test_its_lines_of_code_are_a_forward_pass_of_the_model(model, batch):
    made = {step["tensor"]: tensor for _, step, tensor in run_every_line(model, batch)}
    logits, weights = model(batch.src_ids, batch.tgt_in, need_weights=True)
    torch.testing.assert_close(made["logits"], logits, rtol=1e-10, atol=1e-10)
    torch.testing.assert_close(made["weights"], weights.cross[-1], rtol=1e-10, atol=1e-10)
    torch.testing.assert_close(made["memory"], model.encode(batch.src_ids), rtol=1e-10, atol=1e-10)
    torch.testing.assert_close(made["probs"], logits.softmax(-1), rtol=1e-10, atol=1e-10)


def test_every_tensor_has_the_shape_that_is_shown(model, batch):
    sizes = {**SIZE, "Dk": 4, "Dv": 4, "S": 5, "T": 7}
    seen = 0
    for block, step, tensor in run_every_line(model, batch):
        expected = tuple(sizes.get(axis) or int(axis) for axis in step["axes"].split())
        assert tuple(tensor.shape) == expected, (block["id"], step["tensor"])
        seen += 1
    steps = {part: [b for b in BLOCKS if b["part"] == part] for part in ("encoder", "decoder")}
    counted = sum(
        len(block["steps"]) * (SIZE["N"] if block["layered"] else 1)
        for blocks in steps.values()
        for block in blocks
    )
    assert seen == counted


def worked_out(formula, sizes):
    """Return the value of a formula such as 4 · ({D:D²} + {D})."""
    squared = re.sub(r"\{(\w+):\1²\}", r"{\1}**2", formula)
    return eval(re.sub(r"\{(\w+)(?::\w+)?\}", r"\1", squared).replace("·", "*"), {**sizes})


def test_every_learned_matrix_has_the_shape_that_is_shown():
    sizes = {**SIZE, "2": 2}
    for block in BLOCKS:
        numbers = sum(
            len(group["names"])
            * (
                math.prod(sizes[axis] for axis in group["axes"].split())
                + sum(sizes[axis] for axis in group["bias"].split())
            )
            for group in block["learned"]
        )
        assert worked_out(block["parameters"] or "0", SIZE) == numbers, block["id"]


def test_the_formulas_of_operations_are_those_of_the_package():
    sizes = {**SIZE, "S": 5, "T": 7}
    total = sum(
        worked_out(block["flops"] or "0", sizes) * (SIZE["N"] if block["layered"] else 1)
        for block in BLOCKS
    )
    assert total == attnsteps.count_flops(config_of(SIZE), SIZE["B"], 5, 7)


def test_every_name_in_braces_is_made_learned_or_an_axis():
    known = {step["tensor"] for block in BLOCKS for step in block["steps"]} | AXES.keys()
    for block in BLOCKS:
        own = known | {name for matrices in block["learned"] for name in matrices["names"]}
        texts = [text for step in block["steps"] for text in (step["formula"], step["code"])]
        for text in (*texts, block["parameters"], block["flops"]):
            for key in re.findall(r"\{(\w+)(?::[^}]*)?\}", text):
                assert key in own, (block["id"], key)
