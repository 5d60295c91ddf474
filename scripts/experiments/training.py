"""Chapter 16: the chapter's own run from five seeds, and the effect of warm-up on a small model."""

from scripts.experiments import SEEDS, page, record

DATA = "generated(10000, seed=0), 200 unseen sentences"
STOP = 100  # the chapter looks at its run after every so many steps
RIGHT = {
    "running": ("累", "the animal did not cross the street because it was too tired"),
    "twin": ("宽", "the animal did not cross the street because it was too wide"),
}


def run(*, again: bool) -> None:
    """Train the chapter's translator, and again with three lengths of warm-up at two peaks."""
    names = page("training")
    config_of, splits = names["TrainingConfig"], names["splits"]

    def whole(seed: int, steps: int) -> dict:
        pairs = splits.unseen[:200]
        batch = names["collate"](
            names["encode_pairs"](pairs, names["src_vocab"], names["tgt_vocab"])
        )

        def validate(model: object) -> dict:
            loss, number = names["autoregressive_loss"](model, batch, 0.1)
            return {
                "unseen loss": (loss / number).item(),
                "right": names["share_right"](model, pairs),
            }

        model = names["new_model"](seed=seed)
        config = config_of(steps=steps, batch_size=64, evaluate_every=STOP, seed=seed, log=None)
        untrained = names["share_right"](model, pairs)
        history = names["train"](
            model, names["examples"], config, validate=validate, progress=False
        )
        running = names["RUNNING"]
        translations = {
            name: names["bundle"](model).translate([running.replace("累", word)])[0].text
            for name, (word, _) in RIGHT.items()
        }
        return {
            "untrained": untrained,
            "loss": [round(loss, 3) for loss in history.column("unseen loss")],
            "right": history.column("right"),
            **{name: translations[name] == right for name, (_, right) in RIGHT.items()},
        }

    def warmed(seed: int, steps: int, peak: float, warmup: int) -> dict:
        config = config_of(
            steps=steps,
            batch_size=32,
            peak=peak,
            warmup=warmup,
            seed=seed,
            log=None,
            log_every=20,
        )
        model = names["new_model"](seed=seed)
        losses = names["train"](model, names["examples"], config, progress=False).column("loss")
        return {"loss_at_80": round(losses[3], 3), "loss": round(losses[-1], 3)}

    def measure(*, run: str, **settings: object) -> dict:
        return {"chapter": whole, "warm-up": warmed}[run](**settings)

    tasks = [{"run": "chapter", "steps": 500, "seed": seed} for seed in SEEDS]
    tasks += [
        {"run": "warm-up", "steps": 240, "peak": peak, "warmup": warmup, "seed": seed}
        for peak in (0.004, 0.016)
        for warmup in (1, 20, 80)
        for seed in SEEDS
    ]
    record("training", tasks, measure, data=DATA, again=again)
