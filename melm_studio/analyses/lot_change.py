"""Has the lot changed? The rows of a second file against those of a run, within classes."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import msgspec
import numpy as np
import numpy.typing as npt

from melm_core.answers import LEVEL
from melm_core.base import FloatArray, IntArray, UserError, thinned, unpacked_arrays
from melm_core.evaluation import LotChange, lot_change
from melm_core.folds import sampled_rows
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
from melm_studio.planes.theme import THEMES, Scheme, Theme
from melm_studio.record import Record
from melm_studio.rows.new_rows import NewRows
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.tables import LabeledData, Role, count, number

_GONE = "The rows of the new lot are no longer stored. Drop their file on the picture again."

MOST_ROWS = 2_000  # of either lot; of larger ones, a sample
MOST_LISTED = 20
MOST_DRAWN = 500  # rows of either lot

_DIGITS = 4
_MOST_ARROWS = 5
_LONGEST = 0.8  # arrow, of the distance of the farthest row
_NO_GROUPS = (
    "Rows of this run with the same {column} depend on each other, and the new file has no column "
    "{column}. Add it, so that whole groups are compared."
)
_UNGROUPED = "Each new row counts for itself, as their groups are not known."
_UNLABELED = "Left out: {rows} of the new lot without a class of the run."
_SAMPLED = "A stratified sample of {first} and {new} rows was compared."
_NOTE = (
    "Lots are compared within classes: rows, or whole groups, change places between them. Shift: "
    "of the mean, in standard deviations (SD) of the first lot within classes; spread: standard "
    "deviation of the new lot over that of the first; q: the false discovery rate of calling the "
    "features so far changed."
)
_PICTURE = "The plane in which the lots differ most, each row less the mean of its class."
_CONSTANT = "constant before"
_HEAD = ("Feature", "Shift (SD)", "Spread (ratio)", "q")


@dataclass(frozen=True, eq=False)
class LotRows:
    """The rows of a new lot, as the data of a run are prepared.

    Attributes
    ----------
    name : str
        Of their file.
    X : ndarray of shape (n_rows, n_features)
    labels : ndarray of int of shape (n_rows,)
        Class codes, -1 of a row without a class of the run.
    row_numbers : ndarray of int of shape (n_rows,)
        In their file, from 1 without the header.
    is_filled : ndarray of bool of shape (n_rows,)
        Whether numbers are missing in the file, in whose place are those of the run's table.
    groups : tuple of str
        Of each row; empty if the file says none.

    Examples
    --------
    >>> import numpy as np
    >>> new = np.array([1, 2])
    >>> rows = LotRows("b.csv", np.ones((2, 1)), new - 2, new, new > 1, ("ann", "bob"))
    >>> LotRows.from_bytes(rows.to_bytes()).groups
    ('ann', 'bob')
    """

    name: str
    X: FloatArray
    labels: IntArray
    row_numbers: IntArray
    is_filled: npt.NDArray[np.bool_]
    groups: tuple[str, ...] = ()

    @classmethod
    def of(cls, new: NewRows) -> Self:
        """Return the rows of a second table."""
        is_filled = np.atleast_1d(np.isnan(new.encoded).any(axis=1))
        return cls(new.name, new.X, new.labels, new.row_numbers, is_filled, new.groups)

    @classmethod
    def of_work(cls, work: Work) -> Self:
        """Return the rows that the analysis of a worker is about.

        Raises
        ------
        UserError
            If they are no longer stored.
        """
        raw = work.store.get_file(work.record.owner, FileKind.DATA, work.record.new_rows)
        if raw is None:
            raise UserError(_GONE)
        return cls.from_bytes(raw)

    def to_bytes(self) -> bytes:
        """Pack as npz; equal rows give equal bytes."""
        words = np.frombuffer(msgspec.json.encode((self.name, self.groups)), np.uint8)
        file = io.BytesIO()
        np.savez(
            file,
            X=self.X,
            labels=self.labels,
            row_numbers=self.row_numbers,
            is_filled=self.is_filled,
            words=words,
        )
        return file.getvalue()

    @classmethod
    def from_bytes(cls, raw: bytes) -> Self:
        """Unpack what `to_bytes` packed."""
        arrays = unpacked_arrays(raw)
        name, groups = msgspec.json.decode(arrays.pop("words").tobytes())
        return cls(name, groups=tuple(groups), **arrays)


class ChangedFeature(Record, frozen=True):
    """Difference of a feature between the lots, and its direction in their plane.

    Attributes
    ----------
    at : int
        The column.
    shift : float or None
        New less earlier mean, in standard deviations of the first lot within classes; None where
        the first lot is constant and the new one is not like it.
    spread : float or None
        Standard deviation of the new lot over that of the first; None where that is 0.
    q_value : float
    arrow : tuple of (float, float) or None
    """

    at: int
    shift: float | None
    spread: float | None
    q_value: float
    arrow: tuple[float, float] | None = None


class LotChangeReport(Record, frozen=True):
    """Results on the change so far.

    Attributes
    ----------
    sentence : str
        Whether the lot has changed; empty before that is known.
    verdict : str
        Whether the classes of the new lot are told apart in the plane of the first.
    features : tuple of ChangedFeature
        The most changed first.
    first, new : tuple of (float, float)
        Rows of the lots in the plane of the change; empty where no change is shown.
    name : str
        Of the new lot's file.
    n_rows, n_new : int
        Rows of each lot that were compared.
    notes : tuple of str
    is_whole : bool
        Whether the plane was found, too.
    """

    sentence: str = ""
    verdict: str = ""
    features: tuple[ChangedFeature, ...] = ()
    first: tuple[tuple[float, float], ...] = ()
    new: tuple[tuple[float, float], ...] = ()
    name: str = ""
    n_rows: int = 0
    n_new: int = 0
    notes: tuple[str, ...] = ()
    is_whole: bool = False


class LotChangeAnalysis(Analysis[LotChangeReport]):
    """Has the lot changed?"""

    report = LotChangeReport
    name = "lot_change"
    title = "Compare with a new batch"
    tab = "new"
    needs = ()
    of_new_rows = True
    needs_new_rows = True

    def compute(self, work: Work) -> None:
        """Compare the lots: first p and the features, then the plane and the verdict."""
        lots = _Lots.of(work.data, LotRows.of_work(work))
        shown: list[LotChange] = []

        def step(change: LotChange) -> None:
            if shown:
                work.give_way()
                return
            shown.append(change)
            work.put(lots.report(change, is_whole=False).to_bytes())

        change = lot_change(
            **lots.arguments, random_state=work.record.parameters.random_state, callback=step
        )
        work.put(lots.report(change, is_whole=True).to_bytes())

    def progress(self, report: LotChangeReport) -> tuple[float, str]:
        if report.is_whole:
            return 1.0, ""
        if report.sentence:
            return 0.5, "Finding the plane in which the lots differ most"
        return 0.0, "Comparing the lots"

    def sentence(self, report: LotChangeReport, *, is_final: bool) -> str:
        if not report.sentence:
            return "Nothing was compared yet." if is_final else "Comparing the lots."
        return report.sentence

    def shown(
        self, report: LotChangeReport, subject: Subject, query: Mapping[str, str]
    ) -> dict[str, Any]:
        if not report.sentence:
            return {"content": []}
        names = subject.feature_names
        shown = [content.words(report.verdict)] if report.verdict else []
        if report.new:
            figure = lots_figure(report, names, chosen(query, "scheme", Scheme.LIGHT))
            words = f"{report.name}: {report.sentence}"
            shown += [content.plot(figure, words), content.notes([_PICTURE])]
        if report.features:
            shown.append(content.table(_HEAD, [_row(each, names) for each in report.features]))
        return {"content": [*shown, content.notes([*report.notes, _NOTE])]}

    def section(self, report: LotChangeReport, subject: Subject) -> Section | None:
        if not report.sentence:
            return None
        lots = f"The new lot is {report.name}: {count(report.n_new, 'row')}."
        sentences = (report.sentence, report.verdict, lots, *report.notes, _NOTE)
        table = Table(
            "Features in order of change",
            _HEAD,
            tuple(_row(each, subject.feature_names) for each in report.features),
        )
        return Section("The new lot", tuple(filter(None, sentences)), (table,))

    def validate(self, report: LotChangeReport, shape: DataShape) -> None:
        demand(all(0 <= each.at < shape.n_features for each in report.features))
        demand(all(0.0 <= each.q_value <= 1.0 for each in report.features))
        sizes = [each.shift or 0.0 for each in report.features]
        sizes += [each.spread or 0.0 for each in report.features]
        arrows = [value for each in report.features for value in each.arrow or ()]
        places = [value for place in (*report.first, *report.new) for value in place]
        demand(all(map(math.isfinite, (*sizes, *arrows, *places))))
        demand(len(report.features) <= MOST_LISTED)
        demand(max(len(report.first), len(report.new)) <= MOST_DRAWN)
        demand(0 <= report.n_rows <= shape.n_rows and report.n_new >= 0)


LOT_CHANGE = LotChangeAnalysis()


@dataclass(frozen=True, eq=False)
class _Lots:
    """Both lots as `lot_change` takes them, and what is said of them besides."""

    arguments: dict[str, Any]
    name: str
    notes: tuple[str, ...]

    @classmethod
    def of(cls, data: LabeledData, lot: LotRows) -> _Lots:
        n_features = len(data.own_feature_names)
        is_labeled = lot.labels >= 0
        usable = np.flatnonzero(is_labeled) if is_labeled.any() else np.arange(len(lot.X))
        notes = []
        if len(usable) < len(lot.X):
            notes.append(_UNLABELED.format(rows=count(len(lot.X) - len(usable), "row")))
        groups, groups_new = None, None
        if data.groups is not None:
            if not lot.groups and (column := _group_column(data)):
                raise UserError(_NO_GROUPS.format(column=column))
            groups, groups_new = _groups(data, lot, data.groups)
            if not lot.groups:
                notes.append(_UNGROUPED)
        sample = sampled_rows(data.y, MOST_ROWS, data.groups)
        strata = np.maximum(lot.labels[usable], 0)
        sample_new = usable[sampled_rows(np.unique(strata, return_inverse=True)[1], MOST_ROWS)]
        if len(sample) < len(data.y) or len(sample_new) < len(usable):
            sizes = {"first": number(len(sample)), "new": number(len(sample_new))}
            notes.append(_SAMPLED.format(**sizes))
        names = np.array(data.class_names, dtype=object)
        arguments = {
            "X": data.X[sample, :n_features],
            "X_new": lot.X[sample_new, :n_features],
            "y": names[data.y[sample]],
            "y_new": names[lot.labels[sample_new]] if is_labeled.any() else None,
            "groups": None if groups is None else groups[sample],
            "groups_new": None if groups_new is None else groups_new[sample_new],
        }
        return cls(arguments, lot.name, tuple(notes))

    def report(self, change: LotChange, *, is_whole: bool) -> LotChangeReport:
        """Return the report of a change; with a plane only if the change is shown."""
        plane = change.plane if change.p_value <= LEVEL else None
        changed = change.features[: min(change.n_changed, _MOST_ARROWS)]
        arrows: dict[int, tuple[float, float]] = {}
        first: tuple[tuple[float, float], ...] = ()
        new: tuple[tuple[float, float], ...] = ()
        if plane is not None:
            directions = _pairs(plane.components[:2, changed].T)
            arrows = dict(zip(changed.tolist(), directions, strict=True))
            first, new = (
                _pairs(plane.coordinates[thinned(np.flatnonzero(rows), MOST_DRAWN)])
                for rows in (~plane.is_new, plane.is_new)
            )
        features = tuple(
            ChangedFeature(
                at=int(code),
                shift=_finite(change.shifts[code]),
                spread=_finite(change.spreads[code]),
                q_value=round(float(change.q_values[code]), _DIGITS),
                arrow=arrows.get(int(code)),
            )
            for code in change.features[:MOST_LISTED]
        )
        return LotChangeReport(
            sentence=change.sentence,
            verdict="" if change.verdict is None else change.verdict.sentence,
            features=features,
            first=first,
            new=new,
            name=self.name,
            n_rows=len(self.arguments["X"]),
            n_new=len(self.arguments["X_new"]),
            notes=(*change.notes, *self.notes),
            is_whole=is_whole,
        )


def _group_column(data: LabeledData) -> str:
    """Return the column that names the groups; empty where they are not those of one."""
    names = [column.name for column in data.columns if column.role is Role.GROUP]
    return names[0] if len(names) == 1 else ""


def _groups(data: LabeledData, lot: LotRows, codes: IntArray) -> tuple[Any, Any]:
    """Return the groups of both lots by name; one a row where those of the new are unknown."""
    name = _group_column(data)
    column = next((each for each in data.row_columns if each.name == name), None)
    if column is not None and lot.groups:
        return np.array(column.texts, dtype=object), np.array(lot.groups, dtype=object)
    first = [f"first {code}" for code in codes]
    new = [f"new {row}" for row in range(len(lot.X))]
    return np.array(first, dtype=object), np.array(new, dtype=object)


def _pairs(numbers: FloatArray) -> tuple[tuple[float, float], ...]:
    return tuple((x, y) for x, y in numbers.round(_DIGITS).tolist())


def _finite(value: float) -> float | None:
    return round(float(value), _DIGITS) if math.isfinite(value) else None


def _row(feature: ChangedFeature, names: Any) -> tuple[str, ...]:
    q_value = "< 0.001" if feature.q_value < 0.001 else f"{feature.q_value:.3f}"
    shift = _CONSTANT if feature.shift is None else f"{feature.shift:+.2f}"
    spread = _CONSTANT if feature.spread is None else f"{feature.spread:.2f}"
    return names[feature.at], shift, spread, q_value


def lots_figure(
    report: LotChangeReport, names: Any, scheme: Scheme = Scheme.LIGHT
) -> dict[str, Any]:
    """Plot both lots in the plane in which they differ most, as a figure of plotly.

    Examples
    --------
    >>> feature = ChangedFeature(0, 2.0, 1.0, 0.001, (1.0, 0.0))
    >>> report = LotChangeReport(features=(feature,), first=((0.0, 1.0),), new=((2.0, 1.0),))
    >>> figure = lots_figure(report, ("proline",))
    >>> [trace["name"] for trace in figure["data"]], figure["layout"]["annotations"][1]["text"]
    (['first lot', 'new lot'], 'proline')
    """
    theme = THEMES[scheme]
    data = [
        charts.points(report.first, "first lot", color=theme.faint_ink, symbol="circle-open"),
        charts.points(report.new, "new lot", color=theme.class_colors[1], symbol="cross"),
    ]
    reach = max((math.hypot(*place) for place in (*report.first, *report.new)), default=1.0)
    arrows = [(each.at, each.arrow) for each in report.features if each.arrow is not None]
    longest = max((math.hypot(*arrow) for _, arrow in arrows), default=1.0) or 1.0
    annotations = [
        annotation
        for feature, (x, y) in arrows
        for annotation in _arrow(
            names[feature], x / longest * reach * _LONGEST, y / longest * reach * _LONGEST, theme
        )
    ]
    layout = charts.layout(
        theme,
        xaxis=charts.axis(theme),
        yaxis=charts.axis(theme, scaleanchor="x"),
        annotations=annotations,
        margin={"l": 8, "r": 12, "t": 24, "b": 24},
    )
    return {"data": data, "layout": layout}


def _arrow(name: str, x: float, y: float, theme: Theme) -> tuple[dict[str, Any], dict[str, Any]]:
    """Draw an arrow from the center, and its name at the head."""
    head = {"x": x, "y": y, "text": ""}
    arrow = head | {
        "ax": 0,
        "ay": 0,
        "axref": "x",
        "ayref": "y",
        "showarrow": True,
        "arrowhead": 2,
        "arrowcolor": theme.ink,
    }
    label = head | {
        "text": name,
        "showarrow": False,
        "font": {"color": theme.ink, "size": 12},
        "bgcolor": theme.surface,
        "opacity": 0.9,
        "xanchor": "left" if x >= 0 else "right",
        "yanchor": "bottom" if y >= 0 else "top",
    }
    return arrow, label
