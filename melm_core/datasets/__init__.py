"""Random data: the generators of the papers, and pure noise."""

from __future__ import annotations

from melm_core.datasets.generators import (
    batches,
    crescents,
    five_gaussians,
    five_mixtures,
    hidden_drawing,
    masked_gaussians,
    moderation,
    pure_noise,
    two_gaussians,
    two_mixtures,
)

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
