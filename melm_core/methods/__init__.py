"""The registry of methods, the parameters a user may set, and the planes that methods found."""

from __future__ import annotations

from melm_core.methods.method import (
    AUTO,
    BANDWIDTH,
    BATCH_WEIGHT,
    COMPONENTS,
    CURVED,
    CURVES,
    GAMMA,
    HELD_OUT,
    SEED,
    SHARED,
    STARTS,
    STRAIGHT,
    AutoParameter,
    Choice,
    Method,
    Parameter,
    Scale,
    Setting,
    without_zero_weight,
)
from melm_core.methods.registry import METHODS
from melm_core.methods.saved_plane import RowLimits, SavedPlane

__all__ = [
    "AUTO",
    "BANDWIDTH",
    "BATCH_WEIGHT",
    "COMPONENTS",
    "CURVED",
    "CURVES",
    "GAMMA",
    "HELD_OUT",
    "METHODS",
    "SEED",
    "SHARED",
    "STARTS",
    "STRAIGHT",
    "AutoParameter",
    "Choice",
    "Method",
    "Parameter",
    "RowLimits",
    "SavedPlane",
    "Scale",
    "Setting",
    "without_zero_weight",
]
