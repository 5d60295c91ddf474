"""The ablations that the book quotes: complete, with a provenance, and each what its name says."""

import json
import math
from collections import defaultdict

import pytest
import torch

from attnsteps import TrainingConfig, Transformer, TransformerConfig
from attnsteps.translator.trained import ASSETS
from scripts.ablations import CHANGES, NAME, RECIPE, SEEDS, SIZES, STEPS

RESULTS = json.loads((ASSETS / "results.json").read_text(encoding="utf-8"))[NAME]
SCORES = ("unseen", "combinations", "longer", "pronouns", "pronoun_accuracy")
SOURCE = torch.tensor([[5, 6, 7, 8]])
TARGET = torch.tensor([[1, 5, 6]])


def by_change(rows: list[dict]) -> dict[str, list[dict]]:
    found = defaultdict(list)
    for row in rows:
        found[row["change"]].append(row)
    return found


def what_is_wrong(rows: list[dict]) -> list[str]:
    """Say what a list of rows lacks or has too much of."""
    faults = []
    found = by_change(rows)
    faults += [f"there is no change {name!r}" for name in found if name not in CHANGES]
    for name, what in CHANGES.items():
        seeds = sorted(row["seed"] for row in found[name])
        if seeds != list(SEEDS):
            faults.append(f"{name}: seeds {seeds}")
        for row in found[name]:
            if row["group"] != what.group or row["steps"] != STEPS:
                faults.append(f"{name}: of another group or length")
            faults += [f"{name}: {s} = {row[s]}" for s in SCORES if not 0 <= row[s] <= 1]
            if not row["cpu_seconds"] > 0:
                faults.append(f"{name}: no time")
    return faults


def test_every_change_has_its_seeds_and_every_row_its_scores():
    assert {"command", "hardware", "threads", "torch", "corpus"} <= set(RESULTS)
    assert what_is_wrong(RESULTS["rows"]) == []


def test_the_check_can_fail():
    rows = RESULTS["rows"]
    assert what_is_wrong(rows[1:]) != []
    assert what_is_wrong([*rows, rows[0]]) != []
    assert what_is_wrong([{**rows[0], "unseen": 1.2}, *rows[1:]]) != []
    assert what_is_wrong([{**rows[0], "steps": 7}, *rows[1:]]) != []
    assert what_is_wrong([{**rows[0], "change": "no sense"}, *rows[1:]]) != []


def test_seeds_give_different_trainings():
    for name, rows in by_change(RESULTS["rows"]).items():
        scores = [tuple(row[score] for score in SCORES) for row in rows]
        assert len(set(scores)) == len(scores), name


def test_what_is_left_out_costs_something():
    means = {
        name: sum(row["combinations"] for row in rows) / len(rows)
        for name, rows in by_change(RESULTS["rows"]).items()
        if CHANGES[name].group == "model"
    }
    assert max(means, key=means.get) == "as it is"
    assert means["no residual"] < means["as it is"] - 0.1


def changed(name: str) -> Transformer:
    """Return a small model from one seed, with a change made to it."""
    torch.manual_seed(0)
    what = CHANGES[name]
    sizes = {**SIZES, "d_model": 8, "d_ff": 12, **what.sizes}
    model = Transformer(TransformerConfig.tiny(13, 13, **sizes)).eval()
    if what.change is not None:
        what.change(model)
    return model


def test_without_scaling_the_scores_are_the_square_root_of_d_k_times_as_large():
    usual, longer = changed("as it is"), changed("no scaling")
    for model, factor in ((usual, 1.0), (longer, math.sqrt(2))):  # 8 wide, 4 heads
        attention = model.encoder.layers[0].self_attention
        x = torch.randn(1, 3, 8, generator=torch.Generator().manual_seed(1))
        torch.testing.assert_close(
            attention.w_q(x), factor * torch.nn.functional.linear(x, attention.w_q.weight)
        )
    assert not torch.allclose(usual(SOURCE, TARGET), longer(SOURCE, TARGET))


def test_without_positions_the_order_of_the_source_does_not_matter():
    mixed = SOURCE[:, [2, 0, 3, 1]]
    with torch.no_grad():
        model = changed("no positions")
        torch.testing.assert_close(model(SOURCE, TARGET), model(mixed, TARGET))
        usual = changed("as it is")
        assert not torch.allclose(usual(SOURCE, TARGET), usual(mixed, TARGET), atol=1e-3)


def test_without_residual_connections_nothing_of_the_input_is_added():
    model = changed("no residual")
    for layer in (*model.encoder.layers, *model.decoder.layers):
        x = torch.randn(1, 3, 8)
        same = layer.feed_forward_sublayer(x, lambda _: torch.ones(1, 3, 8))
        other = layer.feed_forward_sublayer(2 * x, lambda _: torch.ones(1, 3, 8))
        assert torch.equal(same, other)


@pytest.mark.parametrize("name", [name for name, what in CHANGES.items() if what.recipe])
def test_a_recipe_differs_from_the_others_in_what_it_names(name):
    usual = TrainingConfig(steps=STEPS, **RECIPE)
    changed = TrainingConfig(steps=STEPS, **{**RECIPE, **CHANGES[name].recipe})
    assert usual != changed


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("one head", "num_heads", 1),
        ("dropout 0.1", "dropout", 0.1),
        ("untied", "tie", "none"),
        ("pre-norm", "norm", "pre"),
    ],
)
def test_a_size_is_what_the_name_says(name, field, value):
    config = changed(name).config
    assert getattr(config, field) == value
    assert getattr(changed("as it is").config, field) != value
