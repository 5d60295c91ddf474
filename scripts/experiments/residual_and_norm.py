"""Chapter 11: five ways to stack layers, trained to sort, five seeds side by side in each run."""

from functools import cache

from scripts.experiments import SEEDS, page, record

DATA = "fresh lists of eight numbers up to 15, 16 in each step"
STOPS = [125, 250, 500, 1000]
LACKING = ("neither", "residual only", "norm only")
WHOLE = ("post-norm", "pre-norm")


def run(*, again: bool) -> None:
    """Train all five with warm-up; the whole ones also without, and at larger rates."""
    names = page("residual_and_norm")

    @cache
    def shares(arrangement: str, rates: tuple, warm_up: bool) -> list:
        result = names["train"](arrangement, list(rates), warm_up, list(SEEDS), STOPS)
        return result.tolist()

    def measure(*, arrangement: str, rate: float, warm_up: bool, seed: int) -> dict:
        rates = tuple(names["RATES"][:1] if arrangement in LACKING else names["RATES"])
        right = shares(arrangement, rates, warm_up)
        at = rates.index(rate)
        return {"steps": STOPS, "right": [round(stop[at][seed], 4) for stop in right]}

    kinds = [(name, 2e-3, True) for name in LACKING]
    kinds += [(name, r, warm) for name in WHOLE for warm in (True, False) for r in names["RATES"]]
    keys = ("arrangement", "rate", "warm_up")
    tasks = [dict(zip(keys, k, strict=True)) | {"seed": seed} for k in kinds for seed in SEEDS]
    record("residual_and_norm", tasks, measure, data=DATA, again=again)
