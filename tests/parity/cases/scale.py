"""``js/maths/scale.js`` against the package."""

import itertools

import torch

from attnsteps import Transformer
from attnsteps.widgets.scale import HOW, TrainingStep
from tests.parity.case import case


def cases() -> list[dict]:
    """Count what real models keep and compute, by the package's own counts."""
    tiny = {"D": 12, "N": 2, "V": 13, "B": 6, "S": 5}
    hows = [
        {},
        {"micro_batches": 2, "fused": False},
        {"processes": 3, "precision": "bfloat16", "speed": 7.0, "cable": 0.5},
        {"micro_batches": 4, "processes": 2, "precision": "bfloat16", "fused": False},
    ]
    out = [
        case("scale", "sentencesAtOnce", [6, 2, 2], 2),
        case("scale", "bytesSent", [100, 1], 0.0),
        case("scale", "bytesSent", [100, 4], 600.0),
        case("scale", "secondsToSend", [441e6, 125], 3.528),
    ]
    for sizes, changes in itertools.product((tiny, {**tiny, "D": 320, "N": 1}), hows):
        shown = TrainingStep("tiny")
        shown.sizes, shown.how = sizes, {**HOW, **changes}
        how, config, number = shown.how, shown.config, shown.num_parameters
        axes = {"B": shown.sentences, "S": sizes["S"], "T": sizes["S"], "D": config.d_model}
        axes |= {"H": config.num_heads, "Dff": config.d_ff, "N": sizes["N"]}
        whole = {**axes, "V": sizes["V"], "Vsrc": sizes["V"], "tie": "all"}
        half = how["precision"] != "float32"
        bytes_kept = shown.kept._asdict()
        with torch.device("meta"):
            flops = 3 * Transformer(config).flops(sizes["B"], sizes["S"], sizes["S"])
        processes = how["processes"]
        sent = 8 * number * (processes - 1) / processes
        computing, sending = flops / (how["speed"] * processes), sent / 1e6 / how["cable"]
        step = {
            "parameters": number,
            "flops": flops,
            "sentences": shown.sentences,
            "bytes": bytes_kept,
            "sent": sent,
            "computing": computing,
            "sending": sending,
            "seconds": computing + sending,
        }
        out += [
            case("scale", "wholeSizes", [sizes, shown.sentences], whole),
            case("scale", "bytesKept", [whole, number, half, how["fused"]], bytes_kept),
            case("scale", "stepOf", [shown.blocks, sizes, how], step),
        ]
    return out
