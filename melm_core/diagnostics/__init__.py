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
from melm_core.diagnostics.mislabeled_rows import (
    DEFAULT_FALSE_SHARE,
    SuspectLabels,
    suspect_labels,
)
from melm_core.diagnostics.outliers import DEFAULT_LEVEL, PlaneDistances, residual_limit
from melm_core.diagnostics.row_probabilities import (
    RowProbabilities,
    calibrated_probabilities,
    out_of_fold_probabilities,
)

__all__ = [
    "DEFAULT_FALSE_SHARE",
    "DEFAULT_LEVEL",
    "ConfidenceEllipses",
    "EllipseOf",
    "PlaneDistances",
    "RowProbabilities",
    "SuspectLabels",
    "calibrated_probabilities",
    "class_ellipses",
    "confidence_ellipse",
    "ellipses_of_moments",
    "out_of_fold_probabilities",
    "residual_limit",
    "standardized_differences",
    "suspect_labels",
]
