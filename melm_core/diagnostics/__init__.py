"""A plane and its rows: distances, differences, probabilities; what features are worth."""

from __future__ import annotations

from melm_core.diagnostics.best_of_many import WinnerShare
from melm_core.diagnostics.calibration import Reliability, cross_calibrated
from melm_core.diagnostics.component_gain import ComponentGain
from melm_core.diagnostics.confidence_ellipses import (
    ConfidenceEllipses,
    EllipseOf,
)
from melm_core.diagnostics.conformal import (
    DEFAULT_COVERAGE,
    ConformalCoverage,
    ConformalScores,
    Evidence,
    in_set,
    shortage_notes,
)
from melm_core.diagnostics.differences import standardized_differences
from melm_core.diagnostics.effects import FactorEffect, FactorEffects
from melm_core.diagnostics.feature_importance import (
    Importance,
    feature_order,
)
from melm_core.diagnostics.held_out_rows import balanced_mean, held_out_p_value
from melm_core.diagnostics.outliers import (
    LeftOutDistances,
    PlaneDistances,
    SuspectLabels,
    residual_limit,
)
from melm_core.diagnostics.plane_classifiers import (
    PLANE_CLASSIFIERS,
    PlaneClassifier,
    confusion_shares,
    fold_confusion,
    mutual_confusion,
)

__all__ = [
    "DEFAULT_COVERAGE",
    "PLANE_CLASSIFIERS",
    "ComponentGain",
    "ConfidenceEllipses",
    "ConformalCoverage",
    "ConformalScores",
    "EllipseOf",
    "Evidence",
    "FactorEffect",
    "FactorEffects",
    "Importance",
    "LeftOutDistances",
    "PlaneClassifier",
    "PlaneDistances",
    "Reliability",
    "SuspectLabels",
    "WinnerShare",
    "balanced_mean",
    "confusion_shares",
    "cross_calibrated",
    "feature_order",
    "fold_confusion",
    "held_out_p_value",
    "in_set",
    "mutual_confusion",
    "residual_limit",
    "shortage_notes",
    "standardized_differences",
]
