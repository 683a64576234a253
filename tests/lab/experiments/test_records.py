from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lab.experiments.records import ROOT, Cell, Settings, complete, find, write_atomically
from tests.lab.experiments.example_cells import cells, deadly_once, log, squared

KILLED_RUN = """
from pathlib import Path
from lab.experiments.records import Settings, complete
from tests.lab.experiments.example_cells import cells, deadly_once
folder = Path({folder!r})
complete(cells(deadly_once), Settings(data=folder, results=folder / "results", n_jobs=1))
"""


@pytest.fixture
def settings(tmp_path):
    return Settings(data=tmp_path, results=tmp_path / "results", n_jobs=1)


def fail(*_):
    raise OSError("The disk is full.")


def unfinished(path, text):
    """What a process leaves that is killed while it writes."""
    path.with_name(f".{path.name}.1").write_text(text[:10])


def squares(records):
    return [record and record.values["square"] for record in records]


def test_records_come_in_the_order_of_their_cells(settings):
    assert squares(complete(cells()[::-1], settings)) == [9, 4, 1, 0]


def test_a_cell_is_computed_once(settings):
    complete(cells()[:2], settings)
    complete(cells(), settings)
    assert log(settings.data) == [0, 1, 2, 3]


def test_a_killed_run_continues_where_it_stopped(settings):
    script = KILLED_RUN.format(folder=str(settings.data))
    killed = subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=False)
    assert killed.returncode == -signal.SIGKILL
    found = complete(cells(deadly_once), replace(settings, computes=False))
    assert squares(found) == [0, 1, None, None]
    assert squares(complete(cells(deadly_once), settings)) == [0, 1, 4, 9]
    assert log(settings.data) == [0, 1, 2, 2, 3]


def test_two_processes_give_the_same_records(settings):
    assert squares(complete(cells(), replace(settings, n_jobs=2))) == [0, 1, 4, 9]
    assert sorted(log(settings.data)) == [0, 1, 2, 3]


def test_nothing_is_computed_where_records_are_only_looked_for(settings):
    assert complete(cells(), replace(settings, computes=False)) == [None] * 4
    assert not settings.results.exists()


def test_a_record_says_where_it_came_from(settings):
    record = complete(cells()[:1], settings)[0]
    assert record.parameters == {"number": 0, "seed": 7}
    assert record.versions["numpy"] == np.__version__
    assert record.seconds >= 0
    assert record.commit


def test_other_parameters_are_another_record(settings):
    complete(cells()[:1], settings)
    assert find(Cell("squares", squared, {"number": 0, "seed": 8}), settings.results) is None


def test_other_data_of_the_same_name_are_another_record(settings):
    source = settings.data / "data.csv"
    source.write_text("1\n")
    cell = replace(cells()[1], source=source)
    complete([cell], settings)
    assert find(cell, settings.results) is not None
    source.write_text("2\n")
    assert find(cell, settings.results) is None
    source.unlink()
    assert find(cell, settings.results) is not None


def test_a_file_is_replaced_as_a_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_atomically(path, "old")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="full"):
        write_atomically(path, "new")
    assert path.read_text() == "old"


def test_an_unfinished_file_is_no_record(settings, monkeypatch):
    complete(cells()[:1], settings)
    monkeypatch.setattr("lab.experiments.records.write_atomically", unfinished)
    complete(cells()[1:2], settings)
    monkeypatch.undo()
    assert squares(complete(cells()[:2], replace(settings, computes=False))) == [0, None]


def test_the_folder_of_results_is_kept_out_of_the_repository(settings):
    complete(cells()[:1], settings)
    assert (settings.results / ".gitignore").read_text() == "*\n"
