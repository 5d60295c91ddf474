"""Time an update in every way that chapter 20 names, and record it in assets/results.json.

    python -m scripts.scale                    on the processor, one thread, about ten minutes
    python -m scripts.scale --device cuda      on a GPU; rows from other devices stay

Each time is the shortest of several updates, on random sentences of one length.
"""

import argparse
import json

import torch

from attnsteps.analysis.speed import measure_speed
from attnsteps.model.config import TransformerConfig
from attnsteps.model.transformer import Transformer
from attnsteps.text.batch import collate
from scripts.results import RESULTS, note, processor

NAME = "scale"
#: name: model, sentences, words of each.
SIZES = {
    "tiny": (TransformerConfig.tiny(300, 300), 128, 15),
    "tiny, long": (TransformerConfig.tiny(300, 300), 2, 1023),
    "base": (TransformerConfig.base(37_000, 37_000, dropout=0.0), 8, 31),
}
WAYS = {
    "as it is": {},
    "explicit attention": {"fused": False},
    "bfloat16": {"precision": "bfloat16"},
    "float16": {"precision": "float16"},
    "compiled": {"compiled": True},
}
CASES = [
    *(("tiny", way) for way in WAYS),
    *(("tiny, long", way) for way in ("as it is", "explicit attention")),
    *(("base", way) for way in ("as it is", "explicit attention", "bfloat16", "compiled")),
]


def measure(size: str, way: str, *, device: str, rounds: int) -> dict:
    """Return one row of results."""
    config, sentences, words = SIZES[size]
    torch.manual_seed(0)
    torch.compiler.reset()
    model = Transformer(config).to(device)
    some = torch.randint(5, 300, (2, sentences, words)).tolist()
    batch = collate(list(zip(*some, strict=True))).to(device)
    speed = measure_speed(model, batch, rounds=rounds, **WAYS[way])
    row = {
        "device": torch.cuda.get_device_name() if device == "cuda" else processor(),
        "torch": torch.__version__.split("+")[0],
        "threads": torch.get_num_threads() if device == "cpu" else None,
        "size": size,
        "way": way,
        "sentences": sentences,
        "words": words,
        "parameters": model.num_parameters(),
        "ms": round(1000 * speed.seconds, 2),
        "first_s": round(speed.first_seconds, 2),
        "tokens_per_second": round(speed.tokens_per_second),
    }
    return row if speed.peak_bytes is None else {**row, "peak_mib": speed.peak_bytes // 2**20}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--rounds", type=int, default=10, help="updates to time per way")
    options = parser.parse_args()
    torch.set_num_threads(1)
    measured = [
        measure(size, way, device=options.device, rounds=options.rounds) for size, way in CASES
    ]
    rows = json.loads(RESULTS.read_text(encoding="utf-8")).get(NAME, {}).get("rows", [])
    others = [row for row in rows if row["device"] != measured[0]["device"]]
    random_words = "random sentences of one length"
    note(NAME, [*others, *measured], command="python -m scripts.scale", corpus=random_words)


if __name__ == "__main__":
    main()
