"""``js/maths/masks.js`` against the package."""

import itertools

import torch

from attnsteps import influence
from attnsteps.running_example import W_K, W_Q, W_V
from attnsteps.widgets.masks import MaskLab
from tests.parity.case import case


def cases() -> list[dict]:
    lab = MaskLab()
    w = lab.w
    causal = torch.ones(6, 6, dtype=torch.bool).tril()
    real = (torch.arange(6) < 5).expand(6, 6)
    masks = {
        "everything": torch.ones_like(causal),
        "causal": causal,
        "padding": real,
        "both": causal & real,
        "queries": real.T,
    }
    out = [case("masks", "presetMask", [name, 6, 1], mask) for name, mask in masks.items()]
    out += [
        case("masks", "fits", [fill, kind], not MaskLab(fill=fill, number_format=kind).refused)
        for fill, kind in itertools.product(("-inf", "-1e9", "-1e4", "0"), ("float32", "float16"))
    ]
    x, backwards = torch.tensor(lab.x, dtype=torch.float64), ~masks["both"]
    for mask, fill, number_format, low, clear in [
        (masks["both"], "-inf", "float32", False, False),
        (masks["both"], "-inf", "float16", True, False),
        (masks["both"], "-1e4", "float16", False, False),
        (masks["both"], "-1e4", "float32", True, False),
        (masks["queries"], "0", "float32", False, False),
        (masks["queries"], "-1e9", "float32", True, False),
        (masks["queries"], "-inf", "float32", False, False),
        (masks["queries"], "-inf", "float16", False, True),
        (backwards, "-inf", "float32", False, True),
    ]:
        lab = MaskLab(mask, fill=fill, number_format=number_format, low=low, clear_empty=clear)
        how = {"fill": fill, "format": number_format, "low": low, "clear": clear}
        weights = lab.weights
        given = [lab.x, w, mask, how]
        scores = ((x @ W_Q) @ (x @ W_K).T / 2).to(getattr(torch, number_format))
        scores = (scores - 20_000 * low).masked_fill(~mask, float(fill))
        expected = {"scores": scores, "weights": weights, "context": weights @ x @ W_V}
        out.append(case("masks", "maskedAttention", given, expected))
        if lab.leaks is None:
            seen = torch.ones(6, 6, dtype=torch.int64)
            seen[~mask.any(-1)] = -1
        else:
            seen = influence(lambda x, lab=lab: lab._attend(x[0])[0][None], x[None])[0, :, 0].int()
        out.append(case("masks", "influence", given, seen))
        rule, nothing, shares = masks["both"], ~mask.any(-1), weights.nan_to_num().any(-1)
        others = ~torch.eye(6, dtype=torch.bool)
        others[5] = False
        found = {
            "leaks": ((seen == 1) & ~rule & others).nonzero(),
            "lost": ((seen == 0) & rule & others).nonzero(),
            "nan": weights.isnan().any(-1).nonzero().flatten(),
            "equal": (nothing & shares).nonzero().flatten(),
            "zeros": (nothing & ~shares & ~weights.isnan().any(-1)).nonzero().flatten(),
        }
        if lab.leaks is not None:
            assert [[a.output[1], a.input[1]] for a in lab.leaks] == found["leaks"].tolist()
        out.append(case("masks", "diagnoseMask", [seen, rule, mask, weights, 1], found))
    return out
