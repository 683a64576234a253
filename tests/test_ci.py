"""The jobs of the public repository run what is there, and no code that others can exchange."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())
JOBS = WORKFLOW["jobs"]
STEPS = [step for job in JOBS.values() for step in job["steps"]]
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def test_what_is_published_has_passed_every_job_but_that_of_windows():
    needed = {"test", "lab", "wheel", "lowest", "notebooks", "docs", "audit"}
    assert set(JOBS) == needed | {"windows", "publish"}
    assert set(JOBS["publish"]["needs"]) == needed
    assert all("timeout-minutes" in job for job in JOBS.values())
    assert WORKFLOW["permissions"] == {"contents": "read"}


@pytest.mark.parametrize("command", [step["run"] for step in STEPS if "run" in step])
def test_every_command_exists(command):
    program, *arguments = command.split()
    if program == "python":  # on Windows, without make
        assert arguments[:2] in (["-m", "pip"], ["-m", "pytest"])
    elif program == "gh":  # which the machines of the jobs have
        assert arguments[:2] == ["run", "download"]
    elif program == "make":
        assert set(arguments) <= TARGETS
    else:
        assert os.access(ROOT / program, os.X_OK)


def test_only_a_tag_whose_jobs_have_all_passed_is_published_and_only_that_job_has_the_token():
    publish = JOBS["publish"]
    assert publish["if"] == "startsWith(github.ref, 'refs/tags/v')"
    others = [job for name, job in JOBS.items() if name != "publish"]
    assert "secrets." not in str(others)
    assert str(publish).count("secrets.") == 1


@pytest.mark.parametrize("action", sorted({step["uses"] for step in STEPS if "uses" in step}))
def test_every_action_is_named_by_its_commit(action):
    assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", action)
