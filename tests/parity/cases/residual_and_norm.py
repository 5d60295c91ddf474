"""``js/maths/residual_and_norm.js`` against the package."""

import torch
from torch import nn

from attnsteps.widgets.residual_and_norm import ARRANGEMENTS, stack_sizes
from tests.parity.case import case, numbers


def cases() -> list[dict]:
    words, width, depth = 3, 5, 4
    x, direction = numbers(2, words, width, seed=31)
    weights = numbers(depth, width, width, seed=32)
    roots = (x.var(-1, correction=0) + 1e-5).sqrt()
    cosines = nn.functional.cosine_similarity(x[:, None], x[None], dim=-1)
    alike = float((cosines.sum() - words) / (words * (words - 1)))
    flat = x.clone().requires_grad_()
    normed = nn.functional.layer_norm(flat, (width,))
    (back,) = torch.autograd.grad(normed, flat, direction)
    passed = {"y": normed.detach().flatten(), "roots": roots}
    (through,) = torch.autograd.grad(flat.relu() @ weights[1] * 0.7, flat, direction)
    layer = [weights.flatten(), width * width, width, 0.7]
    out = [
        case("residual_and_norm", "rms", [x[0]], float(x[0].square().mean().sqrt())),
        case("residual_and_norm", "likeness", [x.flatten(), width], alike),
        case("residual_and_norm", "layerNorm", [x.flatten(), width], passed),
        case(
            "residual_and_norm",
            "layerNormBack",
            [passed, direction.flatten()],
            back.flatten(),
        ),
        case(
            "residual_and_norm",
            "randomLayer",
            [x.flatten(), *layer],
            (x.relu() @ weights[1] * 0.7).flatten(),
        ),
        case(
            "residual_and_norm",
            "randomLayerBack",
            [x.flatten(), direction.flatten(), *layer],
            through.flatten(),
        ),
    ]
    for arrangement in ARRANGEMENTS:
        for strength, used in ((0.6, depth), (1.5, 2)):
            given = [x, direction, weights[:used], strength, arrangement]
            sizes, gradients, alike = stack_sizes(*given)
            given = [x.flatten(), direction.flatten(), weights.flatten(), width, used]
            expected = {"sizes": sizes.tolist(), "gradients": gradients.tolist()}
            expected["alike"] = alike
            given += [strength, arrangement]
            out.append(case("residual_and_norm", "stackSizes", given, expected))
    return out
