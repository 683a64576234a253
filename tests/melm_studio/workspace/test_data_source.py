"""The data sets that a visitor has used, with their runs."""

from __future__ import annotations

from melm_studio.runs.records.data_source import DataSource
from melm_studio.workspace.data_source import MOST_REMEMBERED, recent_data, remembered_sources

WINE = DataSource(kind="sample", key="wine")
FILE = DataSource(kind="upload", key="a" * 64, name="old pots.csv")


def test_sources_that_this_version_cannot_read_are_left_out():
    stored = [{"kind": "sample", "key": "gone"}, {"kind": "sample", "key": "wine"}, "text", None]
    assert remembered_sources(stored) == [WINE]
    assert remembered_sources("text") == []


def test_no_more_than_the_newest_are_read():
    assert len(remembered_sources([{"kind": "sample", "key": "wine"}] * 100)) == MOST_REMEMBERED


def test_data_are_named_as_on_the_page():
    assert [one.name for one in recent_data([WINE, FILE], [])] == ["Wine", "old pots"]
