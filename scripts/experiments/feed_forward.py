"""Chapter 12: how often training finds "one, not both"."""

from scripts.experiments import SEEDS, page, record

STEPS = (500, 2000)
STARTS = 100


def run(*, again: bool) -> None:
    """Train five hundred networks of each width on the four corners."""
    train_starts = page("feed_forward")["train_starts"]

    def measure(*, units: int, seed: int) -> dict:
        result = {"steps": STEPS, "starts": STARTS, "right": []}
        for steps in STEPS:
            right, dead = train_starts(units, seed, STARTS, steps)
            result["right"].append(right.sum().item())
        return {
            **result,
            "dead_where_right": round(dead[right].double().mean().item(), 2),
            "dead_where_wrong": round(dead[~right].double().mean().item(), 2),
            "enough_alive_but_wrong": (~right & (units - dead >= 2)).sum().item(),
        }

    tasks = [{"units": units, "seed": seed} for units in (2, 3, 4, 8) for seed in SEEDS]
    record("feed_forward", tasks, measure, data="the four corners of a square", again=again)
