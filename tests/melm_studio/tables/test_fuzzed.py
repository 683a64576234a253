"""No variant of a file is anything but read or refused in a sentence, in time."""

from __future__ import annotations

import tempfile

import pytest

from melm_studio.tables import TableError, grammars, read_table
from tests.melm_studio.tables.fuzzing import fuzz, known_files, of_every_format, sweep


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder in which temporary files are made."""
    known_files()
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def test_a_damaged_file_of_every_format_is_a_table_or_a_sentence(temporary):
    found = sweep(of_every_format(), 2, seed=0)
    assert found.wrong == []
    assert min(found.ends["read"], found.ends["refused"]) > len(found.ends_of) / 2
    assert not list(temporary.iterdir())


def test_a_format_without_a_file_to_be_damaged_is_missed(monkeypatch):
    monkeypatch.setitem(grammars.GRAMMARS, "plate reader", lambda _: None)
    with pytest.raises(LookupError, match="plate reader"):
        of_every_format()


def test_a_workbook_before_2007_that_is_cut_off_gets_a_sentence():
    with pytest.raises(TableError, match="is a workbook that cannot be read"):
        read_table(known_files()["Excel before 2007"].raw[:5_184], "t.xls")


@pytest.mark.slow
@pytest.mark.timeout(3_600)
def test_files_that_are_damaged_in_many_ways_are_read_or_refused_in_a_sentence(temporary):
    assert sweep(known_files(), 20, seed=1).wrong == []
    assert not list(temporary.iterdir())


@pytest.mark.slow
@pytest.mark.timeout(3_600)
def test_files_that_are_varied_towards_new_code_are_read_or_refused_in_a_sentence():
    found = fuzz(2_000, seed=0)
    assert found.wrong == []
    assert found.n_kept > found.n_known
