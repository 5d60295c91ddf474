"""Chapter 11: five ways to stack layers, trained to sort, five seeds side by side in each run."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import cache, partial

import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap
from torch.nn import functional

from attnsteps import sinusoidal_positions
from scripts.experiments import SEEDS, page, record

DATA = "fresh lists of eight numbers up to 15, 16 in each step"
STOPS = [125, 250, 500, 1000]
RATES = [0.002, 0.004, 0.008]
SMALLER = 0.0005  # is it better for those that fail?
LARGER = [0.016, 0.032]  # where does each place of the norm break down?
LACKING = ("neither", "norm only", "residual only")
WHOLE = ("post-norm", "pre-norm")
DEEP = ", 24 layers"  # at the end of a name: four times as deep
ASKED = ("norm only", "post-norm")  # what do they answer, at the smallest rate and with warm-up?
LISTS = [[7, 2, 9, 2, 14, 5, 2, 11], [6, 12, 1, 12, 8, 3, 12, 15]]
POSITIONS = sinusoidal_positions(8, 32).float()


class Sorter(nn.Module):
    """Embeddings, positions, a stack of layers, and a score for each of the 16 numbers."""

    def __init__(self, make_stack: Callable[[], nn.Module]) -> None:
        super().__init__()
        self.embedding = nn.Embedding(16, 32)
        self.stack = make_stack()
        self.out = nn.Linear(32, 16)

    def forward(self, numbers: Tensor) -> Tensor:
        return self.out(self.stack(self.embedding(numbers) + POSITIONS))


def unseen() -> Tensor:
    """Return the 512 lists that every model is asked."""
    return torch.randint(16, (512, 8), generator=torch.Generator().manual_seed(2))


@torch.no_grad()
def apart(model: Sorter) -> float:
    """Return 1 minus the mean cosine of two vectors of one list, at the top, in three digits."""
    precise = deepcopy(model).double()  # a cosine near 1 needs more room than 32 bits have
    top = precise.stack(precise.embedding(unseen()) + POSITIONS.double())
    unit = functional.normalize(top, dim=-1, eps=1e-30)
    others = ~torch.eye(8, dtype=torch.bool)
    return float(f"{1 - (unit @ unit.mT)[:, others].mean().item():.3g}")


@torch.no_grad()
def asked(model: Sorter) -> dict:
    """Return its answers to two lists, and how often it names one number for all eight places.

    The last share says how often the first number that it names is in the list.
    """
    lists = unseen()
    named = model(lists).argmax(-1)
    return {
        "answers": model(torch.tensor(LISTS)).argmax(-1).tolist(),
        "one_for_all": round((named == named[:, :1]).all(1).float().mean().item(), 4),
        "in_the_list": round((lists == named[:, :1]).any(1).float().mean().item(), 4),
    }


def train(
    make_stack: Callable[[], nn.Module], learning_rates: Sequence[float], *, warm_up: bool
) -> tuple[Tensor, list[Sorter]]:
    """Train one model for each rate and seed; return shares of right numbers, and the models.

    The shares have the shape (stops, rates, seeds); the models come rate by rate.
    The rate climbs from 0 over the first quarter, with warm-up, and falls to 0 in the second half.
    """
    models = []
    for _ in learning_rates:
        for seed in SEEDS:
            torch.manual_seed(seed)
            models.append(Sorter(make_stack))
    # All models are computed side by side: one more axis in front.
    parameters, _ = stack_module_state(models)
    rates = torch.tensor(learning_rates).repeat_interleave(len(SEEDS))
    mean = {name: torch.zeros_like(p) for name, p in parameters.items()}
    square = {name: torch.zeros_like(p) for name, p in parameters.items()}
    shares = []

    def scores(numbers: Tensor) -> Tensor:
        return vmap(lambda p: functional_call(models[0], p, (numbers,)))(parameters)

    generator = torch.Generator().manual_seed(1)
    for step in range(1, STOPS[-1] + 1):
        numbers = torch.randint(16, (16, 8), generator=generator)
        goal = numbers.sort(-1).values.expand(len(models), -1, -1)
        # cross_entropy averages over the models; gradients do not mix.
        loss = functional.cross_entropy(scores(numbers).flatten(0, 2), goal.flatten())
        gradients = torch.autograd.grad(
            len(models) * loss, list(parameters.values()), materialize_grads=True
        )
        done = step / STOPS[-1]
        rate = rates * min(1.0, 2 * (1 - done)) * (min(1.0, 4 * done) if warm_up else 1.0)
        with torch.no_grad():
            for (name, p), gradient in zip(parameters.items(), gradients, strict=True):
                mean[name].lerp_(gradient, 0.1)  # Adam, for all models at once
                square[name].lerp_(gradient.square(), 0.02)
                change = mean[name] / (1 - 0.9**step)
                change /= (square[name] / (1 - 0.98**step)).sqrt() + 1e-9
                p.sub_(rate.view(-1, *[1] * (p.ndim - 1)) * change)
        if step in STOPS:
            new = unseen()
            with torch.no_grad():
                right = scores(new).argmax(-1) == new.sort(-1).values
            shares.append(right.float().mean((-2, -1)).view(len(learning_rates), len(SEEDS)))
    for i, model in enumerate(models):
        model.load_state_dict({name: p[i] for name, p in parameters.items()})
    return torch.stack(shares), models


def run(*, again: bool) -> None:
    """Train all five with warm-up, and the whole ones also without and at larger rates."""
    stack = page("residual_and_norm")["Stack"]

    def fresh(arrangement: str) -> nn.Module:
        layers = 24 if arrangement.endswith(DEEP) else 6
        return stack(arrangement.removesuffix(DEEP), layers, d_model=32, num_heads=2, d_ff=64)

    @cache
    def trained(arrangement: str, together: tuple, warm_up: bool) -> tuple:
        return train(partial(fresh, arrangement), together, warm_up=warm_up)

    def measure(*, arrangement: str, rate: float, warm_up: bool, seed: int) -> dict:
        alone = [[other] for other in (SMALLER, *LARGER)]
        groups = [RATES, *alone] if arrangement in WHOLE else [RATES[:1], RATES[1:], *alone]
        if arrangement.endswith(DEEP) or (not warm_up and arrangement not in WHOLE):
            groups = [[other] for other in (*RATES, *LARGER)]
        (together,) = (group for group in groups if rate in group)
        right, models = trained(arrangement, tuple(together), warm_up)
        at = together.index(rate)
        found = {"steps": STOPS, "right": [round(stop, 4) for stop in right[:, at, seed].tolist()]}
        if arrangement in ASKED and warm_up and rate == RATES[0]:
            model = models[at * len(SEEDS) + seed]
            torch.manual_seed(seed)
            untrained = Sorter(partial(fresh, arrangement))
            found |= {"apart": [apart(untrained), apart(model)], **asked(model)}
        return found

    few = [SMALLER, *RATES, LARGER[0]]
    kinds = [(name, rate, True) for name in LACKING for rate in few]
    kinds += [(name, SMALLER, True) for name in WHOLE]
    kinds += [(n, r, warm) for n in WHOLE for warm in (False, True) for r in [*RATES, *LARGER]]
    kinds += [("residual only", LARGER[1], True)]
    kinds += [("residual only", rate, False) for rate in [*RATES, *LARGER]]
    kinds += [(n + DEEP, rate, True) for n in ("residual only", *WHOLE) for rate in RATES]
    keys = ("arrangement", "rate", "warm_up")
    tasks = [dict(zip(keys, k, strict=True)) | {"seed": seed} for k in kinds for seed in SEEDS]
    record("residual_and_norm", tasks, measure, data=DATA, again=again)
