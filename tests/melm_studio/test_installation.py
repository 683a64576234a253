"""What needs a package that is not installed says how to install it, by an extra that there is."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

from melm_studio import installation
from melm_studio.configuration.settings import Settings
from melm_studio.runs.store.open_store import open_store
from melm_studio.tables import TableError, read_table

ROOT = Path(__file__).parents[2]
HOOK = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["metadata"]["hooks"]
EXTRAS = HOOK["requirements_txt"]["optional-dependencies"]


@pytest.fixture(params=["checkout", "wheel"])
def command(request, monkeypatch, tmp_path):
    """The command of an extra, in both ways to have the studio."""
    if request.param == "checkout":
        return lambda _: r"\.venv/bin/python -m pip install -r requirements/\w+\.txt"
    monkeypatch.setattr(installation, "APPLICATION_FOLDER", tmp_path)
    return lambda extra: rf'pip install "melm-studio\[{extra}\]"'


@pytest.mark.parametrize(
    ("package", "raw", "extra"),
    [
        ("pyarrow", b"PAR1", "parquet"),
        ("pyarrow", b"ARROW1", "parquet"),
        ("h5py", b"\x89HDF", "h5ad"),
    ],
)
def test_a_format_that_needs_a_package_says_so(command, monkeypatch, package, raw, extra):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(TableError, match=command(extra)):
        read_table(raw, "table")


def test_a_shared_store_that_needs_packages_says_so(command, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "melm_studio.runs.store.redis", None)
    with pytest.raises(SystemExit, match=command("redis")):
        open_store(Settings(data_dir=tmp_path, store="redis://localhost:6379/0"))


def test_the_documentation_names_every_extra_for_users():
    named = re.findall(r'"melm-studio\[(\w+)\]"', (ROOT / "docs/install.md").read_text())
    assert set(named) == set(EXTRAS) - {"docs"}
    assert all((ROOT / file).is_file() for files in EXTRAS.values() for file in files)
