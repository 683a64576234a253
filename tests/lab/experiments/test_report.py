from __future__ import annotations

import csv
import io

import pytest

from lab.experiments.records import Record
from lab.experiments.report import (
    Entry,
    Provenance,
    Report,
    Section,
    as_csv,
    as_html,
    as_markdown,
    read,
    write,
)

PICTURE = '<svg xmlns="http://www.w3.org/2000/svg"></svg>\n'
ENTRIES = (
    Entry("heart", "MELM", 0.9, paper=0.918, standard_error=0.0123),
    Entry("heart", "|X|", None, paper=0.8),
    Entry("sonar", "MELM", 1.0),
    Entry("sonar", "|X|", 207.8, paper=208.0, decimals=0),
)


@pytest.fixture
def report():
    return Report(
        name="table9",
        title="Table 9: a < b",
        source="Somebody, 2015.",
        sections=(Section("Numbers", ENTRIES, ("A note.",)), Section("A curve", picture=PICTURE)),
        provenance=Provenance(3, 1, 2.5, (0, 1), ("abc",), ("numpy 2.0",)),
    )


def test_the_difference_is_ours_less_the_papers():
    assert ENTRIES[0].difference == pytest.approx(-0.018)
    assert ENTRIES[1].difference is None
    assert ENTRIES[2].difference is None


def test_markdown_has_the_papers_number_below_ours_and_marks_one_that_is_as_printed(report):
    lines = as_markdown(report).splitlines()
    assert "| heart | 0.900 ± 0.012<br>0.918 | –<br>0.800 |" in lines
    assert "| sonar | 1.000 | 208 = |" in lines
    assert r"|  | MELM | \|X\| |" in lines


def test_markdown_says_where_the_numbers_came_from_and_what_is_missing(report):
    last = as_markdown(report).splitlines()[-1]
    for words in (
        "3 cells",
        "1 of them not computed yet",
        "Seeds: 0, 1",
        "Commit abc",
        "numpy 2.0",
    ):
        assert words in last


@pytest.mark.parametrize(
    ("seeds", "words"), [((0, 1), "0, 1."), ((2, 3, 4, 5), "2 to 5."), ((0, 2, 4), "0, 2, 4.")]
)
def test_seeds_that_follow_each_other_are_named_by_the_first_and_the_last(seeds, words):
    assert f"Seeds: {words}" in str(Provenance(1, 0, 1.0, seeds, ("abc",)))


def test_html_needs_no_other_file(report):
    page = as_html(report)
    assert PICTURE in page
    assert "a &lt; b" in page
    assert '0.900 ± 0.012<br><span class="paper">(0.918, -0.018)</span>' in page
    assert not any(word in page for word in ("src=", "href=", "@import", "url("))


def test_csv_is_tidy(report):
    rows = list(csv.DictReader(io.StringIO(as_csv(report))))
    assert len(rows) == len(ENTRIES)
    assert rows[0] == {
        "section": "Numbers",
        "row": "heart",
        "column": "MELM",
        "value": "0.9",
        "standard_error": "0.0123",
        "paper": "0.918",
        "difference": "-0.018",
    }
    assert rows[1]["value"] == rows[2]["paper"] == ""


def test_what_is_written_reads_back(report, tmp_path):
    write(report, tmp_path)
    assert read(tmp_path / "table9.json") == report
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {f"table9.{kind}" for kind in ("csv", "json", "md", "html")} | {"table9-1.svg"}


def test_a_change_of_one_number_changes_one_line(report, tmp_path):
    write(report, tmp_path / "old")
    changed = (Entry("heart", "MELM", 0.8, paper=0.918, standard_error=0.0123), *ENTRIES[1:])
    sections = (Section("Numbers", changed, ("A note.",)), report.sections[1])
    write(Report("table9", report.title, report.source, sections, report.provenance), tmp_path)
    old = (tmp_path / "old" / "table9.json").read_text().splitlines()
    new = (tmp_path / "table9.json").read_text().splitlines()
    assert sum(a != b for a, b in zip(old, new, strict=True)) == 1


def test_provenance_counts_what_is_missing_and_adds_the_seconds():
    records = [
        Record("t", {"seed": seed}, "", {}, 1.5, "abc", {"numpy": "2.0"}) for seed in (3, 4, 3)
    ]
    provenance = Provenance.of([*records, None])
    assert provenance == Provenance(4, 1, 4.5, (3, 4), ("abc",), ("numpy 2.0",))
