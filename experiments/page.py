"""The page `docs/reproducing-the-tables.md`, written from the results in `docs/results`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from experiments.records import ROOT, Settings, write_atomically
from experiments.report import Report, as_json, as_markdown, pictures, read
from experiments.reports import REPORTS

PAGE = ROOT / "docs" / "reproducing-the-tables.md"
RESULTS = ROOT / "docs" / "results"
_TIMED = ("table2", "table3")


def update(settings: Settings) -> None:
    """Take what has been computed into `docs/results`, and write the page from it."""
    found = replace(settings, computes=False)
    for make, _ in REPORTS.values():
        report = make(found)
        write_atomically(RESULTS / f"{report.name}.json", as_json(report))
        for name, picture in pictures(report).items():
            write_atomically(RESULTS / name, picture)
    write_atomically(PAGE, text(RESULTS))


def text(folder: Path) -> str:
    """The page that the results in a folder make."""
    reports = [read(folder / f"{name}.json") for name in REPORTS]
    parts = [as_markdown(report, level=2, picture_folder="results/") for report in reports]
    return "\n".join([_introduction(reports), *parts])


def _introduction(reports: Sequence[Report]) -> str:
    commands = "\n".join(f"| `{name}` | {words} |" for name, (_, words) in REPORTS.items())
    return _INTRODUCTION.format(commands=commands, duration=_duration(reports))


def _duration(reports: Sequence[Report]) -> str:
    timed = [report.provenance for report in reports if report.name in _TIMED]
    minutes = sum(provenance.seconds for provenance in timed) / 60
    n_missing = sum(provenance.n_missing for provenance in timed)
    n_cells = sum(provenance.n_cells for provenance in timed)
    if n_missing:
        return (
            f"{n_missing} of the {n_cells} cells of Tables 2 and 3 are still to compute. The "
            f"others took {minutes:.1f} minutes of processor time."
        )
    return (
        f"Tables 2 and 3 took {minutes:.0f} minutes of processor time, half of that on two cores."
    )


_INTRODUCTION = """\
# Reproducing the tables

Every table and figure of the three papers that can be computed is one command:

```sh
python -m experiments table3                 # one of them, with the data in ../shared/data
python -m experiments table3 --data DIR      # with the data elsewhere
python -m experiments all --quick            # all of them, reduced, in a few minutes
python -m experiments page                   # take the results into this page
```

| Command | What it is |
| --- | --- |
{commands}

`--data` is a folder with the ten data sets, as CSV with a column `label` (`heart.csv`, and
`heart_raw.csv` for the file as recorded) or in LIBSVM format under the names that its page gives
them (`heart_scale`, `heart`). Each command writes `NAME.csv`, `NAME.json`, `NAME.md` and
`NAME.html` to `results` (`--results` names another folder).

Every cell of a table is a file of its own there, with its seed, its seconds, the commit and the
versions it was computed with. A run that is killed goes on where it stopped, and a cell is computed
again once its file is deleted. A "+" after a commit says that files differed from it.

In the tables ± is a standard error. Below our number stands the paper's in brackets, with ours less
it. "–" is still to compute. This page is written from `docs/results` by the last command above.

{duration}
"""
