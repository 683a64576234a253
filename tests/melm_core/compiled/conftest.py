"""The compiled library, or a skip with the reason why it is not there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from melm_core.compiled.loading import ENVIRONMENT_FOLDER, build, compiler, file_name, libraries

N_KINDS = 3  # of processors: base, AVX2, AVX-512


@pytest.fixture(scope="session")
def built(tmp_path_factory) -> Path:
    """The library that is named, that of this environment, or a new one."""
    if named := os.environ.get("MELM_TESTED_LIBRARY"):
        return Path(named)
    if (ENVIRONMENT_FOLDER / file_name()).is_file():
        return ENVIRONMENT_FOLDER / file_name()
    if compiler() is None:
        pytest.skip("There is no C compiler: the sums run in numpy.")
    return build(tmp_path_factory.mktemp("library"))


@pytest.fixture(params=range(N_KINDS), ids=["base", "avx2", "avx512"])
def kind(built, request):
    """The library for one kind of processor that this machine is."""
    kinds = libraries(built)
    if request.param >= len(kinds):
        pytest.skip("This processor is of a lesser kind.")
    return kinds[request.param]


@pytest.fixture
def in_numpy(monkeypatch) -> None:
    """Whatever does not name the library computes in numpy, the oracle."""
    monkeypatch.setenv("MELM_ENGINE", "numpy")
