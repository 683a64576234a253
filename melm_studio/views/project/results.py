"""The planes and reports inside a project, checked against the data that they are of."""

from __future__ import annotations

import io
import math
import struct
from collections.abc import Iterator
from typing import IO, Any

import msgspec
import numpy as np

from melm_core.evaluation import Answer
from melm_core.methods import COMPONENTS, METHODS
from melm_studio.tables import LabeledData
from melm_studio.views.validation import InputError
from melm_studio.worker.records.check_report import CheckReport
from melm_studio.worker.records.ranking_report import RankingReport
from melm_studio.worker.records.run import PlaneEvent, RunKind
from melm_studio.worker.records.sparse_report import SparseReport, SparseSize
from melm_studio.worker.registered.plane_densities import PlaneDensities

MAX_REPORT = 64 * 2**20
EVENTS_AT_ONCE = 200  # planes that are held in memory
_LENGTH = struct.Struct("<I")
_MAX_HEADER = 2**16
_MAX_STAGE = 500
_MAX_COUNT = 10**9
_ORTHONORMAL = 1e-6
_NPY = b"\x93NUMPY"
_UNREADABLE = (
    struct.error,
    ValueError,
    TypeError,
    KeyError,
    RecursionError,
    OverflowError,
    msgspec.MsgspecError,
)

_BAD_PLANE = "Plane {number} of a run in the project cannot be read. Choose another copy of it."
_BAD_REPORT = "A result in the project does not belong to its data. Choose another copy of it."
_OTHER_FEATURES = (
    "A run in the project has planes of {found} features, but its table has {expected} when it is "
    "prepared here. Open the project with the version of the studio that saved it."
)


def packed_event(event: PlaneEvent) -> bytes:
    """Return an event preceded by its length."""
    raw = event.to_bytes()
    return _LENGTH.pack(len(raw)) + raw


def checked_events(file: IO[bytes], n_features: int, most: int) -> Iterator[PlaneEvent]:
    """Read the planes of a run.

    Parameters
    ----------
    file : file
        Packed events.
    n_features : int
        Of the data, or the number of coordinates of a nonlinear projection.
    most : int
        The number of planes that a run may have.

    Raises
    ------
    InputError
        If one breaks a rule, or there are more.
    """
    longest = _MAX_HEADER + 8 * n_features * int(COMPONENTS.maximum)
    shape, number = None, 0
    while prefix := file.read(_LENGTH.size):
        number += 1
        try:
            (length,) = _LENGTH.unpack(prefix)
            if length > longest or number > most:
                raise ValueError
            event = PlaneEvent.from_bytes(file.read(length))
            is_plane = _is_plane(event, shape)
        except _UNREADABLE:
            is_plane = False
        if not is_plane:
            raise InputError(_BAD_PLANE.format(number=number))
        shape = event.components.shape
        if shape[1] != n_features:
            raise InputError(_OTHER_FEATURES.format(found=shape[1], expected=n_features))
        yield event


def _is_plane(event: PlaneEvent, shape: tuple[int, ...] | None) -> bool:
    """Whether an event has orthonormal components, of one shape in a run, and its bounds."""
    found = event.components
    counts = (event.sequence, event.start, event.n_starts, event.iteration, event.n_evaluations)
    return (
        found.ndim == 2
        and 1 <= found.shape[0] <= COMPONENTS.maximum
        and (shape is None or found.shape == shape)
        and bool(np.isfinite(found).all())
        and bool(np.allclose(found @ found.T, np.eye(len(found)), atol=_ORTHONORMAL))
        and all(0 <= each <= _MAX_COUNT for each in counts)
        and not math.isnan(event.objective)
        and not math.isnan(event.best_objective)
        and 0 <= event.fraction <= 1
        and 0 <= event.elapsed_s < math.inf
        and len(event.stage) <= _MAX_STAGE
    )


def checked_report(raw: bytes, kind: RunKind, data: LabeledData) -> bytes:
    """Return the report of a run of a kind, as it is stored.

    Raises
    ------
    InputError
        If it is not one of these data.
    """
    try:
        is_fitting = _FITTING[kind](raw, data)
    except _UNREADABLE:
        is_fitting = False
    if not is_fitting:
        raise InputError(_BAD_REPORT)
    return raw


def _is_check(raw: bytes, data: LabeledData) -> bool:
    report, n_classes = CheckReport.from_bytes(raw), len(data.class_names)
    features = report.stability
    lists = () if features is None else (features.frequencies, features.lower, features.upper)
    return (
        report.answer in ("", *Answer)
        and (not report.overlap or len(report.overlap) == n_classes)
        and all(len(row) == n_classes for row in report.overlap)
        and all(len(one) == data.X.shape[1] for one in lists)
    )


def _is_ranking(raw: bytes, data: LabeledData) -> bool:
    report = RankingReport.from_bytes(raw)
    n_folds = {len(one.held_out) for one in report.methods if one.held_out}
    known = all(one.method in METHODS for one in report.methods)
    return known and len(n_folds) <= 1 and report.n_classes == len(data.class_names)


def _is_sparse(raw: bytes, data: LabeledData) -> bool:
    report, n_features = SparseReport.from_bytes(raw), data.X.shape[1]
    sizes = [size.n_features for size in report.sizes]
    return (
        report.n_classes == len(data.class_names)
        and all(_is_size(size, n_features) for size in report.sizes)
        and sizes == sorted(set(sizes), reverse=True)
        and sizes[:1] == [n_features]
        and report.sufficient in (0, *sizes)
        and 0 <= report.n_refits <= report.n_all
    )


def _is_size(size: SparseSize, n_features: int) -> bool:
    shares = (size.train, size.held_out, *size.frequencies)
    return (
        1 <= len(size.selected) == size.n_features == len(size.frequencies)
        and all(0 <= feature < n_features for feature in size.selected)
        and all(0 <= share <= 1 for share in shares)
        and 0 <= size.standard_error < math.inf
    )


def _are_probabilities(raw: bytes, data: LabeledData) -> bool:
    shape, dtype = _header(raw)
    if shape != (len(data.y), len(data.class_names)) or dtype != np.float32:
        return False
    return bool(np.isfinite(np.load(io.BytesIO(raw), allow_pickle=False)).all())


def _is_embedding(raw: bytes, data: LabeledData) -> bool:
    """Whether there are finite coordinates; that they are of the rows, a view finds out."""
    shape, dtype = _header(raw)
    if len(shape) != 2 or dtype != np.float64 or not 0 < shape[0] <= len(data.y):
        return False
    within = shape[1] <= COMPONENTS.maximum
    return within and bool(np.isfinite(np.load(io.BytesIO(raw), allow_pickle=False)).all())


def _header(raw: bytes) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """The shape and type of an array, read before it is allocated."""
    file = io.BytesIO(raw)
    np.lib.format.read_magic(file)
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    return shape, dtype


def _is_of_fit(raw: bytes, data: LabeledData) -> bool:
    """Whether a fit kept it: coordinates, or the densities of a table that the data are from."""
    if raw.startswith(_NPY):
        return _is_embedding(raw, data)
    found = PlaneDensities.from_bytes(raw)
    n_classes, n_features = len(found.counts), found.components.shape[1]
    return n_classes == len(data.class_names) and n_features == data.X.shape[1]


_FITTING = {
    RunKind.FIT: _is_of_fit,
    RunKind.CHECK: _is_check,
    RunKind.RANKING: _is_ranking,
    RunKind.PROBABILITIES: _are_probabilities,
    RunKind.SPARSE: _is_sparse,
}
