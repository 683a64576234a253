"""The run that refits the plane of another run to resamples."""

from __future__ import annotations

from melm_core.base import UserError
from melm_core.methods import METHODS
from melm_studio.runs.records.run import RunRecord, new_resamples
from melm_studio.workspace.workspace import Workspace

_NONLINEAR = "{method} is nonlinear, so it has no plane to refit. Run a linear method."


def started_resamples(own: Workspace, record: RunRecord) -> RunRecord:
    """Return the resamples of a run; queue them if there are none, or they were cut short.

    Raises
    ------
    UserError
        If the run is nonlinear, or a limit is reached.
    """
    method = METHODS[record.method]
    if not method.is_linear:
        raise UserError(_NONLINEAR.format(method=method.label))
    return own.start_about(new_resamples(record), record)
