"""Projections by other methods, for comparison."""

from __future__ import annotations

from melm_core.baselines.class_pca import BalancedClassPCA, ClassPCA, PerClassPCA
from melm_core.baselines.discriminant import DiscriminantPlane
from melm_core.baselines.factors import (
    FactorAnalysisPlane,
    IndependentComponentsPlane,
    NonNegativePlane,
)
from melm_core.baselines.heteroscedastic_discriminant import ChernoffDiscriminantPlane
from melm_core.baselines.kernel_fisher import KernelFisherDiscriminant
from melm_core.baselines.kernel_projections import KernelFisherProjection, KernelPCAProjection
from melm_core.baselines.nca import NeighborhoodComponentsPlane
from melm_core.baselines.neighbor_embedding import NeighborEmbedding, TSNEProjection, UMAPProjection
from melm_core.baselines.orthogonal_pls import OPLSDiscriminantPlane
from melm_core.baselines.partial_least_squares import PLSDiscriminantPlane, indicators
from melm_core.baselines.principal_components import PrincipalComponentsPlane
from melm_core.baselines.signal_noise import SignalNoisePlane, signal_noise_directions

__all__ = [
    "BalancedClassPCA",
    "ChernoffDiscriminantPlane",
    "ClassPCA",
    "DiscriminantPlane",
    "FactorAnalysisPlane",
    "IndependentComponentsPlane",
    "KernelFisherDiscriminant",
    "KernelFisherProjection",
    "KernelPCAProjection",
    "NeighborEmbedding",
    "NeighborhoodComponentsPlane",
    "NonNegativePlane",
    "OPLSDiscriminantPlane",
    "PLSDiscriminantPlane",
    "PerClassPCA",
    "PrincipalComponentsPlane",
    "SignalNoisePlane",
    "TSNEProjection",
    "UMAPProjection",
    "indicators",
    "signal_noise_directions",
]
