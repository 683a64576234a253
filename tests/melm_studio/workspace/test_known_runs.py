"""Rows that views of a table share are kept by their size."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from melm_studio.rows.new_rows import NewRows
from melm_studio.workspace import known_runs
from melm_studio.workspace.known_runs import RowViews
from tests.melm_studio.runs.helpers import run_of

RECORD: Any = run_of("ada", "data")
WORKSPACE: Any = SimpleNamespace(owner="ada")


@pytest.fixture
def matched(monkeypatch) -> list[str]:
    """The files that were matched, in order."""
    keys: list[str] = []

    def match(_: object, source: Any, __: object) -> NewRows:
        keys.append(source.key)
        X = np.empty((2**20, source.n_features))  # which takes no memory until it is written
        return NewRows(source.name, np.empty(0, int), X, X, (), np.empty(0, int), ())

    monkeypatch.setattr(known_runs, "match_rows", match)
    monkeypatch.setattr(known_runs, "second_table", lambda _, __, second, ___: second)
    monkeypatch.setattr(RowViews, "data", lambda *_: None)
    return keys


def source(key: str, megabytes: int) -> Any:
    # Half of them are the rows as they are prepared, half as they are encoded.
    return SimpleNamespace(key=key, name=key, n_features=megabytes // 16)


def ask(views: RowViews, *sources: Any) -> None:
    for each in sources:
        views.new_rows(WORKSPACE, RECORD, each, {})


@pytest.mark.fault
def test_new_rows_of_all_files_take_256_mb(matched):
    views = RowViews(SimpleNamespace())
    first, second, third = (source(key, 120) for key in "abc")
    ask(views, first, second, first, second)
    assert matched == ["a", "b"]
    ask(views, third, second, third, first)
    assert matched == ["a", "b", "c", "a"]


def test_the_last_file_is_kept_however_large_its_rows_are(matched):
    views = RowViews(SimpleNamespace())
    ask(views, source("a", 8), *2 * [source("b", 512)])
    assert matched == ["a", "b"]
