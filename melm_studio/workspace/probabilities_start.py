"""The out-of-fold probabilities of the rows of a run, from which suspect labels are found."""

from __future__ import annotations

from melm_core.base import FloatArray, UserError
from melm_studio.analyses.probabilities_run import (
    MAX_SCORED_ROWS,
    probabilities_of,
    standing_probabilities,
)
from melm_studio.runs.records.run import RunRecord, new_probabilities
from melm_studio.workspace.workspace import Workspace

_TOO_MANY_ROWS = (
    "Suspect labels are found among {most:,} rows at most. Leave out rows, or look at the outliers "
    "instead."
)


def known_probabilities(own: Workspace, record: RunRecord) -> FloatArray | None:
    """Return the out-of-fold probabilities of the rows of a run, or None if not computed."""
    found = _standing(own, record)
    return None if found is None else probabilities_of(own.store, found.run_id)


def started_probabilities(own: Workspace, record: RunRecord, n_rows: int) -> RunRecord:
    """Return the run that computes the out-of-fold probabilities; queue one if there is none.

    Raises
    ------
    UserError
        If there are too many rows, or a limit is reached.
    """
    if n_rows > MAX_SCORED_ROWS:
        raise UserError(_TOO_MANY_ROWS.format(most=MAX_SCORED_ROWS))
    if current := _standing(own, record):
        return current
    run = new_probabilities(record)
    own.create(run)
    return run


def _standing(own: Workspace, record: RunRecord) -> RunRecord | None:
    return standing_probabilities(own.store.runs_of(own.owner)).get(record.run_id)
