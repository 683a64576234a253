from __future__ import annotations

import re

import pytest

from lab.experiments.page import PAGE, RESULTS, in_full, text
from lab.experiments.report import read
from lab.experiments.reports import REPORTS

PRINTED = PAGE.read_text()


def test_the_page_is_what_the_results_say():
    assert text(RESULTS) == PRINTED


@pytest.mark.parametrize("name", REPORTS)
def test_every_report_has_a_page_of_its_results_that_is_linked(name):
    assert (RESULTS / f"{name}.md").read_text() == in_full(RESULTS, name)
    assert f"]({name}.md)" in PRINTED


def test_the_largest_difference_from_the_paper_is_named():
    (section,) = read(RESULTS / "table3.json").sections
    away = {(e.row, e.column): abs(e.difference) for e in section.entries}
    row, column = max(away, key=away.__getitem__)
    assert re.search(rf"0 of {len(away)} values equal.*most for {row}, {column}: ", PRINTED)
