"""A translator in one file: the trained model, its vocabularies, its tokenizers and its reading."""

import dataclasses
import json
from pathlib import Path

import torch

from attnsteps.checks import check_choice
from attnsteps.model.config import TransformerConfig
from attnsteps.model.non_autoregressive import NonAutoregressive
from attnsteps.model.transformer import Transformer
from attnsteps.storage.model_file import from_tensors, to_tensors
from attnsteps.storage.tensor_file import as_text, read_tensors, write_tensors
from attnsteps.text.reading import Reading
from attnsteps.text.tokenizer import BytePairs, Characters, Subwords, Words, from_json, to_json
from attnsteps.text.vocab import Vocab

FORMAT = "attnsteps.trained"
FORMAT_VERSION = 1
MODELS = {"Transformer": Transformer, "NonAutoregressive": NonAutoregressive}
Tokenizer = Words | Characters | BytePairs | Subwords  # all that a file can hold


def write_translator(
    path: Path,
    *,
    model: Transformer | NonAutoregressive,
    src_vocab: Vocab,
    tgt_vocab: Vocab,
    src_tokenizer: Tokenizer,
    tgt_tokenizer: Tokenizer,
    reading: Reading | None,
    dtype: torch.dtype,
) -> None:
    """Write all that Trained holds; what both languages share is written once."""
    check_choice("the model's class", type(model).__name__, MODELS)
    config = {
        "class": type(model).__name__,
        "model": dataclasses.asdict(model.config),
        "src_vocab": src_vocab.to_list(),
        "src_tokenizer": to_json(src_tokenizer),
    }
    if tgt_vocab != src_vocab:
        config["tgt_vocab"] = tgt_vocab.to_list()
    if tgt_tokenizer != src_tokenizer:
        config["tgt_tokenizer"] = to_json(tgt_tokenizer)
    if reading is not None:
        config["reading"] = dataclasses.asdict(reading)
    tensors, text = to_tensors(model, dtype), as_text(config)
    write_tensors(path, tensors, kind=FORMAT, version=FORMAT_VERSION, config=text)


def read_translator(path: Path) -> dict[str, object]:
    """Return what write_translator was given, by name, but for the dtype."""
    text, tensors = read_tensors(path, kind=FORMAT, version=FORMAT_VERSION)
    try:
        config = json.loads(text)
        kind, sizes = MODELS[config["class"]], TransformerConfig(**config["model"])
        shared = {"tgt_vocab": config["src_vocab"], "tgt_tokenizer": config["src_tokenizer"]}
        config = {**shared, **config}
        parts = {name: Vocab.from_list(config[name]) for name in ("src_vocab", "tgt_vocab")}
        for name in ("src_tokenizer", "tgt_tokenizer"):
            parts[name] = from_json(config[name])
        parts["reading"] = Reading(**config["reading"]) if "reading" in config else None
    except (KeyError, RecursionError, TypeError, ValueError) as error:
        raise ValueError(f"{path} must hold a trained model; got: {error!r}") from error
    return {"model": from_tensors(path, kind, sizes, tensors), **parts}
