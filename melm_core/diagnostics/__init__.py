"""A plane and its rows: distances, differences, probabilities; what features are worth."""

from __future__ import annotations

from melm_core.diagnostics.component_gain import ComponentGain, second_component_gain
from melm_core.diagnostics.confidence_ellipses import (
    ConfidenceEllipses,
    EllipseOf,
    class_ellipses,
    confidence_ellipse,
    ellipses_of_moments,
)
from melm_core.diagnostics.differences import standardized_differences
from melm_core.diagnostics.feature_importance import (
    Importance,
    feature_order,
    importance,
    mean_importance,
)
from melm_core.diagnostics.mislabeled_rows import (
    DEFAULT_FALSE_SHARE,
    SuspectLabels,
    suspect_labels,
)
from melm_core.diagnostics.outliers import (
    DEFAULT_LEVEL,
    LeftOutDistances,
    PlaneDistances,
    RefitDistances,
    predictive_limit,
    residual_limit,
)

__all__ = [
    "DEFAULT_FALSE_SHARE",
    "DEFAULT_LEVEL",
    "ComponentGain",
    "ConfidenceEllipses",
    "EllipseOf",
    "Importance",
    "LeftOutDistances",
    "PlaneDistances",
    "RefitDistances",
    "SuspectLabels",
    "class_ellipses",
    "confidence_ellipse",
    "ellipses_of_moments",
    "feature_order",
    "importance",
    "mean_importance",
    "predictive_limit",
    "residual_limit",
    "second_component_gain",
    "standardized_differences",
    "suspect_labels",
]
