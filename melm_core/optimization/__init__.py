"""Maximize an objective of planes from several starts, through a sequence of stages."""

from __future__ import annotations

from melm_core.optimization.lbfgs import climb_compiled, lbfgs, maximize_batch
from melm_core.optimization.multistart import (
    Outcome,
    Stage,
    Start,
    StartResult,
    maximize,
    random_starts,
)

__all__ = [
    "Outcome",
    "Stage",
    "Start",
    "StartResult",
    "climb_compiled",
    "lbfgs",
    "maximize",
    "maximize_batch",
    "random_starts",
]
