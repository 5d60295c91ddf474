"""Every block of the Transformer with the tensors made in it: what the whole-model widget shows.

A formula and a line of code are written with the names that light up together in braces:
``{q}`` is the name q, ``{Dk:D_k}`` is Dk shown as D_k. The lines of code are a whole forward
pass: ``tests/unit/test_widgets_transformer.py`` runs them, layer by layer, against Transformer.
"""

AXES = {
    "B": "sentences in the batch",
    "S": "words of the source sentence",
    "T": "words of the target so far, the start symbol included",
    "D": "numbers in a word’s vector, d_model",
    "H": "heads",
    "Dk": "numbers in one head’s query or key, D / H",
    "Dv": "numbers in one head’s value, D / H",
    "Dff": "hidden units of the feed-forward network",
    "V": "tokens of the target vocabulary",
    "Vsrc": "tokens of the source vocabulary",
}


def _step(tensor: str, axes: str, formula: str, code: str) -> dict:
    """Describe how one tensor comes about."""
    return {"tensor": tensor, "axes": axes, "formula": formula, "code": code}


def _learned(names: str, axes: str, bias: str = "") -> dict:
    """Describe learned matrices of one shape, and the shape of the bias of each."""
    return {"names": names.split(), "axes": axes, "bias": bias}


def _block(
    part: str, name: str, *, kind: str, title: str, says: str, steps: list[dict], **more: object
) -> dict:
    """Put a block together; ``more`` holds learned matrices, formulas of counts and lengths."""
    shared = {"learned": [], "parameters": "", "flops": "", "layered": False, "tq": "", "tk": ""}
    own = {"id": f"{part}.{name}", "part": part, "kind": kind, "title": title, "says": says}
    return {**shared, **own, "steps": steps, **more}


def _embedding(part: str, ids: str, length: str, table: str, vocab: str) -> dict:
    """Describe an embedding."""
    return _block(
        part,
        "embedding",
        kind="embedding",
        title="Embedding",
        says="Each id picks its row of the table. Times √D, so that the positions do not drown it.",
        steps=[
            _step(
                "words",
                f"B {length} D",
                f"{{words}} = {{D:√D}} · {{{table}:E}}[{{{ids}}}]",
                f"{{words}} = {{{table}:embedding}}({{{ids}}})",
            )
        ],
        learned=[_learned(table, f"{vocab} D")],
        parameters=f"{{{vocab}:V}} · {{D}}",
    )


def _positions(part: str, length: str) -> dict:
    """Describe the sum of embedding and positions."""
    return _block(
        part,
        "positions",
        kind="positions",
        title="+ positions",
        says="Sines and cosines say where each word stands. They are computed, not learned.",
        steps=[
            _step(
                "positions",
                f"{length} D",
                f"{{positions}} = sin, cos of 0 … {{{length}}} − 1",
                f"{{positions}} = sinusoidal_positions({{{length}}}, {{D}})",
            ),
            _step(
                "x",
                f"B {length} D",
                "{x} = {words} + {positions}",
                "{x} = dropout({words} + {positions})",
            ),
        ],
    )


def _attention(part: str, name: str, *, title: str, says: str, tq: str, tk: str, mask: str) -> dict:
    """Describe multi-head attention of tq positions to tk positions."""
    source = "memory" if name == "cross" else "x"
    hidden = "later words and padding" if mask == "tgt_mask" else "padding"
    flops = (
        f"{{B}} · (8·{{{tq}}}·{{D:D²}} + 4·{{{tq}:{tq}²}}·{{D}})"
        if tq == tk
        else f"{{B}} · (4·({{{tq}}} + {{{tk}}})·{{D:D²}} + 4·{{{tq}}}·{{{tk}}}·{{D}})"
    )
    steps = [
        _step(
            "q",
            f"B H {tq} Dk",
            "{q} = {x} {W_q}, cut into {H} heads",
            "{q} = split_heads({W_q:w_q}({x}), {H})",
        ),
        _step(
            "k",
            f"B H {tk} Dk",
            f"{{k}} = {{{source}}} {{W_k}}, cut into {{H}} heads",
            f"{{k}} = split_heads({{W_k:w_k}}({{{source}}}), {{H}})",
        ),
        _step(
            "v",
            f"B H {tk} Dv",
            f"{{v}} = {{{source}}} {{W_v}}, cut into {{H}} heads",
            f"{{v}} = split_heads({{W_v:w_v}}({{{source}}}), {{H}})",
        ),
        _step(
            "scores",
            f"B H {tq} {tk}",
            "{scores} = {q} {k:kᵀ} / {Dk:√D_k}",
            "{scores} = {q} @ {k}.mT / math.sqrt({Dk})",
        ),
        _step(
            "weights",
            f"B H {tq} {tk}",
            f"{{weights}} = softmax({{scores}}), {{{mask}:{hidden}}} hidden",
            f"{{weights}} = masked_softmax({{scores}}, {{{mask}}})",
        ),
        _step(
            "context", f"B H {tq} Dv", "{context} = {weights} {v}", "{context} = {weights} @ {v}"
        ),
        _step(
            "merged",
            f"B {tq} D",
            "{merged} = {context}, the {H} heads side by side",
            "{merged} = merge_heads({context})",
        ),
        _step("output", f"B {tq} D", "{output} = {merged} {W_o}", "{output} = {W_o:w_o}({merged})"),
    ]
    return _block(
        part,
        name,
        kind="attention",
        title=title,
        says=says,
        steps=steps,
        learned=[_learned("W_q W_k W_v W_o", "D D", "D")],
        parameters="4 · ({D:D²} + {D})",
        flops=flops,
        layered=True,
        tq=tq,
        tk=tk,
    )


