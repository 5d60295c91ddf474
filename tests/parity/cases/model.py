"""What the Transformer in ``widgets/js/maths/model`` must give: numbers within a case's tolerance,
tokens exactly.

The form is that of cases.py, and three things more: ``{"model": name}`` stands for one of the
models below, ``{"function": "double"}`` for a function, and ``pick`` names what of the result is
compared.
"""

import dataclasses
import functools
import hashlib
import json
import math

import safetensors.torch
import torch

from attnsteps import (
    FeedForward,
    GatedFeedForward,
    Knockout,
    LayerNorm,
    MultiHeadAttention,
    NonAutoregressive,
    Transformer,
    TransformerConfig,
    all_at_once,
    beam,
    greedy,
    knocked_out,
    length_penalty,
    mask_predict,
    sinusoidal_positions,
)
from attnsteps.decoding.mask_predict import least_certain
from attnsteps.decoding.step import impossible, log_probabilities
from tests.parity.case import case, numbers

#: Small models with random weights, one for each kind of configuration that the browser can run.
CONFIGS = {
    "post": {},
    "pre": {"norm": "pre", "activation": "gelu", "positions": "learned", "tie": "none"},
    "tied": {"final_norm": True, "tie": "all", "activation": "swiglu"},
    "parallel": {"causal": False, "mask_id": 4, "norm": "pre"},
    "8 bits": {"norm": "pre", "tie": "all"},
}
SIZES = {"d_model": 8, "num_heads": 2, "d_ff": 12, "dropout": 0.0, "max_len": 16}
LAYERS = {"num_encoder_layers": 1, "num_decoder_layers": 2}
SOURCES = [[5, 3, 8, 6, 7], [9], [4, 4, 10, 5]]


