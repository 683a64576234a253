"""Numbers only: divergences, densities, geometry and the estimators built on them."""

from melm_core.angle_profile import AngleProfile, angle_profile
from melm_core.approximate_classifier import ApproximateKernelClassifier
from melm_core.baselines import DiscriminantPlane
from melm_core.class_pca import BalancedClassPCA, ClassPCA, PerClassPCA
from melm_core.density import density_on_grid
from melm_core.divergence import (
    DivergenceTerms,
    cauchy_schwarz_divergence,
    information_potentials,
    overlap_bound,
)
from melm_core.eigenpairs import generalized_eigenvectors
from melm_core.entropy import EntropyProjection
from melm_core.factor_planes import (
    FactorAnalysisPlane,
    IndependentComponentsPlane,
    NonNegativePlane,
)
from melm_core.gem import GEM, GEMPlane
from melm_core.gem_classifier import DeepGEM, FourierGEM, GEMClassifier, GEMEnsemble
from melm_core.gem_features import GEMFeatures, HalfPowers
from melm_core.gem_pairs import hypercube_pairs
from melm_core.geometry import (
    align_projection,
    chordal_distance,
    geodesic,
    principal_angles,
)
from melm_core.kde_classifier import KernelDensityClassifier
from melm_core.kernel_approximation import ApproximationWarning, KernelMachineApproximation
from melm_core.kernel_fisher import KernelFisherDiscriminant
from melm_core.kernel_machines import KernelMachine
from melm_core.kernel_planes import KernelFisherProjection, KernelPCAProjection
from melm_core.melm import MELM
from melm_core.neighbourhood import NeighbourhoodComponentsPlane
from melm_core.profile import DivergenceProfile, divergence_profile
from melm_core.progress import Callback, Progress
from melm_core.reduced_set import reduced_set
from melm_core.rotation_group import rotation
from melm_core.rotation_objective import rotation_objective
from melm_core.rotations import RotationFeatures
from melm_core.second_moments import ClassSecondMoments
from melm_core.signal_noise import SignalNoisePlane, signal_noise_directions

__all__ = [
    "GEM",
    "MELM",
    "AngleProfile",
    "ApproximateKernelClassifier",
    "ApproximationWarning",
    "BalancedClassPCA",
    "Callback",
    "ClassPCA",
    "ClassSecondMoments",
    "DeepGEM",
    "DiscriminantPlane",
    "DivergenceProfile",
    "DivergenceTerms",
    "EntropyProjection",
    "FactorAnalysisPlane",
    "FourierGEM",
    "GEMClassifier",
    "GEMEnsemble",
    "GEMFeatures",
    "GEMPlane",
    "HalfPowers",
    "IndependentComponentsPlane",
    "KernelDensityClassifier",
    "KernelFisherDiscriminant",
    "KernelFisherProjection",
    "KernelMachine",
    "KernelMachineApproximation",
    "KernelPCAProjection",
    "NeighbourhoodComponentsPlane",
    "NonNegativePlane",
    "PerClassPCA",
    "Progress",
    "RotationFeatures",
    "SignalNoisePlane",
    "align_projection",
    "angle_profile",
    "cauchy_schwarz_divergence",
    "chordal_distance",
    "density_on_grid",
    "divergence_profile",
    "generalized_eigenvectors",
    "geodesic",
    "hypercube_pairs",
    "information_potentials",
    "overlap_bound",
    "principal_angles",
    "reduced_set",
    "rotation",
    "rotation_objective",
    "signal_noise_directions",
]
