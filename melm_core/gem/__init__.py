"""GEM: generalized eigenvectors of class second moments (Karampatziakis and Mineiro)."""

from __future__ import annotations

from melm_core.gem.class_pairs import all_pairs, hypercube_pairs
from melm_core.gem.classifier import DeepGEM, FourierGEM, GEMClassifier
from melm_core.gem.eigenvectors import generalized_eigenvectors
from melm_core.gem.ensemble import GEMEnsemble
from melm_core.gem.estimator import GEM, GEMPlane, class_pair_eigenvectors
from melm_core.gem.features import GEMFeatures, HalfPowers

__all__ = [
    "GEM",
    "DeepGEM",
    "FourierGEM",
    "GEMClassifier",
    "GEMEnsemble",
    "GEMFeatures",
    "GEMPlane",
    "HalfPowers",
    "all_pairs",
    "class_pair_eigenvectors",
    "generalized_eigenvectors",
    "hypercube_pairs",
]
