"""The tests nearest to a change find most faults, and those that a minute leaves are said."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lab.mutants.table import MUTANTS
from lab.quick import STARTED, nearest

ROOT = Path(__file__).parents[2]
TESTS = sorted(
    path.relative_to(ROOT).as_posix()
    for path in ROOT.glob("tests/**/test_*.py")
    if not path.relative_to(ROOT).as_posix().startswith(("tests/browser/", "tests/lab/"))
)


def test_nine_in_ten_faults_are_found_by_one_of_the_seventy_nearest_files():
    order = {path: nearest([path], TESTS)[:70] for path in {mutant.path for mutant in MUTANTS}}
    finders = [mutant.test.partition("::")[0] in order[mutant.path] for mutant in MUTANTS]
    assert sum(finders) >= 0.9 * len(finders)


@pytest.mark.parametrize(
    ("changed", "first"),
    [
        ("melm_studio/tables/dependence.py", "tests/melm_studio/tables/test_dependence.py"),
        ("melm_core/gem/eigenvectors.py", "tests/melm_core/gem/test_eigenvectors.py"),
        ("tests/callbacks/test_grants.py", "tests/callbacks/test_grants.py"),
    ],
)
def test_what_has_a_module_s_name_and_folder_or_has_changed_itself_is_nearest(changed, first):
    assert nearest([changed], TESTS)[0] == first


def test_of_two_changes_each_has_its_nearest_before_what_is_far_from_both():
    both = nearest(["melm_core/gem/features.py", "melm_studio/tables/dependence.py"], TESTS)
    assert {Path(test).name for test in both[:2]} == {"test_features.py", "test_dependence.py"}


def test_what_reads_every_file_is_near_to_a_document():
    assert "tests/test_docs.py" in nearest(["docs/explore.md"], TESTS)[:6]


def test_tests_that_the_minute_does_not_reach_are_counted_and_no_failure(tmp_path):
    test = tmp_path / "test_it.py"
    test.write_text("def test_one():\n    pass\n\n\ndef test_another():\n    raise OSError\n")
    arguments = ["-q", "-p", "lab.quick", "-n", "1", "-p", "no:cacheprovider", test]
    process = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=ROOT,
        env=os.environ | {STARTED: "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "2 tests further away were left to `make test`." in process.stdout
    assert process.returncode in (0, 5), process.stdout + process.stderr
