"""GEM: generalized eigenvectors of class second moments (Karampatziakis and Mineiro)."""

from __future__ import annotations

from melm_core.gem.classifier import GEM_PREDICTORS, GEMClassifier
from melm_core.gem.eigenvectors import (
    Denominator,
    WideClass,
    all_pairs,
    generalized_eigenvectors,
    hypercube_pairs,
    leading_eigenvectors,
    wide_eigenvectors,
)
from melm_core.gem.estimator import GEM, GEMPlane, class_pair_eigenvectors
from melm_core.gem.features import half_powers, root_mean_squares
from melm_core.gem.perturbation import eigenvector_errors

__all__ = [
    "GEM",
    "GEM_PREDICTORS",
    "Denominator",
    "GEMClassifier",
    "GEMPlane",
    "WideClass",
    "all_pairs",
    "class_pair_eigenvectors",
    "eigenvector_errors",
    "generalized_eigenvectors",
    "half_powers",
    "hypercube_pairs",
    "leading_eigenvectors",
    "root_mean_squares",
    "wide_eigenvectors",
]
