"""Reports that compare results with those of a paper, as CSV, JSON, Markdown and HTML."""

from __future__ import annotations

import csv
import html
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lab.experiments.records import Record, write_atomically

_MISSING = "–"
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.85rem }
th, td { padding: 0.3rem 0.6rem; text-align: right; vertical-align: top }
th:first-child { text-align: left } tr { border-bottom: 1px solid #ddd }
.paper { color: #666 } svg { max-width: 100%; height: auto }
"""


@dataclass(frozen=True)
class Entry:
    """A number of a table: our value, None if not computed yet, and the paper's, if any."""

    row: str
    column: str
    value: float | None
    paper: float | None = None
    standard_error: float | None = None
    decimals: int = 3

    @property
    def difference(self) -> float | None:
        """Our value minus the paper's."""
        if self.value is None or self.paper is None:
            return None
        return self.value - self.paper

    @property
    def ours(self) -> str:
        """Our value with its standard error."""
        if self.value is None:
            return _MISSING
        error = self.standard_error
        spread = "" if error is None else f" ± {error:.{self.decimals}f}"
        return f"{self.value:.{self.decimals}f}{spread}"

    @property
    def printed(self) -> str:
        """The paper's value as printed; empty if there is none."""
        return "" if self.paper is None else f"{self.paper:.{self.decimals}f}"

    @property
    def is_as_printed(self) -> bool:
        """Whether our value is the paper's to the digits that it prints."""
        return self.difference is not None and f"{self.value:z.{self.decimals}f}" == self.printed

    @property
    def theirs(self) -> str:
        """The paper's value and our difference from it; empty if there is none."""
        if self.paper is None:
            return ""
        difference = self.difference
        away = "" if difference is None else f", {difference:+z.{self.decimals}f}"
        return f"({self.printed}{away})"


@dataclass(frozen=True)
class Section:
    """A table or a picture with notes."""

    title: str
    entries: tuple[Entry, ...] = ()
    notes: tuple[str, ...] = ()
    picture: str = ""

    @property
    def rows(self) -> list[str]:
        """Names in order of first appearance."""
        return list(dict.fromkeys(entry.row for entry in self.entries))

    @property
    def columns(self) -> list[str]:
        """Names in order of first appearance."""
        return list(dict.fromkeys(entry.column for entry in self.entries))

    def grid(self) -> list[list[Entry | None]]:
        """The entries by row and column; None for empty cells."""
        places = {(entry.row, entry.column): entry for entry in self.entries}
        return [[places.get((row, column)) for column in self.columns] for row in self.rows]


@dataclass(frozen=True)
class Provenance:
    """The provenance of a report; `seconds` is the CPU time of all its cells."""

    n_cells: int = 0
    n_missing: int = 0
    seconds: float = 0.0
    seeds: tuple[int, ...] = ()
    commits: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()

    @classmethod
    def of(cls, records: Sequence[Record | None]) -> Provenance:
        """Collect the provenance of the records of a report."""
        found = [record for record in records if record is not None]
        versions = (
            f"{name} {number}" for record in found for name, number in record.versions.items()
        )
        return cls(
            n_cells=len(records),
            n_missing=len(records) - len(found),
            seconds=round(sum(record.seconds for record in found), 1),
            seeds=_distinct(r.parameters["seed"] for r in found if "seed" in r.parameters),
            commits=_distinct(record.commit for record in found),
            versions=_distinct(versions),
        )

    def __str__(self) -> str:
        if self.n_missing == self.n_cells:
            return f"{self.n_cells} cells, none computed yet."
        missing = f", {self.n_missing} of them not computed yet" if self.n_missing else ""
        seeds = f" Seeds: {_as_range(self.seeds)}." if self.seeds else ""
        versions = f"; {_listed(self.versions)}" if self.versions else ""
        return (
            f"{self.n_cells} cells{missing}. {self.seconds:.0f} seconds of CPU time in total."
            f"{seeds} Commit {_listed(self.commits)}{versions}."
        )


@dataclass(frozen=True)
class Report:
    """A table or a figure of a paper.

    `name` is the name of the command, and `source` describes the paper and the values.
    """

    name: str
    title: str
    source: str
    sections: tuple[Section, ...]
    provenance: Provenance


def write(report: Report, folder: Path) -> None:
    """Write `NAME.csv`, `.json`, `.md` and `.html`, and pictures `NAME-1.svg`, `NAME-2.svg`, ..."""
    write_atomically(folder / f"{report.name}.csv", as_csv(report))
    write_atomically(folder / f"{report.name}.json", as_json(report))
    write_atomically(folder / f"{report.name}.md", as_markdown(report))
    write_atomically(folder / f"{report.name}.html", as_html(report))
    for name, picture in pictures(report).items():
        write_atomically(folder / name, picture)


def pictures(report: Report) -> dict[str, str]:
    """The content of each picture by file name."""
    with_picture = (section.picture for section in report.sections if section.picture)
    return {f"{report.name}-{i}.svg": picture for i, picture in enumerate(with_picture, start=1)}


def as_csv(report: Report) -> str:
    """The report as CSV, with one line per number."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(("section", "row", "column", "value", "standard_error", "paper", "difference"))
    for section in report.sections:
        for e in section.entries:
            numbers = (e.value, e.standard_error, e.paper, e.difference)
            writer.writerow((section.title, e.row, e.column, *map(_short, numbers)))
    return file.getvalue()


def as_json(report: Report) -> str:
    """The report as JSON, with one line per entry for readable diffs, and picture file names."""
    plain = asdict(report)
    names = iter(pictures(report))
    for section in plain["sections"]:
        section["picture"] = next(names) if section["picture"] else ""
        section["entries"] = [
            {key: _short(value) if isinstance(value, float) else value for key, value in e.items()}
            for e in section["entries"]
        ]
    text = json.dumps(plain | {"sections": []}, indent=1, ensure_ascii=False)
    sections = ",\n".join(_section_json(section) for section in plain["sections"])
    return text.replace('"sections": []', f'"sections": [\n{sections}\n ]') + "\n"


def read(path: Path) -> Report:
    """Read a report written by `write`, with its pictures."""
    plain = json.loads(path.read_text())
    sections = tuple(
        Section(
            title=section["title"],
            entries=tuple(Entry(**entry) for entry in section["entries"]),
            notes=tuple(section["notes"]),
            picture=(path.parent / section["picture"]).read_text() if section["picture"] else "",
        )
        for section in plain.pop("sections")
    )
    provenance: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in plain.pop("provenance").items()
    }
    return Report(**plain, sections=sections, provenance=Provenance(**provenance))


def as_markdown(report: Report) -> str:
    """The report as Markdown; the paper's value is below ours, and `=` marks one that equals it."""
    names = iter(pictures(report))
    blocks = [f"# {report.title}", report.source]
    for section in report.sections:
        blocks += [f"## {section.title}"] if section.title else []
        blocks += list(section.notes)
        blocks += [_markdown_table(section)] if section.entries else []
        blocks += [f"![{section.title}]({next(names)})"] if section.picture else []
    return "\n\n".join([*blocks, f"*{report.provenance}*"]) + "\n"


def as_html(report: Report) -> str:
    """The report as a self-contained HTML page."""
    blocks = [f"<h1>{html.escape(report.title)}</h1>", _paragraph(report.source)]
    for section in report.sections:
        blocks += [f"<h2>{html.escape(section.title)}</h2>"] if section.title else []
        blocks += [_paragraph(note) for note in section.notes]
        blocks += [_html_table(section)] if section.entries else []
        blocks += [section.picture]
    blocks += [f'<p class="paper">{html.escape(str(report.provenance))}</p>']
    head = (
        f'<meta charset="utf-8"><title>{html.escape(report.title)}</title><style>{_STYLE}</style>'
    )
    body = "\n".join(block for block in blocks if block)
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


def _section_json(section: dict[str, Any]) -> str:
    entries = ",\n".join(
        f"   {json.dumps(entry, ensure_ascii=False)}" for entry in section.pop("entries")
    )
    head = json.dumps(section, ensure_ascii=False)[:-1]
    return f'  {head}, "entries": [\n{entries}\n  ]}}' if entries else f'  {head}, "entries": []}}'


def _markdown_table(section: Section) -> str:
    lines = [["", *section.columns], ["---", *["---:"] * len(section.columns)]]
    for name, entries in zip(section.rows, section.grid(), strict=True):
        lines.append([name, *map(_markdown_cell, entries)])
    return "\n".join(f"| {' | '.join(_escaped(cell) for cell in line)} |" for line in lines)


def _markdown_cell(entry: Entry | None) -> str:
    if entry is None:
        return ""
    if entry.is_as_printed:
        return f"{entry.ours} ="
    return "<br>".join(filter(None, (entry.ours, entry.printed)))


def _html_table(section: Section) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in ("", *section.columns))
    rows = [
        f"<tr><th>{html.escape(name)}</th>{''.join(map(_html_cell, entries))}</tr>"
        for name, entries in zip(section.rows, section.grid(), strict=True)
    ]
    return "\n".join(["<table>", f"<tr>{head}</tr>", *rows, "</table>"])


def _html_cell(entry: Entry | None) -> str:
    if entry is None:
        return "<td></td>"
    theirs = f'<br><span class="paper">{entry.theirs}</span>' if entry.theirs else ""
    return f"<td>{entry.ours}{theirs}</td>"


def _paragraph(text: str) -> str:
    return f"<p>{html.escape(text)}</p>" if text else ""


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|")


def _short(value: float | None) -> float | None:
    """Round to six significant digits, more than any table shows."""
    return None if value is None else float(f"{value:.6g}")


def _distinct(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(values))


def _as_range(seeds: Sequence[int]) -> str:
    """The seeds, or the first and the last of three and more that follow each other."""
    if len(seeds) > 2 and tuple(seeds) == tuple(range(seeds[0], seeds[-1] + 1)):
        return f"{seeds[0]} to {seeds[-1]}"
    return _listed(seeds)


def _listed(values: Iterable[Any]) -> str:
    return ", ".join(map(str, values))
