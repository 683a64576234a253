"""The held-out divergence along a run, of its best planes: the same whenever it is asked for.

Which planes are measured depends on the planes alone, so every page that shows a run, before and
after a reload, draws the same curve.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import floor, log

from melm_studio.runs.records.run import PlaneEvent

# From one measured plane to the next, the best divergence has at least about this ratio; below the
# least divergence, which is as good as none, no plane but the first is measured.
RISE = 1.025
LEAST = 0.02


def measured_planes(events: Iterable[PlaneEvent], before: PlaneEvent | None) -> list[PlaneEvent]:
    """The planes of a run whose held-out divergence its curve shows, some dozens in all.

    Parameters
    ----------
    events : iterable of PlaneEvent
        Planes of one run, in their order.
    before : PlaneEvent or None
        The plane before them; None before the first plane of the run.

    Returns
    -------
    list of PlaneEvent
        The first plane over the same rows, those that raise the best one over the next step of a
        fixed scale, and the last of a run that has ended.
    """
    found = []
    for event in events:
        is_best = event.objective >= event.best_objective
        is_comparable = before is not None and before.n_sampled == event.n_sampled
        level = _level(before) if before is not None and is_comparable else None
        if event.is_final or (is_best and (level is None or _level(event) > level)):
            found.append(event)
        before = event
    return found


def _level(event: PlaneEvent) -> int:
    """The step of the scale on which the best divergence so far is."""
    return floor(log(max(event.best_objective, LEAST) / LEAST) / log(RISE))
