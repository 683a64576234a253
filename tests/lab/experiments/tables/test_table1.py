from __future__ import annotations

import pytest

from lab.experiments.paper_numbers import TABLE_1
from lab.experiments.records import DEFAULT_DATA, Settings
from lab.experiments.tables import table1


@pytest.mark.skipif(not DEFAULT_DATA.is_dir(), reason="The data are not in ../shared/data.")
def test_every_figure_is_the_papers(tmp_path):
    report = table1.report(Settings(results=tmp_path, n_jobs=1))
    entries = report.sections[0].entries
    assert len(entries) == sum(len(row) for row in TABLE_1.values())
    assert [entry for entry in entries if entry.ours != entry.printed] == []
