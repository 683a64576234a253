from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lab.setup import find_redis
from lab.setup.find_redis import REMEDY


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole PATH, on a machine that can install nothing."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def server(folder: Path, name: str) -> Path:
    path = folder / name
    path.touch(mode=0o755)
    return path


@pytest.mark.parametrize("name", find_redis.NAMES)
def test_an_installed_server_is_found_on_the_path(folder: Path, name: str) -> None:
    assert find_redis.find_redis() is None
    found = server(folder, name)
    assert find_redis.find_redis() == find_redis.ensure_redis() == found


def test_a_server_that_was_just_installed_is_found(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def install() -> bool:
        server(folder, "redis-server")
        return True

    monkeypatch.setattr(find_redis, "_install_debian_package", install)
    assert find_redis.ensure_redis() == folder / "redis-server"


def test_where_none_can_be_had_the_program_says_what_to_type_and_stops_nobody(
    folder: Path,
) -> None:
    (folder / "sh").symlink_to("/bin/sh")  # the script that installs needs one
    asked = subprocess.run(
        [sys.executable, find_redis.__file__],
        env={**os.environ, "PATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert asked.stdout == ""
    assert asked.stderr == f"{REMEDY}\n"
