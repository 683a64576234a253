"""Projections by other methods, for comparison."""

from __future__ import annotations

from melm_core.baselines.class_pca import ClassPCAPlane, PerClassPCAPlane
from melm_core.baselines.discriminant import ChernoffDiscriminantPlane, DiscriminantPlane
from melm_core.baselines.kernel_fisher import KernelFisherDiscriminant
from melm_core.baselines.mutual_information import MutualInformationProjection
from melm_core.baselines.nca import NeighborhoodComponentsPlane
from melm_core.baselines.partial_least_squares import (
    OPLSDiscriminantPlane,
    PLSDiscriminantPlane,
    indicators,
)
from melm_core.baselines.signal_noise import SignalNoisePlane, signal_noise_directions

__all__ = [
    "ChernoffDiscriminantPlane",
    "ClassPCAPlane",
    "DiscriminantPlane",
    "KernelFisherDiscriminant",
    "MutualInformationProjection",
    "NeighborhoodComponentsPlane",
    "OPLSDiscriminantPlane",
    "PLSDiscriminantPlane",
    "PerClassPCAPlane",
    "SignalNoisePlane",
    "indicators",
    "signal_noise_directions",
]
