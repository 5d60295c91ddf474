"""Chapter 17: half-trained translators, teacher-forced, free-running and by beams; five seeds."""

from scripts.experiments import SEEDS, page, record

DATA = "generated(4000, seed=0), 200 unseen sentences, 150 of them for the beams"


def run(*, again: bool) -> None:
    """Train the chapter's small model from each seed, and let it translate."""
    names = page("decoding")

    def measure(*, steps: int, seed: int) -> dict:
        student = names["half_trained"](seed)
        wanted, forced, free = names["both_ways"](student)
        tests = names["batches"](names["tests"], batch_size=100)
        result = {f"{width}": names["with_beam"](student, width) for width in (1, 2, 4, 8)}
        result |= {f"8, α = {alpha}": names["with_beam"](student, 8, alpha) for alpha in (0.6, 2)}
        return {
            "next_words": round(names["teacher_forced_accuracy"](student, tests), 4),
            "right": names["share"](free, wanted),
            "forced_bleu": round(names["bleu"](forced, wanted).value, 2),
            "free_bleu": round(names["bleu"](free, wanted).value, 2),
            "beams": {key: [round(x, 3) for x in scores] for key, scores in result.items()},
        }

    steps = names["config"].steps
    tasks = [{"steps": steps, "seed": seed} for seed in SEEDS]
    record("decoding", tasks, measure, data=DATA, again=again)
