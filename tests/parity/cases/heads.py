"""``js/maths/heads.js`` against the package."""

import itertools

import torch

from tests.parity.case import case


def head_steps(num_words: int, num_heads: int, width: int) -> list[tuple]:
    """Let PyTorch do what the drawing of the heads shows; return code, contents, axes, tensor."""
    q = torch.empty(1, num_words, num_heads * width)
    cut = q.view(1, num_words, num_heads, width)
    heads = cut.transpose(1, 2)
    context = torch.empty(1, num_heads, num_words, num_words) @ heads
    back = context.transpose(1, 2)
    copied = back.contiguous()
    sizes = f"(1, {num_words}, {num_heads}, {width})"
    return [
        ("q = x @ W_q", "q", "ti", q),
        (f"q.view{sizes}", "q", "thi", cut),
        (".transpose(1, 2)", "q", "hti", heads),
        ("context = weights @ v", "context", "hti", context),
        ("context.transpose(1, 2)", "context", "thi", back),
        (".contiguous()", "context", "thi", copied),
        (f".view(1, {num_words}, {num_heads * width})", "context", "ti", copied.view(q.shape)),
    ]


def cases() -> list[dict]:
    return [
        case("heads", "stridesOf", [[1, 3, 5, 4]], torch.empty(1, 3, 5, 4).stride()),
        case("heads", "isInOrder", [[1, 5, 1, 4], [7, 4, 9, 1]], True),
        case("heads", "isInOrder", [[2, 5], [1, 2]], False),
        case("heads", "addressOf", [[1, 2, 3], [20, 5, 1]], 33),
        case("heads", "swapped", [[1, 5, 3, 4], 1, 2], [1, 3, 5, 4]),
        *(
            each
            for sizes in ((5, 3, 4), (1, 3, 4), (6, 1, 2))
            for each in head_layout_cases(*sizes)
        ),
    ]


def head_layout_cases(num_words: int, num_heads: int, width: int) -> list[dict]:
    expected, found, before = [], [], None
    for code, holds, axes, tensor in head_steps(num_words, num_heads, width):
        memory = "new" if "=" in code else "copied"
        if before is not None and tensor.data_ptr() == before.data_ptr():
            memory = "same"
        before = tensor
        layout = {"shape": tensor.shape, "strides": tensor.stride()}
        flags = {"inOrder": tensor.is_contiguous(), "memory": memory}
        expected.append({"code": code, "holds": holds, "axes": axes, **layout, **flags})

        # A tensor of the same layout whose numbers say where they lie.
        places = torch.arange(tensor.numel()).as_strided(tensor.shape, tensor.stride())[0]
        places = places.transpose(0, 1) if axes == "hti" else places
        places = places.reshape(num_words, num_heads, width)
        step = {"axes": axes, "strides": tensor.stride()}
        for word, head in itertools.product((0, num_words - 1), (0, num_heads - 1)):
            of_axis = {"t": word, "h": head, "i": 0 if "h" in axes else head * width}
            index = [0, *(of_axis[axis] for axis in axes)]
            factors = list(zip(index, tensor.stride(), strict=True))
            piece = {"address": places[word, head, 0], "factors": factors}
            found.append(case("heads", "pieceOf", [step, word, head, width], piece))
        own = places[:, num_heads - 1].flatten().sort().values
        runs = 1 + int((own.diff() > 1).sum())
        found.append(case("heads", "runsOf", [step, num_words, num_heads - 1, width], runs))
    return [case("heads", "headSteps", [num_words, num_heads, width], expected), *found]
