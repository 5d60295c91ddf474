"""The kinds of block in a Transformer, described as in ``transformer_blocks``."""


def step(tensor: str, axes: str, formula: str, code: str) -> dict:
    """Describe how one tensor is made."""
    return {"tensor": tensor, "axes": axes, "formula": formula, "code": code}


def learned(names: str, axes: str, bias: str = "") -> dict:
    """Describe parameter matrices of one shape, and the shape of each one's bias."""
    return {"names": names.split(), "axes": axes, "bias": bias}


def block(
    part: str, name: str, *, kind: str, title: str, says: str, steps: list[dict], **more: object
) -> dict:
    """Describe a block; ``more`` holds its parameters, lengths and formulas of counts."""
    shared = {"learned": [], "parameters": "", "flops": "", "layered": False, "tq": "", "tk": ""}
    own = {"id": f"{part}.{name}", "part": part, "kind": kind, "title": title, "says": says}
    return {**shared, **own, "steps": steps, **more}


def embedding(part: str, ids: str, length: str, table: str, vocab: str) -> dict:
    """Describe an embedding."""
    return block(
        part,
        "embedding",
        kind="embedding",
        title="Embedding",
        says="Each id picks its row of the table, times √D, or else the positions would drown it.",
        steps=[
            step(
                "words",
                f"B {length} D",
                f"{{words}} = {{D:√D}} · {{{table}:E}}[{{{ids}}}]",
                f"{{words}} = {{{table}:embedding}}({{{ids}}})",
            )
        ],
        learned=[learned(table, f"{vocab} D")],
        parameters=f"{{{vocab}:V}} · {{D}}",
    )


def positions(part: str, length: str) -> dict:
    """Describe the sum of embeddings and positions."""
    return block(
        part,
        "positions",
        kind="positions",
        title="+ positions",
        says="Sines and cosines say where each word is. They are computed, not learned.",
        steps=[
            step(
                "positions",
                f"{length} D",
                f"{{positions}} = sin, cos of 0 … {{{length}}} − 1",
                f"{{positions}} = sinusoidal_positions({{{length}}}, {{D}})",
            ),
            step(
                "x",
                f"B {length} D",
                "{x} = {words} + {positions}",
                "{x} = dropout({words} + {positions})",
            ),
        ],
    )


def attention(part: str, name: str, *, title: str, says: str, tq: str, tk: str, mask: str) -> dict:
    """Describe multi-head attention from tq positions to tk positions."""
    source = "memory" if name == "cross" else "x"
    hidden = "later words and padding" if mask == "tgt_mask" else "padding"
    flops = (
        f"{{B}} · (8·{{{tq}}}·{{D:D²}} + 4·{{{tq}:{tq}²}}·{{D}})"
        if tq == tk
        else f"{{B}} · (4·({{{tq}}} + {{{tk}}})·{{D:D²}} + 4·{{{tq}}}·{{{tk}}}·{{D}})"
    )
    steps = [
        step(
            "q",
            f"B H {tq} Dk",
            "{q} = {x} {W_q}, cut into {H} heads",
            "{q} = split_heads({W_q:w_q}({x}), {H})",
        ),
        step(
            "k",
            f"B H {tk} Dk",
            f"{{k}} = {{{source}}} {{W_k}}, cut into {{H}} heads",
            f"{{k}} = split_heads({{W_k:w_k}}({{{source}}}), {{H}})",
        ),
        step(
            "v",
            f"B H {tk} Dv",
            f"{{v}} = {{{source}}} {{W_v}}, cut into {{H}} heads",
            f"{{v}} = split_heads({{W_v:w_v}}({{{source}}}), {{H}})",
        ),
        step(
            "scores",
            f"B H {tq} {tk}",
            "{scores} = {q} {k:kᵀ} / {Dk:√D_k}",
            "{scores} = {q} @ {k}.mT / math.sqrt({Dk})",
        ),
        step(
            "weights",
            f"B H {tq} {tk}",
            f"{{weights}} = softmax({{scores}}), {{{mask}:{hidden}}} hidden",
            f"{{weights}} = masked_softmax({{scores}}, {{{mask}}})",
        ),
        step("context", f"B H {tq} Dv", "{context} = {weights} {v}", "{context} = {weights} @ {v}"),
        step(
            "merged",
            f"B {tq} D",
            "{merged} = {context}, the {H} heads side by side",
            "{merged} = merge_heads({context})",
        ),
        step("output", f"B {tq} D", "{output} = {merged} {W_o}", "{output} = {W_o:w_o}({merged})"),
    ]
    return block(
        part,
        name,
        kind="attention",
        title=title,
        says=says,
        steps=steps,
        learned=[learned("W_q W_k W_v W_o", "D D", "D")],
        parameters="4 · ({D:D²} + {D})",
        flops=flops,
        layered=True,
        tq=tq,
        tk=tk,
    )


def norm(part: str, name: str, length: str) -> dict:
    """Describe a residual connection with the norm after it."""
    return block(
        part,
        name,
        kind="norm",
        title="add & norm",
        says="The block below adds its output to its input, and the sum is normalised.",
        steps=[
            step(
                "added",
                f"B {length} D",
                "{added} = {x} + {output}",
                "{added} = {x} + dropout({output})",
            ),
            step("x", f"B {length} D", "{x} = {norm:LayerNorm}({added})", "{x} = {norm}({added})"),
        ],
        learned=[learned("norm", "2 D")],
        parameters="2 · {D}",
        layered=True,
    )


def feed_forward(part: str, length: str) -> dict:
    """Describe the feed-forward network."""
    return block(
        part,
        "feed_forward",
        kind="feed_forward",
        title="Feed-forward",
        says="Each word by itself: up to Dff hidden units, ReLU, and down again.",
        steps=[
            step(
                "hidden",
                f"B {length} Dff",
                "{hidden} = max(0, {x} {W_1} + {W_1:b_1})",
                "{hidden} = torch.relu({W_1:w_1}({x}))",
            ),
            step(
                "output",
                f"B {length} D",
                "{output} = {hidden} {W_2} + {W_2:b_2}",
                "{output} = {W_2:w_2}({hidden})",
            ),
        ],
        learned=[learned("W_1", "D Dff", "Dff"), learned("W_2", "Dff D", "D")],
        parameters="2·{D}·{Dff} + {Dff} + {D}",
        flops=f"{{B}} · 4·{{{length}}}·{{D}}·{{Dff}}",
        layered=True,
        tq=length,
    )
