"""What the widgets' JavaScript must give: inputs and the package's outputs, in float64.

``test_parity.py`` asks the modules in ``widgets/js/maths`` for the same, in a real browser, to
within 1e-6. Both sides compute at the time of the test, so no processor's rounding is kept.

A case is ``{module, function, arguments, expected}``: ``maths/<module>.js`` exports ``function``.
Infinities and NaN are written as the strings "Infinity", "-Infinity" and "NaN", which JSON has no
numbers for.
"""

import itertools
import math
import re
import unicodedata
from collections import Counter

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from attnsteps import (
    FeedForward,
    Sublayer,
    Transformer,
    influence,
    masked_softmax,
    scaled_dot_product_attention,
    sinusoidal_positions,
)
from attnsteps.exercises.answer import check_answer
from attnsteps.running_example import SENTENCE, TWIN, W_K, W_Q, W_V, toy_embeddings
from attnsteps.text.byte_pairs import PIECE, BytePairs, merge
from attnsteps.text.tokenizer import Words
from attnsteps.text.vocab import Vocab
from attnsteps.widgets.masks import MaskLab
from attnsteps.widgets.non_autoregressive import word_edits
from attnsteps.widgets.random import normals
from attnsteps.widgets.residual_and_norm import ARRANGEMENTS, stack_sizes
from attnsteps.widgets.scale import HOW, TrainingStep
from attnsteps.widgets.sequence_to_sequence import signs
from attnsteps.widgets.spelling import spelling_vector
from attnsteps.widgets.transformer import SIZES, config_of
from attnsteps.widgets.transformer_blocks import BLOCKS


def case(module: str, function: str, arguments: list, expected: object, **more: object) -> dict:
    return {
        "module": module,
        "function": function,
        "arguments": plain(arguments),
        "expected": plain(expected),
        **more,
    }


