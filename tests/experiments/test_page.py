from __future__ import annotations

import re
from dataclasses import replace

import pytest

from experiments.page import PAGE, RESULTS, in_full, text
from experiments.report import as_markdown, read
from experiments.reports import REPORTS

PRINTED = PAGE.read_text()


def test_the_page_is_what_the_results_say():
    assert text(RESULTS) == PRINTED


@pytest.mark.parametrize("name", REPORTS)
def test_what_the_page_leaves_out_is_linked_and_there(name):
    assert (RESULTS / f"{name}.md").read_text() == in_full(RESULTS, name)
    report = read(RESULTS / f"{name}.json")
    for section in report.sections:
        rows = as_markdown(section_alone(report, section)).splitlines()
        if any(row.startswith("| ") and row not in PRINTED for row in rows):
            assert f"[All {len(section.entries)} numbers](results/{name}.md)" in PRINTED


def test_a_long_table_is_summed_up_by_its_agreement_with_the_paper():
    (section,) = read(RESULTS / "table3.json").sections
    away = {(e.row, e.column): abs(e.difference) for e in section.entries}
    row, column = max(away, key=away.__getitem__)
    assert re.search(rf"0 of {len(away)} values equal.*most for {row}, {column}: ", PRINTED)


def section_alone(report, section):
    return replace(report, sections=(replace(section, picture=""),))
