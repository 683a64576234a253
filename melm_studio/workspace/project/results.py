"""The planes and reports inside a project, checked against the data that they are of."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from typing import IO

import msgspec
import numpy as np

from melm_core.methods import COMPONENTS
from melm_studio.analyses import analysis_of
from melm_studio.analyses.analysis import DataShape, demand
from melm_studio.operator_tables.plane_densities import PlaneDensities
from melm_studio.rows.held_out_probabilities import array_header, finite_array
from melm_studio.runs.records.run import PlaneEvent
from melm_studio.validation import InputError

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
    """Return whether an event has orthonormal components, of one shape in a run, and its bounds."""
    components = event.components
    places = (event.sequence, event.start, event.n_starts, event.iteration)
    counts = (*places, event.n_evaluations, event.n_sampled)
    return (
        components.ndim == 2
        and 1 <= components.shape[0] <= COMPONENTS.maximum
        and (shape is None or components.shape == shape)
        and bool((np.abs(components) <= 1 + _ORTHONORMAL).all())  # so the product cannot overflow
        and bool(np.allclose(components @ components.T, np.eye(len(components)), atol=_ORTHONORMAL))
        and all(0 <= each <= _MAX_COUNT for each in counts)
        # Of nothing so far it is -inf; nothing is better than any number, and NaN than none.
        and event.objective < math.inf
        and event.best_objective < math.inf
        and 0 <= event.fraction <= 1
        and 0 <= event.elapsed_s < math.inf
        and len(event.stage) <= _MAX_STAGE
    )


def checked_report(raw: bytes, kind: str, shape: DataShape) -> bytes:
    """Return the report of a run of a kind, as this version writes it.

    Raises
    ------
    InputError
        If it is not one of these data.
    """
    try:
        analysis = analysis_of(kind)
        return _of_fit(raw, shape) if analysis is None else analysis.checked(raw, shape)
    except _UNREADABLE:
        raise InputError(_BAD_REPORT) from None


def _of_fit(raw: bytes, shape: DataShape) -> bytes:
    """Check what a fit stored: coordinates, or the densities of its table."""
    if raw.startswith(_NPY):
        return _embedding(raw, shape)
    densities = PlaneDensities.from_bytes(raw)
    demand(len(densities.counts) == shape.n_classes)
    demand(densities.components.shape[1] == shape.n_features)
    return densities.to_bytes()


def _embedding(raw: bytes, shape: DataShape) -> bytes:
    """Check coordinates, except that they are of the rows, which a view does."""
    dimensions, dtype = array_header(raw)
    demand(len(dimensions) == 2 and dtype == np.float64)
    demand(0 < dimensions[0] <= shape.n_rows and dimensions[1] <= COMPONENTS.maximum)
    return finite_array(raw)
