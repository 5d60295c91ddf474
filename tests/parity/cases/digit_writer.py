"""``js/maths/digit_writer.js`` against the package: small random models, and what is nearest."""

import tempfile
from pathlib import Path

import torch

from attnsteps import LanguageModel
from attnsteps.storage.writer_file import load_writer, save_writer
from attnsteps.widgets.digit_writer import nearest, next_code, pick
from tests.parity.case import case

SIZES = {
    "vocab_size": 26,
    "num_layers": 2,
    "d_model": 12,
    "num_heads": 3,
    "d_ff": 20,
    "max_len": 16,
}
ENTRIES = torch.rand(16, 4, generator=torch.Generator().manual_seed(5))


def file() -> Path:
    """Write a small model with large weights, so that its guesses differ."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        model = LanguageModel(**SIZES).float()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(0.3 * torch.randn_like(parameter))
    path = Path(tempfile.mkdtemp()) / "small.safetensors"
    save_writer(path, model, ENTRIES, SIZES)
    return path


def cases() -> list[dict]:
    path = file()
    model, entries = load_writer(path)
    out = []
    written = torch.randint(16, (16,), generator=torch.Generator().manual_seed(2)).tolist()
    for digit, count, temperature in (
        (0, 0, 1.0),
        (7, 1, 0.4),
        (9, 9, 1.7),
        (4, 15, 1.0),
        (4, 16, 1),
    ):
        given = [list(path.read_bytes()), digit, written[:count], temperature]
        found = next_code(model, digit, written[:count], temperature)
        out.append(case("digit_writer", "nextOfFile", given, found))
    shares = torch.tensor([0.25, 0.5, 0.125, 0.125])
    out += [
        case("digit_writer", "pickCode", [shares, chance], pick(shares, chance))
        for chance in (0.0, 0.2, 0.3, 0.8, 0.9999999999)
    ]
    examples = torch.randint(16, (30, 16), generator=torch.Generator().manual_seed(3))
    for count in (1, 7, 16):
        place, distance = nearest(entries, examples, written[:count])
        wanted = {"place": place, "distance": distance}
        given = [entries, examples, written[:count]]
        out.append(case("digit_writer", "nearestPicture", given, wanted))
    return out
