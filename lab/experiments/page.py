"""Generates the page of all reports, and one of each, from what `docs/results` has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

from lab.experiments.records import ROOT, Settings, write_atomically
from lab.experiments.report import Entry, Report, as_json, as_markdown, pictures, read
from lab.experiments.reports import REPORTS

RESULTS = ROOT / "docs" / "results"
PAGE = RESULTS / "reproducing-the-tables.md"
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
        for file, picture in pictures(report).items():
            write_atomically(RESULTS / file, picture)
        write_atomically(RESULTS / f"{report.name}.md", in_full(RESULTS, report.name))
    write_atomically(PAGE, text(RESULTS))


def text(folder: Path) -> str:
    """The text of the page for the results in a folder."""
    reports = [read(folder / f"{name}.json") for name in REPORTS]
    return _PAGE.format(
        reports="\n".join(map(_line, reports)),
        agreements="\n".join(_agreements(reports)),
        duration=_duration(reports),
    )


def in_full(folder: Path, name: str) -> str:
    """The text of the page of one report, with every number that a folder has of it."""
    return as_markdown(read(folder / f"{name}.json"))


def _line(report: Report) -> str:
    _, words = REPORTS[report.name]
    entries = [entry for section in report.sections for entry in section.entries]
    n_of_paper = sum(entry.paper is not None for entry in entries)
    page = f"[{words}]({report.name}.md)"
    return f"| `{report.name}` | {page} | {len(entries)} | {n_of_paper or ''} |"


def _agreements(reports: Sequence[Report]) -> Iterator[str]:
    """A line for each section with values of a paper."""
    for report in reports:
        for section in report.sections:
            if agreement := _agreement(section.entries):
                name = ", ".join(filter(None, (f"`{report.name}`", section.title)))
                yield f"- **{name}**: {agreement}"


def _agreement(entries: Sequence[Entry]) -> str:
    """How far our values are from those of the paper; empty if it has none of them."""
    compared = [entry for entry in entries if entry.difference is not None]
    if not compared:
        return ""
    others = [entry for entry in compared if not entry.is_as_printed]
    equal = f"{len(compared) - len(others)} of {len(compared)} values equal the paper's as printed"
    if not others:
        return f"{equal}."
    largest = max(others, key=_distance)
    middle = f"{median(map(_distance, others)):.{largest.decimals}f}"
    return (
        f"{equal}. The others differ by {middle} (median), most for {largest.row}, "
        f"{largest.column}: {largest.ours} where the paper has {largest.printed}."
    )


def _distance(entry: Entry) -> float:
    return abs(entry.difference or 0.0)


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


_PAGE = """\
# Reproducing the tables

Each command reproduces a table or figure of the four papers, and has a page with its numbers
beside the paper's, its pictures, and what was found where they differ:

```sh
python -m lab.experiments table3                 # one of them, with the data in ../shared/data
python -m lab.experiments table3 --data DIR      # with the data in another folder
python -m lab.experiments all --quick            # smaller versions of all, in minutes
python -m lab.experiments page                   # update this page and those of all reports
python -m lab.experiments page --only table3     # update one of them
```

| Command | Table or figure | Numbers | Of the paper |
| --- | --- | ---: | ---: |
{reports}

`--data` names a folder with the ten data sets: CSV files with a column `label` (`heart.csv`, and
`heart_raw.csv` for the unscaled data), or the LIBSVM files under their published names
(`heart_scale`, `heart`). MNIST, Covertype and TIMIT are read as published: `mnist.npz` or the idx
files, `covtype.data`, and the corpus with its folders `TRAIN` and `TEST`. Nothing is downloaded.

Each command writes `NAME.csv`, `NAME.json`, `NAME.md` and `NAME.html` to `results`, or to the
folder given by `--results`. Every cell is a file there, with its seed, CPU time, commit and package
versions: an interrupted run resumes where it stopped, and a cell whose file you delete is computed
again.

On these pages the paper's number is below ours; "=" marks one that equals the paper's as printed.
± is a standard error, "–" is not computed yet, and "+" after a commit a working tree with changes.
`page` writes them from the results in `docs/results`. {duration}

## How near are they?

{agreements}
"""
