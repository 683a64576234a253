"""Feature extraction through rotations (Salas-Boni and Tabak, 2013)."""

from __future__ import annotations

from melm_core.rotations.class_families import ClassFamily, DifferentiableFamily
from melm_core.rotations.estimator import RotationPlane
from melm_core.rotations.objective import AngleProfile, angle_profile, rotation_objective

__all__ = [
    "AngleProfile",
    "ClassFamily",
    "DifferentiableFamily",
    "RotationPlane",
    "angle_profile",
    "rotation_objective",
]
