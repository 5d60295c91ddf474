"""Grades the coding exercise of the chapter on training at scale."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from attnsteps.exercises.verdict import Verdict, attempt, difference, known_mistake

MicroBatch = tuple[Tensor, Tensor]

_ROWS = (1, 4, 2)  # three micro-batches of different sizes
_WIDTHS = (3, 2)  # of x and y


def grade_accumulate(
    function: Callable[[nn.Module, Sequence[MicroBatch]], None],
) -> Verdict:
    """Say whether ``function(model, micro_batches)`` leaves the gradient of the whole batch.

    It takes a model, (N, D) → (N, E), and pairs of inputs, (N, D), and targets, (N, E). It runs the
    model on one pair at a time, and leaves in every parameter's grad the gradient of the mean
    squared error over all numbers of all pairs.

    Example:
        >>> grade_accumulate(lambda model, micro_batches: None)
        ✗ Not yet: the gradients are those from before; set them to zero, and call backward
    """
    generator = torch.Generator().manual_seed(3)
    parts = [
        tuple(
            torch.randn(rows, width, dtype=torch.float64, generator=generator) for width in _WIDTHS
        )
        for rows in _ROWS
    ]
    model, at_once = _model(generator), []
    model.register_forward_hook(lambda _module, inputs, _output: at_once.append(len(inputs[0])))
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)  # left over from the step before
    _, raised = attempt(lambda: function(model, [(x.clone(), y.clone()) for x, y in parts]))
    fault = raised or _fault(model, parts)
    if not fault and at_once != list(_ROWS):
        fault = (
            f"the model should run on {' and '.join(map(str, _ROWS))} rows, one micro-batch after"
            f" the other, and ran on {' and '.join(map(str, at_once)) or 'none'}"
        )
    if fault:
        return Verdict(False, fault)
    return Verdict(True, "the gradient of the whole batch, from one micro-batch at a time")


def _model(generator: torch.Generator) -> nn.Linear:
    """Make a model from its own generator, so that the reader's random numbers stay the same."""
    model = nn.Linear(*_WIDTHS, dtype=torch.float64)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn(parameter.shape, dtype=torch.float64, generator=generator))
    return model


def _fault(model: nn.Module, parts: Sequence[MicroBatch]) -> str:
    """Return what is wrong with the gradients, by name if the mistake is known, or ""."""
    if any(parameter.grad is None for parameter in model.parameters()):
        return "a parameter has no gradient; call backward"
    got = _flat([parameter.grad for parameter in model.parameters()])
    sums = [_gradient(model, part) for part in parts]
    counts = [rows * _WIDTHS[1] for rows in _ROWS]
    means = [gradient / count for gradient, count in zip(sums, counts, strict=True)]
    want = sum(sums) / sum(counts)
    mistakes = {
        "the means are added up but not divided, so the gradient is too long": sum(means),
        "this is the mean of the means; the single row of the first micro-batch counts as much as "
        "all four of the second": sum(means) / len(parts),
        "this is the gradient of the sum; divide it by how many numbers all y have": sum(sums),
        "the sum is divided by the number of micro-batches; divide it by how many numbers all y "
        "have": sum(sums) / len(parts),
        "the sum is divided by the number of rows; each row of y has more than one number": (
            sum(sums) / sum(_ROWS)
        ),
        "it holds only the last micro-batch; do not set the gradients to zero in between": (
            means[-1]
        ),
        "only the last micro-batch is in it, divided by the size of all; do not set the gradients "
        "to zero in between": sums[-1] / sum(counts),
    }
    if torch.allclose(got, torch.ones_like(want)):
        return "the gradients are those from before; set them to zero, and call backward"
    if any(torch.allclose(got, right + 1) for right in (want, *mistakes.values())):
        return "the gradients from before are still in it; set them to zero first"
    return known_mistake(got, mistakes) or difference(got, want, name="gradient")


def _gradient(model: nn.Module, part: MicroBatch) -> Tensor:
    """Return the gradient of the summed squared error of one micro-batch."""
    x, y = part
    weight, bias = (parameter.detach().requires_grad_() for parameter in model.parameters())
    loss = (x @ weight.T + bias - y).square().sum()
    return _flat(torch.autograd.grad(loss, (weight, bias)))


def _flat(tensors: Sequence[Tensor]) -> Tensor:
    """Join tensors into one vector."""
    return torch.cat([tensor.flatten() for tensor in tensors])
