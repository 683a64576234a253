"""The divergence of many rows in a plane, where it takes seconds and not minutes.

Kernels that are narrow beside the reach of the rows have too many modes for a transform, and the
sums over all pairs of a million rows take a quarter of an hour.
"""

from __future__ import annotations

from math import ceil

from melm_core.base import UserError
from melm_core.density import KernelClasses, least_seconds
from melm_core.melm import divergence_in_plane
from melm_studio.tables import count
from melm_studio.views.sharing.projected_classes import MANY_ROWS

MOST_SECONDS = 20.0


def is_quick(classes: KernelClasses) -> bool:
    """Whether the divergence of classes in a plane takes at most MOST_SECONDS."""
    if classes.series is not None or classes.counts.sum() < MANY_ROWS:
        return True  # the pairs of fewer rows take eight seconds at most
    return least_seconds(classes.rows, classes.covariances) <= MOST_SECONDS


def bounded_divergence(classes: KernelClasses, gamma: float) -> float:
    """The divergence of classes in a plane, in nats.

    Parameters
    ----------
    classes : KernelClasses
        Projected into the plane, with kernels of the width `gamma`.
    gamma : float

    Raises
    ------
    UserError
        If it would take longer.
    """
    if is_quick(classes):
        return divergence_in_plane(classes)
    minutes = ceil(least_seconds(classes.rows, classes.covariances) / 60.0)
    raise UserError(
        f"With γ {gamma:g} the divergence of {sum(map(len, classes.rows)):,} rows in this plane "
        f"takes up to {count(minutes, 'minute')}, since the kernels are narrow beside the reach of "
        f"the rows; here it may take {MOST_SECONDS:.0f} seconds. Increase γ, or leave out the rows "
        "that are far from all others."
    )
