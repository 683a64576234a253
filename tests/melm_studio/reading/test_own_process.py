"""A reader in this process answers as one apart does."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from melm_studio.configuration.settings import Settings
from melm_studio.reading import ReaderFailedError
from melm_studio.reading.jobs import TOO_LARGE
from melm_studio.tables import TableError, read_apart, read_table, read_table_apart
from melm_studio.workspace.file_reader import own_file_reader

RAW = b"length,kind,note\n1.5,a,x\n,b,\n2.5,a,y\n"
LIMITS = {"max_rows": 1_000, "max_columns": 100}


@pytest.fixture
def reader(tmp_path):
    return own_file_reader(Settings(data_dir=tmp_path))


def test_a_table_is_the_one_that_is_read_directly(reader):
    found = read_table_apart(reader, RAW, "table.csv", **LIMITS)
    expected = read_table(RAW, "table.csv", **LIMITS)
    pd.testing.assert_frame_equal(found.frame, expected.frame)
    assert (found.steps, found.form) == (expected.steps, expected.form)


def test_what_is_no_table_is_refused_and_the_next_one_read(reader):
    with pytest.raises(TableError):
        read_table_apart(reader, b"\x00\x01", "table.csv", **LIMITS)
    with pytest.raises(TableError, match="columns"):
        read_table_apart(reader, RAW, "table.csv", max_rows=1_000, max_columns=2)
    assert len(read_table_apart(reader, RAW, "table.csv", **LIMITS).frame) == 3


@pytest.mark.parametrize(
    ("error", "raised", "words"),
    [
        (MemoryError(), TableError, TOO_LARGE.format(memory_mb="8,192")),
        (RuntimeError("a secret"), ReaderFailedError, "could not be read"),
    ],
)
def test_a_reader_that_fails_gives_a_sentence(reader, monkeypatch, error, raised, words):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(read_apart, "read_table", fail)
    with pytest.raises(raised, match=words[:40]) as caught:
        read_table_apart(reader, RAW, "table.csv", **LIMITS)
    assert "a secret" not in str(caught.value)


def test_a_table_of_many_columns_does_not_wait_for_itself(reader):
    # Both ends of the channel are in this process: neither may fill it before the other reads.
    wide = pd.DataFrame(np.arange(400_000.0).reshape(400, 1_000)).assign(kind=["a", "b"] * 200)
    raw = wide.to_csv(index=False).encode()
    limits = {"max_rows": 1_000, "max_columns": 2_000}
    assert read_table_apart(reader, raw, "wide.csv", **limits).frame.shape == (400, 1_001)
