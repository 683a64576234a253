"""Numbers only: divergences, densities, geometry and the estimators built on them."""

from melm_core.baselines import DiscriminantPlane
from melm_core.density import density_on_grid
from melm_core.divergence import (
    DivergenceTerms,
    cauchy_schwarz_divergence,
    information_potentials,
    overlap_bound,
)
from melm_core.entropy import EntropyProjection
from melm_core.geometry import (
    align_projection,
    chordal_distance,
    geodesic,
    principal_angles,
)
from melm_core.kde_classifier import KernelDensityClassifier
from melm_core.melm import MELM
from melm_core.profile import DivergenceProfile, divergence_profile
from melm_core.progress import Callback, Progress

__all__ = [
    "MELM",
    "Callback",
    "DiscriminantPlane",
    "DivergenceProfile",
    "DivergenceTerms",
    "EntropyProjection",
    "KernelDensityClassifier",
    "Progress",
    "align_projection",
    "cauchy_schwarz_divergence",
    "chordal_distance",
    "density_on_grid",
    "divergence_profile",
    "geodesic",
    "information_potentials",
    "overlap_bound",
    "principal_angles",
]
