"""A translator: the trained model, its two vocabularies and its two tokenizers."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from attnsteps.checks import check_choice, check_positive
from attnsteps.model.attention_weights import AttentionWeights
from attnsteps.model.non_autoregressive import NonAutoregressive
from attnsteps.model.transformer import Transformer
from attnsteps.storage.translator_file import Tokenizer, read_translator, write_translator
from attnsteps.text.reading import Reading
from attnsteps.text.vocab import Vocab, check_special_ids
from attnsteps.translator.search import Translation, attention, find

ASSETS = Path(__file__).parents[1] / "assets"


class _Source(NamedTuple):
    """A text as the model reads it, and what of it the model does not know."""

    tokens: list[str]
    unknown: list[str]


@dataclass(frozen=True)
class Trained:
    """A trained model and all that it takes to translate a text with it.

    Args:
        model: a Transformer or a NonAutoregressive.
        src_vocab: the tokens of its source_ids.
        tgt_vocab: the tokens of its target_ids.
        src_tokenizer: what splits a source into tokens.
        tgt_tokenizer: what puts the tokens of a translation together.
        reading: how it reads what people type; None takes each text as it stands.

    Raises:
        ValueError: if a vocabulary has not as many tokens as the model, or other special ids.

    Example:
        >>> trained = pretrained()
        >>> trained.translate(["动物没有过马路，因为太累了"])[0].text
        'the animal did not cross the street because it was too tired'
    """

    model: Transformer | NonAutoregressive
    src_vocab: Vocab
    tgt_vocab: Vocab
    src_tokenizer: Tokenizer
    tgt_tokenizer: Tokenizer
    reading: Reading | None = None

    def __post_init__(self) -> None:
        """Check that model and vocabularies go together."""
        check_special_ids(self.model.config)
        for name in ("src_vocab", "tgt_vocab"):
            got, needed = len(getattr(self, name)), getattr(self.model.config, f"{name}_size")
            if got != needed:
                raise ValueError(f"{name} must have the model's {needed} tokens; got {got}")

    def save(self, path: str | os.PathLike, *, dtype: torch.dtype = torch.float16) -> None:
        """Write everything into one safetensors file, complete or not at all.

        Args:
            path: where to write; a file that is there is replaced.
            dtype: that of the weights in the file; float16 halves it, and keeps 3 digits; int8
                keeps a matrix in 8 bits with a scale for each row, and a vector in float16.

        Raises:
            ValueError: if the model is of a class that load does not know, or a weight too large
                for the dtype.
            OSError: if the place cannot be written to; what was there is left as it was.
        """
        write_translator(Path(path), **vars(self), dtype=dtype)

    @classmethod
    def load(cls, path: str | os.PathLike) -> "Trained":
        """Read what save has written; the weights become float32, on the CPU.

        Args:
            path: the file.

        Returns:
            The bundle, its model in evaluation mode.

        Raises:
            FileNotFoundError: if there is none.
            ValueError: if it is damaged, of another format or of another version, or if its tensors
                are not those of the model that it describes.
        """
        return cls(**read_translator(Path(path)))

    def translate(
        self,
        texts: Sequence[str],
        *,
        search: str | None = None,
        max_len: int | None = None,
        batch_size: int = 64,
        need_weights: bool = False,
        **options: object,
    ) -> list[Translation]:
        """Translate texts, one sentence each.

        A model with a reading leaves out the characters that it has never seen, and of a text that
        has no others it gives back a copy.

        Args:
            texts: the sources.
            search: "greedy", "beam" or "sample"; for a non-autoregressive model "all_at_once" or
                "mask_predict". None takes the first that the model can do.
            max_len: the most tokens of a translation, eos_id included; None allows twice as many
                as the source has, and ten more. Non-autoregressive models predict the length
                instead.
            batch_size: how many to translate side by side.
            need_weights: True also returns the attention weights.
            options: the search's own, such as beam_width; of several generators, each text gets
                its own.

        Returns:
            One translation for each text.

        Raises:
            ValueError: if a text has no token, or more than the model's config.max_len; if the
                model has no such search, or the search no such option; if there are several
                generators, and not one for each text.
        """
        if isinstance(texts, str):
            raise ValueError("texts must be a list of texts; got a single one")
        check_positive("batch_size", batch_size)
        sources = [self._read(i, text) for i, text in enumerate(texts)]
        found = {i: _copied(source) for i, source in enumerate(sources) if not source.tokens}
        to_find = [i for i in range(len(sources)) if i not in found]
        by_length = sorted(to_find, key=lambda i: len(sources[i].tokens))
        how = {"search": search, "max_len": max_len, **options}
        generators = options.get("generator")
        if isinstance(generators, Sequence) and len(generators) != len(texts):
            raise ValueError(
                f"generator must be one, or one for each of the {len(texts)} texts;"
                f" got {len(generators)}"
            )
        for start in range(0, len(by_length), batch_size):
            rows = by_length[start : start + batch_size]
            src_ids = self._pad([self.src_vocab.ids(sources[i].tokens) for i in rows])
            if isinstance(generators, Sequence):
                how["generator"] = [generators[i] for i in rows]
            decoded = find(self.model, src_ids, **how)
            for i, ids, length in zip(rows, decoded.ids, decoded.lengths.tolist(), strict=True):
                weights = self._attention(sources[i], ids[:length], how) if need_weights else None
                found[i] = self._write(sources[i], ids[:length], weights)
        return [found[i] for i in range(len(sources))]

    def sentences(self, text: str) -> list[str]:
        """Cut a text of any length into what translate takes; without a reading, leave it whole."""
        return [text] if self.reading is None else self.reading.sentences(text)

    def _read(self, i: int, text: str) -> _Source:
        """Split a source into tokens, and check that the model can take them."""
        left_out: list[str] = []
        if self.reading is not None:
            text, left_out = self.reading.readable(text)
        tokens, limit = self.src_tokenizer.tokenize(text), self.model.config.max_len
        if len(tokens) > limit or not (tokens or left_out):
            raise ValueError(f"texts[{i}] must have from 1 to {limit} tokens; got {len(tokens)}")
        return _Source(tokens, left_out or self.src_vocab.unknown(tokens))

    def _pad(self, rows: list[list[int]]) -> Int[Tensor, "B S"]:
        """Make one batch of sources, on the model's device."""
        rows = [torch.tensor(row) for row in rows]
        device = next(self.model.parameters()).device
        return pad_sequence(rows, True, padding_value=self.src_vocab.pad_id).to(device)

    def _attention(
        self, source: _Source, ids: Int[Tensor, " T"], how: dict[str, object]
    ) -> AttentionWeights:
        """Return how the model attended while a search found these ids."""
        src_ids = self._pad([self.src_vocab.ids(source.tokens)])
        return attention(self.model, src_ids, ids[None], **how)

    def _write(
        self, source: _Source, ids: Int[Tensor, " T"], weights: AttentionWeights | None
    ) -> Translation:
        """Turn what a search has found into text."""
        is_whole = int(ids[-1]) == self.tgt_vocab.eos_id
        tokens = self.tgt_vocab.tokens((ids[:-1] if is_whole else ids).tolist())
        return Translation(
            text=self.tgt_tokenizer.detokenize(tokens),
            tokens=tokens,
            src_tokens=source.tokens,
            unknown=source.unknown,
            is_whole=is_whole,
            weights=weights,
        )


def _copied(source: _Source) -> Translation:
    """Give back a text of which the model can read nothing."""
    return Translation("".join(source.unknown), [], [], source.unknown, is_whole=True)


def shipped() -> list[str]:
    """Name the translators that come with the package."""
    return sorted(path.stem for path in ASSETS.glob("*.safetensors"))


def pretrained(name: str = "zh_en") -> Trained:
    """Load a translator that comes with the package.

    Args:
        name: that of a file in attnsteps/assets, without its suffix.

    Returns:
        The bundle, its model in evaluation mode.

    Raises:
        ValueError: if there is none of that name.

    Example:
        >>> pretrained("zh_en").model.config.num_decoder_layers
        2
    """
    check_choice("name", name, shipped())
    return Trained.load(ASSETS / f"{name}.safetensors")
