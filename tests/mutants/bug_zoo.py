"""The bug zoo's mistakes, each as a change of the package's text, with the test that it must fail.

Numbers are those of the book's bug zoo. 15 is missing: it is made by whoever scores a translation,
not inside a module, and its test shows that the two scores differ. Where a mistake can be made in
several places or ways, it stands here several times. `make mutants` makes each of them in a copy
of the package.
"""

from typing import NamedTuple


class Mistake(NamedTuple):
    """A mistake and what must notice it.

    Attributes:
        number: in the bug zoo.
        what: in a few words.
        test: the file in tests/unit; those of its tests are run that bear the number.
        module: the file in src/attnsteps.
        changes: what stands there, and what the mistake makes of it.
    """

    number: int
    what: str
    test: str
    module: str
    changes: dict[str, str]


LAYER_NORM = "nn.functional.layer_norm(x, self.weight.shape, self.weight, self.bias, self.eps)"
MISTAKES = [
    Mistake(
        1,
        "causal mask only in training",
        "test_transformer",
        "model/transformer.py",
        {"if c.causal and not is_last": "if c.causal and not is_last and self.training"},
    ),
    Mistake(
        1,
        "no causal mask in the decoder layer",
        "test_decoder",
        "model/decoder.py",
        {"self.self_attention(x, x, x, tgt_mask,": "self.self_attention(x, x, x, None,"},
    ),
    Mistake(
        2,
        "every step at position 0",
        "test_cache",
        "model/transformer.py",
        {"offset=start": "offset=0"},
    ),
    Mistake(
        3,
        "the cache keeps the layer's inputs",
        "test_cache",
        "layers/multi_head.py",
        {
            "            k, v = cache.append(k, v)\n": (
                "            old = cache.append(key[:, None], value[:, None])\n"
                "            k, v = self.project(*(x[:, 0] for x in old))\n"
            ),
        },
    ),
    Mistake(
        3,
        "the memory is projected at every step",
        "test_step",
        "model/decoder.py",
        {"if cache.memory is None:": "if True:"},
    ),
    Mistake(
        4,
        "unbiased standard deviation, ε outside the root",
        "test_layer_norm",
        "layers/layer_norm.py",
        {
            LAYER_NORM: (
                "self.weight * (x - x.mean(-1, keepdim=True))"
                " / (x.std(-1, keepdim=True) + self.eps) + self.bias"
            )
        },
    ),
    Mistake(
        4,
        "ε outside the root",
        "test_layer_norm",
        "layers/layer_norm.py",
        {
            LAYER_NORM: (
                "self.weight * (x - x.mean(-1, keepdim=True))"
                " / (x.var(-1, keepdim=True, unbiased=False).sqrt() + self.eps) + self.bias"
            )
        },
    ),
    Mistake(
        5,
        "variance as E[x²] − E[x]²",
        "test_layer_norm",
        "layers/layer_norm.py",
        {
            LAYER_NORM: (
                "self.weight * (x - x.mean(-1, keepdim=True)) / ((x * x).mean(-1, keepdim=True)"
                " - x.mean(-1, keepdim=True) ** 2 + self.eps).sqrt() + self.bias"
            )
        },
    ),
    Mistake(
        6, "−1e9 as minus infinity", "test_softmax", "layers/softmax.py", {"-math.inf": "-1e9"}
    ),
    Mistake(
        6, "−1e4 as minus infinity", "test_softmax", "layers/softmax.py", {"-math.inf": "-1e4"}
    ),
    Mistake(
        7,
        "softmax of nothing but −∞",
        "test_attention",
        "layers/softmax.py",
        {".masked_fill(empty_row, 0.0)": ""},
    ),
    Mistake(
        7,
        "a silent average",
        "test_attention",
        "layers/softmax.py",
        {"scores.softmax(dim=-1).masked_fill(empty_row, 0.0)": "scores.softmax(dim=-1)"},
    ),
    Mistake(
        7,
        "a silent average, in the fused kernel",
        "test_attention",
        "layers/attention.py",
        {" * ~empty_row": ""},
    ),
    Mistake(
        8,
        "True = may not attend, in masks",
        "test_masks",
        "layers/masks.py",
        {"(ids != pad_id)": "(ids == pad_id)", "key <= query": "key > query"},
    ),
    Mistake(
        8,
        "True = may not attend, in softmax",
        "test_attention",
        "layers/softmax.py",
        {"masked_fill(~mask, -math.inf)": "masked_fill(mask, -math.inf)"},
    ),
    Mistake(
        9,
        "padding mask on the query axis",
        "test_masks",
        "layers/masks.py",
        {"[:, None, None, :]": "[:, None, :, None]"},
    ),
    Mistake(
        10,
        "weights returned after dropout",
        "test_attention",
        "layers/attention.py",
        {
            "context = nn.functional.dropout(weights, dropout_p) @ v": (
                "weights = nn.functional.dropout(weights, dropout_p)\n    context = weights @ v"
            )
        },
    ),
    Mistake(
        11,
        "unit variance and the factor √d_model",
        "test_embedding",
        "layers/embedding.py",
        {"nn.init.normal_(self.weight, std=d_model**-0.5)": "nn.init.normal_(self.weight)"},
    ),
    Mistake(
        12,
        "sinusoids of even widths only",
        "test_positional",
        "layers/positional.py",
        {"angle.cos()[:, : d_model // 2]": "angle.cos()"},
    ),
    Mistake(
        12,
        "half the exponent",
        "test_positional",
        "layers/positional.py",
        {"(two_i / d_model)": "(two_i / 2 / d_model)"},
    ),
    *(
        Mistake(
            13,
            "attention over the batch",
            test,
            "layers/heads.py",
            {
                "x.unflatten(-1, (num_heads, -1)).transpose(1, 2)": (
                    "x.unflatten(-1, (num_heads, -1)).permute(1, 2, 0, 3)"
                ),
                "x.transpose(1, 2).flatten(-2)": "x.permute(2, 0, 1, 3).flatten(-2)",
            },
        )
        for test in ("test_multi_head", "test_encoder", "test_transformer")
    ),
    *(
        Mistake(
            14,
            "pre-norm without the final norm",
            test,
            "model/build.py",
            {'config.norm == "pre" or config.final_norm': "config.final_norm"},
        )
        for test in ("test_decoder", "test_encoder")
    ),
    Mistake(
        14,
        "pre-norm code under post-norm's name",
        "test_encoder",
        "layers/sublayer.py",
        {"self.pre_norm = dropout, pre_norm": "self.pre_norm = dropout, True"},
    ),
    Mistake(
        16,
        "smoothing shared among one too few",
        "test_loss",
        "training/loss.py",
        {"label_smoothing / vocab_size": "label_smoothing / (vocab_size - 1)"},
    ),
    Mistake(
        16,
        "the logarithm of a probability that may be 0",
        "test_loss",
        "training/loss.py",
        {"logits.log_softmax(dim=-1)": "logits.softmax(dim=-1).log()"},
    ),
    Mistake(
        17,
        "accumulated gradients are not divided",
        "test_update",
        "training/update.py",
        {"gradient.div_(count)": "gradient.div_(num_tokens)"},
    ),
    Mistake(
        17,
        "a schedule step for every micro-batch",
        "test_loop",
        "training/run.py",
        {"config.rate(now.step,": "config.rate(now.step * config.accumulate,"},
    ),
    Mistake(
        18,
        "the target is not shifted",
        "test_batch",
        "text/batch.py",
        {"_pad([bos + tgt for": "_pad([tgt + eos for"},
    ),
    Mistake(
        18,
        "the loss asks for the word that was given",
        "test_loss",
        "training/loss.py",
        {"batch.tgt_out, label_smoothing": "batch.tgt_in, label_smoothing"},
    ),
    Mistake(
        19,
        "decoded with another start symbol",
        "test_greedy",
        "decoding/step.py",
        {"(len(self.memory),), model.config.bos_id)": "(len(self.memory),), model.config.eos_id)"},
    ),
    Mistake(
        20,
        "view without a transpose",
        "test_heads",
        "layers/heads.py",
        {"x.transpose(1, 2).flatten(-2)": "x.contiguous().view(len(x), x.shape[2], -1)"},
    ),
    Mistake(
        20,
        "view after transpose",
        "test_heads",
        "layers/heads.py",
        {"x.transpose(1, 2).flatten(-2)": "x.transpose(1, 2).view(len(x), x.shape[2], -1)"},
    ),
]
