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
            right, dead, born, half = train_starts(units, seed, STARTS, steps)
            result["right"].append(right.sum().item())
        return {
            **result,
            "dead_where_right": round(dead[right].double().mean().item(), 2),
            "wrong_with_a_dead_unit": (~right & (dead > 0)).sum().item(),
            "of_these_born_dead": (~right & (dead > 0) & (born > 0)).sum().item(),
            "alive_at_half": (half & (dead == 0)).sum().item(),
        }

    tasks = [{"units": units, "seed": seed} for units in (2, 3, 4, 8) for seed in SEEDS]
    record("feed_forward", tasks, measure, data="the four corners of a square", again=again)
