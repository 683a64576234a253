"""Numbers only: divergences, densities, geometry and the estimators built on them."""

from melm_core.baselines import DiscriminantPlane
from melm_core.divergence import DivergenceTerms, cauchy_schwarz_divergence
from melm_core.melm import MELM
from melm_core.progress import Callback, Progress

__all__ = [
    "MELM",
    "Callback",
    "DiscriminantPlane",
    "DivergenceTerms",
    "Progress",
    "cauchy_schwarz_divergence",
]