@functools.cache
def model(name: str) -> Transformer | NonAutoregressive:
    """Return one of the models, its weights rounded as in its file and kept in float64."""
    config = TransformerConfig(
        src_vocab_size=13, tgt_vocab_size=13, **SIZES, **LAYERS, **CONFIGS[name]
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        made = (NonAutoregressive if name == "parallel" else Transformer)(config)
    generator = torch.Generator().manual_seed(4)
    with torch.no_grad():
        for key, parameter in made.named_parameters():  # far from their start: every one counts
            noise = torch.randn(parameter.shape, generator=generator)
            size = 0.2 if "embedding" in key else 0.6  # or a word would follow itself for ever
            parameter.copy_((parameter + size * noise).half())
            if name == "8 bits" and parameter.dim() == 2:
                whole, scale = in_bytes(parameter)
                parameter.copy_(whole * scale[:, None])
    return made.double().eval()


def in_bytes(matrix: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return whole numbers of 8 bits, and the step of each row that they count."""
    scale = (matrix.abs().amax(dim=1) / 127).float()
    return (matrix / scale[:, None]).round().to(torch.int8), scale


def safetensors_of(name: str) -> bytes:
    """Return the file of one of the models, in the form that Trained.save writes."""
    made = model(name)
    tensors = {key: p.detach().half().contiguous() for key, p in made.named_parameters()}
    if name == "8 bits":
        for key, parameter in made.named_parameters():
            if parameter.dim() == 2:
                tensors[key], tensors[f"{key}.scale"] = in_bytes(parameter.detach())
    config = json.dumps(dataclasses.asdict(made.config))
    digest = hashlib.sha256(config.encode())
    for key in sorted(tensors):
        digest.update(f"{key} {tensors[key].dtype} {tuple(tensors[key].shape)}\n".encode())
        digest.update(tensors[key].reshape(-1).view(torch.uint8).numpy())
    metadata = {"config": config, "sha256": digest.hexdigest()}
    return safetensors.torch.save(tensors, metadata)


def layer_cases() -> list[dict]:
    """Compare the parts of the model, each with weights of its own."""
    x, y = numbers(3, 6, seed=21, scale=2.0), numbers(5, 6, seed=22)
    torch.manual_seed(5)
    norm = LayerNorm(6).double()
    attention = MultiHeadAttention(6, 2).double()
    with torch.no_grad():
        for parameter in (*norm.parameters(), *attention.parameters()):
            parameter.copy_(torch.randn_like(parameter))
    out = [
        case(
            "model/layer_norm",
            "layerNorm",
            [x, parts(norm)],
            norm(x),
            tolerance=1e-5,
        ),
        case("model/linear_layer", "linearLayer", [x, parts(attention.w_q)], attention.w_q(x)),
        case("model/linear_layer", "add", [x, y[:3]], x + y[:3]),
        case(
            "model/sublayer",
            "sublayer",
            [x, parts(norm), True, {"function": "double"}],
            x + 2 * norm(x),
            tolerance=1e-5,
        ),
        case(
            "model/sublayer",
            "sublayer",
            [x, parts(norm), False, {"function": "double"}],
            norm(3 * x),
            tolerance=1e-5,
        ),
        *(
            case("model/feed_forward", "erf", [z], math.erf(z))
            for z in (-7.0, -2.5, 0.0, 1e-9, 0.4, 3.3, 5.9)
        ),
        *(
            case("model/positional", "sinusoidalPosition", [t, 7], row)
            for t, row in enumerate(sinusoidal_positions(3, 7, dtype=torch.float64))
        ),
    ]
    for activation in ("relu", "gelu", "swiglu"):
        is_gated = activation == "swiglu"
        network = GatedFeedForward(6, 7) if is_gated else FeedForward(6, 7, activation=activation)
        network = network.double()
        weights = {"w1": parts(network.w_1), "w2": parts(network.w_2)}
        weights["w3"] = parts(network.w_3) if is_gated else None
        given = [x, weights, activation]
        out.append(case("model/feed_forward", "feedForward", given, network(x), tolerance=1e-5))
    projections = {f"w{name.upper()}": parts(getattr(attention, f"w_{name}")) for name in "qkvo"}
    mask = torch.ones(1, 2, 3, 5, dtype=torch.bool)
    mask[:, 1, 2, 3] = False
    blocks = [{"head": 1, "query": 2, "key": 3}]
    for hidden, options in ((None, {}), (mask, {"blocks": blocks})):
        output, weights = attention(x[None], y[None], y[None], hidden, need_weights=True)
        given = [x, y, projections, {"numHeads": 2, **options}]
        expected = {"output": output[0], "weights": weights[0]}
        out.append(case("model/multi_head", "multiHead", given, expected, tolerance=1e-5))
    causal = torch.ones(5, 5, dtype=torch.bool).tril()
    output, _ = attention(y[None], y[None], y[None], causal)
    given = [y, y, projections, {"numHeads": 2, "causal": True}]
    out.append(
        case("model/multi_head", "multiHead", given, output[0], pick="output", tolerance=1e-5)
    )
    return out


def parts(module: torch.nn.Module) -> dict:
    """Return the weight and bias of a layer."""
    return {"weight": module.weight, "bias": module.bias}


def model_cases() -> list[dict]:
    """Compare whole models, read from their files: logits, attention weights, tokens."""
    out = [case("model/safetensors", "fromHalf", [bits], half(bits)) for bits in HALVES]
    loose = {"tolerance": 1e-4}
    out.append(case("model/beam", "lengthPenalty", [7, 0.6], length_penalty(7, 0.6)))
    for name in CONFIGS:
        made, tgt_ids = model(name), [1, 7, 5, 9]
        transformer = made.transformer if name == "parallel" else made
        given = {"model": name}
        for src_ids in SOURCES:
            memory, weights = transformer.encode(torch.tensor([src_ids]), need_weights=True)
            read = {"memory": memory[0], "weights": [layer[0] for layer in weights.encoder]}
            out.append(case("model/transformer", "encode", [given, src_ids], read, **loose))
            logits = transformer(torch.tensor([src_ids]), torch.tensor([tgt_ids]))[0]
            ask = [given, tgt_ids, memory[0]]
            out.append(case("model/transformer", "decode", ask, logits, pick="logits", **loose))
            out += (
                parallel_cases(given, src_ids)
                if name == "parallel"
                else writing_cases(given, src_ids)
            )
    out += blocked_cases() + forced_cases()
    row = torch.tensor([[-1.0, -3.0, -2.0, -3.0, -0.5]])
    for count in range(6):
        places = least_certain(row, torch.tensor([count]))[0].nonzero()[:, 0]
        given = [row[0], count]
        out.append(case("model/non_autoregressive", "leastCertain", given, places))
    return out


HALVES = [0x0000, 0x8000, 0x0001, 0x03FF, 0x0400, 0x3C00, 0xBC01, 0x7BFF, 0x7C00, 0xFC00, 0x3555]


def half(bits: int) -> float:
    """Return the number that 16 bits stand for."""
    return torch.tensor(bits, dtype=torch.uint16).view(torch.float16).item()


def writing_cases(given: dict, src_ids: list[int]) -> list[dict]:
    """Write from left to right, greedily and with beams."""
    made, source, out = model(given["model"]), torch.tensor([src_ids]), []
    for use_cache in (True, False):
        found = greedy(made, source, max_len=9)
        options = {"maxLen": 9, "useCache": use_cache}
        expected = {"ids": found.ids[0], "score": float(found.scores[0])}
        out.append(sentence_case("model/greedy", "greedy", [given, src_ids, options], expected))
    for width, alpha in ((1, 0.6), (3, 0.6), (4, 0.0)):
        found = beam(made, source, beam_width=width, max_len=9, alpha=alpha, n_best=width)
        options = {"beamWidth": width, "maxLen": 9, "alpha": alpha, "nBest": width}
        expected = [
            {"ids": ids[:length], "score": float(score)}
            for ids, length, score in zip(*(field[0] for field in found), strict=True)
        ]
        out.append(
            case(
                "model/beam",
                "beam",
                [given, src_ids, options],
                expected,
                pick="hypotheses",
                tolerance=1e-4,
            )
        )
    return out


def parallel_cases(given: dict, src_ids: list[int]) -> list[dict]:
    """Find all tokens at once."""
    made, source, out = model(given["model"]), torch.tensor([src_ids]), []
    for factor in (1.0, 0.7):
        found = all_at_once(made, source, length_factor=factor)
        expected = {"ids": found.ids[0], "score": float(found.scores[0])}
        ask = [given, src_ids, {"lengthFactor": factor}]
        out.append(sentence_case("model/non_autoregressive", "allAtOnce", ask, expected))
    for iterations, num_lengths in ((1, 1), (4, 1), (5, 3)):
        found = mask_predict(made, source, iterations=iterations, num_lengths=num_lengths)
        expected = {"ids": found.ids[0], "score": float(found.scores[0])}
        ask = [given, src_ids, {"iterations": iterations, "numLengths": num_lengths}]
        out.append(sentence_case("model/non_autoregressive", "maskPredict", ask, expected))
    return out


#: What is turned off: heads, edges, and what stands for all layers, all heads or all queries.
KNOCKOUTS = {
    "heads": [Knockout("encoder", layer=0, head=1), Knockout("cross", layer=1, head=0)],
    "all heads of a part": [Knockout("decoder")],
    "edges": [
        Knockout("cross", key=2),  # source word 2, from every target word
        Knockout("cross", query=3, key=4),
        Knockout("decoder", layer=0, head=1, query=2, key=1),
        Knockout("encoder", head=0, query=1),  # which may then look at nothing
    ],
    "both": [Knockout("encoder", 0, 0), Knockout("decoder", 1, 1), Knockout("cross", 0, 0, 1, 0)],
}


def blocked_cases() -> list[dict]:
    """Turn heads and edges off, read, score and write, with a cache and without."""
    src_ids, tgt_ids, out, loose = SOURCES[0], [1, 7, 5, 9], [], {"tolerance": 1e-4}
    source, target = torch.tensor([src_ids]), torch.tensor([tgt_ids])
    for name in ("post", "pre"):
        made, given = model(name), {"model": name}
        for knockouts in KNOCKOUTS.values():
            blocks = [knockout._asdict() for knockout in knockouts]
            with knocked_out(made, *knockouts):
                memory, weights = made.encode(source, need_weights=True)
                logits = made.decode(target, memory, source)[0]
                found = greedy(made, source, max_len=9)
            read = {"memory": memory[0], "weights": [layer[0] for layer in weights.encoder]}
            ask = [given, src_ids, blocks]
            out.append(case("model/transformer", "encode", ask, read, **loose))
            ask = [given, tgt_ids, memory[0], {"blocks": blocks}]
            out.append(case("model/transformer", "decode", ask, logits, pick="logits", **loose))
            expected = {"ids": found.ids[0], "score": float(found.scores[0])}
            for use_cache in (True, False):
                options = {"maxLen": 9, "useCache": use_cache, "blocks": blocks}
                ask = [given, src_ids, options]
                out.append(sentence_case("model/greedy", "greedy", ask, expected))
    return out


def forced_cases() -> list[dict]:
    """Give some places a token, whatever its probability, and let the model write the others."""
    made, src_ids, forced, out = model("pre"), SOURCES[0], {1: 9, 3: 6}, []
    ids, score = [1], 0.0
    while len(ids) <= 6 and ids[-1] != made.config.eos_id:
        logits = made(torch.tensor([src_ids]), torch.tensor([ids]))[0, -1]
        log_probs = log_probabilities(logits.detach(), impossible(made.config), torch.float64)
        ids.append(forced.get(len(ids) - 1, int(log_probs.argmax())))
        score += float(log_probs[ids[-1]])
    for use_cache in (True, False):
        options = {"maxLen": 6, "forced": forced, "useCache": use_cache}
        expected = {"ids": ids[1:], "score": score}
        ask = [{"model": "pre"}, src_ids, options]
        out.append(sentence_case("model/greedy", "greedy", ask, expected))

    def score_of(ids: tuple[int, ...]) -> float:
        logits = made(torch.tensor([src_ids]), torch.tensor([[1, *ids[:-1]]]))[0].detach()
        log_probs = log_probabilities(logits, impossible(made.config), torch.float64)
        return float(log_probs[range(len(ids)), ids].sum())

    # A beam that drops nothing finds the best of all sentences with these tokens.
    words = range(3, made.config.tgt_vocab_size)
    best = max([(a, 9, b) for a in words for b in (made.config.eos_id, *words)], key=score_of)
    options = {"beamWidth": 200, "maxLen": 3, "alpha": 0, "forced": {1: 9}}
    expected = [{"ids": best, "score": score_of(best)}]
    ask = [{"model": "pre"}, src_ids, options]
    out.append(case("model/beam", "beam", ask, expected, pick="hypotheses", tolerance=1e-4))
    return out


def sentence_case(module: str, function: str, arguments: list, expected: dict) -> dict:
    """Compare the ids and the score alone of what a search gives."""
    return case(module, function, arguments, expected, pick=["ids", "score"], tolerance=1e-4)


CASES = (layer_cases, model_cases)
