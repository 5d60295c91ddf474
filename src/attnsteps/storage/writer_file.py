"""The small model that writes digits, with its codebook, in one file of 8 bits a weight."""

import json
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from attnsteps.model.language_model import LanguageModel
from attnsteps.storage.eight_bits import restored
from attnsteps.storage.model_file import to_tensors
from attnsteps.storage.tensor_file import as_text, check_tensors, read_tensors, write_tensors

FORMAT, VERSION, ENTRIES = "attnsteps.digit_writer", 1, "entries"


def save_writer(
    path: Path,
    model: LanguageModel,
    entries: Float[Tensor, "V P"],
    sizes: dict[str, int],
) -> None:
    """Write a model, the codebook that its first tokens stand for, and the sizes that make it.

    Args:
        path: of the file, which appears complete or not at all.
        model: its matrices are kept in 8 bits, its vectors in float16.
        entries: the codebook, kept in float32.
        sizes: what LanguageModel was made from, vocab_size among them.
    """
    tensors = to_tensors(model, torch.int8) | {ENTRIES: entries.float().contiguous()}
    write_tensors(path, tensors, kind=FORMAT, version=VERSION, config=as_text(sizes))


def load_writer(path: Path) -> tuple[LanguageModel, Float[Tensor, "V P"]]:
    """Read the file again: the model in float32 and in evaluation mode, and the codebook.

    Raises:
        ValueError: if the file is damaged, or holds something else.
    """
    config, tensors = read_tensors(path, kind=FORMAT, version=VERSION)
    tensors = restored(path, tensors)
    if ENTRIES not in tensors:
        raise ValueError(f"{path} must hold the codebook, {ENTRIES}; got none")
    entries = tensors.pop(ENTRIES)
    with torch.random.fork_rng(devices=[]):  # the first weights are drawn, and then replaced
        model = LanguageModel(**json.loads(config)).float()
    check_tensors(path, tensors, dict(model.named_parameters()))
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(tensors[name])
    return model.eval(), entries
