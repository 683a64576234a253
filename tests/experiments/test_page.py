from __future__ import annotations

from dataclasses import replace

import pytest

from experiments.page import PAGE, RESULTS, text
from experiments.report import as_markdown, read
from experiments.reports import REPORTS


def test_the_page_is_what_the_results_say():
    assert PAGE.read_text() == text(RESULTS)


@pytest.mark.parametrize("name", REPORTS)
def test_what_the_page_leaves_out_is_a_table_without_a_value_of_the_paper_and_linked(name):
    page, report = PAGE.read_text(), read(RESULTS / f"{name}.json")
    for section in report.sections:
        rows = as_markdown(section_alone(report, section)).splitlines()
        if any(row.startswith("| ") and row not in page for row in rows):
            assert all(entry.paper is None for entry in section.entries)
            assert f"All {len(section.entries)} numbers: [{name}.json]" in page


def section_alone(report, section):
    return replace(report, sections=(replace(section, picture=""),))
