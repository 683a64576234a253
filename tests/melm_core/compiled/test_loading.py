"""Which library is used, and what happens where it is not the right one."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from sklearn.datasets import load_iris

from melm_core import MELM
from melm_core.compiled import engine, library, loading
from melm_core.compiled.loading import build, compiler


@pytest.fixture
def empty(monkeypatch, tmp_path):
    """An environment without a library."""
    monkeypatch.setattr(loading, "ENVIRONMENT_FOLDER", tmp_path)
    monkeypatch.delenv("MELM_ENGINE", raising=False)
    loading.found.cache_clear()
    yield tmp_path
    loading.found.cache_clear()


def test_without_a_library_numpy_does_and_says_how_to_get_it(empty):
    assert library() is None
    assert "`make run` builds it" in str(engine())
    assert MELM(random_state=0).fit(*load_iris(return_X_y=True)).divergence_ > 4.0


def test_a_library_that_was_built_is_found(empty, built):
    shutil.copy(built, empty)
    assert str(engine()).startswith("compiled for")


def test_the_environment_may_ask_for_numpy(empty, built, monkeypatch):
    shutil.copy(built, empty)
    monkeypatch.setenv("MELM_ENGINE", "numpy")
    assert library() is None
    assert "MELM_ENGINE asks for it" in str(engine())


@pytest.mark.parametrize("content", [b"", b"not a library", b"\x7fELF" + bytes(200)])
def test_a_file_that_is_no_library_is_a_reason_and_no_crash(empty, content):
    (empty / loading.file_name()).write_bytes(content)
    assert library() is None
    assert "cannot be used" in str(engine())


def test_a_foreign_library_under_the_name_is_refused(empty, tmp_path):
    command = compiler()
    if command is None:
        pytest.skip("There is no C compiler.")
    source = tmp_path / "foreign.c"
    source.write_text("int melm_interface(void) { return 99; }")
    subprocess.run(
        [*command, "-shared", "-fPIC", source, "-o", empty / loading.file_name()], check=True
    )
    assert library() is None
    assert "cannot be used" in str(engine())


def test_a_library_that_computes_something_else_is_refused(empty, built, monkeypatch):
    shutil.copy(built, empty)
    own = loading.small_divergence
    monkeypatch.setattr(loading, "small_divergence", lambda *which: (own(*which)[0], 1.0))
    assert library() is None
    assert "instead of 1.0" in str(engine())


def test_its_name_follows_its_sources(monkeypatch, tmp_path):
    before = loading.file_name()
    for name in loading.SOURCES:
        shutil.copy(loading.FOLDER / name, tmp_path)
    with (tmp_path / "climb.c").open("a") as source:
        source.write("/* changed */\n")
    monkeypatch.setattr(loading, "FOLDER", tmp_path)
    assert loading.file_name() != before


def test_without_a_compiler_building_says_so(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(FileNotFoundError, match="no C compiler"):
        build(tmp_path)
