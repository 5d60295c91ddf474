"""Models to decode with: one of random weights, one that says what it was told to."""

import itertools
import math
from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from attnsteps.decoding.result import Decoded
from attnsteps.model.config import TransformerConfig
from attnsteps.model.transformer import Transformer

PAD, BOS, EOS = 0, 1, 2
TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-5}

# Five sentences of different lengths; padding is the same id in every model of this file.
SENTENCES = [[5, 3, 8, 4], [4], [7, 7, 3], [3, 9, 6, 5, 8, 7, 4], [9, 4]]


def padded(sentences: list[list[int]], extra: int = 0) -> Tensor:
    """Fill up a batch to the longest of its sentences, and by some more."""
    length = max(map(len, sentences)) + extra
    return torch.tensor([sentence + [PAD] * (length - len(sentence)) for sentence in sentences])


SETTINGS = {"d_model": 12, "num_heads": 3, "d_ff": 20, "tie": "none"}
SIZES = {"embedding": 0.7, "positions": 12.5}


def random_model(
    seed: int = 51, dtype: torch.dtype = torch.float64, *, vocab_size: int = 11, **changes
) -> Transformer:
    """Make a small model of which every parameter is random, so that sentences differ."""
    settings = {**SETTINGS, "norm": "pre", "positions": "learned", **changes}
    model = Transformer(TransformerConfig.tiny(11, vocab_size, **settings)).to(dtype).eval()
    return randomise(model, seed)


def randomise(model: torch.nn.Module, seed: int) -> torch.nn.Module:
    """Draw every parameter anew: biases and norms too, which would otherwise be 0 and 1.

    Sizes and seeds were tried out until sentences had different words and different lengths.
    """
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
            if parameter.dim() == 1:  # biases near 0, norms near 1
                parameter.copy_(("norm.weight" in name) + 0.2 * noise)
            else:
                size = next((s for part, s in SIZES.items() if part in name), 2.5)
                parameter.copy_(size * parameter.shape[1] ** -0.5 * noise)
    return model


class Scripted(Transformer):
    """A model whose next-token probabilities are a function of what it has written.

    Args:
        probabilities: maps a prefix without the start symbol, a tuple of ids, to V numbers.
        vocab_size: V.
    """

    def __init__(self, probabilities: Callable[[tuple], list[float]], vocab_size: int) -> None:
        super().__init__(TransformerConfig.tiny(11, vocab_size, d_model=4, num_heads=1))
        self.double().probabilities = probabilities

    def decode(self, tgt_ids, memory, src_ids=None, *, memory_mask=None, cache=None):
        rows = (tgt_ids if cache is None else cache.append_ids(tgt_ids)).tolist()
        assert all(row[0] == self.config.bos_id for row in rows)
        probs = [self.probabilities(tuple(row[1:])) for row in rows]
        return torch.tensor(probs, dtype=torch.float64).log()[:, None]


def all_sentences(words: list[int], max_len: int) -> Iterator[tuple[int, ...]]:
    """Yield every sentence that can be written: ended, or cut at max_len."""
    for length in range(max_len):
        for start in itertools.product(words, repeat=length):
            yield (*start, EOS)
    yield from itertools.product(words, repeat=max_len)


def log_probs_of(model: Transformer, src_ids: Tensor, ids: Tensor) -> Tensor:
    """Score given sentences, (B, T), in parallel: log-probabilities, 0 at padding."""
    config = model.config
    starts = torch.full((len(ids), 1), config.bos_id)
    with torch.no_grad():
        logits = model(src_ids, torch.cat([starts, ids[:, :-1]], dim=1))
    logits[:, :, [config.pad_id, config.bos_id]] = -math.inf
    log_probs = logits.log_softmax(dim=-1).gather(2, ids[:, :, None])[:, :, 0]
    return log_probs.masked_fill(ids == config.pad_id, 0.0)


def sentences_of(decoded: Decoded) -> list[list[int]]:
    """List the tokens of each sentence, and check that ids and lengths agree."""
    ids, lengths = decoded.ids.flatten(0, -2).tolist(), decoded.lengths.flatten().tolist()
    assert max(lengths) == decoded.ids.shape[-1]
    found = [row[:length] for row, length in zip(ids, lengths, strict=True)]
    rests = [row[length:] for row, length in zip(ids, lengths, strict=True)]
    assert all(token == PAD for rest in rests for token in rest)
    assert all(EOS not in sentence[:-1] for sentence in found)
    assert all(token not in (PAD, BOS) for sentence in found for token in sentence)
    return found


def assert_same(one: Decoded, other: Decoded, tolerance: float = 1e-10) -> None:
    """Check that two searches found the same."""
    assert one.ids.tolist() == other.ids.tolist()
    assert one.lengths.tolist() == other.lengths.tolist()
    torch.testing.assert_close(one.scores, other.scores, rtol=tolerance, atol=tolerance)


def assert_batch_as_alone(search: Callable[[Tensor], Decoded], extra: int = 2) -> None:
    """Check that every sentence comes out alone as it does in a batch, and with more padding."""
    batch = search(padded(SENTENCES))
    assert_same(search(padded(SENTENCES, extra)), batch)
    for row, sentence in enumerate(SENTENCES):
        alone = search(padded([sentence]))
        length = alone.ids.shape[-1]
        assert alone.ids[0].tolist() == batch.ids[row, ..., :length].tolist()
        assert (batch.ids[row, ..., length:] == PAD).all()
        assert alone.lengths[0].tolist() == batch.lengths[row].tolist()
        torch.testing.assert_close(alone.scores[0], batch.scores[row], rtol=1e-10, atol=1e-10)
