"""The run that grows the tree of planes of another run."""

from __future__ import annotations

from melm_core.base import UserError
from melm_studio.analyses.tree import TREE_METHOD
from melm_studio.runs.records.run import RunRecord, new_analysis
from melm_studio.workspace.workspace import Workspace

_NO_TREE = "Only runs of MELM have a tree of planes. Run MELM on this table, and open its tree."


def started_tree(own: Workspace, record: RunRecord) -> RunRecord:
    """Return the tree of a run; queue one if there is none, or it was cut short.

    Raises
    ------
    UserError
        If the run has no tree, or a limit is reached.
    """
    if record.method != TREE_METHOD:
        raise UserError(_NO_TREE)
    return own.start_about(new_analysis(record, "tree"), record)
