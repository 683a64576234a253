"""Requirements are installed by uv where it works, and by pip everywhere else."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOTES_ITS_CALL = '#!/bin/sh\necho "$(basename "$0") $*" >> "{calls}"\nexit {status}\n'


@pytest.fixture
def venv(tmp_path: Path) -> Path:
    """An environment whose programs write down how they were called, uv not among them."""
    program(tmp_path, "python", status=0)
    return tmp_path


def program(venv: Path, name: str, *, status: int) -> None:
    path = venv / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(NOTES_ITS_CALL.format(calls=venv / "calls.txt", status=status))
    path.chmod(0o755)


def calls(venv: Path) -> list[str]:
    command = ["sh", str(ROOT / "lab/setup/install.sh"), str(venv), "wanted.txt"]
    subprocess.run(command, check=True, timeout=60)
    lines = (venv / "calls.txt").read_text().splitlines()
    return [line for line in lines if line.endswith("wanted.txt")]


def test_uv_installs_what_is_pinned_by_its_hashes_alone(venv: Path):
    program(venv, "uv", status=0)
    assert calls(venv) == [
        "uv pip install --system-certs --quiet --require-hashes --requirement wanted.txt"
    ]


def test_pip_installs_where_uv_finds_no_package(venv: Path):
    program(venv, "uv", status=2)
    assert [call.split()[0] for call in calls(venv)] == ["uv", "python"]


def test_pip_installs_where_uv_cannot_be_had(venv: Path):
    assert [call.split()[0] for call in calls(venv)] == ["python"]


def test_uv_is_installed_by_its_pin():
    pins = (ROOT / "requirements/dev.txt").read_text().splitlines()
    pin = next(number for number, line in enumerate(pins) if line.startswith("uv=="))
    assert "--hash=sha256:" in pins[pin + 1]
