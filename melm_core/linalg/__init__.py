"""Planes, rotations, and the moments of classes."""

from __future__ import annotations

from melm_core.linalg.class_moments import ClassSecondMoments, covariance_of, moments_of_classes
from melm_core.linalg.planes import (
    align_components,
    align_planes,
    chordal_distance,
    features_used,
    geodesic,
    in_standard_units,
    joint_variance_shares,
    loading_lengths,
    orthogonal_procrustes,
    orthonormalize,
    principal_angles,
    random_components,
    score_distances,
    squared_residuals,
)
from melm_core.linalg.smaller_tables import (
    EquivalentRows,
    MomentPlaneEstimator,
    equivalent_rows,
    offsets_of,
)

__all__ = [
    "ClassSecondMoments",
    "EquivalentRows",
    "MomentPlaneEstimator",
    "align_components",
    "align_planes",
    "chordal_distance",
    "covariance_of",
    "equivalent_rows",
    "features_used",
    "geodesic",
    "in_standard_units",
    "joint_variance_shares",
    "loading_lengths",
    "moments_of_classes",
    "offsets_of",
    "orthogonal_procrustes",
    "orthonormalize",
    "principal_angles",
    "random_components",
    "score_distances",
    "squared_residuals",
]
