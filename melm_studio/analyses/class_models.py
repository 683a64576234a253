"""Does a row belong at all? Models of single classes, judged by rows that they never saw."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np

from melm_core.base import FloatArray, IntArray, UserError, thinned
from melm_core.evaluation import ClassAcceptance, ClassModel
from melm_core.folds import sampled_rows
from melm_core.recipe import Scaling
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
from melm_studio.analyses.lot_change import LotRows
from melm_studio.planes.theme import THEMES, Scheme, class_color, class_shape
from melm_studio.record import Record
from melm_studio.runs.execution.rows import RunData, resampled_rows
from melm_studio.runs.records.run import RunRecord
from melm_studio.tables import LabeledData, count, number

MOST_ROWS = 20_000
MOST_DRAWN = 300  # rows of each class, and new ones
MOST_SHOWN, MOST_LISTED = 50, 1_000  # new rows on the page, and in a report

_DIGITS = 4
_STRETCH = 10.0  # axes are log(1 + 10 d): what is accepted takes a third of those up to 1,000
_TICKS = (0.0, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
_HAVE_NO_TWENTIETH = 19
_TOO_FEW = (
    "There is no model of {name}, which has {n} rows or groups: one that is judged by rows it "
    "never saw needs {least}. Add some."
)
_FEW = (
    "{name} has {n} rows or groups. Too few for a limit of 5 %: it continues a smooth tail, "
    "which accepts up to 98 %."
)
_ALONE = (
    "This table has one class: what its model refuses is not known. Add rows of others to see it."
)
_FILLED = (
    "{rows} lacked numbers: those of the run's table stand there, so that they look more like it "
    "than they are. Complete them, or leave these columns out and run again."
)
_SAMPLED = "Of the table, {n} were judged: a stratified sample."
_PROMISE = (
    "Each model knows its class alone: principal components, and how far rows lie along and off "
    "them (DD-SIMCA). Limits are those of left-out rows, so that 95 % of new rows like those of a "
    "class are accepted. Several models may accept a row, or none."
)
_HEAD = ("Accepted by", "Own rows", "Others", "Components", "Degrees of freedom")
_ON_PAGE = 3  # columns
NEW_HEAD = ("New row", "Accepted as", "Nearest", "Distance (limit 1)")
_AXES = {"xaxis": "score distance, along the components", "yaxis": "orthogonal distance, off them"}


class OneModel(msgspec.Struct, frozen=True):
    """The model of a class.

    Attributes
    ----------
    name : str
        Of the class.
    own, others : tuple of (int, int)
        How many rows of the class, and of others, are accepted and judged by models that never saw
        them.
    n_components : int
        Of the model of all rows; 0 without one.
    degrees : tuple of (int, int)
        Of freedom of its score and orthogonal distances.
    places : tuple of (float, float)
        `ClassModel.distances` of the rows that are drawn, those that no model judged left out by
        (-1, -1).
    new_places : tuple of (float, float)
        The same of every new row, from the model of all rows.
    note : str
        Why there is no model, or what limits it.
    """

    name: str
    own: tuple[int, int] = (0, 0)
    others: tuple[int, int] = (0, 0)
    n_components: int = 0
    degrees: tuple[int, int] = (0, 0)
    places: tuple[tuple[float, float], ...] = ()
    new_places: tuple[tuple[float, float], ...] = ()
    note: str = ""

    @property
    def sentence(self) -> str:
        """Sentence on how many rows it accepts of those it never saw."""
        if not self.own[1]:
            return self.note or f"No model of {self.name} was judged."
        accepted, others = map(number, (self.own[0], self.others[0]))
        lead = (
            f"{accepted} of {count(self.own[1], 'row')} of {self.name} would be accepted by a "
            "model that never saw them"
        )
        return lead + (f"; {others} of {number(self.others[1])} others." if self.others[1] else ".")


class ClassModelsReport(Record, frozen=True):
    """Results on the models so far.

    Attributes
    ----------
    models : tuple of OneModel
        Of every class.
    y, rows : tuple of int
        Class and number in the table of the rows that are drawn.
    new_rows : tuple of int
        Numbers of the new rows in their file.
    n_done, n_folds : int
    notes : tuple of str
    """

    models: tuple[OneModel, ...] = ()
    y: tuple[int, ...] = ()
    rows: tuple[int, ...] = ()
    new_rows: tuple[int, ...] = ()
    n_done: int = 0
    n_folds: int = 0
    notes: tuple[str, ...] = ()


class ClassModels(Analysis[ClassModelsReport]):
    """Analysis whether rows belong to a class at all, by models that know of no other."""

    report = ClassModelsReport
    name = "class_models"
    title = "Does it belong at all?"
    tab = "new"
    needs = ()
    of_new_rows = True

    def refusal(self, record: RunRecord, data: Callable[[], LabeledData]) -> str:
        prepared = data()
        try:
            ClassAcceptance.modeled(prepared.y, prepared.groups)
        except UserError as error:
            return str(error)
        return ""

    def compute(self, work: Work) -> None:
        """Fit the models to all rows, judge the new ones, then every row by models without it."""
        data = work.data
        sample = sampled_rows(data.y, MOST_ROWS, data.groups)
        lot = LotRows.of_work(work) if work.record.new_rows else None
        scale = data.recipe.scaling is Scaling.UNIT
        fitted = _Fitted.of(data, sample, lot, scale=scale)
        groups = None if data.groups is None else data.groups[sample]
        rows = resampled_rows(data, sample) | {"groups": groups}
        if data.has_curves:
            rows["preparation"] = replace(rows["preparation"], curves=False)
        ClassAcceptance.of(
            **rows,
            scale=scale,
            random_state=work.record.parameters.random_state,
            callback=lambda folds: work.put(fitted.report(folds).to_bytes()),
        )

    def progress(self, report: ClassModelsReport) -> tuple[float, str]:
        return report.n_done / max(1, report.n_folds), "refitting without each fold"

    def sentence(self, report: ClassModelsReport, *, is_final: bool) -> str:
        models = [model for model in report.models if model.own[1]]
        if not models:
            return "No class model." if is_final else "Fitting a model of each class."
        words = models[0].sentence
        if len(models) > 1:
            n_own, n_judged = np.sum([model.own for model in models], axis=0).tolist()
            others, n_others = np.sum([model.others for model in models], axis=0).tolist()
            words = (
                f"{number(n_own)} of {count(n_judged, 'row')} would be accepted by a model "
                f"of their class that never saw them; {number(others)} of {number(n_others)} by "
                "one of another class."
            )
        if report.new_rows:
            n_alien = int((_distances(report) > 1.0).all(axis=0).sum())
            new = count(len(report.new_rows), "new row")
            words = f"{number(n_alien)} of {new} belong to no class of the table. {words}"
        if report.n_done == report.n_folds:
            return words
        return f"{report.n_done} of {report.n_folds} folds so far. {words}"

    def shown(
        self, report: ClassModelsReport, subject: Subject, query: Mapping[str, str]
    ) -> dict[str, Any]:
        if not report.models:
            return {"content": []}
        labels = {str(code): model.name for code, model in enumerate(report.models)}
        code = int(query["model"]) if query.get("model") in labels else 0
        model = report.models[code]
        shown = []
        if len(report.models) > 1:
            shown += [
                content.selects([("model", "Model of", labels, str(code))]),
                content.answer(model.sentence),
            ]
        if model.n_components:
            figure = acceptance_figure(report, code, chosen(query, "scheme", Scheme.LIGHT))
            shown.append(content.plot(figure, model.sentence))
        if report.new_rows:
            shown.append(content.table(NEW_HEAD, new_row_cells(report)[:MOST_SHOWN]))
        shown += [
            content.table(_HEAD[:_ON_PAGE], [row[:_ON_PAGE] for row in _model_rows(report)]),
            content.notes([*_notes(report, MOST_SHOWN), _PROMISE]),
        ]
        return {"content": shown}

    def section(self, report: ClassModelsReport, subject: Subject) -> Section | None:
        if not report.models:
            return None
        tables = [Table("Rows that models never saw", _HEAD, tuple(_model_rows(report)))]
        if report.new_rows:
            rows = tuple(new_row_cells(report)[:MOST_LISTED])
            tables.insert(0, Table("New rows", NEW_HEAD, rows))
        first = self.sentence(report, is_final=subject.is_final)
        words = (first, *_notes(report, MOST_LISTED), _PROMISE)
        return Section(self.title, words, tuple(tables))

    def validate(self, report: ClassModelsReport, shape: DataShape) -> None:
        demand(len(report.models) in (0, shape.n_classes))
        demand(len(report.y) == len(report.rows) <= shape.n_rows)
        demand(all(0 <= code < shape.n_classes for code in report.y))
        demand(all(row > 0 for row in (*report.rows, *report.new_rows)))
        demand(0 <= report.n_done <= report.n_folds)
        for model in report.models:
            for accepted, judged in (model.own, model.others):
                demand(0 <= accepted <= judged <= shape.n_rows)
            has_model = model.n_components > 0
            demand(len(model.places) == len(report.y) * has_model)
            demand(len(model.new_places) == len(report.new_rows) * has_model)
            demand(all(map(math.isfinite, sum((*model.places, *model.new_places), ()))))


CLASS_MODELS = ClassModels()


@dataclass(frozen=True, eq=False)
class _Fitted:
    """The models of all rows, fitted before the folds, with their judgment of new rows."""

    models: tuple[OneModel, ...]
    drawn: IntArray
    row_numbers: IntArray
    new_rows: tuple[int, ...]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, data: RunData, sample: IntArray, lot: LotRows | None, *, scale: bool) -> _Fitted:
        X, y = data.X[sample, : len(data.own_feature_names)], data.y[sample]
        groups = None if data.groups is None else data.groups[sample]
        of_classes = [np.flatnonzero(y == code) for code in range(len(data.class_names))]
        models = tuple(
            _model(
                name,
                X[members],
                None if groups is None else groups[members],
                lot,
                ClassModel(scale=scale),
            )
            for name, members in zip(data.class_names, of_classes, strict=True)
        )
        drawn = np.concatenate([thinned(members, MOST_DRAWN) for members in of_classes])
        notes = [_ALONE] if len(models) == 1 else []
        if len(sample) < len(data.y):
            notes.append(_SAMPLED.format(n=count(len(sample), "row")))
        if lot is not None and lot.is_filled.any():
            notes.append(_FILLED.format(rows=count(int(lot.is_filled.sum()), "new row")))
        new_rows = () if lot is None else tuple(lot.row_numbers.tolist())
        return cls(models, drawn, data.row_numbers[sample], new_rows, tuple(notes))

    def report(self, folds: ClassAcceptance) -> ClassModelsReport:
        """Report the models with the results of the folds so far."""
        accepted, judged = folds.counts(folds.accepted), folds.counts(folds.is_judged)
        models = tuple(
            msgspec.structs.replace(
                model,
                own=(int(accepted[code, code]), int(judged[code, code])),
                others=(
                    int(accepted[code].sum() - accepted[code, code]),
                    int(judged[code].sum() - judged[code, code]),
                ),
                places=_pairs(folds.parts[self.drawn, code]) if model.n_components else (),
            )
            for code, model in enumerate(self.models)
        )
        return ClassModelsReport(
            models=models,
            y=tuple(folds.y[self.drawn].tolist()),
            rows=tuple(self.row_numbers[self.drawn].tolist()),
            new_rows=self.new_rows,
            n_done=folds.n_done,
            n_folds=folds.n_folds,
            notes=self.notes,
        )


def _model(
    name: str, X: FloatArray, groups: IntArray | None, lot: LotRows | None, model: ClassModel
) -> OneModel:
    """Fit the model to all rows of a class, and place new rows in it."""
    n_units = len(X) if groups is None else len(np.unique(groups))
    if n_units <= ClassModel.FEWEST_ROWS:
        return OneModel(
            name, note=_TOO_FEW.format(name=name, n=n_units, least=ClassModel.FEWEST_ROWS + 1)
        )
    try:
        model.fit(X, groups=groups)
    except UserError as error:
        return OneModel(name, note=f"There is no model of {name}. {error}")
    note = _FEW.format(name=name, n=n_units) if n_units < _HAVE_NO_TWENTIETH else ""
    return OneModel(
        name,
        n_components=len(model.components_),
        degrees=model.degrees_,
        new_places=() if lot is None else _pairs(model.distances(lot.X[:, : X.shape[1]])),
        note=note,
    )


def _pairs(parts: FloatArray) -> tuple[tuple[float, float], ...]:
    finite = np.where(np.isfinite(parts), parts, -1.0).round(_DIGITS)
    return tuple((x, y) for x, y in finite.tolist())


def _distances(report: ClassModelsReport) -> FloatArray:
    """Compute full distances of the new rows from each model, in parts of its limit, or inf."""
    none = np.full(len(report.new_rows), np.inf)
    models = report.models
    return np.array([np.sum(it.new_places, axis=1) if it.new_places else none for it in models])


def new_row_cells(report: ClassModelsReport) -> list[tuple[str, ...]]:
    """Return the cells of `NEW_HEAD` of every new row."""
    names, distances = [model.name for model in report.models], _distances(report)
    return [
        (
            number(row),
            " or ".join(name for name, d in zip(names, parts, strict=True) if d <= 1.0) or "none",
            names[int(parts.argmin())],
            f"{parts.min():.2f}",
        )
        for row, parts in zip(report.new_rows, distances.T, strict=True)
    ]


def _model_rows(report: ClassModelsReport) -> list[tuple[str, ...]]:
    return [
        (
            model.name,
            *(f"{number(part)} of {number(all_)}" for part, all_ in (model.own, model.others)),
            number(model.n_components),
            " + ".join(map(number, model.degrees)),
        )
        for model in report.models
        if model.n_components
    ]


def _notes(report: ClassModelsReport, most: int) -> Sequence[str]:
    lines = [*(model.note for model in report.models if model.note), *report.notes]
    if len(report.new_rows) > most:
        lines.append(f"The first {number(most)} of {count(len(report.new_rows), 'new row')}.")
    return lines


def acceptance_figure(
    report: ClassModelsReport, code: int, scheme: Scheme = Scheme.LIGHT
) -> dict[str, Any]:
    """Plot rows by the model of a class that never saw them; it accepts those within the limit.

    Examples
    --------
    >>> model = OneModel("setosa", n_components=1, places=((0.2, 0.1),), new_places=((9.0, 3.0),))
    >>> figure = acceptance_figure(ClassModelsReport((model,), (0,), (1,), (1,)), 0)
    >>> [trace["name"] for trace in figure["data"]]
    ['setosa', 'new rows', 'limit']
    """
    theme, shown = THEMES[scheme], report.models[code]
    y, places = np.array(report.y), np.array(shown.places).reshape(-1, 2)
    groups = [
        (
            model.name,
            np.flatnonzero((y == other) & (places[:, 0] >= 0.0)),
            {"color": class_color(other, theme), "symbol": class_shape(other), "opacity": 0.7},
        )
        for other, model in enumerate(report.models)
    ]
    data = [
        _marks(name, places[rows], [f"row {report.rows[i]:,}" for i in rows], marker)
        for name, rows, marker in groups
        if len(rows)
    ]
    if shown.new_places:
        new = thinned(np.arange(len(shown.new_places)), MOST_DRAWN)
        words = [f"new row {report.new_rows[i]:,}" for i in new]
        marker = {"color": theme.ink, "symbol": "cross", "size": 9}
        data.append(_marks("new rows", np.array(shown.new_places)[new], words, marker))
    share = np.linspace(0.0, 1.0, 101)
    limit = np.log1p(_STRETCH * np.column_stack([share, 1.0 - share])).round(_DIGITS)
    line = {"color": theme.ink, "width": 1.5}
    curve = {"type": "scatter", "x": limit[:, 0].tolist(), "y": limit[:, 1].tolist()}
    data.append(curve | {"mode": "lines", "name": "limit", "line": line, "hoverinfo": "skip"})
    ticks = {
        "rangemode": "tozero",
        "tickvals": [math.log1p(_STRETCH * tick) for tick in _TICKS],
        "ticktext": [f"{tick:g}" for tick in _TICKS],
    }
    axes = {key: charts.axis(theme, title, **ticks) for key, title in _AXES.items()}
    layout = charts.layout(theme, **axes)
    return {"data": data, "layout": layout}


def _marks(
    name: str, places: FloatArray, words: Sequence[str], marker: Mapping[str, Any]
) -> dict[str, Any]:
    stretched = np.log1p(_STRETCH * places).round(_DIGITS).tolist()
    return charts.points(stretched, name, words, **marker)
