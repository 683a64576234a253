"""GEM: generalized eigenvectors of class second moments (Karampatziakis and Mineiro)."""

from __future__ import annotations

from melm_core.gem.class_pairs import all_pairs, hypercube_pairs
from melm_core.gem.classifier import GEMClassifier
from melm_core.gem.eigenvectors import (
    Denominator,
    generalized_eigenvectors,
    leading_eigenvectors,
)
from melm_core.gem.estimator import GEM, GEMPlane, class_pair_eigenvectors
from melm_core.gem.features import half_powers, root_mean_squares
from melm_core.gem.many_features import WideClass, wide_eigenvectors
from melm_core.gem.perturbation import eigenvector_errors
from melm_core.gem.predictors import GEM_PREDICTORS

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