def plain(value: object) -> object:
    """Return tensors as nested lists, infinities and NaN as text."""
    if isinstance(value, Tensor):
        return plain(value.tolist())
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def numbers(*shape: int, seed: int, scale: float = 1.0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return scale * torch.randn(*shape, dtype=torch.float64, generator=generator)


def linear_cases() -> list[dict]:
    a, b = numbers(3, 5, seed=1), numbers(5, 2, seed=2)
    return [
        case("linear", "matmul", [a, b], a @ b),
        case("linear", "dot", [a[0], a[1]], float(a[0] @ a[1])),
    ]


def softmax_cases() -> list[dict]:
    rows = [
        torch.tensor([8.0, 4.0, 4.0], dtype=torch.float64),
        torch.tensor([1000.0, 999.0, -1000.0], dtype=torch.float64),
        torch.tensor([0.0, -math.inf, 2.0], dtype=torch.float64),
        numbers(12, seed=3, scale=3.0),
    ]
    out = []
    for row in rows:
        weights = row.softmax(-1)
        out += [
            case("softmax", "softmax", [row], weights),
            case("softmax", "entropy", [weights], float(torch.special.entr(weights).sum())),
        ]
    nothing = torch.full((1, 3), -math.inf, dtype=torch.float64)
    empty = masked_softmax(
        torch.zeros(1, 3, dtype=torch.float64), torch.zeros(1, 3, dtype=torch.bool)
    )
    out.append(case("softmax", "softmax", [nothing[0]], empty[0]))
    return out


def softmax_in_format(scores: Tensor, dtype: torch.dtype) -> dict:
    """Compute exp(x) / Σ exp(x) with every result rounded to ``dtype``."""
    powers = scores.exp().to(dtype).double()
    total = torch.zeros((), dtype=torch.float64)
    for power in powers:
        total = (total + power).to(dtype).double()
    weights = (powers / total).to(dtype).double()
    return {"exponents": scores, "powers": powers, "sum": float(total), "weights": weights}


def softmax_steps_cases() -> list[dict]:
    formats = {"float64": torch.float64, "float32": torch.float32, "float16": torch.float16}
    settings = [
        ([4.0, 2.0, 2.0], [False, False, False], 0.0, 1.0, ["fine"] * 3),
        ([4.0, 2.0, 2.0], [False, False, False], 1000.0, 1.0, ["overflow"] * 3),
        ([4.0, 2.0, 2.0], [False, True, False], 80.0, 0.5, ["fine", "overflow", "overflow"]),
        ([-1.0, 0.0, 2.5, 7.0], [False] * 4, -1000.0, 0.63, ["underflow"] * 3),
        ([4.0, 2.0, 2.0], [False, False, False], -19.0, 1.0, ["fine", "fine", "drift"]),
        ([9.0, 10.5, 10.5], [False, False, False], 0.0, 1.0, ["fine", "fine", "sum"]),
        ([4.0, 2.0], [True, True], 0.0, 1.0, ["empty"] * 3),
    ]
    halves = [0.0, -0.1, 1 / 3, 2049.0, 2051.0, 65519.0, 65520.0, -1e9, 3e-8, 2.9e-8, -math.inf]
    out = [case("softmax_steps", "toHalf", [x], float(torch.tensor(x).half())) for x in halves]
    for tenths in range(-10, 11):
        temperature = float(f"{10 ** (tenths / 10):.2g}")
        out.append(case("softmax_steps", "temperatureAt", [tenths], temperature))
        out.append(case("softmax_steps", "placeOf", [temperature], tenths))
    for scores, excluded, shift, temperature, diagnoses in settings:
        for (name, dtype), diagnosis in zip(formats.items(), diagnoses, strict=True):
            moved = (torch.tensor(scores, dtype=torch.float64) + shift).to(dtype).double()
            moved = (moved / temperature).to(dtype).double()
            moved = moved.masked_fill(torch.tensor(excluded), -math.inf)
            naive = softmax_in_format(moved, dtype)
            if all(excluded):
                zeros = torch.zeros_like(moved)
                stable = {"exponents": moved, "powers": zeros, "sum": 0.0, "weights": zeros}
            else:
                stable = softmax_in_format((moved - moved.max()).to(dtype).double(), dtype)
            given = [scores, excluded, shift, temperature, name]
            out += [
                case("softmax_steps", "movedScores", given, moved),
                case("softmax_steps", "naiveSteps", [moved, name], naive),
                case("softmax_steps", "stableSteps", [moved, name], stable),
            ]
            distance = 0.0
            if diagnosis in ("fine", "sum", "drift"):
                rows = [naive["weights"], stable["weights"]]
                distance = float((rows[0] - rows[1]).abs().max())
                out.append(case("softmax_steps", "apart", rows, distance))
            given = [moved, naive["powers"], naive["sum"], distance]
            out.append(case("softmax_steps", "diagnose", given, diagnosis))
    return out


def attention_cases() -> list[dict]:
    inputs = [
        (toy @ W_Q, toy @ W_K, toy @ W_V)
        for toy in (toy_embeddings(SENTENCE), toy_embeddings(TWIN))
    ]
    inputs.append((numbers(3, 7, seed=4), numbers(5, 7, seed=5), numbers(5, 2, seed=6)))
    out = []
    for q, k, v in inputs:
        mask = torch.ones(q.shape[0], k.shape[0], dtype=torch.bool).tril()
        mask[0] = False
        for allowed in (None, mask):
            context, weights = scaled_dot_product_attention(q, k, v, allowed)
            scores = q @ k.T / math.sqrt(k.shape[-1])
            expected = {"scores": scores, "weights": weights, "context": context}
            out.append(case("attention", "attention", [q, k, v, allowed], expected))
    q, k, v = inputs[0]
    weights = (q @ k.T).softmax(-1)
    expected = {"scores": q @ k.T, "weights": weights, "context": weights @ v}
    out.append(case("attention", "attention", [q, k, v, None, False], expected))
    return out


def six_steps_cases() -> list[dict]:
    asked = [(toy_embeddings(SENTENCE), W_Q, W_K, W_V, j) for j in (6, 7)]
    asked.append((toy_embeddings(TWIN), W_Q, W_K, W_V, 6))
    drawn = [numbers(5, 7, seed=11), *(numbers(7, n, seed=12 + n) for n in (3, 3, 2))]
    asked.append((*drawn, 4))
    out = []
    for x, w_q, w_k, w_v, asking in asked:
        q, k, v = x[asking] @ w_q, x @ w_k, x @ w_v
        (context,), (weights,) = scaled_dot_product_attention(q[None], k, v)
        divisor = math.sqrt(q.numel())
        scaled = k @ q / divisor
        expected = {"q": q, "k": k, "v": v, "products": q * k, "scores": k @ q}
        expected |= {"divisor": divisor, "scaled": scaled, "exponentials": scaled.exp()}
        expected |= {"total": float(scaled.exp().sum()), "weights": weights}
        expected |= {"weighted": weights[:, None] * v, "context": context}
        out.append(case("six_steps", "sixSteps", [x, w_q, w_k, w_v, asking], expected))
    return out


def answer_cases() -> list[dict]:
    questions = [
        ("number", 0.70, 0.707, 0.01),
        ("number", 0.65, 0.707, 0.01),
        ("choice", 1, 1, 0.0),
        ("choice", 0, 1, 5.0),
        ("order", [0, 2, 1], [0, 2, 1], 0.0),
        ("order", [0, 1, 2], [0, 2, 1], 5.0),
        ("cells", [[1.0, 0.0], [0.5, 0.5]], [[1.0, 0.0], [0.5, 0.51]], 0.02),
        ("cells", [[1.0, 0.0], [0.4, 0.6]], [[1.0, 0.0], [0.5, 0.5]], 0.02),
    ]
    return [
        case("answer", "isRight", list(question), check_answer(*question)) for question in questions
    ]


def random_cases() -> list[dict]:
    draws = numbers(50, seed=7, scale=2.0)
    return [case("random", "variance", [draws], float(draws.var(correction=0)))]


def scaling_cases() -> list[dict]:
    rows, keys, width = 5, 3, 7
    draws = torch.from_numpy(normals(seed=3, count=rows * (1 + keys) * width))
    q, k = draws.view(rows, 1 + keys, width).split([1, keys], dim=1)
    dots = (q * k).cumsum(-1).permute(2, 0, 1)
    table = 4.0 * dots[-1]
    out = [
        case("random", "normals", [5, 7], normals(seed=5, count=7).tolist()),
        case("scaling", "dotsByWidth", [draws, rows, keys, width], dots.flatten()),
        case("scaling", "median", [table[0]], float(table[0].median())),
        case("scaling", "median", [[4.0, -1.0, 2.0, 10.0]], 3.0),
    ]
    for divisor in (1.0, math.sqrt(width), float(width)):
        scores = table / divisor
        weights = scores.softmax(-1)
        entropies = torch.special.entr(weights).sum(-1)
        jacobians = torch.diag_embed(weights) - weights[:, :, None] * weights[:, None, :]
        sizes = jacobians.flatten(1).norm(dim=1)
        row = {"weights": weights[0], "entropy": float(entropies[0]), "slopes": float(sizes[0])}
        average = {
            "spread": float(scores.std(correction=0)),
            "largest": float(weights.amax(-1).mean()),
            "entropy": float(entropies.mean()),
            "slopes": float(sizes.mean()),
            "typicalSlopes": float(sizes.median()),
        }
        counts = torch.histc(scores, bins=4, min=-2, max=2)
        shares = {
            "shares": counts / scores.numel(),
            "outside": 1 - float(counts.sum()) / scores.numel(),
        }
        out += [
            case("scaling", "jacobianSize", [weights[0]], float(sizes[0])),
            case("scaling", "weigh", [table[0], divisor], row),
            case("scaling", "summarise", [table, divisor], average),
            case("scaling", "histogram", [table, divisor, 2.0, 4], shares),
        ]
    return out


def residual_and_norm_cases() -> list[dict]:
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


def spelling_cases() -> list[dict]:
    words = ["tired", "马路", "a", "𠀀é🙂"]  # also letters that JavaScript keeps as two halves
    return [
        *(case("spelling", "spellingVector", [word, 4], spelling_vector(word)) for word in words),
        case("spelling", "spellingVector", ["street", 5], spelling_vector("street", 5)),
    ]


def worked_cases() -> list[dict]:
    q, k, v = numbers(4, seed=8), numbers(5, 4, seed=9), numbers(5, 3, seed=10)
    some = torch.tensor([True, True, False, True, False])
    out = []
    for j, allowed, scaled, size in [
        (0, None, True, 1.0),
        (2, None, False, 1.0),
        (1, None, False, 40.0),  # far above 6: the largest score is taken off
        (3, some, True, 1.0),
        (2, some, True, 1.0),  # a hidden key
        (4, torch.zeros(5, dtype=torch.bool), True, 1.0),  # nothing to look at
    ]:
        key = size * k
        divisor = math.sqrt(4) if scaled else 1.0
        hidden = torch.zeros(5, dtype=torch.bool) if allowed is None else ~allowed
        scores = (key @ q / divisor).masked_fill(hidden, -math.inf)
        shift = scores.max().item() if scores.max() > 6 else 0.0
        exponentials = (scores - shift).exp()
        expected = {
            "products": q * key[j],
            "product": float(q @ key[j]),
            "divisor": divisor,
            "score": scores[j].item(),
            "shift": shift,
            "exponentials": exponentials,
            "total": exponentials.sum().item(),
            "weight": masked_softmax(scores[None], ~hidden[None])[0, j].item(),
        }
        out.append(case("worked", "workedWeight", [q, key, j, allowed, scaled], expected))
    weights = numbers(5, seed=11).softmax(-1)
    expected = {"products": weights * v[:, 1], "entry": (weights @ v)[1].item()}
    out.append(case("worked", "workedContext", [weights, v, 1], expected))
    return out


def hidden_units_cases() -> list[dict]:
    network = FeedForward(d_model=2, d_ff=3).double()
    with torch.no_grad():
        for seed, parameter in enumerate(network.parameters()):
            parameter.copy_(numbers(*parameter.shape, seed=40 + seed))
    x = numbers(2, seed=39)
    w_2 = network.w_2.weight.detach()[0]  # the first of the two outputs
    sums = network.w_1(x).detach()
    w_1, b_1 = network.w_1.weight.detach(), network.w_1.bias.detach()
    units = [{"weights": w_1[u], "bias": b_1[u], "out": w_2[u]} for u in range(3)]
    b_2 = network.w_2.bias[0].item()

    def expected(hidden: Tensor, output: Tensor) -> dict:
        names = ("sum", "hidden", "adds")
        rows = zip(sums.tolist(), hidden.tolist(), (hidden * w_2).tolist(), strict=True)
        units = [dict(zip(names, row, strict=True)) for row in rows]
        return {"units": units, "output": output.item()}

    bent = expected(sums.relu(), network(x)[0])
    straight = expected(sums, sums @ w_2 + b_2)
    line = [{"weights": [1, 1], "bias": -1}, 0, 2]
    return [
        case("hidden_units", "hiddenUnits", [x, units, b_2, True], bent),
        case("hidden_units", "hiddenUnits", [x, units, b_2, False], straight),
        case("hidden_units", "hiddenUnit", [x, units[0], True], bent["units"][0]),
        case("hidden_units", "switchLine", line, [[0, 1], [1, 0]]),
        case(
            "hidden_units",
            "switchLine",
            [{"weights": [0, 2], "bias": -1}, 0, 2],
            [[0, 0.5], [2, 0.5]],
        ),
        case("hidden_units", "switchLine", [{"weights": [0, 0], "bias": -1}, 0, 2], None),
        case("hidden_units", "switchLine", [{"weights": [1, 0], "bias": 9}, 0, 2], None),
    ]


def positional_cases() -> list[dict]:
    out = []
    for length, width in ((7, 4), (48, 16), (3, 7)):
        by_layout = {
            layout: sinusoidal_positions(length, width, layout=layout, dtype=torch.float64)
            for layout in ("interleaved", "concatenated")
        }
        table = by_layout["interleaved"]
        names = torch.arange(width, dtype=torch.float64)
        for layout, columns in by_layout.items():
            # Where a column stands is where it is found in the package's own table.
            order = [int(names[(table.T == column[:, None].T).all(-1)][0]) for column in columns.T]
            out.append(case("positional", "columnOrder", [width, layout], order))
        for position in (0, 1, length - 1):
            row = table[position]
            out += [
                case("positional", "positionRow", [position, width], row),
                case("positional", "dotsWith", [position, length, width], table @ row),
            ]
            if width % 2 == 0:
                steps = length - 1 - position
                out.append(case("positional", "turned", [row, steps], table[-1]))
        speeds = [table[1, column - column % 2].asin().item() for column in range(width)]
        out += [
            case("positional", "handSpeed", [column, width], speed)
            for column, speed in enumerate(speeds)
            if column > 1  # the fastest turns by 1, and the arc sine is exact below π/2
        ]
        out.append(case("positional", "handSpeed", [0, width], 1.0))
    x = toy_embeddings(SENTENCE)
    order = [3, 1, 2, 0, 7, 5, 4, 6]
    for with_positions in (False, True):
        contexts = []
        for places in (list(range(8)), order):
            placed = x[places]
            if with_positions:
                placed = placed + sinusoidal_positions(8, 4, dtype=x.dtype)
            q, k, v = (placed @ w for w in (W_Q, W_K, W_V))
            contexts.append(scaled_dot_product_attention(q, k, v)[0])
        first, now = contexts
        given = [x, W_Q, W_K, W_V, order, with_positions]
        moved = (now - first[order]).norm(dim=-1)
        out += [
            case("positional", "contextsInOrder", given, now),
            case("positional", "movedBy", [now, first, order], moved),
        ]
    return out


def masks_cases() -> list[dict]:
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
        out.append(case("masks", "whoSeesWhom", given, seen))
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


def words_cases() -> list[dict]:
    zh = ["动物", "动", "没有", "没", "过", "马路", "，", "因为", "累", "了", "CD", "C++", "。"]
    en = ["was", "it", "tired", "?", "o'clock", "-"]
    texts = [
        "动物没有过马路，因为累了。",
        "  没动物  过CD 了CDs",
        "猫咪累了！C++ 3x",
        "",
        "the it  was-tired?",
    ]
    out = []
    for known in (zh, en, []):
        words = Words(known)
        for text in texts:
            tokens = words.tokenize(text)
            out.append(case("words", "splitWords", [text, known], tokens))
            out.append(case("words", "joinWords", [tokens, known], words.detokenize(tokens)))
    entries = [["马", "mǎ", "horse"], ["马路", "mǎlù", "street"], ["累", "lèi", "tired"]]
    out += [
        case("words", "plainLetters", ["Méi yǒu, nǚ’er"], "meiyou,nuer"),
        case("words", "findWords", ["ma", entries, 5], entries[:2]),
        case("words", "findWords", ["malu", entries, 5], entries[1:2]),
        case("words", "findWords", ["马", entries, 1], entries[:1]),
        case("words", "findWords", ["TI", entries, 5], entries[2:]),
        case("words", "findWords", ["", entries, 5], []),
    ]
    return out


def neighbours_cases() -> list[dict]:
    vectors = numbers(6, 4, seed=60)
    units = torch.nn.functional.normalize(vectors, dim=1)
    similar = units @ units[2]
    order = [i for i in similar.argsort(descending=True).tolist() if i != 2][:3]
    hot = torch.nn.functional.one_hot(torch.tensor(2), 6).double()
    return [
        case("neighbours", "cosine", [vectors[0], vectors[1]], units[0] @ units[1]),
        case("neighbours", "cosine", [vectors[0], torch.zeros(4)], 0.0),
        case("neighbours", "cosines", [vectors, 2], similar),
        case("neighbours", "nearest", [vectors, 2, 3], order),
        case("neighbours", "oneHot", [2, 6], hot),
        case("linear", "matmul", [hot[None], vectors], vectors[2:3]),
    ]


def byte_pairs_cases() -> list[dict]:
    ten = ["later"] * 2 + ["latest"] * 3 + ["wider"] * 4 + ["widest"]
    chinese = ["动物没有过马路，因为太累了", "动物没有过马路，因为太宽了", "孩子没有过马路"]
    english = [
        "the animal's  street, the_street",
        "it was too tired!? it was 3x too wide",
        "aaa aaa",
    ]
    rare = [
        "𠀀é🙂 𠀀é",
        "naïve Ｔhe，x",
        "",
        " ",
    ]  # also letters that JavaScript keeps as two halves
    out = [
        case("byte_pairs", "textPieces", [text], re.findall(PIECE, text))
        for text in (*chinese, *english, *rare, "a  b ,, c. ")
    ]
    out += [
        case("byte_pairs", "mergePair", [tokens, list(pair)], merge(tokens, pair))
        for tokens, pair in (
            (list("lolol"), ("l", "o")),
            (list("aaa"), ("a", "a")),
            ([], ("a", "b")),
        )
    ]
    for texts, most in ((ten, 5), (ten, 60), (chinese, 9), (english, 30), (rare, 9), ([], 3)):
        bpe = BytePairs.learn(texts, most)
        pieces = Counter(piece for text in texts for piece in re.findall(PIECE, text))
        alphabet = sorted(set("".join(pieces)))
        ages = {
            token: i
            for i, token in enumerate(dict.fromkeys((*alphabet, *map("".join, bpe.merges))))
        }
        rankings = []
        for n in range(len(bpe.merges) + 1):
            counts = Counter()
            for piece, times in pieces.items():
                for pair in itertools.pairwise(BytePairs(bpe.merges[:n]).tokenize(piece)):
                    counts[pair] += times
            ranked = sorted(counts, key=lambda p, n=counts: (-n[p], ages[p[0]], ages[p[1]]))
            rankings.append([[*pair, counts[pair]] for pair in ranked[:4]])
        expected = {"alphabet": alphabet, "pieces": [*pieces.items()]}
        expected |= {"merges": bpe.merges, "rankings": rankings}
        out.append(case("byte_pairs", "learnMerges", [texts, most, 4], expected))
        out += [
            case("byte_pairs", "applyMerges", [text, bpe.merges], bpe.tokenize(text))
            for text in (*texts[:3], "the water was wider，因为太累了")
        ]
        tokens = list(dict.fromkeys((*alphabet, *map("".join, bpe.merges))))
        out.append(case("byte_pairs", "mergedVocabulary", [alphabet, bpe.merges], tokens))
        asked = [*tokens[::3], "?!", "<eos>"]
        out.append(case("byte_pairs", "tokenIds", [asked, tokens], Vocab(tokens).ids(asked)))
    rows = [[7, 8, 9], [5], []]
    padded = nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], True, Vocab.pad_id)
    out.append(case("byte_pairs", "padRows", [rows], padded.long()))
    for text in ("Ｔｈｅ　ａｎｉｍａｌ！", "动物没有过马路，因为太累了", "Café", "cafe\u0301"):
        folded = unicodedata.normalize("NFKC", text).lower()
        out.append(case("byte_pairs", "foldText", [text], folded))
    return out


