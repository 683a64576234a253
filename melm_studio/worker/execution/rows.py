"""The training and held-out rows of a run."""

from __future__ import annotations

from melm_core.methods import METHODS
from melm_studio.tables import LabeledData
from melm_studio.worker.execution.embedding import embedded
from melm_studio.worker.records.run import RunRecord


def rows_of(data: LabeledData, record: RunRecord) -> tuple[LabeledData, LabeledData]:
    """Return the training and held-out rows in the coordinates that the run's planes project."""
    parameters = record.parameters
    train, held_out = data.split(parameters["held_out"], parameters["random_state"])
    return embedded(METHODS[record.method], parameters, train, held_out)
