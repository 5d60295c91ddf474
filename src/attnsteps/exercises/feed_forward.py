"""Grades the coding exercise of the chapter on the feed-forward network."""

from collections.abc import Callable, Sequence
from itertools import product

import torch
from torch import Tensor

from attnsteps.exercises.verdict import Verdict, attempt, known_mistake

_Rules = Sequence[tuple[tuple[int, ...], int]]

#: Rules, and how many axes there are.
_ASKED: tuple[tuple[_Rules, int], ...] = (
    ([((0, 2), 3), ((1, 2), 4)], 5),
    ([((2, 0, 3), 1)], 4),
    ([((0, 1), 5), ((1, 2, 3), 5), ((4,), 6)], 7),
)
_NAMES = ("w_1", "b_1", "w_2", "b_2")


def grade_units_for(function: Callable[[_Rules, int], tuple[Tensor, ...]]) -> Verdict:
    """Say whether ``function(rules, d_model)`` makes a network that concludes what the rules say.

    A rule (facts, k) says: where all its facts are there, write 1 on axis k, and otherwise nothing.
    The function should return w_1 (D, Dff), b_1 (Dff,), w_2 (Dff, D) and b_2 (D,), for any Dff.

    Example:
        >>> def nothing(rules, d_model):
        ...     n = len(rules)
        ...     up, down = torch.zeros(d_model, n), torch.zeros(n, d_model)
        ...     return up, torch.zeros(n), down, torch.zeros(d_model)
        >>> grade_units_for(nothing)
        ✗ Not yet: nothing is ever written (for the rules [((0, 2), 3), ((1, 2), 4)])
    """
    for rules, d_model in _ASKED:
        got, raised = attempt(lambda rules=rules, d=d_model: function(list(rules), d))
        if fault := raised or _form(got, d_model) or _fault(got, rules, d_model):
            return Verdict(False, f"{fault} (for the rules {rules})")
    return Verdict(True, "one unit for each rule, and silence wherever none of them holds")


def _form(got: object, d_model: int) -> str:
    """Return what is wrong with the form of a result, or the empty string."""
    if not isinstance(got, tuple | list) or len(got) != len(_NAMES):
        return "the function should return four tensors, w_1, b_1, w_2 and b_2"
    if not all(isinstance(part, Tensor) for part in got):
        return "each of w_1, b_1, w_2 and b_2 should be a tensor"
    num_units = got[0].shape[1] if got[0].ndim == 2 and len(got[0]) == d_model else "Dff"
    wanted = ((d_model, num_units), (num_units,), (num_units, d_model), (d_model,))
    for name, part, shape in zip(_NAMES, got, wanted, strict=True):
        if tuple(part.shape) != shape:
            needed = ", ".join(map(str, shape))
            return f"{name} has shape {tuple(part.shape)}, needed is ({needed})"
    return ""


def _fault(got: Sequence[Tensor], rules: _Rules, d_model: int) -> str:
    """Return what is wrong with what the network writes, by name if it is known, or ""."""
    w_1, b_1, w_2, b_2 = (part.double() for part in got)
    x = torch.tensor(list(product((0.0, 1.0), repeat=d_model)), dtype=torch.float64)
    said = (x @ w_1 + b_1).relu() @ w_2 + b_2

    def written(bar: Callable[[int], int]) -> Tensor:
        output = torch.zeros_like(x)
        for facts, k in rules:
            output[:, k] += (x[:, list(facts)].sum(-1) - bar(len(facts))).relu()
        return output

    want = written(lambda facts: facts - 1)
    if torch.allclose(said, want, atol=1e-6):
        return ""
    mistakes = {
        "nothing is ever written": torch.zeros_like(x),
        "a single fact is enough to write something; what must the bias be?": written(lambda _: 0),
        "two facts are enough, whatever the rule; how high must the bar be for three?": (
            written(lambda _: 1)
        ),
    }
    if sentence := known_mistake(said, mistakes):
        return sentence
    if said[0].abs().max() > 1e-6:
        return "something is written even where no fact is there"
    row = int((said - want).abs().amax(-1).argmax())
    facts, says, should = (
        ", ".join(f"{number:g}" for number in one[row].tolist()) for one in (x, said, want)
    )
    return f"for the vector ({facts}) the network writes ({says}); it should write ({should})"
