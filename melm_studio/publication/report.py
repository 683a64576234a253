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
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from melm_core.base import FloatArray, percent
from melm_core.diagnostics import Importance, feature_order
from melm_core.methods import COMPONENTS, CURVES, GAMMA, HELD_OUT, METHODS, SEED
from melm_studio.analyses.analysis import Picture, Section, Table
from melm_studio.analyses.check import check_sentences, check_tables, p_value_caption
from melm_studio.analyses.verdict_file import FILE_NAME
from melm_studio.installation import package_versions
from melm_studio.planes.captions import state_sentence, title, title_of_plane
from melm_studio.planes.pixel_images import PixelImages
from melm_studio.planes.plane_scores import BatchScores, Scores
from melm_studio.planes.theme import embedded_font_face
from melm_studio.publication.bibliography import bibtex
from melm_studio.publication.comparison import Agreement
from melm_studio.runs.records.check_report import CheckReport
from melm_studio.runs.records.run import PlaneEvent, RunRecord
from melm_studio.scores import (
    UNKNOWN,
    Verdict,
    accuracy_figure,
    divergence_text,
)
from melm_studio.tables import LabeledData, count, number, recipe_caption, shortened

MAX_FEATURES = 100

_NOT_CHECKED = (
    "Is it real? was not asked: there is no cross-validation and no permutation test of this run."
)
_OF_THE_CHANGED = (
    "Picture, scores of the plane and features are those of the changed plane. A check judges the "
    "method with its settings, and cannot repeat changes that were made by hand."
)
_WIDTHS = (
    "The plane was searched for with kernels of γ {own:.3g}; densities, and all that is computed "
    "from them, are shown with γ {gamma:.3g}."
)
_SHOWN_WIDTH = "Densities, and all that is computed from them, are shown with γ {gamma:.3g}."
_LOSS_NOTE = (
    "Loss is what is lost without the feature: by how much the mean of -log p(class) of held-out "
    "rows grows when its values are exchanged between them, in nats, with its standard error. "
    "Of features whose effect is seen, about one in ten has none; of the others it is not sure. "
)
_FEATURES_NOTE = (
    "Arrow is the length in the picture, relative to the longest. Length is that of the loadings "
    "on orthonormal components: 1 if the feature lies in the plane, 0 if it does not contribute. "
    "{intervals}"
)
_CURVES_NOTE = (
    "Curve is how far the feature moves rows, as the root mean square of its steps, relative to "
    "the largest. {intervals}"
)
_INTERVALS = (
    "The interval is that between resamples of the rows; selected is the share of resamples in "
    "which the feature is among the strongest {n_top}."
)
_NO_INTERVALS = "Intervals need the check “Is it real?”."
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


@dataclass(frozen=True, eq=False)
class ReportedRun:
    """A run, with what a report says of it.

    Attributes
    ----------
    record : RunRecord
    event : PlaneEvent
        Its components are those of the plane that is reported.
    data : LabeledData
    divergence : float
    scores : Scores
    arrows : ndarray of shape (n_features, 2)
        The loadings in the coordinates that are drawn.
    lengths : ndarray of shape (n_features,)
        Root mean squares of the steps of the features, see `FeatureSteps.lengths`.
    importance : Importance or None
        What each feature is worth on held-out rows, where that is known.
    verdict : Verdict
        What the page says above the picture.
    check : CheckReport or None
    is_check_final : bool
    pictures : tuple of Picture
    link : str
        The address that restores the view; empty if there is none.
    changes : str
        What makes the plane another one than that of the run; empty if nothing does.
    shown_gamma : float or None
        The kernel width of the densities, where it is not that of the run.
    verdict_file : bytes
        The verdict that others can compute again; empty where there is none.
    more : tuple of Section
        On the tree of planes and on how few features suffice, where the run has them.
    """

    record: RunRecord
    event: PlaneEvent
    data: LabeledData
    divergence: float
    scores: Scores
    arrows: FloatArray
    lengths: FloatArray
    importance: Importance | None
    verdict: Verdict
    check: CheckReport | None = None
    is_check_final: bool = False
    pictures: tuple[Picture, ...] = ()
    link: str = ""
    changes: str = ""
    shown_gamma: float | None = None
    verdict_file: bytes = b""
    more: tuple[Section, ...] = ()

    @property
    def chance(self) -> str:
        """The accuracy of guessing, in words."""
        return percent(self.verdict.chance)

    @property
    def divergences(self) -> tuple[str, str]:
        """The divergence of training rows, and of held-out rows."""
        if self.verdict.n_classes == 1:
            return UNKNOWN, UNKNOWN
        scores = self.scores
        return divergence_text(self.divergence), divergence_text(scores.divergence_held_out)

    @property
    def accuracies(self) -> tuple[str, str]:
        """The balanced accuracy of training rows, and of held-out rows."""
        if self.verdict.n_classes == 1:
            return UNKNOWN, UNKNOWN
        scores = self.scores
        return accuracy_figure(scores.accuracy_train), accuracy_figure(scores.accuracy_held_out)

    @property
    def p_value(self) -> str:
        """The p-value of the check."""
        if self.check is None:
            return UNKNOWN
        return p_value_caption(self.check, is_final=self.is_check_final)

    @property
    def seconds(self) -> str:
        """The duration of the fit."""
        return f"{self.event.elapsed_s:.1f}"


def run_sections(run: ReportedRun) -> tuple[Section, ...]:
    """Return the sections on a run, the answer first."""
    is_linear = METHODS[run.record.method].is_linear
    features = [_features(run)] if is_linear else []
    return (_answer(run), *features, *run.more, _method(run))


