"""Data and parameters that a run cannot be fitted with, found before it is queued."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from melm_core.base import UserError
from melm_core.density import confounded_in_words, nuisance_cells
from melm_core.methods import BATCH_WEIGHT, COMPONENTS, HELD_OUT, METHODS
from melm_studio.installation import install_command
from melm_studio.runs.records.parameters import (
    RunParameters,
    checked_parameters,
    usual_held_out,
)
from melm_studio.tables import LabeledData

_NOT_INSTALLED = (
    "{label} needs a package that is not installed here. Choose another method, or install it and "
    "start the studio again: {install}"
)
_NO_BATCH = (
    "{label} is {weight:g}, and no column of the table has the role Batch. Choose that role for a "
    "column in Columns, or set the weight to 0."
)


def missing_package(method: str) -> str | None:
    """Return the command that installs what a method needs; None if it is installed."""
    wanted = METHODS[method]
    return None if wanted.is_installed else install_command(wanted.extra)


def check_data(method: str, data: LabeledData, parameters: RunParameters) -> None:
    """Refuse data that a method cannot fit, before a run is queued.

    Raises
    ------
    UserError
        Says why, and what would help.
    """
    if install := missing_package(method):
        raise UserError(_NOT_INSTALLED.format(label=METHODS[method].label, install=install))
    train, _ = data.split(parameters.held_out, parameters.random_state)
    n_components = parameters.n_components
    refusal = METHODS[method].refusal(train.X.shape[1], train.class_counts, n_components)
    if refusal is not None:
        raise UserError(refusal)
    if weight := parameters.batch_weight:
        _check_batches(train, weight, n_components)


def _check_batches(train: LabeledData, weight: float, n_components: int) -> None:
    """Refuse rows in which nothing can tell the classes from the batches."""
    if train.batches is None:
        raise UserError(_NO_BATCH.format(label=BATCH_WEIGHT.label, weight=weight))
    cells = nuisance_cells(train.y, train.batches, n_components=n_components)
    if cells.is_confounded:
        n_batches = len(set(train.batches.tolist()))
        raise UserError(confounded_in_words(cells, n_batches, n_components, "batch"))


def applicable(parameters: RunParameters, data: LabeledData) -> RunParameters:
    """Keep the parameters of a form that apply to the data.

    Without batches there is no batch weight, which the form hides, and one feature has one
    component, whatever the form says of others.
    """
    if data.X.shape[1] == 1:
        parameters = replace(parameters, n_components=1)
    return parameters.without_batch_weight if data.batches is None else parameters


def parameters_for(data: LabeledData, method: str, values: Mapping[str, Any]) -> RunParameters:
    """Return all parameters of a run on data; those left out are what is usual for the table.

    Parameters
    ----------
    data : LabeledData
    method : str
    values : mapping
        By name.

    Raises
    ------
    InputError
        Names the parameter, its value, and the rule.
    """
    has_batches = data.batches is not None
    usual = {
        COMPONENTS.name: default_components(data),
        HELD_OUT.name: usual_held_out(len(data.y), has_batches=has_batches),
    }
    return checked_parameters(method, usual | dict(values))


def default_components(data: LabeledData) -> int:
    """Return the default number of components: at most that of features."""
    return int(min(COMPONENTS.default, data.X.shape[1]))
