"""The divergence of many rows in a plane, where it takes seconds and not minutes.

Kernels that are narrow beside the reach of the rows have too many modes for a transform, and the
sums over all pairs of a million rows take a quarter of an hour.
"""

from __future__ import annotations

from math import ceil

from melm_core.base import UserError
from melm_core.density import ClassDensities
from melm_core.melm import divergence_in_plane
from melm_studio.planes.projected_classes import MANY_ROWS
from melm_studio.tables import count

MOST_SECONDS = 20.0
FEW_ROWS = 10_000  # of which all pairs take a third of a second


def seconds_of(classes: ClassDensities) -> float:
    """About how many seconds the divergence of classes in a plane takes; 0 if less than one."""
    return 0.0 if classes.counts.sum() < FEW_ROWS else classes.potential_seconds


def bounded_divergence(classes: ClassDensities, gamma: float) -> float:
    """The divergence of classes in a plane, in nats; 0 of a single class, which has no pair.

    Parameters
    ----------
    classes : ClassDensities
        Projected into the plane, with kernels of the width `gamma`.
    gamma : float

    Raises
    ------
    UserError
        If it would take longer.
    """
    if len(classes.rows) == 1:
        return 0.0
    check_duration(classes, gamma)
    return divergence_in_plane(classes)


def check_duration(classes: ClassDensities, gamma: float) -> None:
    """Raise UserError if the potentials of classes in a plane take longer than MOST_SECONDS."""
    # All pairs of fewer rows take eight seconds at most.
    seconds = 0.0 if classes.counts.sum() < MANY_ROWS else seconds_of(classes)
    if seconds <= MOST_SECONDS:
        return
    minutes = ceil(seconds / 60.0)
    raise UserError(
        f"With γ {gamma:g} the divergence of {sum(map(len, classes.rows)):,} rows in this plane "
        f"takes up to {count(minutes, 'minute')}, since the kernels are narrow beside the reach of "
        f"the rows; here it may take {MOST_SECONDS:.0f} seconds. Increase γ, or leave out the rows "
        "that are far from all others."
    )