def _answer(run: ReportedRun) -> Section:
    scores = Table(
        "Scores of the plane",
        ("", "Training rows", "Held-out rows", "Guessing"),
        (
            ("Divergence, nats", *run.divergences, "0"),
            ("Balanced accuracy of the class densities", *run.accuracies, run.chance),
            *_batch_row(run.scores.batches),
        ),
    )
    return Section(
        "Is it real?",
        sentences=_answer_sentences(run),
        tables=(scores, *_check_tables(run)),
        pictures=run.pictures,
    )


def _batch_row(scores: BatchScores | None) -> list[tuple[str, ...]]:
    """Return the accuracy of the batches within the classes; none without batches."""
    if scores is None:
        return []
    held_out = None if scores.held_out is None else scores.held_out.accuracy
    shown = (
        accuracy_figure(scores.train.accuracy),
        accuracy_figure(held_out),
        percent(scores.train.chance),
    )
    return [("Balanced accuracy of the batches within the classes", *shown)]


def _answer_sentences(run: ReportedRun) -> tuple[str, ...]:
    first, *rest = _verdict_sentences(run)
    return (first, *_view_sentences(run), *rest)


def _view_sentences(run: ReportedRun) -> list[str]:
    """List what was done to the plane and its densities after the run."""
    fitted, gamma = run.record.gamma, run.shown_gamma or run.record.density_gamma
    is_searched = METHODS[run.record.method].takes(GAMMA.name) and gamma != fitted
    is_named = is_searched or run.shown_gamma is not None
    sentence = _WIDTHS if is_searched else _SHOWN_WIDTH
    return [
        *([f"{run.changes}. {_OF_THE_CHANGED}"] if run.changes else []),
        *([sentence.format(gamma=gamma, own=fitted)] if is_named else []),
    ]


def _verdict_sentences(run: ReportedRun) -> tuple[str, ...]:
    checked = run.check and check_sentences(run.check, is_final=run.is_check_final)
    return checked or (run.verdict.sentence, *run.verdict.notes, _NOT_CHECKED)


def _check_tables(run: ReportedRun) -> tuple[Table, ...]:
    if run.check is None:
        return ()
    return check_tables(run.check, run.data.class_names, is_final=run.is_check_final)


def _features(run: ReportedRun) -> Section:
    is_curved = run.record.is_curved
    lengths = run.lengths if is_curved else np.linalg.norm(run.arrows, axis=1)
    worth = run.importance
    order = feature_order(run.lengths, worth)[:MAX_FEATURES]
    losses = {} if worth is None else _losses(worth)
    stability = run.check.stability if run.check else None
    intervals = ("Interval", "Selected") if stability else ()
    # The columns of a curve have no loading that could be read alone.
    components = run.event.components[:0] if is_curved else run.event.components
    loaded = np.linalg.norm(components, axis=0)
    rows = tuple(
        (
            run.data.feature_names[i],
            *losses.get(int(i), ()),
            percent(lengths[i] / lengths.max()),
            *([] if is_curved else [f"{loaded[i]:.3f}"]),
            *(_interval(run, int(i)) if stability else ()),
            *(f"{loading:+.3f}" for loading in components[:, i]),
        )
        for i in order
    )
    n_more = len(lengths) - len(order)
    words = _INTERVALS.format(n_top=stability.n_top) if stability else _NO_INTERVALS
    rest = f" And {count(n_more, 'more feature')}." if n_more else ""
    note = _CURVES_NOTE if is_curved else _FEATURES_NOTE
    by_length = f"Features by the length of their {'curves' if is_curved else 'arrows'}"
    table = Table(
        by_length if worth is None else "Features by what is lost without them",
        (
            "Feature",
            *([] if worth is None else ["Loss", "Effect"]),
            *(["Curve"] if is_curved else ["Arrow", "Length"]),
            *intervals,
            *(f"Loading {i + 1}" for i in range(len(components))),
        ),
        rows,
        note=("" if worth is None else _LOSS_NOTE) + note.format(intervals=words) + rest,
    )
    title = "Features" if run.verdict.n_classes == 1 else "What tells the classes apart"
    return Section(title, tables=(table,))


def _losses(worth: Importance) -> dict[int, tuple[str, str]]:
    """Return the loss without each feature, and whether its effect is seen."""
    parts = zip(worth.loss, worth.error, worth.is_seen, strict=True)
    return {
        feature: (f"{loss:.2f} ± {error:.2f}", "seen" if is_seen else "not sure")
        for feature, (loss, error, is_seen) in enumerate(parts)
    }


def _interval(run: ReportedRun, feature: int) -> tuple[str, str]:
    stability = run.check.stability if run.check else None
    if stability is None or feature >= len(stability.lower):
        return UNKNOWN, UNKNOWN
    low, high = stability.lower[feature], stability.upper[feature]
    return f"{low:.3f} to {high:.3f}", percent(stability.frequencies[feature])


def _method(run: ReportedRun) -> Section:
    method, parameters = METHODS[run.record.method], run.record.parameters.values
    labels = {
        setting.name: setting.label
        for setting in (*method.parameters, COMPONENTS, CURVES, SEED, HELD_OUT)
    }
    rows = tuple(
        (labels[name].removesuffix(" (%)"), _value(name, value))
        for name, value in parameters.items()
        if name in labels
    )
    state = state_sentence(run.record, run.event)
    return Section(
        "Method",
        sentences=(f"{method.label}: {method.explanation}", f"{state}." if state else ""),
        tables=(Table("Parameters", ("Parameter", "Value"), rows),),
    )


def _value(name: str, value: Any) -> str:
    if name == HELD_OUT.name:
        return percent(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


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
    return environment.get_template(_TEMPLATE).render(
        report=report, font_face=embedded_font_face(), b64encode=base64.b64encode
    )


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
