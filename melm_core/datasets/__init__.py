"""Random data: the generators of the papers, and pure noise."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from melm_core.datasets.batch_drift import batches
from melm_core.datasets.crescent_pair import crescents
from melm_core.datasets.generators import five_gaussians, five_mixtures, two_gaussians, two_mixtures
from melm_core.datasets.noise import pure_noise

__all__ = [
    "batches",
    "crescents",
    "five_gaussians",
    "five_mixtures",
    "pure_noise",
    "two_gaussians",
    "two_mixtures",
]


def __getattr__(name: str) -> Any:
    # Downloaded programs import load_sample from its former place, melm_core.datasets.
    if name == "load_sample":
        return import_module("melm_studio.tables").load_sample
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
