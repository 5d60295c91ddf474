"""``js/maths/transformer.js`` against the package."""

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from attnsteps import Sublayer, Transformer
from attnsteps.widgets.transformer import SIZES, config_of
from attnsteps.widgets.transformer_blocks import BLOCKS
from tests.parity.case import case


def cases() -> list[dict]:
    """Count every block of real models, and their shapes, whose numbers are multiplied out here."""
    sizes = {"B": 3, "D": 12, "H": 3, "Dff": 17, "N": 2, "Vsrc": 11, "V": 13, "tie": "none"}
    lengths = {"S": 5, "T": 7}
    every = [
        sizes,
        {**sizes, "tie": "target", "N": 1},
        {**sizes, "tie": "all", "Vsrc": 13, "H": 4},
        *SIZES.values(),
    ]
    out = [
        case("transformer", "axisSize", ["Dk", sizes], 4),
        case("transformer", "axisSize", ["2", sizes], 2),
        case("transformer", "shapeOf", ["B H T Dk", {**sizes, **lengths}], [3, 3, 7, 4]),
        case("transformer", "shapeOf", ["B 1 1 S", {**sizes, **lengths}], [3, 1, 1, 5]),
        case("transformer", "numbersIn", ["B H T S", {**sizes, **lengths}], 3 * 3 * 7 * 5),
        case("transformer", "copiesOf", [{"layered": True}, sizes], 2),
        case("transformer", "copiesOf", [{"layered": False}, sizes], 1),
    ]
    blocks = [blocks_part(block) for block in BLOCKS]
    for part_sizes in every:
        with torch.device("meta"):
            model = Transformer(config_of(part_sizes))
        given = {**part_sizes, **lengths}
        seen: list[Tensor] = []
        for block in BLOCKS:
            module = module_of(block, model)
            new = [p for p in module.parameters() if not any(p is other for other in seen)]
            seen += new
            number = sum(parameter.numel() for parameter in new)
            out.append(case("transformer", "parametersOf", [blocks_part(block), given], number))
            flops = operations(block, module, given)
            out.append(case("transformer", "flopsOf", [blocks_part(block), given], flops))
        totals = {
            "parameters": model.num_parameters(),
            "flops": model.flops(given["B"], given["S"], given["T"]),
        }
        out.append(case("transformer", "totalsOf", [blocks, given], totals))
    return out


def blocks_part(block: dict) -> dict:
    """Return what the counting functions read of a block."""
    return {name: block[name] for name in ("kind", "part", "tq", "tk", "layered")}


def module_of(block: dict, model: Transformer) -> nn.Module:
    """Return the module that a block stands for, of the first layer where there are several."""
    part, _, name = block["id"].partition(".")
    layer = (model.encoder if part == "encoder" else model.decoder).layers[0]
    sublayers = [child for child in layer.children() if isinstance(child, Sublayer)]
    return {
        "embedding": lambda: model.src_embedding if part == "encoder" else model.tgt_embedding,
        "attention": lambda: layer.get_submodule(f"{name}_attention"),
        "norm": lambda: sublayers[int(name[-1]) - 1].norm,
        "feed_forward": lambda: layer.feed_forward,
        "projection": lambda: model.projection,
    }.get(block["kind"], nn.Identity)()


def operations(block: dict, module: nn.Module, sizes: dict) -> int:
    """Let PyTorch count what one block does, on tensors that hold no numbers."""
    if not block["flops"]:
        return 0
    query, key = (
        torch.empty(sizes["B"], sizes.get(block[axis], 1), sizes["D"], device="meta")
        for axis in ("tq", "tk")
    )
    # The fused kernel of attention would not be counted; need_weights avoids it.
    attends = block["kind"] == "attention"
    with FlopCounterMode(display=False) as counter:
        module(query, key, key, need_weights=True) if attends else module(query)
    return counter.get_total_flops()
