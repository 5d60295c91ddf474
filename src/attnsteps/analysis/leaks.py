"""Who really sees whom: change one input at a time, and look which outputs move."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attnsteps.checks import check_number
from attnsteps.layers.masks import causal_mask
from attnsteps.model.mode import in_mode
from attnsteps.shapes import check_floating, check_mask

Inputs = Float[Tensor, "B Ti ..."] | Int[Tensor, "B Ti"]


class Leak(NamedTuple):
    """One output that moves with an input that it must not see; counted from 0.

    Args:
        mode: "training" or "evaluation"; empty for a function, which has no modes.
        output: the sentence and the position of the output.
        input: the sentence and the position of the input that was changed.

    Example:
        >>> Leak(mode="training", output=(0, 1), input=(0, 2))  # position 1 moves with position 2
        Leak(mode='training', output=(0, 1), input=(0, 2))
    """

    mode: str
    output: tuple[int, int]
    input: tuple[int, int]

    def __str__(self) -> str:
        """Say it in a sentence."""
        (sentence, position), (other, place) = self.output, self.input
        where = f"in {self.mode}, " if self.mode else ""
        whose = "" if other == sentence else f" of sentence {other}"
        return f"{where}sentence {sentence}: position {position} sees position {place}{whose}"


def find_leaks(
    model: Callable[..., Tensor | tuple],
    *inputs: Tensor,
    allowed: Bool[Tensor, "..."] | None = None,
    vary: int = -1,
    pad_id: int | None = None,
    tolerance: float = 0.0,
) -> list[Leak]:
    """List every output that moves with an input that it must not see.

    A module is tried in training and in evaluation mode, and left as it was; a function as it is.
    A position may always see itself, since it is the one that asks, and what one sentence sees of
    another is always a leak. A leak that is found is one for certain;
    none found means none for these inputs: give it different ids, and two sentences.

    Args:
        model: a module or function of the inputs, which returns (B, To, ...), or a tuple that
            begins with it.
        *inputs: what it is called with.
        allowed: bool, broadcastable to (B, 1, To, Ti) as any mask; True = may see. None allows
            each position itself and what came before it.
        vary: which of the inputs is changed, (B, Ti) of ids or (B, Ti, ...) of floats.
        pad_id: an id that is neither changed nor put in place of another.
        tolerance: how far an output may move and still count as the same.

    Returns:
        The leaks, at the price of one call for each input position and mode, and one call more.

    Raises:
        ValueError: if inputs or allowed do not fit, if the output is NaN somewhere, or if there is
            no second id to change the first one into.

    Example:
        A running sum looks back, a mean over the whole sentence looks ahead as well:

        >>> x = torch.randn(1, 3, 4)
        >>> find_leaks(lambda x: x.cumsum(dim=1), x)
        []
        >>> for leak in find_leaks(lambda x: x + x.mean(dim=1, keepdim=True), x):
        ...     print(leak)
        sentence 0: position 0 sees position 1
        sentence 0: position 0 sees position 2
        sentence 0: position 1 sees position 2
    """
    leaks = []
    for mode in ("training", "evaluation") if isinstance(model, nn.Module) else ("",):
        with _in_mode(model, mode):
            options = {"vary": vary, "pad_id": pad_id, "tolerance": tolerance}
            moved = influence(model, *inputs, **options)
        leaking = moved & ~_may_see(allowed, moved)
        leaks += [Leak(mode, (b, i), (other, j)) for b, i, other, j in leaking.nonzero().tolist()]
    return leaks


@torch.no_grad()
def influence(
    model: Callable[..., Tensor | tuple],
    *inputs: Tensor,
    vary: int = -1,
    pad_id: int | None = None,
    tolerance: float = 0.0,
) -> Bool[Tensor, "B To B Ti"]:
    """Tell which outputs move with which inputs, by changing these one at a time.

    The random numbers, of dropout for example, are the same in every run.

    Args:
        model: as in find_leaks; a module runs in the mode that it is in.
        *inputs: what it is called with.
        vary: which of the inputs is changed.
        pad_id: an id that is neither changed nor put in place of another.
        tolerance: how far an output may move and still count as the same.

    Returns:
        For each sentence and output position, and each sentence and input position, whether the
        output moved, (B, To, B, Ti).

    Raises:
        ValueError: as in find_leaks.

    Example:
        >>> influence(lambda x: x.flip(1), torch.randn(1, 3, 4))[0, :, 0]
        tensor([[False, False,  True],
                [False,  True, False],
                [ True, False, False]])
    """
    check_number("tolerance", tolerance, at_least=0)
    if not -len(inputs) <= vary < len(inputs):
        raise ValueError(f"vary must name one of the {len(inputs)} inputs; got {vary}")
    vary %= len(inputs)
    x = inputs[vary]
    others = _another(f"inputs[{vary}]", x, pad_id)

    def run(x: Tensor) -> Tensor:
        with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
            torch.manual_seed(0)
            output = model(*inputs[:vary], x, *inputs[vary + 1 :])
        return output[0] if isinstance(output, tuple) else output

    before = run(x)
    _check_output(before, len(x))
    moved = torch.zeros(*before.shape[:2], *x.shape[:2], dtype=torch.bool, device=before.device)
    for sentence, position in _rows(x != others).any(-1).nonzero().tolist():
        changed = x.clone()
        changed[sentence, position] = others[sentence, position]
        after = run(changed)
        same = (after == before) | ((after - before).abs() <= tolerance)
        moved[:, :, sentence, position] = ~_rows(same).all(-1)
    return moved


def _another(name: str, x: Inputs, pad_id: int | None) -> Inputs:
    """Return something else for each input: other ids of the same batch, or other numbers."""
    if not isinstance(x, Tensor) or x.dim() < 2 or x.numel() == 0:
        raise ValueError(f"{name} must be a tensor (B, T, ...) that is not empty; got {_kind(x)}")
    if x.is_floating_point():
        noise = torch.randn(x.shape, generator=torch.Generator().manual_seed(0))
        return x + noise.to(x) * x.abs().amax().clamp(min=1)
    if x.dtype not in (torch.int32, torch.int64):
        raise ValueError(f"{name} must hold ids or floating-point numbers; got {x.dtype}")
    padding = torch.zeros_like(x, dtype=torch.bool) if pad_id is None else x == pad_id
    ids = x[~padding].unique()
    if len(ids) < 2:
        raise ValueError(f"{name} must hold two different ids besides padding; got {ids.tolist()}")
    following = ids[(torch.searchsorted(ids, x) + 1) % len(ids)]
    return torch.where(padding, x, following)


def _rows(tensor: Tensor) -> Tensor:
    """Put everything that belongs to one position into one axis, (B, T, N)."""
    return tensor.reshape(*tensor.shape[:2], -1)


def _check_output(output: Tensor, batch_size: int) -> None:
    """Refuse an output in which no sentence and position can be told, or no movement."""
    check_floating("the model's output", output)
    if output.dim() < 2 or len(output) != batch_size:
        raise ValueError(
            f"the model's output must have shape (B, To, ...) with B = {batch_size};"
            f" got {tuple(output.shape)}"
        )
    if output.isnan().any():
        sentence, position = _rows(output.isnan()).any(-1).nonzero()[0].tolist()
        raise ValueError(
            "the model's output must be free of NaN, since nothing moves it;"
            f" got NaN in sentence {sentence} at position {position}"
        )


def _may_see(
    allowed: Bool[Tensor, "..."] | None, moved: Bool[Tensor, "B To B Ti"]
) -> Bool[Tensor, "B To B Ti"]:
    """Spread a mask over the sentences, each of which may see itself alone."""
    batch_size, num_outputs, _, num_inputs = moved.shape
    if allowed is None:
        if num_outputs != num_inputs:
            raise ValueError(
                "allowed must be given where outputs and inputs differ in number;"
                f" got None for {num_outputs} and {num_inputs}"
            )
        allowed = causal_mask(num_inputs)
    shape = (batch_size, 1, num_outputs, num_inputs)
    check_mask(allowed, shape)
    allowed = allowed.to(moved.device)
    if num_outputs == num_inputs:
        allowed = allowed | torch.eye(num_inputs, dtype=torch.bool, device=moved.device)
    own = torch.eye(batch_size, dtype=torch.bool, device=moved.device)
    return own[:, None, :, None] & allowed.expand(shape).transpose(1, 2)


@contextmanager
def _in_mode(model: Callable, mode: str) -> Iterator[None]:
    """Put a module into a mode, and leave its modes and its running averages as they were."""
    if not mode:
        yield
        return
    buffers = [(buffer, buffer.clone()) for buffer in model.buffers()]
    try:
        with in_mode(model, training=mode == "training"):
            yield
    finally:
        for buffer, value in buffers:
            buffer.copy_(value)


def _kind(value: object) -> str:
    """Say what came instead of a tensor of that shape."""
    return f"shape {tuple(value.shape)}" if isinstance(value, Tensor) else type(value).__name__
