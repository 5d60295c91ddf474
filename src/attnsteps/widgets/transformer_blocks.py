"""Every block of the Transformer with the tensors made in it, for the whole-model widget.

In formulas and code, braces mark the names that light up together: ``{q}`` is the name q, and
``{Dk:D_k}`` is Dk shown as D_k. The lines of code are a complete forward pass:
``tests/unit/test_widgets_transformer.py`` runs them, layer by layer, against Transformer.
"""

from attnsteps.widgets.transformer_parts import (
    attention,
    block,
    embedding,
    feed_forward,
    learned,
    norm,
    positions,
    step,
)

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

BLOCKS = [
    block(
        "encoder",
        "words",
        kind="ids",
        title="Source words",
        says="The number of each Chinese word in the vocabulary, and a mask for the padding.",
        steps=[
            step("src_ids", "B S", "{src_ids}", "{src_ids} = batch.src_ids"),
            step(
                "src_mask",
                "B 1 1 S",
                "{src_mask} = is this word real?",
                "{src_mask} = padding_mask({src_ids}, pad_id)",
            ),
        ],
    ),
    embedding("encoder", "src_ids", "S", "Esrc", "Vsrc"),
    positions("encoder", "S"),
    attention(
        "encoder",
        "self",
        title="Self-attention",
        says="Every source word attends to every other, in all heads at once.",
        tq="S",
        tk="S",
        mask="src_mask",
    ),
    norm("encoder", "norm_1", "S"),
    feed_forward("encoder", "S"),
    norm("encoder", "norm_2", "S"),
    block(
        "encoder",
        "memory",
        kind="memory",
        title="Memory",
        says="The output of the last encoder layer. Every decoder layer reads it.",
        steps=[step("memory", "B S D", "{memory} = {x} of the last layer", "{memory} = {x}")],
    ),
    block(
        "decoder",
        "words",
        kind="ids",
        title="Target words",
        says="The words so far, after the start symbol; the mask hides later words.",
        steps=[
            step("tgt_ids", "B T", "{tgt_ids}", "{tgt_ids} = batch.tgt_in"),
            step(
                "tgt_mask",
                "B 1 T T",
                "{tgt_mask} = real, and not later?",
                "{tgt_mask} = combine(causal_mask({T}), padding_mask({tgt_ids}, pad_id))",
            ),
        ],
    ),
    embedding("decoder", "tgt_ids", "T", "E", "V"),
    positions("decoder", "T"),
    attention(
        "decoder",
        "self",
        title="Masked self-attention",
        says="Every target word attends to itself and to the words before it.",
        tq="T",
        tk="T",
        mask="tgt_mask",
    ),
    norm("decoder", "norm_1", "T"),
    attention(
        "decoder",
        "cross",
        title="Cross-attention",
        says="Every target word attends to the source: its queries, the memory’s keys and values.",
        tq="T",
        tk="S",
        mask="src_mask",
    ),
    norm("decoder", "norm_2", "T"),
    feed_forward("decoder", "T"),
    norm("decoder", "norm_3", "T"),
    block(
        "decoder",
        "projection",
        kind="projection",
        title="Output projection",
        says="One dot product with each word’s row of the table: how well does it fit next?",
        steps=[
            step(
                "logits",
                "B T V",
                "{logits} = {x} {Eout:Eᵀ}",
                "{logits} = {Eout:projection}({x})",
            )
        ],
        learned=[learned("Eout", "V D")],
        parameters="{V} · {D}",
        flops="{B} · 2·{T}·{D}·{V}",
        tq="T",
    ),
    block(
        "decoder",
        "softmax",
        kind="softmax",
        title="Softmax",
        says="Scores become probabilities: at each position, one for every word of the vocabulary.",
        steps=[
            step("probs", "B T V", "{probs} = softmax({logits})", "{probs} = {logits}.softmax(-1)")
        ],
    ),
]
