"""The numbers that the texts of a story may name: those that its views give."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from melm_core import diagnostics
from melm_core.base import percent
from melm_studio.analyses.check import CHECK
from melm_studio.analyses.probabilities import PROBABILITIES
from melm_studio.planes.plane_scores import BatchScores
from melm_studio.planes.renderer import PlaneRenderer
from melm_studio.planes.view_options import Shown
from melm_studio.runs.records.run import PlaneEvent, RunRecord
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.scores import check_sentence
from melm_studio.tables import LabeledData, mislabeled_rows, number
from melm_studio.workspace.story import StoryView
from melm_studio.workspace.view_spec import ViewSpec
from melm_studio.workspace.workspace import Workspace


def facts_of(own: Workspace, renderer: PlaneRenderer, spec: ViewSpec) -> dict[str, str]:
    """Return what a view gives, by the names that the texts of a story have in braces.

    Parameters
    ----------
    own : Workspace
        Which has the run of the view.
    renderer : PlaneRenderer
    spec : ViewSpec
    """
    record = run_of(own, spec)
    scores = renderer.view(Shown.of(record, _event(own, record, spec), spec.options)).scores
    raw = own.store.get_file(own.owner, FileKind.DATA, record.data_id)
    data = LabeledData.from_bytes(raw or b"")
    return {
        **_table_facts(data),
        **_batch_facts(scores.batches),
        **_suspect_facts(own, record, data),
        "training": percent(scores.accuracy_train),
        "held_out": "" if scores.accuracy_held_out is None else percent(scores.accuracy_held_out),
        "gamma": f"{spec.options.gamma or record.density_gamma:.3g}",
        "top_features": number(spec.options.n_top_features or 0),
        "check": _check_words(own, record),
    }


def run_of(own: Workspace, spec: ViewSpec) -> RunRecord:
    """Return the run of a view.

    Raises
    ------
    LookupError
        If the workspace has none.
    """
    record = own.equal_fit(spec.data_id, spec.method, spec.run_parameters)
    if record is None:
        raise LookupError(f"No run of {spec.method} was stored with the story.")
    return record


def worded(view: StoryView, facts: Mapping[str, str]) -> StoryView:
    """Return a view whose texts have the facts in place of their names.

    No line ends between a number and its percent sign.
    """
    kept = {name: fact.replace(" %", "\N{NO-BREAK SPACE}%") for name, fact in facts.items()}
    title, caption, notes = (text.format(**kept) for text in (view.title, view.caption, view.notes))
    return StoryView(view.spec, title, caption, notes)


def _event(own: Workspace, record: RunRecord, spec: ViewSpec) -> PlaneEvent:
    store = own.store
    last = store.last_event(record.run_id)
    event = last if spec.plane is None else store.event(record.run_id, spec.plane)
    if event is None:
        raise LookupError(f"The run {record.method} has no plane {spec.plane}.")
    return event


def _table_facts(data: LabeledData) -> dict[str, str]:
    n_classes = len(data.class_names)
    return {
        "rows": number(len(data.y)),
        "features": number(data.X.shape[1]),
        "classes": number(n_classes),
        "guessing": percent(1.0 / n_classes),
    }


def _batch_facts(scores: BatchScores | None) -> dict[str, str]:
    """Of held-out rows."""
    if scores is None or scores.held_out is None:
        return {}
    return {
        "batch_held_out": percent(scores.held_out.accuracy),
        "batch_guessing": percent(scores.held_out.chance),
    }


def suspects(
    own: Workspace, record: RunRecord, data: LabeledData
) -> diagnostics.SuspectLabels | None:
    """Return the rows of a run whose labels are suspect; None if they were not looked for."""
    search = own.about(record, PROBABILITIES.name)
    report = None if search is None else PROBABILITIES.stored(own.store, search.run_id)
    return None if report is None else diagnostics.SuspectLabels.of(report.log_mixtures, data.y)


def _suspect_facts(own: Workspace, record: RunRecord, data: LabeledData) -> dict[str, str]:
    """Of the sample whose wrong labels are known."""
    found = suspects(own, record, data)
    if found is None:
        return {}
    is_wrong = np.isin(data.row_numbers[found.rows], mislabeled_rows())
    return {
        "wrong": number(len(mislabeled_rows())),
        "listed": number(len(found.rows)),
        "right": number(round(found.n_false)),
        "found": number(int(is_wrong.sum())),
        "falsely": number(int((~is_wrong).sum())),
    }


def _check_words(own: Workspace, record: RunRecord) -> str:
    check = own.checks().get(record.run_id)
    report = None if check is None else CHECK.stored(own.store, check.run_id)
    return "" if report is None else check_sentence(report)
