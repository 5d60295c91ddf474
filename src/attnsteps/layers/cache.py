"""What attention has projected once and need not project again: the key/value cache."""

from dataclasses import dataclass, field

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnsteps.checks import check_positive
from attnsteps.shapes import check_shape


class KeyValueCache:
    """The projected keys and values of one attention, which grow as decoding goes on.

    Formula, for one new position with the input x::

        k ← [k; x W_k],  v ← [v; x W_v]

    Source: Shazeer 2019, section 2.4 (the paper of 2017 is silent on it).

    What is kept is what comes *after* the projections, split into heads (of which keys and values
    may have fewer than the queries, MultiHeadAttention's num_kv_heads): keeping the layer's
    inputs instead would mean projecting all of them again at every step. There is room for more
    than is held, so that a new position is written behind the others without copying them; the room
    doubles when it is full.

    Attributes:
        k: (B, H, Tk, Dk), or None while the cache is empty.
        v: (B, H, Tk, Dv), or None while the cache is empty.

    Example:
        >>> cache = KeyValueCache()
        >>> k, v = cache.append(torch.zeros(1, 2, 3, 4), torch.zeros(1, 2, 3, 4))
        >>> k, v = cache.append(torch.zeros(1, 2, 1, 4), torch.zeros(1, 2, 1, 4))
        >>> len(cache), k.shape
        (4, torch.Size([1, 2, 4, 4]))
    """

    def __init__(self) -> None:
        self.k: Tensor | None = None
        self.v: Tensor | None = None
        self._room: tuple[Tensor, Tensor] | None = None  # k and v are its beginnings

    def __len__(self) -> int:
        """Return Tk, the number of positions that are held."""
        return 0 if self.k is None else self.k.shape[2]

    def append(
        self, k: Float[Tensor, "B H Tk Dk"], v: Float[Tensor, "B H Tk Dv"]
    ) -> tuple[Float[Tensor, "B H Tall Dk"], Float[Tensor, "B H Tall Dv"]]:
        """Add the keys and values of new positions behind the others, and return all of them."""
        start = len(self)
        if start == 0:
            self.k, self.v = k, v
        elif torch.is_grad_enabled():  # a gradient may yet need what is there: leave it alone
            self.k, self.v = torch.cat([self.k, k], dim=2), torch.cat([self.v, v], dim=2)
            self._room = None
        else:
            end = start + k.shape[2]
            if self._room is None or self._room[0].shape[2] < end:
                self._room = _roomy(self.k, 2 * end), _roomy(self.v, 2 * end)
            for room, new in zip(self._room, (k, v), strict=True):
                room[:, :, start:end] = new
            self.k, self.v = (room[:, :, :end] for room in self._room)
        return self.k, self.v

    def index_select(self, rows: Int[Tensor, " W"]) -> None:
        """Keep these rows of the batch, in this order; a row may be kept twice."""
        if self.k is None:
            return
        end = len(self)
        if self._room is None:
            self.k, self.v = self.k.index_select(0, rows), self.v.index_select(0, rows)
        else:
            self._room = tuple(room.index_select(0, rows) for room in self._room)
            self.k, self.v = (room[:, :, :end] for room in self._room)


def _roomy(held: Float[Tensor, "B H Tk Dk"], length: int) -> Float[Tensor, "B H length Dk"]:
    """Copy what is held into a longer tensor, whose other positions are still free."""
    room = held.new_empty(*held.shape[:2], length, held.shape[3])
    room[:, :, : held.shape[2]] = held
    return room


@dataclass
class LayerCache:
    """What one decoder layer remembers.

    Attributes:
        self_attention: the keys and values of the target positions so far, which grow.
        memory: the keys and values of the source, (B, H, S, Dk) each, projected at the first step.
    """

    self_attention: KeyValueCache = field(default_factory=KeyValueCache)
    memory: tuple[Tensor, Tensor] | None = None


class DecoderCache:
    """Everything a decoder remembers about the positions it has already seen.

    Formula::

        decode([a b c]) = [decode([a b], cache); decode([c], cache)]

    Source: Shazeer 2019, section 2.4 (the paper of 2017 is silent on it).

    Args:
        num_layers: the number of decoder layers.

    Raises:
        ValueError: if num_layers is not a positive integer.

    Attributes:
        layers: what each layer remembers, of the target and of the memory.
        tgt_ids: the ids seen so far, (B, T), or None: they say which of the keys are padding,
            and their number is the position of the next one.

    Example:
        >>> cache = DecoderCache(num_layers=6)
        >>> cache.append_ids(torch.tensor([[1, 7], [1, 9]]))
        tensor([[1, 7],
                [1, 9]])
        >>> cache.index_select(torch.tensor([1, 1]))
        >>> len(cache), cache.tgt_ids.tolist()
        (2, [[1, 9], [1, 9]])
    """

    def __init__(self, num_layers: int) -> None:
        check_positive("num_layers", num_layers)
        self.layers = [LayerCache() for _ in range(num_layers)]
        self.tgt_ids: Tensor | None = None

    def __len__(self) -> int:
        """Return T, the number of positions seen so far."""
        return 0 if self.tgt_ids is None else self.tgt_ids.shape[1]

    def append_ids(self, tgt_ids: Int[Tensor, "B T"]) -> Int[Tensor, "B Tall"]:
        """Add the ids of new positions behind the others, and return all of them."""
        if self.tgt_ids is None:
            self.tgt_ids = tgt_ids
        else:
            check_shape("tgt_ids", tgt_ids, "B T", B=self.tgt_ids.shape[0])
            self.tgt_ids = torch.cat([self.tgt_ids, tgt_ids], dim=1)
        return self.tgt_ids

    def index_select(self, rows: Int[Tensor, " W"], *, same_source: bool = False) -> None:
        """Keep these rows of the batch, in this order, as beam search asks for at every step.

        Args:
            rows: which row of the present batch goes on as row 0, 1, …: (W,), repeats allowed.
            same_source: True if each row takes over from one that translates the same source: then
                the memory can stay where it is.
        """
        if self.tgt_ids is not None:
            self.tgt_ids = self.tgt_ids.index_select(0, rows)
        for layer in self.layers:
            layer.self_attention.index_select(rows)
            if layer.memory is not None and not same_source:
                layer.memory = tuple(tensor.index_select(0, rows) for tensor in layer.memory)
