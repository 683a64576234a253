"""Random data: the generators of the papers, and pure noise."""

from __future__ import annotations

from melm_core.datasets.batch_drift import batches
from melm_core.datasets.crescent_pair import crescents
from melm_core.datasets.drawn_plane import hidden_drawing
from melm_core.datasets.generators import five_gaussians, five_mixtures, two_gaussians, two_mixtures
from melm_core.datasets.masked_classes import masked_gaussians
from melm_core.datasets.middle_way import moderation
from melm_core.datasets.noise import pure_noise

__all__ = [
    "batches",
    "crescents",
    "five_gaussians",
    "five_mixtures",
    "hidden_drawing",
    "masked_gaussians",
    "moderation",
    "pure_noise",
    "two_gaussians",
    "two_mixtures",
]
