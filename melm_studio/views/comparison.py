"""Runs beside each other: what each found, how far their planes agree, which rows moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from melm_core.base import FloatArray, IntArray
from melm_core.evaluation import PLANE_CLASSIFIERS, features_used, in_standard_units
from melm_core.linalg import principal_angles
from melm_core.methods import METHODS
from melm_studio.views.captions import title
from melm_studio.views.renderer import Gallery
from melm_studio.views.view_options import AS_FOUND, Look
from melm_studio.worker.execution.validation_run import report_of
from melm_studio.worker.records.check_report import CheckReport
from melm_studio.worker.records.run import PlaneEvent, RunRecord
from melm_studio.worker.store.protocol import RunStore

# Who judges a plane, as a check names them, and who judges it while nobody has checked it.
JUDGES = ("mean", *(classifier.name for classifier in PLANE_CLASSIFIERS))
LIVE_JUDGE = "KDE"

MOST_MOVERS = 10

_NO_PLANE_YET = "{title} has no picture yet. Wait for its first one, or choose another run."
_OTHER_SHAPE = (
    "The two pictures have different numbers of components, so their rows have no common place. "
    "Choose runs of as many components."
)
_SAME_RUN = "A row does not move between a picture and itself. Choose two runs."
_OTHER_ROWS = "The two pictures have no drawn row in common. Choose runs with the same seed."


@dataclass(frozen=True)
class ComparedRun:
    """A run as a row of figures.

    Attributes
    ----------
    run_id, title : str
    figures : mapping of str to (float or None)
        ``divergence``, and the balanced accuracy by each of `JUDGES`, with ``-seen`` and
        ``-unseen``; ``gap``, ``p``, ``seconds`` and ``features``. None for what is not known.
    is_checked : bool
        Whether the accuracies are those of a check; else of the run's own held-out rows.
    checked_share : float or None
        How far a check that is under way is; None where there is none.
    is_settled : bool
        Whether nothing of it will change unless somebody asks for more.
    """

    run_id: str
    title: str
    figures: Mapping[str, float | None]
    is_checked: bool
    checked_share: float | None
    is_settled: bool


@dataclass(frozen=True)
class Agreement:
    """How far planes agree.

    Attributes
    ----------
    titles : tuple of str
    degrees : tuple of tuple of (float or None)
        Largest principal angle between each two planes; None where there is none.
    notes : tuple of str
        What has to be known to read them, a sentence each.
    """

    titles: tuple[str, ...]
    degrees: tuple[tuple[float | None, ...], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Mover:
    """A row of the file, and how far apart it lies in two pictures, in standard deviations."""

    row: int
    class_name: str
    distance: float


def compared(
    store: RunStore, gallery: Gallery, records: Sequence[RunRecord], checks: Mapping[str, RunRecord]
) -> list[ComparedRun]:
    """Return a row of figures for every run.

    Parameters
    ----------
    store : RunStore
    gallery : Gallery
    records : sequence of RunRecord
    checks : mapping of str to RunRecord
        The check of a run by the run's id, where there is one.
    """
    return [_compared(store, gallery, record, checks.get(record.run_id)) for record in records]


def ordered(rows: Sequence[ComparedRun], column: str, *, descending: bool) -> list[ComparedRun]:
    """Return the rows by a figure, or by ``title``; those without it come last either way."""
    if column == "title":
        return sorted(rows, key=lambda row: row.title, reverse=descending)
    values = {row.run_id: value for row in rows if (value := row.figures.get(column)) is not None}
    known = [row for row in rows if row.run_id in values]
    without = [row for row in rows if row.run_id not in values]
    return [*sorted(known, key=lambda row: values[row.run_id], reverse=descending), *without]


def _compared(
    store: RunStore, gallery: Gallery, record: RunRecord, check: RunRecord | None
) -> ComparedRun:
    report = CheckReport() if check is None else report_of(store, check.run_id)
    is_under_way = check is not None and not check.state.is_final
    return ComparedRun(
        run_id=record.run_id,
        title=title(record),
        figures=_figures(gallery, record, store.last_event(record.run_id), report),
        is_checked=report.scores is not None,
        checked_share=report.fraction if is_under_way else None,
        is_settled=record.state.is_final and not is_under_way,
    )


def _figures(
    gallery: Gallery, record: RunRecord, event: PlaneEvent | None, report: CheckReport
) -> dict[str, float | None]:
    figures = {} if event is None else _of_plane(gallery, record, event)
    if report.scores is not None:
        for judge, (seen, unseen, _) in report.scores.items():
            figures |= _twin(judge, seen, unseen)
    judge = LIVE_JUDGE if report.scores is None else JUDGES[0]
    gap = _gap(figures.get(f"{judge}-seen"), figures.get(f"{judge}-unseen"))
    return {**figures, "gap": gap, "p": report.p_value}


def _of_plane(gallery: Gallery, record: RunRecord, event: PlaneEvent) -> dict[str, float | None]:
    scores = gallery.scores(record, event)
    return {
        **_twin("divergence", gallery.divergence(record, event), scores.divergence_unseen),
        **_twin(LIVE_JUDGE, scores.accuracy_seen, scores.accuracy_unseen),
        "seconds": event.elapsed_s,
        "features": _n_features(gallery, record, event),
    }


def _twin(name: str, seen: float, unseen: float | None) -> dict[str, float | None]:
    return {f"{name}-seen": seen, f"{name}-unseen": unseen}


def _gap(seen: float | None, unseen: float | None) -> float | None:
    return None if seen is None or unseen is None else seen - unseen


def _n_features(gallery: Gallery, record: RunRecord, event: PlaneEvent) -> float | None:
    if not METHODS[record.method].is_linear:
        return None
    return features_used(_in_standard_units(gallery, record, event))


def _in_standard_units(gallery: Gallery, record: RunRecord, event: PlaneEvent) -> FloatArray:
    return in_standard_units(event.components, gallery.viewer(record).deviations)


def agreement(store: RunStore, gallery: Gallery, records: Sequence[RunRecord]) -> Agreement:
    """Return how far the newest planes of the runs agree, each two of them."""
    newest = [(record, store.last_event(record.run_id)) for record in records]
    planes = [_Plane.of(gallery, record, event) for record, event in newest]
    return Agreement(
        titles=tuple(map(title, records)),
        degrees=tuple(tuple(_degrees(one, other) for other in planes) for one in planes),
        notes=tuple(_notes(records, [plane for plane in planes if plane is not None])),
    )


@dataclass(frozen=True, eq=False)
class _Plane:
    """A plane as it was found, and where every feature has standard deviation one."""

    data_id: str
    feature_names: tuple[str, ...]
    as_found: FloatArray
    standard: FloatArray

    @classmethod
    def of(cls, gallery: Gallery, record: RunRecord, event: PlaneEvent | None) -> _Plane | None:
        if event is None or not METHODS[record.method].is_linear:
            return None
        names = gallery.viewer(record).feature_names
        standard = _in_standard_units(gallery, record, event)
        return cls(record.data_id, names, event.components, standard)


def _degrees(one: _Plane | None, other: _Plane | None) -> float | None:
    if one is None or other is None or one.feature_names != other.feature_names:
        return None
    is_prepared_alike = one.data_id == other.data_id
    pair = (one.as_found, other.as_found) if is_prepared_alike else (one.standard, other.standard)
    return float(np.degrees(principal_angles(*pair)[-1]))


def _notes(records: Sequence[RunRecord], planes: Sequence[_Plane]) -> list[str]:
    curved = [title(record) for record in records if not METHODS[record.method].is_linear]
    notes = [f"{name} has no plane: its picture is curved." for name in curved]
    if len({len(plane.as_found) for plane in planes}) > 1:
        notes.append("A line makes no angle with a plane that it lies in.")
    if len({plane.feature_names for plane in planes}) > 1:
        notes.append("Planes of different features cannot be compared.")
    elif len({plane.data_id for plane in planes}) > 1:
        notes.append(
            "Planes of differently scaled features are compared where every feature has standard "
            "deviation one."
        )
    return notes


def biggest_movers(
    store: RunStore, gallery: Gallery, one: RunRecord, other: RunRecord
) -> tuple[Mover, ...]:
    """Return the drawn rows that move most from one picture to the other, the farthest first.

    The second picture is turned to lie like the first.

    Raises
    ------
    ValueError
        If the pictures cannot be compared; a sentence that says why.
    """
    if one.run_id == other.run_id:
        raise ValueError(_SAME_RUN)
    if one.parameters["n_components"] != other.parameters["n_components"]:
        raise ValueError(_OTHER_SHAPE)
    first = _picture(store, gallery, one, AS_FOUND)
    second = _picture(store, gallery, other, Look(toward=one.run_id))
    rows, here, there = np.intersect1d(first.rows, second.rows, return_indices=True)
    if not len(rows):
        raise ValueError(_OTHER_ROWS)
    distances = np.linalg.norm(first.points[here] - second.points[there], axis=1)
    return tuple(
        Mover(int(rows[i]), first.class_names[first.codes[here[i]]], float(distances[i]))
        for i in np.argsort(-distances, kind="stable")[:MOST_MOVERS]
    )


@dataclass(frozen=True, eq=False)
class _Picture:
    """The rows that are drawn, and where."""

    class_names: tuple[str, ...]
    rows: IntArray
    codes: IntArray
    points: FloatArray


def _picture(store: RunStore, gallery: Gallery, record: RunRecord, look: Look) -> _Picture:
    event = store.last_event(record.run_id)
    if event is None:
        raise ValueError(_NO_PLANE_YET.format(title=title(record)))
    viewer, view = gallery.viewer(record), gallery.view(record, event, look)
    rows = [numbers for part in viewer.drawn_rows for numbers in part]
    points = [part.seen for part in view.classes] + [part.unseen for part in view.classes]
    codes = np.tile(np.arange(len(view.classes)), 2)
    # Of one component the height of a point only keeps it apart from the others.
    n_coordinates = min(2, viewer.n_components)
    return _Picture(
        class_names=viewer.class_names,
        rows=np.concatenate(rows),
        codes=np.repeat(codes, [len(part) for part in points]),
        points=np.concatenate(points)[:, :n_coordinates],
    )
