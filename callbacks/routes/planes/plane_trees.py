"""The tree of planes of a run: begun, and as a figure with its planes."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import flask
from dash import Dash

from callbacks.services import services
from callbacks.session import own_fit, workspace
from melm_studio.analyses.tree import (
    Height,
    contrast_sentence,
    named_branches,
    tree_arrays,
    tree_notes,
    tree_of,
    tree_sentence,
)
from melm_studio.analyses.tree_figure import tree_figure
from melm_studio.configuration.messages import WAITS
from melm_studio.planes.gamma_advice import gamma_advice
from melm_studio.planes.theme import Scheme
from melm_studio.runs.records.run import RunRecord, RunState
from melm_studio.runs.records.tree_report import TreeReport
from melm_studio.workspace.tree_start import started_tree


def register(app: Dash) -> None:
    """Connect the routes."""
    app.server.get("/runs/<run_id>/tree")(tree)
    app.server.post("/runs/<run_id>/tree")(grow_tree)


def tree(run_id: str) -> dict[str, Any]:
    """The tree of a run so far; ``tree`` is None where it was not asked for."""
    record = own_fit(run_id)
    current = workspace().about(record, "tree")
    if current is None:
        return {"tree": None}
    report = tree_of(services().store, current.run_id)
    n_classes = len(services().renderer.viewer(record).class_names)
    return {
        "tree": current.run_id,
        **progress_of(current, report.fraction, report.stage.capitalize()),
        "words": tree_sentence(report, is_final=current.state.is_final),
        "notes": [note for note in (contrast_sentence(report), *tree_notes(report)) if note],
        "branches": [asdict(branch) for branch in named_branches(report, n_classes)],
        **_drawn(record, report, n_classes),
    }


def grow_tree(run_id: str) -> tuple[dict[str, Any], int]:
    """Queue the tree of a run, unless it has one that was not cut short."""
    return {"tree": started_tree(workspace(), own_fit(run_id)).run_id}, 201


def _drawn(record: RunRecord, report: TreeReport, n_classes: int) -> dict[str, Any]:
    """The figure, and its planes."""
    if not report.planes:
        return {"planes": [], "figure": None}
    query = flask.request.args
    chosen = query.get("height", Height.ACCURACY, type=Height)
    arrays, height = tree_arrays(report, n_classes, chosen)
    advice = gamma_advice(record, workspace().fits())
    figure = tree_figure(
        arrays,
        height,
        guessing=1 / n_classes,
        recommended=advice.chosen if advice else None,
        scheme=query.get("scheme", Scheme.LIGHT, type=Scheme),
    )
    planes = [
        {
            "plane": plane.plane,
            "gamma": report.gammas[plane.width],
            "y": float(y),
            "narrowing": plane.narrowing,
            "widening": plane.widening,
            "words": words,
        }
        for plane, y, words in zip(report.planes, arrays.heights, arrays.words, strict=True)
    ]
    return {"planes": planes, "figure": json.loads(figure.to_json()) | {"height": height}}


def progress_of(current: RunRecord, fraction: float, stage: str = "") -> dict[str, Any]:
    """What every such answer says of its run.

    Parameters
    ----------
    current : RunRecord
        The run about another one.
    fraction : float
        Share of its work that is done.
    stage : str
        What it is at, where it has no message.
    """
    is_waiting = current.state is RunState.QUEUED
    return {
        "is_final": current.state.is_final,
        "can_begin": current.state.is_cut_short,
        "fraction": fraction,
        "stage": WAITS.capitalize() if is_waiting else current.message or stage,
    }
