"""Rows in a plane: distances from it, differences, class probabilities, ellipses of classes."""

from __future__ import annotations

from melm_core.diagnostics.confidence_ellipses import (
    ConfidenceEllipses,
    EllipseOf,
    class_ellipses,
    confidence_ellipse,
    ellipses_of_moments,
)
from melm_core.diagnostics.differences import standardized_differences
from melm_core.diagnostics.outliers import DEFAULT_LEVEL, PlaneDistances, residual_limit
from melm_core.diagnostics.row_probabilities import (
    RowProbabilities,
    out_of_fold_probabilities,
    row_probabilities,
)
from melm_core.diagnostics.suspect_labels import (
    DEFAULT_FALSE_SHARE,
    SuspectLabels,
    suspect_labels,
)

__all__ = [
    "DEFAULT_FALSE_SHARE",
    "DEFAULT_LEVEL",
    "ConfidenceEllipses",
    "EllipseOf",
    "PlaneDistances",
    "RowProbabilities",
    "SuspectLabels",
    "class_ellipses",
    "confidence_ellipse",
    "ellipses_of_moments",
    "out_of_fold_probabilities",
    "residual_limit",
    "row_probabilities",
    "standardized_differences",
    "suspect_labels",
]
