"""Batch runs: every chosen method at every chosen γ in every chosen preparation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import flask
from dash import Dash
from msgspec import Struct
from msgspec.structs import replace

from callbacks.addresses import Body
from callbacks.guards.error_answers import sentence
from callbacks.routes.panels import listed
from callbacks.run_form import FormValues, data_to_run_on
from callbacks.session import workspace
from melm_core.base import UserError
from melm_studio.configuration.limits import LimitReachedError
from melm_studio.runs.execution.refusals import applicable, check_data
from melm_studio.runs.records.run import RunRecord
from melm_studio.validation import read
from melm_studio.workspace.data_source import ShownData
from melm_studio.workspace.workspace import MAX_PANELS, Workspace

_NOTHING_CHOSEN = "Choose at least one method and one γ to run."
_ALL_HERE = "All of these runs are on the page already."
_MOST_CHOICES = 1_000  # that are compared with the runs of the page
_FAR_TOO_MANY = (
    "These are {n_choices:,} choices; at most {most:,} can be looked at together. Choose fewer "
    "methods or fewer γ."
)
_TOO_MANY = (
    "These are {n_runs} runs; the page holds {most} panels and shows {n_shown}. Choose fewer runs, "
    "or remove some panels."
)


class NewBatch(Struct, frozen=True, forbid_unknown_fields=True):
    """Request of the page to start a batch.

    Attributes
    ----------
    data : ShownData or None
        The data that it shows.
    form : FormValues
    methods, gammas : list of str
    both : bool
        Whether to run with standardization and without.
    """

    data: ShownData | None
    form: FormValues = FormValues()
    methods: list[str] = []
    gammas: list[str] = []
    both: bool = False


def register(app: Dash) -> None:
    """Connect the route."""
    app.server.post("/runs/batch", body=Body.JSON, is_heavy=True)(start_batch)


def start_batch() -> tuple[dict[str, Any], int]:
    """Check all runs of the batch, then queue those that are not on the page already."""
    space, asked = workspace(), read(flask.request.get_json(silent=True), NewBatch, "The batch")
    shown = data_to_run_on(asked.data)
    choices = _choices(asked.methods, asked.gammas, _preparations(shown, both=asked.both))
    fits = _new_fits(space, shown, choices, asked.form)
    if not fits:
        return {"notice": _ALL_HERE, **listed(shown)}, 200
    _check_room(space, shown, len(fits))
    try:
        space.queue(*fits)
    except LimitReachedError as error:  # the runs before the limit stay queued
        return sentence(str(error)) | listed(shown), 201
    return {"runs": [fit.run_id for fit in fits], **listed(shown)}, 201


def _choices(
    methods: Sequence[str], gammas: Sequence[str], preparations: Sequence[bool]
) -> list[tuple[str, Any, bool]]:
    n_choices = len(methods) * len(gammas) * len(preparations)
    if n_choices == 0:
        raise UserError(_NOTHING_CHOSEN)
    if n_choices > _MOST_CHOICES:
        raise UserError(_FAR_TOO_MANY.format(n_choices=n_choices, most=_MOST_CHOICES))
    return list(product(methods, map(_number, gammas), preparations))


def _number(text: str) -> Any:
    """Parse a typed number; other text is left as it is, for the parameter to refuse."""
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return text


def _preparations(shown: ShownData, *, both: bool) -> list[bool]:
    """Return whether to standardize: as selected, or both with and without."""
    selected = shown.source.standardize
    return [selected, not selected] if both else [selected]


def _check_room(space: Workspace, shown: ShownData, n_runs: int) -> None:
    n_shown = len(space.shown_fits(shown))
    if n_shown + n_runs > MAX_PANELS:
        raise UserError(_TOO_MANY.format(n_runs=n_runs, most=MAX_PANELS, n_shown=n_shown))


def _new_fits(
    space: Workspace,
    shown: ShownData,
    choices: Iterable[tuple[str, Any, bool]],
    form: FormValues,
) -> list[RunRecord]:
    # As the page prepared them: a label that was guessed is asked, one that is given is not.
    source = shown.source
    table, prepared = space.table(source), {}
    fits = []
    for method, gamma, standardize in choices:
        if standardize not in prepared:
            prepared[standardize] = space.prepare(table, replace(source, standardize=standardize))
        data = prepared[standardize]
        parameters = applicable(form.parameters(method, gamma, data), data)
        check_data(method, data, parameters)
        if space.equal_fit(data.content_hash, method, parameters):
            continue
        variant = ShownData(
            data.content_hash, data.name, shown.label, replace(source, standardize=standardize)
        )
        fits.append(space.new_fit(variant, method, parameters, data))
    return fits
