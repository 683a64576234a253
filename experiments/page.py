"""Generates `docs/reproducing-the-tables.md` from the results in `docs/results`."""

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


def update(settings: Settings, names: Sequence[str] = tuple(REPORTS)) -> None:
    """Copy the computed results of the named reports to `docs/results`, and generate the page.

    Other reports keep the results that are in `docs/results`.
    """
    found = replace(settings, computes=False)
    for name in names:
        make, _ = REPORTS[name]
        report = make(found)
        write_atomically(RESULTS / f"{report.name}.json", as_json(report))
        for name, picture in pictures(report).items():
            write_atomically(RESULTS / name, picture)
    write_atomically(PAGE, text(RESULTS))


def text(folder: Path) -> str:
    """The text of the page for the results in a folder."""
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
            f"{n_missing} of the {n_cells} cells of Tables 2 and 3 are not computed yet. The "
            f"others took {minutes:.1f} minutes of CPU time."
        )
    return f"Tables 2 and 3 took {minutes:.0f} minutes of CPU time, half of that on two cores."


_INTRODUCTION = """\
# Reproducing the tables

Each command reproduces a table or figure of the four papers:

```sh
python -m experiments table3                 # one of them, with the data in ../shared/data
python -m experiments table3 --data DIR      # with the data in another folder
python -m experiments all --quick            # reduced versions of all, in a few minutes
python -m experiments page                   # update this page
python -m experiments page --only table3     # update one table of it
```

| Command | Table or figure |
| --- | --- |
{commands}

`--data` is a folder with the ten data sets, as CSV files with a column `label` (`heart.csv`, and
`heart_raw.csv` for the unscaled data) or in LIBSVM format with the names used on the LIBSVM page
(`heart_scale`, `heart`). MNIST, Covertype and TIMIT are read in the form in
which they are published: `mnist.npz` or the idx files, `covtype.data`, and the corpus with its
folders `TRAIN` and `TEST`. Nothing is downloaded. Each command writes `NAME.csv`, `NAME.json`,
`NAME.md` and `NAME.html` to `results`, or to the folder given by `--results`.

Every cell of a table is stored in its own file there, with its seed, CPU time, commit and package
versions. An interrupted run resumes where it stopped; delete a file to compute its cell again.
A "+" after a commit means that the working tree had changes.

In the tables, ± is a standard error. The value of the paper is in brackets below ours, with the
difference, ours minus the paper's. "–" is not computed yet. `page` generates this page from
`docs/results`.

{duration}
"""
