from __future__ import annotations

import pytest

from experiments.records import DEFAULT_DATA, Settings
from experiments.report import read, write
from experiments.reports import REPORTS

NEED_NO_FILES = {name for name in REPORTS if name.startswith(("rotations-", "gem-", "maxent-"))}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", REPORTS)
def test_a_quick_run_computes_every_cell(name, tmp_path):
    if name not in NEED_NO_FILES and not DEFAULT_DATA.is_dir():
        pytest.skip("The data are not in ../shared/data.")
    make, _ = REPORTS[name]
    report = make(Settings(results=tmp_path, quick=True))
    assert report.provenance.n_cells > 0
    assert report.provenance.n_missing == 0
    assert all(entry.value is not None for s in report.sections for entry in s.entries)
    write(report, tmp_path)
    assert read(tmp_path / f"{name}.json").name == name
