"""The panels: the visitor's runs of the data that the page shows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from dash import Dash, Input, Output
from dash.development.base_component import Component

from callbacks.routes.session import owner
from callbacks.services import Studio
from melm_core.methods import METHODS
from melm_studio.layout import ids
from melm_studio.layout.panel import panel, run_tab, teaching_panel
from melm_studio.views.captions import title
from melm_studio.worker.records.run import RunKind, RunRecord, Table, table_of

MOST_PANELS = 9
PANELS_FULL = f"The page holds {MOST_PANELS} panels. Remove one to run another."


def register(app: Dash, studio: Studio) -> None:
    """Connect the list of panels."""

    @app.callback(
        Output(ids.PANELS, "children"),
        Output(ids.RUN_TABS, "children"),
        Input(ids.REVISION, "data"),
        Input(ids.DATA, "data"),
    )
    def show(
        revision: str | None, data: dict[str, Any] | None
    ) -> tuple[list[Component], list[Component]]:
        runs = runs_shown(studio, data)
        panels = [
            panel(
                run.run_id,
                title(run),
                run.data_name,
                gamma=run.parameters["gamma"],
                n_components=run.parameters["n_components"],
                is_linear=METHODS[run.method].is_linear,
                space=_space(run),
            )
            for run in runs
        ]
        return panels or [teaching_panel()], [run_tab(run.run_id, title(run)) for run in runs]


def source_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """Where the data that the page shows came from, as runs of them keep it."""
    return {**data.get("source", {}), "label": data.get("label")}


def runs_on(studio: Studio, table: Table) -> list[RunRecord]:
    """The visitor's fits of a table, however its features were prepared, oldest first."""
    return [run for run in fits(studio) if run.table == table]


def runs_shown(studio: Studio, data: Mapping[str, Any] | None) -> list[RunRecord]:
    """The runs of the panels on the page, oldest first, by the data that it shows."""
    return runs_on(studio, table_of(data["id"], source_of(data))) if data else []


def fits(studio: Studio) -> list[RunRecord]:
    """The visitor's runs that have a panel, oldest first."""
    return [run for run in studio.store.runs_of(owner()) if run.kind is RunKind.FIT]


def checks_of(studio: Studio, run_id: str) -> list[RunRecord]:
    """The visitor's checks of a run, oldest first."""
    return [run for run in studio.store.runs_of(owner()) if run.of_run == run_id]


def is_full(studio: Studio, table: Table) -> bool:
    """Whether the page holds no further panel of a table."""
    return len(runs_on(studio, table)) >= MOST_PANELS


def newest_revision(studio: Studio) -> str:
    """The revision of the visitor's panels as they are now."""
    return revision_of(fits(studio))


def revision_of(runs: Iterable[RunRecord]) -> str:
    """A name for a list of runs, so that a page that knows it does not list them anew."""
    return hashlib.sha256(" ".join(run.run_id for run in runs).encode()).hexdigest()[:16]


def _space(run: RunRecord) -> str:
    """What the planes of two runs share between which one can turn into the other."""
    is_linear = METHODS[run.method].is_linear
    return f"{run.data_id}:{run.parameters['n_components']}" if is_linear else ""
