"""Prediction sets: the classes that a row may be of, with a guaranteed coverage."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from melm_core.base import IntArray, percent
from melm_core.density import tempered_shares
from melm_core.diagnostics import (
    DEFAULT_COVERAGE,
    ConformalCoverage,
    Reliability,
    in_set,
    shortage_notes,
)
from melm_core.evaluation import Refits
from melm_core.folds import sampled_rows
from melm_core.methods import GAMMA, STARTS
from melm_studio.analyses import charts, content
from melm_studio.analyses.analysis import (
    Analysis,
    DataShape,
    Section,
    Subject,
    Table,
    Work,
    chosen,
    demand,
)
from melm_studio.planes.theme import THEMES, Scheme
from melm_studio.record import Record
from melm_studio.runs.execution.rows import study_of
from melm_studio.runs.records.run import RunRecord
from melm_studio.tables import LabeledData, count, listed, number

MOST_ROWS = 20_000
COVERAGES = (0.8, 0.9, 0.95, 0.99)
_PRINTED = COVERAGES[:3]  # in a report

_DIGITS = 6  # of a p-value, which is a share of at most MOST_ROWS
_AS_THEY_ARE = 1.0  # the temperature of densities that are not calibrated
_PROMISE = (
    "A row is in the set of a class unless it is more of a stranger to it than the promised share "
    "of that class's rows are; in no set where it is a stranger to every class."
)
_SAMPLED = "Of the table, {n} were held out: a stratified sample."
_OF_GROUPS = "Each of {n} counts once: the sets hold the class of {share} of their rows on average."
_TOO_FEW = (
    "Class {name} has {rows}; sets need at least 3 of every class, so that each fold leaves 2. Add "
    "rows or leave the class out."
)


class SetReliability(msgspec.Struct, frozen=True):
    """Reliability of probabilities on held-out rows.

    Attributes
    ----------
    accuracy, confidence, brier, brier_error : float
    calibration_error, calibration_standard_error : float
        The second is the standard error of the first, as `brier_error` is that of `brier`.
    curve : tuple of (float, float)
        Mean confidence of rows that are about as sure, and the share of them that is right.
    """

    accuracy: float
    confidence: float
    brier: float
    brier_error: float
    calibration_error: float
    calibration_standard_error: float
    curve: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, source: Reliability) -> SetReliability:
        """Return what a reliability says, as a report keeps it."""
        curve = tuple((float(sure), float(right)) for sure, right in source.curve)
        shares = (source.accuracy, source.confidence, source.brier, source.brier_error)
        errors = (source.calibration_error, source.calibration_standard_error)
        return cls(*shares, *errors, curve)


class SetsReport(Record, frozen=True):
    """The p-values of rows that were held out so far.

    Attributes
    ----------
    p_values : tuple of tuple of float
        Of each row with each class.
    y, groups, rows : tuple of int
        Class, group and number in the table of each row; no groups where rows are independent.
    before, after : SetReliability or None
        Of the probabilities as they are, and calibrated; None until all folds are done.
    n_done, n_folds : int
    n_units : tuple of int
        Rows or groups of each class.
    is_sample : bool
        Whether the table has more rows.
    notes : tuple of str
        What differs from the folds that were wanted.
    """

    p_values: tuple[tuple[float, ...], ...] = ()
    y: tuple[int, ...] = ()
    groups: tuple[int, ...] = ()
    rows: tuple[int, ...] = ()
    before: SetReliability | None = None
    after: SetReliability | None = None
    n_done: int = 0
    n_folds: int = 0
    n_units: tuple[int, ...] = ()
    is_sample: bool = False
    notes: tuple[str, ...] = ()

    def at(self, coverage: float) -> ConformalCoverage:
        """Return the sets at a coverage."""
        groups = np.array(self.groups, dtype=np.int64) if self.groups else None
        sets = in_set(np.array(self.p_values), coverage)
        return ConformalCoverage(sets, np.array(self.y, dtype=np.int64), coverage, groups)

    @property
    def coverages(self) -> tuple[float, ...]:
        """The default coverage and those whose sets are not those of one beside it, ascending."""
        p_values = np.array(self.p_values)
        told_apart = [DEFAULT_COVERAGE]
        for coverage in sorted(COVERAGES, key=lambda each: abs(each - DEFAULT_COVERAGE)):
            sets = in_set(p_values, coverage)
            if all((sets != in_set(p_values, other)).any() for other in told_apart):
                told_apart.append(coverage)
        return tuple(sorted(told_apart))


class Sets(Analysis[SetsReport]):
    """Sets of classes that hold the class of a row as often as promised, and may be empty."""

    report = SetsReport
    name = "sets"
    title = "Sort new rows into classes"
    tab = "new"
    again = "Refit again"

    def refusal(self, record: RunRecord, data: Callable[[], LabeledData]) -> str:
        prepared = data()
        counts = np.bincount(prepared.y, minlength=len(prepared.class_names))
        rarest = int(counts.argmin())
        if counts[rarest] >= 3:
            return ""
        rows = count(int(counts[rarest]), "row")
        return _TOO_FEW.format(name=prepared.class_names[rarest], rows=rows)

    def compute(self, work: Work) -> None:
        """Refit the method without each fold: its kernel width is that of the run, one start."""
        record, data = work.record, work.data
        chosen_rows = sampled_rows(data.y, MOST_ROWS, data.groups)
        fixed = {GAMMA.name: record.gamma, STARTS.name: 1}

        def after_fold(refits: Refits) -> None:
            if refits.n_folds < min(2, len(refits.folds)):  # whose rows have none to compare with
                return work.give_way()
            report = sets_report(refits, data.row_numbers[chosen_rows[refits.held_out]])
            is_sample = refits.is_complete and len(refits.y) < len(data.y)
            return work.put(msgspec.structs.replace(report, is_sample=is_sample).to_bytes())

        Refits.of(
            study_of(data, record, chosen_rows, fixed=fixed),
            gamma=record.density_gamma,
            callback=after_fold,
        )

    def progress(self, report: SetsReport) -> tuple[float, str]:
        return report.n_done / max(1, report.n_folds), "refitting without each fold"

    def sentence(self, report: SetsReport, *, is_final: bool) -> str:
        if not report.y:
            return "No sets." if is_final else "Refitting the plane without the first folds."
        words = report.at(DEFAULT_COVERAGE).sentence
        if report.n_done == report.n_folds:
            return words
        return f"{report.n_done} of {report.n_folds} folds so far. {words}"

    def shown(
        self, report: SetsReport, subject: Subject, query: Mapping[str, str]
    ) -> dict[str, Any]:
        if not report.y:
            return {"content": []}
        labels = {str(each): percent(each) for each in report.coverages}
        wanted = query.get("coverage", "")
        coverage = float(wanted) if wanted in labels else DEFAULT_COVERAGE
        shown = []
        if len(labels) > 1:
            shown.append(content.choice("coverage", "Promised coverage", labels, str(coverage)))
        if coverage != DEFAULT_COVERAGE:  # which the sentence above is about
            shown.append(content.answer(report.at(coverage).sentence))
        shown += [
            content.table(_HEAD, class_rows(report, coverage, subject.class_names)),
            content.notes(
                [*_lists(report, coverage), *notes(report, coverage, subject.class_names)]
            ),
        ]
        if report.after:
            said = reliability_sentence(report)
            figure = reliability_figure(report, chosen(query, "scheme", Scheme.LIGHT))
            shown += [content.words(said), content.plot(figure, said)]
        return {"content": shown}

    def section(self, report: SetsReport, subject: Subject) -> Section | None:
        if not report.y:
            return None
        names = subject.class_names
        tables = tuple(
            Table(
                f"Sets of held-out rows at a promised coverage of {percent(coverage)}",
                _HEAD,
                tuple(class_rows(report, coverage, names)),
                note=report.at(coverage).sentence,
            )
            for coverage in report.coverages
            if coverage in _PRINTED
        )
        first = self.sentence(report, is_final=subject.is_final)
        words = (first, reliability_sentence(report), *notes(report, DEFAULT_COVERAGE, names))
        return Section(self.title, tuple(filter(None, words)), tables)

    def validate(self, report: SetsReport, shape: DataShape) -> None:
        n_rows = len(report.y)
        demand(n_rows <= shape.n_rows)
        demand(len(report.p_values) == n_rows == len(report.rows))
        demand(len(report.groups) in (0, n_rows))
        demand(all(len(row) == shape.n_classes for row in report.p_values))
        demand(all(0.0 < p <= 1.0 for row in report.p_values for p in row))
        demand(all(0 <= code < shape.n_classes for code in report.y))
        demand(set(report.y) == set(range(shape.n_classes)) or not n_rows)
        demand(all(0 <= group < shape.n_rows for group in report.groups))
        demand(all(row > 0 for row in report.rows))
        demand(len(report.n_units) == (shape.n_classes if n_rows else 0))
        demand(0 <= report.n_done <= report.n_folds)
        demand(all(each is None or _is_whole(each) for each in (report.before, report.after)))


SETS = Sets()

_HEAD = ("Class", "In their set", "Alone", "With others", "Of no class")


def sets_report(refits: Refits, rows: IntArray) -> SetsReport:
    """Return what is known of the folds so far; `rows` number held-out rows in the table."""
    scores, before, after = refits.conformal, None, None
    if refits.is_complete:
        uncalibrated = tempered_shares(refits.log_densities, _AS_THEY_ARE)
        before = SetReliability.of(Reliability.of(uncalibrated, refits.y))
        after = SetReliability.of(refits.reliability)
    groups = None if scores.groups is None else np.unique(scores.groups, return_inverse=True)[1]
    return SetsReport(
        p_values=tuple(map(tuple, scores.held_out_p_values().round(_DIGITS).tolist())),
        y=tuple(refits.y.tolist()),
        groups=() if groups is None else tuple(groups.tolist()),
        rows=tuple(rows.tolist()),
        before=before,
        after=after,
        n_done=len(refits.fits),
        n_folds=len(refits.folds),
        n_units=tuple(scores.n_units.tolist()),
        notes=refits.notes,
    )


def _is_whole(reliability: SetReliability) -> bool:
    shares = (reliability.accuracy, reliability.confidence, reliability.calibration_error)
    of_curve = (share for point in reliability.curve for share in point)
    others = (reliability.brier, reliability.brier_error, reliability.calibration_standard_error)
    is_finite = all(0.0 <= value < math.inf for value in others)
    return is_finite and all(0.0 <= share <= 1.0 for share in (*shares, *of_curve))


def class_rows(
    report: SetsReport, coverage: float, class_names: Sequence[str]
) -> list[tuple[str, ...]]:
    """Return for each class how many of its rows have it in their set, alone or with others."""
    judged = report.at(coverage)
    size = judged.sets.sum(axis=1)
    rows: list[tuple[str, ...]] = []
    for code, name in enumerate(class_names):
        of_class = judged.y == code
        holds = judged.holds & of_class
        of = f" of {number(int(of_class.sum()))}"
        counts = (
            number(int(holds.sum())) + of,
            number(int((holds & (size == 1)).sum())),
            number(int((holds & (size > 1)).sum())),
            number(int((of_class & (size == 0)).sum())),
        )
        rows.append((name, *counts))
    return rows


def _lists(report: SetsReport, coverage: float) -> list[str]:
    """List the rows of the table that are of no class, and of another than theirs alone."""
    judged, rows = report.at(coverage), np.array(report.rows)
    size = judged.sets.sum(axis=1)
    kinds = {
        "Of no class": size == 0,
        "Of another class": (size > 0) & ~judged.holds,
    }
    return [
        f"{title}: rows {listed([f'{row:,}' for row in rows[chosen_rows].tolist()])}."
        for title, chosen_rows in kinds.items()
        if chosen_rows.any()
    ]


def notes(report: SetsReport, coverage: float, class_names: Sequence[str]) -> list[str]:
    """Return what limits the sets, and what they promise."""
    units = dict(zip(class_names, report.n_units, strict=True))
    lines = list(shortage_notes(units, coverage, bool(report.groups)))
    if report.groups:
        n_groups = count(len(set(report.groups)), "group")
        lines.append(_OF_GROUPS.format(n=n_groups, share=percent(report.at(coverage).share)))
    if report.is_sample:
        lines.append(_SAMPLED.format(n=count(len(report.y), "row")))
    return [*report.notes, *lines, _PROMISE]


def reliability_sentence(report: SetsReport) -> str:
    """Say whether calibrated probabilities hold, beside those before; empty until known."""
    before, after = report.before, report.after
    if before is None or after is None:
        return ""
    sure = (
        f"{percent(after.confidence)} on average ({percent(before.confidence)} before calibration)"
    )
    return (
        f"The likeliest class is right for {percent(after.accuracy)} and given {sure}; "
        f"Brier score {after.brier:.3f} ± {after.brier_error:.3f} (before {before.brier:.3f} ± "
        f"{before.brier_error:.3f}), expected calibration error {_calibration_error(after)} "
        f"(before {_calibration_error(before)})."
    )


def _calibration_error(reliability: SetReliability) -> str:
    return f"{reliability.calibration_error:.3f} ± {reliability.calibration_standard_error:.3f}"


def reliability_figure(report: SetsReport, scheme: Scheme = Scheme.LIGHT) -> dict[str, Any]:
    """Plot how often the likeliest class is right by its probability.

    Examples
    --------
    >>> sure = SetReliability(0.8, 0.9, 0.3, 0.02, 0.1, 0.03, ((0.9, 0.8),))
    >>> figure = reliability_figure(SetsReport(before=sure, after=sure))
    >>> [trace["name"] for trace in figure["data"]]
    ['before', 'calibrated']
    """
    theme = THEMES[scheme]
    drawn = {
        "before": (report.before, {"color": theme.faint_ink, "dash": "dash"}),
        "calibrated": (report.after, {"color": theme.class_colors[0]}),
    }
    curves = {name: (sure.curve, look) for name, (sure, look) in drawn.items() if sure is not None}
    data = [
        charts.line([x for x, _ in curve], [y for _, y in curve], name, **look)
        for name, (curve, look) in curves.items()
    ]
    lowest = min(min(point) for curve, _ in curves.values() for point in curve)
    shares = {"tickformat": ".0%", "range": [max(0.0, lowest - 0.05), 1.02]}
    line = {"color": theme.faint_ink, "width": 1, "dash": "dot"}
    layout = charts.layout(
        theme,
        xaxis=charts.axis(theme, "probability of the likeliest class", **shares),
        yaxis=charts.axis(theme, "rows of that class", **shares),
        shapes=[{"type": "line", "x0": 0, "y0": 0, "x1": 1, "y1": 1, "line": line}],
    )
    return {"data": data, "layout": layout}
