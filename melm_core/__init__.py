"""Estimators of discriminative projections, and the densities and divergences they optimize."""

from melm_core.base.block_sources import read_rows
from melm_core.base.progress import Callback, Progress
from melm_core.baselines.class_pca import ClassPCAPlane, PerClassPCAPlane
from melm_core.baselines.discriminant import ChernoffDiscriminantPlane, DiscriminantPlane
from melm_core.baselines.kernel_fisher import KernelFisherDiscriminant
from melm_core.baselines.mutual_information import MutualInformationProjection
from melm_core.baselines.nca import NeighborhoodComponentsPlane
from melm_core.baselines.partial_least_squares import OPLSDiscriminantPlane, PLSDiscriminantPlane
from melm_core.baselines.signal_noise import SignalNoisePlane
from melm_core.density.classifier import KernelDensityClassifier
from melm_core.gem.classifier import GEMClassifier
from melm_core.gem.eigenvectors import generalized_eigenvectors
from melm_core.gem.estimator import GEM, GEMPlane
from melm_core.gem.perturbation import eigenvector_errors
from melm_core.kernel_machines.approximation import (
    ApproximateKernelClassifier,
    ApproximationWarning,
    KernelMachineApproximation,
)
from melm_core.kernel_machines.machine import KernelMachine
from melm_core.linalg.class_moments import ClassSecondMoments
from melm_core.linalg.planes import principal_angles
from melm_core.melm.bagging import BaggedMELM
from melm_core.melm.choosing import MELMCV, DivergenceProfile, divergence_profile
from melm_core.melm.class_overlap import class_overlap
from melm_core.melm.entropy_plane import EntropyPlane
from melm_core.melm.estimator import MELM
from melm_core.melm.objective import cauchy_schwarz_divergence, information_potentials
from melm_core.methods.registry import METHODS
from melm_core.methods.saved_plane import SavedPlane
from melm_core.rotations.class_families import ClassFamily
from melm_core.rotations.estimator import RotationPlane
from melm_core.rotations.objective import AngleProfile, angle_profile, rotation_objective

__all__ = [
    "GEM",
    "MELM",
    "MELMCV",
    "METHODS",
    "AngleProfile",
    "ApproximateKernelClassifier",
    "ApproximationWarning",
    "BaggedMELM",
    "Callback",
    "ChernoffDiscriminantPlane",
    "ClassFamily",
    "ClassPCAPlane",
    "ClassSecondMoments",
    "DiscriminantPlane",
    "DivergenceProfile",
    "EntropyPlane",
    "GEMClassifier",
    "GEMPlane",
    "KernelDensityClassifier",
    "KernelFisherDiscriminant",
    "KernelMachine",
    "KernelMachineApproximation",
    "MutualInformationProjection",
    "NeighborhoodComponentsPlane",
    "OPLSDiscriminantPlane",
    "PLSDiscriminantPlane",
    "PerClassPCAPlane",
    "Progress",
    "RotationPlane",
    "SavedPlane",
    "SignalNoisePlane",
    "angle_profile",
    "cauchy_schwarz_divergence",
    "class_overlap",
    "divergence_profile",
    "eigenvector_errors",
    "generalized_eigenvectors",
    "information_potentials",
    "principal_angles",
    "read_rows",
    "rotation_objective",
]
