"""The registry of methods, and the parameters a user may set."""

from __future__ import annotations

from melm_core.methods.method import Method
from melm_core.methods.parameters import (
    COMPONENTS,
    GAMMA,
    HELD_OUT,
    SEED,
    SHARED,
    STARTS,
    Choice,
    Parameter,
    Scale,
    Setting,
)
from melm_core.methods.registry import METHODS

__all__ = [
    "COMPONENTS",
    "GAMMA",
    "HELD_OUT",
    "METHODS",
    "SEED",
    "SHARED",
    "STARTS",
    "Choice",
    "Method",
    "Parameter",
    "Scale",
    "Setting",
]
