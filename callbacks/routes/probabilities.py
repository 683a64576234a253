"""The class probabilities that hold for rows in the plane that a request names."""

from __future__ import annotations

from callbacks.routes.requested_view import requested_options
from callbacks.services import services
from callbacks.session import workspace
from melm_core.methods import METHODS
from melm_studio.analyses.probabilities import PROBABILITIES
from melm_studio.rows.held_out_probabilities import HeldOutProbabilities, KnownProbabilities
from melm_studio.runs.records.run import PlaneEvent, RunRecord


def known_probabilities(record: RunRecord) -> HeldOutProbabilities | None:
    """Return the calibrated probabilities of the rows of a run; None if not computed."""
    current = workspace().about(record, PROBABILITIES.name)
    if current is None or not PROBABILITIES.stands(current):
        return None
    return PROBABILITIES.stored(services().store, current.run_id)


def probabilities_in_plane(record: RunRecord, event: PlaneEvent) -> KnownProbabilities | None:
    """Return probabilities for the plane on screen; none if it is not the run's result.

    Those of a nonlinear method take longer than a visitor waits: they come with suspect labels, at
    the kernel width of the run.
    """
    options = requested_options()
    if not event.is_final or options.changes_plane:
        return None
    gamma = record.density_gamma if options.gamma is None else options.gamma
    if METHODS[record.method].is_linear:
        return services().rows.probabilities(record, event, gamma)
    return known_probabilities(record) if gamma == record.density_gamma else None
