"""Content of a report: sections of sentences, tables, and pictures.

A report can be read on its own: it names the data and their preparation, the method and its
parameters, the verdict and its chance level, and the link and versions that reproduce it.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from pathlib import Path

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from melm_core.methods import METHODS
from melm_studio.analyses.analysis import Picture, Section, Table
from melm_studio.analyses.verdict_file import FILE_NAME
from melm_studio.installation import package_versions
from melm_studio.planes.captions import title, title_of_plane
from melm_studio.planes.pixel_images import PixelImages
from melm_studio.planes.theme import embedded_font_face
from melm_studio.publication.bibliography import bibtex
from melm_studio.publication.comparison import Agreement
from melm_studio.publication.report_run import ReportedRun, run_sections
from melm_studio.runs.records.run import RunRecord
from melm_studio.tables import LabeledData, count, number, recipe_caption, shortened

_SCORES = ("Run", "Divergence", "held out", "Accuracy", "held out", "p", "Seconds")
_SCORES_NOTE = (
    "Divergence in nats. Accuracy is the balanced accuracy of classification by the class "
    "densities; the first column of each pair is of training rows. Guessing gives {chance}. p is "
    "that of the permutation test, where it was made."
)
_ANGLES_NOTE = (
    "The largest principal angle between each pair of planes: 0° is the same plane, 90° means "
    "that one plane has a direction orthogonal to all of the other."
)
_LINK = (
    "The link restores data, run and view in a studio that has the file, and says whether the "
    "divergence is reproduced."
)
_FILE = (
    "Save the verdict: anyone with the table can compute it again by melm-studio verify "
    f"{FILE_NAME} TABLE, which says line by line what agrees."
)
MAX_COLUMNS = 200
_TEMPLATE = "report.html"
# Of the images of features that are pixels: in CSS pixels, and images of a line.
_SIDE, _GAP, _TITLE, _PER_LINE = 110, 14, 20, 6
_LONGEST_TITLE = 15


@dataclass(frozen=True)
class Report:
    """A report of one run, or of several runs of the same table.

    Attributes
    ----------
    title, subtitle : str
    sections : tuple of Section
    """

    title: str
    subtitle: str
    sections: tuple[Section, ...]


def report_of_run(run: ReportedRun) -> Report:
    """Return the report of one run."""
    data_name = run.record.data_name
    sections = (*run_sections(run), data_section(run.data, run.record), *_appendix([run]))
    name = title_of_plane(run.record, is_changed=bool(run.changes))
    return Report(f"{name}, {data_name}", _subtitle([run]), sections)


def report_of_comparison(
    runs: Sequence[ReportedRun], picture: Picture, agreement: Agreement
) -> Report:
    """Return the report of several runs of the same table.

    Parameters
    ----------
    runs : sequence of ReportedRun
    picture : Picture
        Their planes side by side.
    agreement : Agreement
        The angles between their planes.
    """
    first = runs[0]
    comparison = Section(
        "The runs side by side", pictures=(picture,), tables=(_scores(runs), _angles(agreement))
    )
    parts = [
        Section(f"{title(run.record)}: {part.heading}", *_rest(part))
        for run in runs
        for part in run_sections(run)
    ]
    return Report(
        f"{len(runs)} runs, {first.record.data_name}",
        _subtitle(runs),
        (comparison, *parts, data_section(first.data, first.record), *_appendix(runs)),
    )


def _rest(part: Section) -> tuple[tuple[str, ...], tuple[Table, ...], tuple[Picture, ...], str]:
    return part.sentences, part.tables, part.pictures, part.code


def _subtitle(runs: Sequence[ReportedRun]) -> str:
    latest = max(run.record.finished_s or run.record.created_s for run in runs)
    day = datetime.fromtimestamp(latest, UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f"MELM Studio, computed {day}"


def _scores(runs: Sequence[ReportedRun]) -> Table:
    return Table(
        "Scores",
        _SCORES,
        tuple(
            (title(run.record), *run.divergences, *run.accuracies, run.p_value, run.seconds)
            for run in runs
        ),
        note=_SCORES_NOTE.format(chance=runs[0].chance),
    )


def _angles(agreement: Agreement) -> Table:
    numbers = [str(i + 1) for i in range(len(agreement.titles))]
    rows = tuple(
        (f"{number}  {name}", *("–" if angle is None else f"{angle:.0f}°" for angle in degrees))
        for number, name, degrees in zip(numbers, agreement.titles, agreement.degrees, strict=True)
    )
    note = " ".join([_ANGLES_NOTE, *agreement.notes])
    return Table("Angles between the planes", ("Run", *numbers), rows, note=note)


def _appendix(runs: Sequence[ReportedRun]) -> tuple[Section, ...]:
    links = [(title(run.record), run.link) for run in runs if run.link]
    files = [(f"{title(run.record)}: {FILE_NAME}", run.verdict_file) for run in runs]
    files = [(name, raw) for name, raw in files if raw]
    reproduce = Section(
        "Reproduce",
        sentences=(_LINK if links else "", _FILE if files else ""),
        links=tuple(links),
        files=tuple(files),
        tables=(_versions(),),
    )
    methods = list(dict.fromkeys(run.record.method for run in runs))
    papers = tuple(f"{METHODS[method].label}: {METHODS[method].paper}." for method in methods)
    return reproduce, Section("References", sentences=papers, code=bibtex(methods))


def _versions() -> Table:
    return Table("Versions", ("Program", "Version"), tuple(package_versions().items()))


def data_section(data: LabeledData, record: RunRecord) -> Section:
    """Return what the data of a run are and how they were prepared."""
    source = record.source
    uploaded = [("SHA-256 of the file", source.key)]
    facts = [
        ("Table", record.data_name),
        *(uploaded if source.kind == "upload" else []),
        ("SHA-256 of the prepared data", record.data_id),
        ("Label", source.label or ""),
        ("Rows", number(len(data.y))),
        ("Features", number(data.X.shape[1])),
        ("Preparation", ", ".join(recipe_caption(data.recipe)) or "standardized"),
        ("Groups of rows", _groups(data)),
        ("Rows chosen", "; ".join(rule.words for rule in source.filters)),
        ("Rows left out by hand", number(len(source.left_out))),
    ]
    classes = tuple((name, number(n)) for name, n in data.class_counts.items())
    return Section(
        "Data",
        sentences=data.steps,
        tables=(
            Table("The table", ("", ""), tuple(fact for fact in facts if fact[1])),
            Table("Classes", ("Class", "Rows"), classes),
            _columns(data),
        ),
    )


def _groups(data: LabeledData) -> str:
    if data.groups is None:
        return "none: rows count as independent"
    return f"{count(len(np.unique(data.groups)), 'group')}, each kept together"


def _columns(data: LabeledData) -> Table:
    shown = data.columns[:MAX_COLUMNS]
    n_more = len(data.columns) - len(shown)
    return Table(
        "Columns",
        ("Column", "Role", "Reason"),
        tuple((column.name, str(column.role), column.reason) for column in shown),
        note=f"And {count(n_more, 'more column')}." if n_more else "",
    )


def report_page(report: Report) -> str:
    """Return the HTML of a report; all of its text is escaped.

    Parameters
    ----------
    report : Report
    """
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["base64"] = lambda raw: base64.b64encode(raw).decode()
    return environment.get_template(_TEMPLATE).render(report=report, font_face=embedded_font_face())


def printed_images(images: PixelImages) -> Picture:
    """Return the images of features that are pixels as one picture for a report."""
    shown = (*images.directions, images.worth, *images.means)
    height = round(_SIDE * images.grid.height / images.grid.width)
    n_lines = -(-len(shown) // _PER_LINE)
    parts = []
    for place, image in enumerate(shown):
        line, column = divmod(place, _PER_LINE)
        x, y = column * (_SIDE + _GAP), line * (height + _TITLE + _GAP)
        title = shortened(image.title, _LONGEST_TITLE)
        parts.append(
            f'<text x="{x}" y="{y + 14}">{escape(title)}</text>'
            f'<rect x="{x}" y="{y + _TITLE}" width="{_SIDE}" height="{height}" '
            'fill="#fff" stroke="#ced4da"/>'
            f'<image x="{x}" y="{y + _TITLE}" width="{_SIDE}" height="{height}" '
            'preserveAspectRatio="none" style="image-rendering: pixelated" '
            f'href="{image.address}"/>'
        )
    box = (_PER_LINE * (_SIDE + _GAP), n_lines * (height + _TITLE + _GAP))
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 0 {box[0]} {box[1]}" '
        f'width="{box[0]}" height="{box[1]}" font-family="sans-serif" font-size="12">'
        f"{''.join(parts)}</svg>"
    )
    caption = (
        "Features as pixels. Components are the coordinates of the arrows: orange is positive, "
        "blue negative, blank zero. Class means are those of the training rows: the darker, the "
        f"larger. {images.note}"
    ).strip()
    return Picture(svg.encode(), " ".join(image.words for image in shown), caption)
