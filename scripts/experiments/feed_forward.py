"""Chapter 12: how well hidden units fit a curve, and how often training finds "one, not both"."""

from scripts.experiments import SEEDS, page, record

DATA = "200 points of a wavy curve; the four corners of a square"
CURVE_STOPS = (600, 1500, 3000)
CORNER_STEPS = (500, 2000)
STARTS = 100


def run(*, again: bool) -> None:
    """Fit the curve from five starts, placed and not, and the corners from five hundred."""
    names = page("feed_forward")

    def measure(*, task: str, units: int, seed: int, **settings: object) -> dict:
        if task == "curve":
            _, errors = names["train"](units, seed, CURVE_STOPS, **settings)
            return {"steps": CURVE_STOPS, "errors": [round(error, 5) for error in errors]}
        result = {"steps": CORNER_STEPS, "starts": STARTS, "right": []}
        for steps in CORNER_STEPS:
            right, dead = names["train_starts"](units, seed, STARTS, steps, settings["slope"])
            result["right"].append(right.sum().item())
        if not settings["slope"]:
            result["dead_where_right"] = round(dead[right].double().mean().item(), 2)
            result["dead_where_wrong"] = round(dead[~right].double().mean().item(), 2)
            result["enough_alive_but_wrong"] = (~right & (units - dead >= 2)).sum().item()
        return result

    curves = [(2, True, True), (8, True, True), (64, True, True)]
    curves += [(2, False, True), (8, False, True), (64, False, True), (64, True, False)]
    tasks = [
        {"task": "curve", "units": units, "placed": placed, "bend": bend, "seed": seed}
        for units, placed, bend in curves
        for seed in SEEDS
    ]
    tasks += [
        {"task": "corners", "units": units, "slope": slope, "seed": seed}
        for slope in (0.0, 0.1)
        for units in (2, 3, 4, 8)
        for seed in SEEDS
    ]
    record("feed_forward", tasks, measure, data=DATA, again=again)
