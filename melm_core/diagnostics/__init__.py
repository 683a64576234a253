"""Single rows: distances from a plane, differences from other rows, class probabilities."""

from __future__ import annotations

from melm_core.diagnostics.differences import standardized_differences
from melm_core.diagnostics.outliers import DEFAULT_LEVEL, PlaneDistances, residual_limit
from melm_core.diagnostics.row_probabilities import out_of_fold_probabilities

__all__ = [
    "DEFAULT_LEVEL",
    "PlaneDistances",
    "out_of_fold_probabilities",
    "residual_limit",
    "standardized_differences",
]
