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


def test_tests_wheel_documentation_and_audit_have_a_job_each():
    assert set(JOBS) == {"test", "wheel", "docs", "audit"}
    assert all("timeout-minutes" in job for job in JOBS.values())
    assert WORKFLOW["permissions"] == {"contents": "read"}


@pytest.mark.parametrize("command", [step["run"] for step in STEPS if "run" in step])
def test_every_command_exists(command):
    program, *arguments = command.split()
    if program == "make":
        assert set(arguments) <= TARGETS
    else:
        assert os.access(ROOT / program, os.X_OK)


@pytest.mark.parametrize("action", sorted({step["uses"] for step in STEPS if "uses" in step}))
def test_every_action_is_named_by_its_commit(action):
    assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", action)