def _norm(part: str, name: str, length: str) -> dict:
    """Describe a residual connection with the norm after it."""
    return _block(
        part,
        name,
        kind="norm",
        title="add & norm",
        says="What the block below found is added to what went into it, and the sum is normalised.",
        steps=[
            _step(
                "added",
                f"B {length} D",
                "{added} = {x} + {output}",
                "{added} = {x} + dropout({output})",
            ),
            _step("x", f"B {length} D", "{x} = {norm:LayerNorm}({added})", "{x} = {norm}({added})"),
        ],
        learned=[_learned("norm", "2 D")],
        parameters="2 · {D}",
        layered=True,
    )


def _feed_forward(part: str, length: str) -> dict:
    """Describe the feed-forward network."""
    return _block(
        part,
        "feed_forward",
        kind="feed_forward",
        title="Feed-forward",
        says="Each word by itself: up to Dff hidden units, ReLU, and down again.",
        steps=[
            _step(
                "hidden",
                f"B {length} Dff",
                "{hidden} = max(0, {x} {W_1} + {W_1:b_1})",
                "{hidden} = torch.relu({W_1:w_1}({x}))",
            ),
            _step(
                "output",
                f"B {length} D",
                "{output} = {hidden} {W_2} + {W_2:b_2}",
                "{output} = {W_2:w_2}({hidden})",
            ),
        ],
        learned=[_learned("W_1", "D Dff", "Dff"), _learned("W_2", "Dff D", "D")],
        parameters="2·{D}·{Dff} + {Dff} + {D}",
        flops=f"{{B}} · 4·{{{length}}}·{{D}}·{{Dff}}",
        layered=True,
        tq=length,
    )


BLOCKS = [
    _block(
        "encoder",
        "words",
        kind="ids",
        title="Source words",
        says="Each Chinese word as its number in the vocabulary, and a mask for the padding.",
        steps=[
            _step("src_ids", "B S", "{src_ids}", "{src_ids} = batch.src_ids"),
            _step(
                "src_mask",
                "B 1 1 S",
                "{src_mask} = is this word real?",
                "{src_mask} = padding_mask({src_ids}, pad_id)",
            ),
        ],
    ),
    _embedding("encoder", "src_ids", "S", "Esrc", "Vsrc"),
    _positions("encoder", "S"),
    _attention(
        "encoder",
        "self",
        title="Self-attention",
        says="Every source word looks at every other, with all heads at once.",
        tq="S",
        tk="S",
        mask="src_mask",
    ),
    _norm("encoder", "norm_1", "S"),
    _feed_forward("encoder", "S"),
    _norm("encoder", "norm_2", "S"),
    _block(
        "encoder",
        "memory",
        kind="memory",
        title="Memory",
        says="What the last encoder layer wrote. Every decoder layer reads it.",
        steps=[_step("memory", "B S D", "{memory} = {x} of the last layer", "{memory} = {x}")],
    ),
    _block(
        "decoder",
        "words",
        kind="ids",
        title="Target words",
        says="What is written already, from the start symbol on; the mask hides what comes later.",
        steps=[
            _step("tgt_ids", "B T", "{tgt_ids}", "{tgt_ids} = batch.tgt_in"),
            _step(
                "tgt_mask",
                "B 1 T T",
                "{tgt_mask} = real, and not later?",
                "{tgt_mask} = combine(causal_mask({T}), padding_mask({tgt_ids}, pad_id))",
            ),
        ],
    ),
    _embedding("decoder", "tgt_ids", "T", "E", "V"),
    _positions("decoder", "T"),
    _attention(
        "decoder",
        "self",
        title="Masked self-attention",
        says="Every target word looks at itself and at those before it.",
        tq="T",
        tk="T",
        mask="tgt_mask",
    ),
    _norm("decoder", "norm_1", "T"),
    _attention(
        "decoder",
        "cross",
        title="Cross-attention",
        says="Every target word looks at the source: its queries, the memory’s keys and values.",
        tq="T",
        tk="S",
        mask="src_mask",
    ),
    _norm("decoder", "norm_2", "T"),
    _feed_forward("decoder", "T"),
    _norm("decoder", "norm_3", "T"),
    _block(
        "decoder",
        "projection",
        kind="projection",
        title="Output projection",
        says="One dot product with every word’s row of the table: how well would it come next?",
        steps=[
            _step(
                "logits",
                "B T V",
                "{logits} = {x} {Eout:Eᵀ}",
                "{logits} = {Eout:projection}({x})",
            )
        ],
        learned=[_learned("Eout", "V D")],
        parameters="{V} · {D}",
        flops="{B} · 2·{T}·{D}·{V}",
        tq="T",
    ),
    _block(
        "decoder",
        "softmax",
        kind="softmax",
        title="Softmax",
        says="Scores become probabilities: at each position one for every word of the vocabulary.",
        steps=[
            _step("probs", "B T V", "{probs} = softmax({logits})", "{probs} = {logits}.softmax(-1)")
        ],
    ),
]
