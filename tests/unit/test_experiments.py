"""Recorded experiments run their chapter's own cells, on five seeds, and can be interrupted."""

import importlib
import inspect
import json
import pkgutil
import subprocess
import sys

import pytest

from attnsteps.results import RESULTS, recorded
from attnsteps.translator.trained import pretrained
from scripts import experiments, results
from scripts.experiments import your_own_sentence as own
from scripts.train_everyday import SEARCHES

STEMS = sorted(module.name for module in pkgutil.iter_modules(experiments.__path__))
STEMS.remove("__main__")


# A chapter may set how torch and Matplotlib behave, so each runs in a process of its own; these
# branch off from one that has loaded what takes long.
BRANCHES = """
import multiprocessing, sys
import attnsteps.plotting, attnsteps.widgets
from scripts.experiments import page

def run(stem):
    assert len(page(stem)) > 2, stem  # more than a title and an introduction

fork = multiprocessing.get_context("fork")
processes = [fork.Process(target=run, args=(stem,), name=stem) for stem in sys.argv[1:]]
for process in processes:
    process.start()
    process.join()
sys.exit(" ".join(process.name for process in processes if process.exitcode) or None)
"""


def test_the_cells_that_an_experiment_needs_run_without_the_rest():
    modules = {stem: importlib.import_module(f"scripts.experiments.{stem}") for stem in STEMS}
    stems = [stem for stem, module in modules.items() if "page(" in inspect.getsource(module)]
    assert len(stems) > 10
    command = [sys.executable, "-c", BRANCHES, *stems]
    subprocess.run(command, cwd=experiments.BOOK.parent, check=True)


@pytest.mark.parametrize("stem", STEMS)
def test_every_experiment_has_five_seeds_at_least(stem):
    assert len({row["seed"] for row in recorded(stem)}) >= 5


def test_a_run_goes_on_where_it_stopped(tmp_path, monkeypatch, capsys):
    path = tmp_path / "results.json"
    monkeypatch.setattr(experiments, "RESULTS", path)
    monkeypatch.setattr(results, "RESULTS", path)
    path.write_text("{}")
    tasks = [{"model": "small", "seed": seed} for seed in (2, 0, 1)]
    calls = []

    def measure(model: str, seed: int) -> dict:
        calls.append(seed)
        if calls == [2, 0]:
            raise KeyboardInterrupt
        return {"right": seed / 10}

    with pytest.raises(KeyboardInterrupt):
        experiments.record("toy", tasks, measure, data="none")
    experiments.record("toy", tasks, measure, data="none")
    assert calls == [2, 0, 0, 1]
    part = json.loads(path.read_text())["toy"]
    assert part["command"] == "python -m scripts.experiments toy"
    assert [(row["seed"], row["right"]) for row in part["rows"]] == [(2, 0.2), (0, 0.0), (1, 0.1)]
    experiments.record("toy", tasks, measure, data="none", again=True)
    assert calls == [2, 0, 0, 1, 2, 0, 1]


def test_rows_that_stay_keep_the_name_of_their_processor(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "RESULTS", tmp_path / "results.json")

    def hardware(processor: str, rows: list[dict]) -> str:
        monkeypatch.setattr(results, "processor", lambda: processor)
        results.note("toy", rows)
        return json.loads(results.RESULTS.read_text())["toy"]["hardware"]

    assert hardware("old", [{"seed": 0}]) == "old"
    for _ in range(2):
        assert hardware("new", [{"seed": 0}, {"seed": 1}]) == "old; new"
    assert hardware("new", [{"seed": 2}]) == "new"


def test_rows_are_found_by_their_settings():
    rows = recorded("ablations", change="one head")
    assert [row["seed"] for row in rows] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("ablation", {}, "name must be one of"),
        ("ablations", {"seed": 77}, "settings must fit at least one row of 'ablations'; got"),
    ],
)
def test_what_was_not_recorded_is_named(name, settings, message):
    with pytest.raises(ValueError, match=message):
        recorded(name, **settings)


def test_every_result_is_used_by_a_chapter_or_a_test():
    texts = [path.read_text(encoding="utf-8") for path in experiments.BOOK.glob("*.*")]
    unused = [name for name in json.loads(RESULTS.read_text()) if not any(name in t for t in texts)]
    assert unused == []


def test_the_answers_that_were_judged_are_the_shipped_models():
    judged = recorded("your_own_sentence_shipped", look="judged")
    sources = [one["src"] for one in judged]
    found = pretrained("everyday").translate(sources, **SEARCHES["beam 4"])
    lines = own.SIXTY.read_text(encoding="utf-8").splitlines()
    keys = ("kind", "src", "found", "verdict", "meant")
    written = [[one[k] for k in keys] for one in judged]
    assert written == [line.split("\t") for line in lines]
    same = sum(one["found"] == each.text for one, each in zip(judged, found, strict=True))
    assert same >= len(judged) - 1  # where two answers are nearly as likely, rounding may decide
    split = pretrained("everyday").tgt_tokenizer.tokenize
    assert all(each.tokens == split(each.text) for each in found)  # as the chapter says
