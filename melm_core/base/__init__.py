"""Shared by all estimators: array types, validation, progress, sampling, saved planes."""

from __future__ import annotations

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_choice, check_magnitudes, check_positive
from melm_core.base.progress import Callback, Progress
from melm_core.base.sampling import stratified_sample
from melm_core.base.saved_plane import SavedPlane

__all__ = [
    "Callback",
    "FloatArray",
    "IntArray",
    "Progress",
    "SavedPlane",
    "UserError",
    "check_choice",
    "check_magnitudes",
    "check_positive",
    "stratified_sample",
]
