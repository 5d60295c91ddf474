"""What `make quick` chooses for a change, and what it says where nothing matches."""

import pytest

from scripts import quick as script
from tests.browser import ROOT


def chosen(name: str) -> list[str]:
    return script.near(name).tests


@pytest.mark.parametrize(
    ("name", "test"),
    [
        ("src/attnsteps/exercises/since_2017.py", "tests/unit/test_since_2017.py"),  # digits
        ("src/attnsteps/layers/masks.py", "tests/unit/test_masks.py"),
        ("src/attnsteps/layers/masks.py", "src/attnsteps/layers/masks.py"),  # its examples
        ("src/attnsteps/diagrams/cells.py", "tests/unit/test_diagrams.py"),  # by what they import
        ("src/attnsteps/cli/table.py", "tests/unit/test_cli.py"),
        ("src/attnsteps/widgets/js/maths/softmax.js", f"{script.EQUAL}[softmax]"),
        ("src/attnsteps/widgets/js/maths/softmax.js", f"{script.EQUAL}[attention]"),  # imports it
        ("src/attnsteps/widgets/js/ui.js", "tests/unit/test_widgets_softmax.py"),
        ("tests/parity/cases/softmax.py", f"{script.EQUAL}[softmax]"),
        ("tests/unit/test_masks.py", "tests/unit/test_masks.py"),
        ("scripts/closure.py", "tests/unit/test_closure.py"),
        ("book/_ext/attnsteps_math.py", "tests/unit/test_math.py"),
        ("book/references.bib", "tests/notebooks/test_prose.py"),
    ],
)
def test_a_change_brings_the_tests_nearest_to_it(name, test):
    found = script.near(name)
    assert test in found.tests
    assert len(found.tests) <= script.MOST + 30
    for each in found.tests:
        assert (ROOT / each.partition("::")[0]).exists()


def test_what_everything_imports_brings_a_few_and_says_how_many_more(capsys):
    assert len(chosen("src/attnsteps/model/config.py")) <= script.MOST + 3
    script.report(["src/attnsteps/model/config.py"])
    assert "more files of tests, which `make test` runs" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "chapter"),
    [("book/22_since_2017.ipynb", "22_since_2017"), ("src/attnsteps/layers/masks.py", "09_masks")],
)
def test_the_changed_chapter_is_executed(name, chapter):
    assert script.near(name).chapters == [chapter]


def test_what_it_chose_and_what_nothing_matches_is_said(capsys):
    tests, chapters = script.report(["src/attnsteps/cli/table.py", "Makefile"])
    said = capsys.readouterr().out
    assert "src/attnsteps/cli/table.py: unit/test_cli.py" in said
    assert "Makefile: no test matches" in said
    assert "tests/unit/test_cli.py" in tests
    assert chapters == []


def test_tests_of_the_site_are_named_and_not_run(capsys):
    tests, _ = script.report(["tests/web/test_masks.py"])
    assert tests == []
    assert "not run: `make site && " in capsys.readouterr().out


@pytest.mark.parametrize("code", [0, 1])
def test_it_is_red_where_one_of_its_runs_is(monkeypatch, code):
    ran = []

    def run(command, **_):
        ran.append(command)
        return type("Ran", (), {"returncode": code if "book/06_softmax.ipynb" in command else 0})

    monkeypatch.setattr(script.subprocess, "run", run)
    monkeypatch.setattr(script, "up_to_date", lambda *_, **__: None)
    softmax = ["06_softmax"]
    assert script.check(["tests/unit/test_softmax.py"], softmax, []) is (code == 0)
    assert len(ran) == 3
    ran.clear()
    script.check([], softmax, softmax)  # what is committed is old, which was said
    assert not [command for command in ran if "tests/notebooks/test_committed.py" in command]


def test_after_a_commit_there_is_still_something_to_check(monkeypatch):
    answers = {"rev-parse": ["new"], "merge-base": ["new"], "ls-files": ["b.py"]}
    monkeypatch.setattr(
        script,
        "git",
        lambda name, *rest: ["a.py"] if rest[-1] == "HEAD~1" else answers.get(name, []),
    )
    assert script.changed() == ["a.py", "b.py"]