def bottleneck_cases() -> list[dict]:
    words, tags = (torch.from_numpy(drawn) for drawn in signs(7, 16, 9, num_places=5))
    ids = [3, 0, 8, 3, 5]
    kept = words[ids]
    total = (tags * kept).sum(0)
    scores = tags @ tags.T / 4
    weights = masked_softmax(scores)
    found = weights @ kept
    squeezed = (total * tags @ words.T).argmax(-1)
    attended = (found @ words.T).argmax(-1)
    return [
        case("bottleneck", "signs", [7, 14, 16], torch.cat([words, tags])),
        case("bottleneck", "squeeze", [kept, tags], total),
        case("bottleneck", "unsqueeze", [total, tags[2]], total * tags[2]),
        case("bottleneck", "attendTo", [kept, tags, 2], {"weights": weights[2], "found": found[2]}),
        case("bottleneck", "similarities", [found[2], words], words @ found[2] / 16),
        case("bottleneck", "largest", [[1, 3, 3, 2]], 1),
        case(
            "bottleneck", "readBack", [ids, 7, 16, 9], {"squeezed": squeezed, "attended": attended}
        ),
    ]


def transformer_cases() -> list[dict]:
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


def scale_cases() -> list[dict]:
    """Count what real models keep and compute, by the package's own counts."""
    tiny = {"D": 12, "N": 2, "V": 13, "B": 6, "S": 5}
    hows = [
        {},
        {"micro_batches": 2, "fused": False},
        {"processes": 3, "precision": "bfloat16", "speed": 7.0},
        {"micro_batches": 4, "processes": 2, "precision": "bfloat16", "fused": False},
    ]
    out = [
        case("scale", "sentencesAtOnce", [6, 2, 2], 2),
        case("scale", "bytesSent", [100, 1], 0.0),
        case("scale", "bytesSent", [100, 4], 600.0),
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
        step = {
            "parameters": number,
            "flops": flops,
            "sentences": shown.sentences,
            "bytes": bytes_kept,
            "sent": 8 * number * (processes - 1) / processes,
            "seconds": flops / (how["speed"] * processes),
        }
        out += [
            case("scale", "wholeSizes", [sizes, shown.sentences], whole),
            case("scale", "bytesKept", [whole, number, half, how["fused"]], bytes_kept),
            case("scale", "stepOf", [shown.blocks, sizes, how], step),
        ]
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


def heads_cases() -> list[dict]:
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


def time_machine_cases() -> list[dict]:
    layers, heads, queries, keys = 2, 3, 4, 5
    weights = numbers(layers, heads, queries, keys, seed=61).softmax(-1)
    causal = [[row[: r + 1] for r, row in enumerate(head)] for head in weights[0].tolist()]
    means = [[sum(head[r][c] for head in causal) / heads for c in range(r + 1)] for r in range(4)]
    probabilities = numbers(7, seed=62).sigmoid()
    return [
        case("time_machine", "averageHeads", [weights], weights.flatten(0, 1).mean(0)),
        case("time_machine", "averageHeads", [[causal]], means),
        case("time_machine", "decidedness", [weights[1, 2]], float(weights[1, 2].amax(-1).mean())),
        case("time_machine", "decidedness", [[[1.0], [0.25, 0.75]]], 0.875),
        case("time_machine", "sentenceLoss", [probabilities], float(-probabilities.log().mean())),
    ]


def word_edits_cases() -> list[dict]:
    sentences = ["", "many you", "thank you", "the the cat", "a cat saw the dog", "the dog saw"]
    return [
        case("word_edits", "wordEdits", [words, wanted], word_edits(words, wanted))
        for words, wanted in itertools.product(map(str.split, sentences), repeat=2)
    ]


#: Each gives the cases of one module, or of a few that belong together.
CASES = (
    words_cases,
    byte_pairs_cases,
    linear_cases,
    softmax_cases,
    softmax_steps_cases,
    attention_cases,
    spelling_cases,
    worked_cases,
    six_steps_cases,
    answer_cases,
    random_cases,
    scaling_cases,
    bottleneck_cases,
    neighbours_cases,
    masks_cases,
    positional_cases,
    hidden_units_cases,
    residual_and_norm_cases,
    transformer_cases,
    scale_cases,
    heads_cases,
    time_machine_cases,
    word_edits_cases,
)
