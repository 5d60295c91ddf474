"""`make mutants` takes an hour; that its mistakes still fit the package is seen at once."""

from pathlib import Path

import attnsteps
from tests.mutants import run
from tests.mutants.bug_zoo import MISTAKES

PACKAGE = Path(attnsteps.__file__).parent


def test_every_mistake_of_the_bug_zoo_still_finds_the_lines_that_it_changes():
    lost = [
        (mistake.number, mistake.module, line)
        for mistake in MISTAKES
        for line in mistake.changes
        if line not in (PACKAGE / mistake.module).read_text(encoding="utf-8")
    ]
    assert not lost


def test_every_module_names_the_tests_that_must_notice_its_mutants():
    assert all(run.test_files(module.stem) for module in run.modules())
