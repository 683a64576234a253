"""Tables of claims say what holds and what does not."""

from __future__ import annotations

from dataclasses import replace

from lab.experiments.honesty import CLAIMS
from lab.experiments.honesty.claim import Measured, as_tables

HOLDS = Measured("60 x 5", "coverage", 0.95, (0.92, 0.98), "10 tables", error=0.01)
FAILS = Measured("60 x 5", "level", 0.72, (0.0, 0.05))
OTHER = Measured("200 x 30", "coverage", 0.96, (0.92, 0.98))


def lines(*figures):
    return as_tables(figures).splitlines()


def test_a_line_has_all_that_was_measured_on_its_tables_and_marks_what_does_not_hold():
    assert lines(HOLDS, OTHER, FAILS) == [
        "|  | coverage<br>0.92 to 0.98 | level<br>0 to 0.05 |",
        "| --- | ---: | ---: |",
        "| 60 x 5 | 0.950 ± 0.010 (10 tables) | **0.720** |",
        "| 200 x 30 | 0.960 |  |",
    ]


def test_figures_of_which_something_else_is_wanted_stand_in_a_table_of_their_own():
    stricter = replace(OTHER, wanted=(0.955, 1.0))
    assert sum(line.startswith("| --- ") for line in lines(HOLDS, OTHER)) == 1
    assert sum(line.startswith("| --- ") for line in lines(HOLDS, FAILS, stricter, OTHER)) == 2
    assert lines(HOLDS, stricter)[-1] == "200 x 30: coverage: 0.960, wanted 0.955 to 1."


def test_a_long_table_is_summed_up_with_what_does_not_hold_unless_it_is_asked_for():
    figures = tuple(replace(FAILS, tables=f"{n} x 5", value=n / 1_000) for n in range(45, 54))
    assert lines(*figures) == [
        "|  | figures | least | most |",
        "| --- | ---: | ---: | ---: |",
        "| level<br>0 to 0.05 | 9 | 0.045 | 0.053 |",
        "",
        "51 x 5: level: **0.051**.",
        "",
        "52 x 5: level: **0.052**.",
        "",
        "53 x 5: level: **0.053**.",
    ]
    assert "| 47 x 5 | 0.047 |" in as_tables(figures, in_full=True)


def test_claims_are_found_by_their_names():
    assert all(CLAIMS[name].name == name for name in CLAIMS)
